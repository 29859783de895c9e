"""``harkback redact``: bytes in, bytes out, and what was cut without a part of it."""

from __future__ import annotations

import json
import os
import subprocess
import sys

import pytest
from click.testing import CliRunner
from hypothesis import given
from hypothesis import strategies as st

from harkback.cli import documents
from harkback.cli.command import command
from harkback.redaction import DEFAULT, STRICT
from support.secrets import SECRETS

KEY = SECRETS["github-token"][0]
DIGEST = "3f786850e387550fdab836ed7e6dc881de23001b"
TEXT = f"one\ntwo {KEY}\r\nthree 密钥 password='correct horse' é\n{DIGEST}"
CLEAN = f"one\ntwo [redacted]\r\nthree 密钥 password='[redacted]' é\n{DIGEST}"


@pytest.fixture(params=["native", "reference"], autouse=True)
def on_each_engine(request, monkeypatch):
    monkeypatch.setenv("HARKBACK_ENGINE", request.param)


def run(*arguments, given=TEXT):
    data = given if isinstance(given, bytes) else given.encode()
    return CliRunner().invoke(command, ["redact", *map(str, arguments)], input=data)


@pytest.fixture
def file(tmp_path):
    path = tmp_path / "notes.txt"
    path.write_bytes(TEXT.encode())
    return path


def test_standard_input(file):
    for arguments in ([], ["-"], [file]):
        result = run(*arguments)
        assert (result.exit_code, result.stdout_bytes) == (0, CLEAN.encode())
        assert result.stderr == ""


def test_inputs_follow_one_another(file):
    result = run(file, "-", file, given="stdin")
    assert result.stdout_bytes == (CLEAN + "stdin" + CLEAN).encode()


@pytest.mark.parametrize(
    ("given", "left", "damaged"),
    [
        (b"", b"", 0),
        (b"\xef\xbb\xbfa\x00b\r", b"\xef\xbb\xbfa\x00b\r", 0),
        (b"\xff\xfe" + "a é 😀\n".encode("utf-16-le"), None, 0),
        (b"\xfe\xff" + "a é 😀\n".encode("utf-16-be") + b"x", None, 1),
        (b"\xff\xfe" + b"\x00\xd8a\x00", None, 1),
        (b"a\x80\xffb\xed\xa0\x80", None, 5),
    ],
)
def test_what_stays_stays_byte_for_byte(given, left, damaged):
    result = run(given=given)
    assert result.stdout_bytes == (given if left is None else left)
    said = f"harkback: -: {damaged} bytes are not text; they are kept as they are.\n"
    assert result.stderr == (said if damaged else "")
    assert result.exit_code == 0


@pytest.mark.parametrize("encoding", ["utf-16-le", "utf-16-be"])
def test_secrets_in_utf_16_go(encoding):
    result = run(given=("\ufeff" + TEXT).encode(encoding))
    assert result.stdout_bytes == ("\ufeff" + CLEAN).encode(encoding)


@given(st.binary(max_size=40), st.binary(max_size=40))
def test_any_bytes_around_a_secret(before, after):
    result = run(given=before + b" \n" + KEY.encode() + b"\n " + after)
    if not before.startswith((b"\xff\xfe", b"\xfe\xff")):
        assert KEY.encode() not in result.stdout_bytes
        if not DEFAULT.bind(harkback_engine()).changes((before + after).decode("utf-8", "replace")):
            assert result.stdout_bytes == before + b" \n[redacted]\n " + after


def harkback_engine():
    from harkback.engine import load

    return load()


def test_json_names_each_cut_and_never_what_was_cut(file):
    result = run("--json", file)
    found = [json.loads(each) for each in result.stdout.splitlines()]
    starts = [TEXT.index(KEY), TEXT.index("correct")]
    assert found == [
        {
            "file": str(file),
            "line": 2,
            "column": 5,
            "start": starts[0],
            "end": starts[0] + len(KEY),
            "rules": ["github-token"],
            "reasons": [rule.reason for rule in DEFAULT.rules if rule.id == "github-token"],
        },
        {
            "file": str(file),
            "line": 3,
            "column": 20,
            "start": starts[1],
            "end": starts[1] + len("correct horse"),
            "rules": ["sensitive-name"],
            "reasons": [rule.reason for rule in DEFAULT.rules if rule.id == "sensitive-name"],
        },
    ]


@given(st.text("ab\n é", max_size=30))
def test_lines_and_columns(before):
    printed = run("--json", given=f"{before} {KEY} {KEY}\n{KEY}").stdout
    first, second, third = (json.loads(each) for each in printed.splitlines())
    lines = (before + " ").split("\n")
    column = len(lines[-1]) + 1
    assert (first["line"], first["column"]) == (len(lines), column)
    assert (second["line"], second["column"]) == (len(lines), column + len(KEY) + 1)
    assert (third["line"], third["column"]) == (len(lines) + 1, 1)


def test_report(file):
    result = run("--report", file, "-", given="quiet")
    assert result.stdout_bytes == (CLEAN + "quiet").encode()
    assert result.stderr.splitlines() == [
        "github-token · 1 cut · GitHub classic, OAuth, app, installation or refresh token",
        f"    line {file}:2",
        "sensitive-name · 1 cut · The name says that its value is a secret",
        f"    line {file}:3",
        f"2 cuts in 2 inputs, policy {DEFAULT.short_version}",
    ]
    many = run("--report", given=f"{KEY}\n" * 1200).stderr
    assert "github-token · 1,200 cuts" in many
    assert "    lines 1, 2, 3, 4, …\n" in many
    assert run("--report", given="quiet").stderr.startswith("Nothing is cut in 1 input, policy ")


@pytest.mark.parametrize("form", [[], ["--json"], ["--report"]])
def test_check(file, form):
    found = run("--check", *form, file)
    assert found.exit_code == 1
    assert bool(found.stdout) == (form == ["--json"])
    assert bool(found.stderr) == (form == ["--report"])
    clean = run("--check", *form, given="quiet [redacted]")
    assert (clean.exit_code, clean.stdout) == (0, "")


@pytest.mark.parametrize("form", [[], ["--json"], ["--report"], ["--check", "--report"]])
def test_no_form_of_output_holds_a_secret(tmp_path, form):
    for rule, secrets in SECRETS.items():
        for number, secret in enumerate(secrets):
            result = run(*form, given=f"a\n{secret}\nb")
            assert secret not in result.output, (rule, number)
            assert secret[6:18] not in result.output, (rule, number)
            assert result.exit_code == ("--check" in form)
    named = tmp_path / KEY
    named.write_text("quiet")
    for name in (named, tmp_path / (KEY + ".gone")):
        assert KEY not in run(*form, "--report", name).output


def test_strict():
    assert DIGEST not in run("--strict").stdout
    assert DIGEST in run().stdout


def test_inputs_that_cannot_be_read(file, tmp_path, monkeypatch):
    result = run(tmp_path / "nowhere", file, tmp_path)
    assert result.exit_code == 2
    assert result.stdout_bytes == CLEAN.encode()
    first, second = result.stderr.splitlines()
    assert first.endswith("nowhere: No such file or directory. (system_error)")
    assert "(system_error)" in second
    monkeypatch.setattr(documents, "MAX_INPUT_BYTES", 10)
    result = run("--check", file)
    assert (result.exit_code, result.stdout) == (2, "")
    assert "(input_too_large)" in result.stderr


def test_rules():
    rows = run("--rules").stdout.splitlines()
    assert rows[0].split() == ["rule", "kind", "reason"]
    assert rows[-1] == f"{len(DEFAULT.rules)} rules, policy {DEFAULT.short_version}"
    assert [row.split()[0] for row in rows[1:-1]] == sorted(DEFAULT.ids)
    listed = [json.loads(each) for each in run("--rules", "--json", "--strict").stdout.splitlines()]
    assert {each["id"]: each["reason"] for each in listed} == {r.id: r.reason for r in STRICT.rules}
    for other in (["--check"], ["--report"], ["notes.txt"]):
        result = run("--rules", *other)
        assert result.exit_code == 2
        assert "Usage:" in result.stderr


def test_the_config_file_has_its_say(tmp_path, monkeypatch):
    config = tmp_path / "config.toml"
    monkeypatch.setenv("HARKBACK_CONFIG", str(config))
    config.write_text("[redaction]\nremove = ['github-token']\nnames = ['codeword']\n")
    assert run(given=f"{KEY} codeword=a1b2c3d4").stdout == f"{KEY} codeword=[redacted]"
    added = [name for name in STRICT.ids if name not in DEFAULT.ids]
    config.write_text(f"[redaction]\nremove = {added}\n")
    assert DIGEST in run("--strict").stdout
    config.write_text("[redaction]\nremove = ['github-tokn']\n")
    result = run()
    assert (result.exit_code, result.stdout) == (2, "")
    assert "redaction.remove[0]" in result.stderr
    assert "github-token" in result.stderr
    assert "(settings_invalid)" in result.stderr
    config.unlink()
    assert "(settings_unreadable)" in run().stderr


@pytest.mark.skipif(os.name != "posix", reason="a pseudo-terminal")
@pytest.mark.parametrize("columns", [80, 200])
@pytest.mark.parametrize("colour", [True, False])
def test_on_a_terminal(file, columns, colour):
    import pty

    file.write_bytes(TEXT.encode() + b"\x1b[2J")
    ours, theirs = pty.openpty()
    plain = {} if colour else {"NO_COLOR": "1"}
    environment = os.environ | {"COLUMNS": str(columns), "TERM": "xterm", **plain}
    for name in ("FORCE_COLOR", *(["NO_COLOR"] if colour else [])):
        environment.pop(name, None)
    done = subprocess.run(
        [sys.executable, "-m", "harkback", "redact", "--report", file],
        stdout=theirs,
        stderr=subprocess.PIPE,
        env=environment,
        timeout=60,
        check=True,
    )
    os.close(theirs)
    shown = os.read(ours, 65536).decode()
    os.close(ours)
    assert "\x1b[2J" not in shown
    assert ("\x1b[1;33m[redacted]" in shown) == colour
    assert "two " in shown
    assert shown.endswith("\r\n")
    assert b"\x1b" not in done.stderr
