"""The command as a process: pipes, signals, locales, the ways it is started."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from harkback import Store, __version__

POSIX = pytest.mark.skipif(os.name != "posix", reason="signals and locales of POSIX")
COMMAND = [sys.executable, "-m", "harkback"]


@pytest.fixture
def store(tmp_path):
    path = tmp_path / "runtime.sqlite"
    with Store.create(path) as writer, writer.batch():
        for _ in range(40):
            writer.session("会话").turn().user("zebra 模型\n" * 50)
    return path


def run(*arguments, **options):
    return subprocess.run(
        [*COMMAND, *map(os.fspath, arguments)],
        capture_output=True,
        timeout=60,
        check=False,
        **options,
    )


@pytest.mark.parametrize("form", ["drawn", "json"])
@POSIX
def test_reader_that_leaves(store, form):
    process = subprocess.Popen(
        [*COMMAND, "search", "zebra", "--all", "--store", store, *["--json"] * (form == "json")],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
    )
    process.stdout.close()
    assert process.stderr.read() == b""
    process.stderr.close()
    assert process.wait(60) == 141


@POSIX
def test_reader_that_leaves_before_little_is_written(store):
    process = subprocess.Popen(
        [*COMMAND, "search", "okapi", "--store", store],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
    )
    process.stdout.close()
    assert process.stderr.read() == b""
    process.stderr.close()
    assert process.wait(60) == 141


@POSIX
def test_interrupt_ends_quietly(store):
    slow = (
        "import signal, sys, time\n"
        "import harkback.recall\n"
        # A shell has what it starts in the background ignore it.
        "signal.signal(signal.SIGINT, signal.default_int_handler)\n"
        "def search(*_, **__):\n"
        "    print('searching', file=sys.stderr, flush=True)\n"
        "    time.sleep(60)\n"
        "harkback.recall.Recall.search = search\n"
        "from harkback.cli import main\n"
        "main()\n"
    )
    process = subprocess.Popen(
        [sys.executable, "-c", slow, "search", "zebra", "--store", store],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
    )
    assert process.stderr.readline() == b"searching\n"
    process.send_signal(signal.SIGINT)
    out, err = process.communicate(timeout=30)
    assert (process.returncode, out, err) == (130, b"", b"")


@pytest.mark.parametrize("locale", ["C", "POSIX"])
@POSIX
def test_plain_locale(store, locale):
    """Python is kept from repairing the locale, so that stdio and arguments start out as ASCII."""
    bare = {"LC_ALL": locale, "PYTHONUTF8": "0", "PYTHONCOERCECLOCALE": "0"}
    environment = {k: v for k, v in os.environ.items() if k != "PYTHONIOENCODING"} | bare
    result = run("search", "模型", "--store", store, env=environment)
    assert (result.returncode, result.stderr) == (0, b"")
    assert "会话" in result.stdout.decode()
    refused = run("search", "模型", "--store", store.with_name("无"), env=environment)
    assert refused.returncode == 2
    assert b"(source_missing)" in refused.stderr


@POSIX
def test_argument_that_is_no_text(store):
    result = run("search", b"\xff\xfe", "--store", store)
    assert result.returncode == 1
    assert result.stderr == b""


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="needs /dev/full")
def test_output_that_cannot_be_written(store):
    with Path("/dev/full").open("wb") as full:
        result = subprocess.run(
            [*COMMAND, "search", "zebra", "--store", store],
            stdout=full,
            stderr=subprocess.PIPE,
            timeout=60,
            check=False,
        )
    assert result.returncode == 2
    assert b"(system_error)" in result.stderr
    assert b"Traceback" not in result.stderr


def test_version_and_how_it_is_started():
    script = Path(sys.executable).with_name("harkback")
    for start in (COMMAND, [script]):
        shown = subprocess.run([*start, "--version"], capture_output=True, timeout=60, check=True)
        assert shown.stdout.decode().split() == ["harkback", __version__]


@pytest.mark.parametrize("arguments", [["--version"], ["--help"], ["search", "x", "--json"]])
def test_what_is_not_drawn_does_not_load_rich(store, arguments):
    code = (
        "import sys, atexit; atexit.register(lambda: sys.stderr.write(str('rich' in sys.modules)))"
    )
    where = ["--store", os.fspath(store)] if "search" in arguments else []
    result = subprocess.run(
        [
            sys.executable,
            "-c",
            f"{code}\nfrom harkback.cli import main\nmain()",
            *arguments,
            *where,
        ],
        capture_output=True,
        timeout=60,
        check=False,
    )
    assert result.stderr == b"False"
