"""The server is gone within a second, whatever it is doing and however it is told."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from support.mcp import ENDLESS, HELLO, raw, started

#: A search that does not heed its cancellation.
DEAF = """
import sys, time
def search(*_, **__):
    print("searching", file=sys.stderr, flush=True)
    time.sleep(60)
recall.Recall.search = search
"""
#: An answer that no pipe holds.
LARGE = """
class Large:
    def text(self):
        return "x" * 10_000_000
    def to_dict(self):
        return {}
recall.Recall.search = lambda *_, **__: Large()
"""
SIGNALS = pytest.mark.skipif(os.name != "posix", reason="signals of POSIX")


def test_the_client_leaves(zoo: Path) -> None:
    with raw("--store", zoo) as server:
        code, seconds = server.leave()
        assert code == 0
        assert seconds < 1


def test_the_client_leaves_before_it_has_said_anything(zoo: Path) -> None:
    with raw("--store", zoo, hello=False) as server:
        assert server.leave()[0] == 0
    assert server.out == server.err == []


def test_the_client_leaves_in_the_midst_of_a_search(zoo: Path) -> None:
    with raw("--store", zoo, patch=DEAF) as server:
        server.call("Recall", {"terms": ["zebra"]})
        server.said(b"searching")
        code, seconds = server.leave()
        assert code == 0
        assert seconds < 1


@SIGNALS
@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT])
@pytest.mark.parametrize("patch", ["", DEAF], ids=["idle", "searching"])
def test_a_signal(zoo: Path, number: signal.Signals, patch: str) -> None:
    with raw("--store", zoo, patch=patch) as server:
        if patch:
            server.call("Recall", {"terms": ["zebra"]})
            server.said(b"searching")
        began = time.monotonic()
        server.process.send_signal(number)
        assert server.wait() == 128 + number
        assert time.monotonic() - began < 1


@contextmanager
def unread(store: Path, patch: str) -> Iterator[subprocess.Popen[bytes]]:
    """A server whose output nobody reads once it has shaken hands."""
    with subprocess.Popen(
        started("--store", store, patch=patch), stdin=subprocess.PIPE, stdout=subprocess.PIPE
    ) as process:
        try:
            write(process, "initialize", HELLO, id=1)
            assert b"result" in process.stdout.readline()
            write(process, "notifications/initialized")
            yield process
        finally:
            process.kill()


def write(
    process: subprocess.Popen[bytes], method: str, params: object = None, **more: object
) -> None:
    message = {"jsonrpc": "2.0", "method": method, **more}
    if params is not None:
        message["params"] = params
    process.stdin.write(json.dumps(message).encode() + b"\n")
    process.stdin.flush()


@SIGNALS
def test_a_signal_cancels_what_is_under_way(zoo: Path) -> None:
    with raw("--store", zoo, patch=ENDLESS) as server:
        server.call("Recall", {"terms": ["zebra"]})
        server.said(b"searching")
        server.process.send_signal(signal.SIGTERM)
        assert server.wait() == 128 + signal.SIGTERM
    assert b"cancelled\n" in server.err


def test_the_client_leaves_without_reading_what_it_asked_for(zoo: Path) -> None:
    with unread(zoo, LARGE) as process:
        write(process, "tools/call", {"name": "Recall", "arguments": {"terms": ["x"]}}, id=2)
        assert process.stdout.peek(1)  # the pipe fills, and the rest of the answer waits
        process.stdin.close()
        began = time.monotonic()
        assert process.wait(30) == 0
        assert time.monotonic() - began < 1


def test_the_client_closes_what_it_reads(zoo: Path) -> None:
    with unread(zoo, "") as process:
        process.stdout.close()
        write(process, "ping", id=2)
        assert process.wait(30) == 0
