"""The command that starts a server: what it refuses, and what it needs."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest

from support.mcp import started


def refused(*options: str, patch: str = "") -> bytes:
    """What is said on standard error by a command that ends with 2 and serves nothing."""
    done = subprocess.run(
        started(*options, patch=patch), input=b"", capture_output=True, timeout=60, check=False
    )
    assert done.returncode == 2
    assert done.stdout == b""
    assert b"Traceback" not in done.stderr
    return done.stderr


@pytest.mark.parametrize("missing", ["mcp", "pydantic"])
def test_without_the_extra_it_says_how_to_install_it(zoo: Path, missing: str) -> None:
    said = refused("--store", str(zoo), patch=f"import sys; sys.modules[{missing!r}] = None")
    assert said.decode() == (
        "harkback: This needs more packages: pip install 'harkback[mcp]'. (extra_missing)\n"
    )


@pytest.mark.parametrize(
    ("options", "words"),
    [
        (("--http", "--host", "0.0.0.0"), b"(not_loopback)"),
        (("--host", "127.0.0.1"), b"need --http"),
        (("--port", "8000"), b"need --http"),
        (("--http", "--port", "70000"), b"--port"),
        (("--grant", "Bash"), b"--grant"),
        (("--mapping", __file__), b"needs --store"),
        (("--project", "/"), b"(projects_invalid)"),
    ],
)
def test_what_cannot_be_served_is_refused_at_once(options: tuple[str, ...], words: bytes) -> None:
    assert words in refused(*options)


def test_a_port_that_is_taken(zoo: Path) -> None:
    from harkback.mcp.http import listen

    listening = listen("127.0.0.1", 0)
    listening.listen()
    port = str(listening.getsockname()[1])
    try:
        assert b"(system_error)" in refused("--http", "--port", port)
    finally:
        listening.close()
