"""Over HTTP: this machine's own programs get an answer, web pages and other machines get none."""

from __future__ import annotations

import http.client
import json
import re
import signal
import socket
import subprocess
import time
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path
from typing import NamedTuple

import anyio
import anyio.to_thread
import pytest
from mcp import Client
from mcp_types import CallToolResult

from harkback import Recall, UsageError
from harkback.mcp.http import listen
from support.mcp import ENDLESS, HELLO, started

ACCEPTED = {"Content-Type": "application/json", "Accept": "application/json, text/event-stream"}


class Listening(NamedTuple):
    process: subprocess.Popen[bytes]
    host: str
    port: int

    @property
    def url(self) -> str:
        return f"http://{self.host}:{self.port}/mcp"


@contextmanager
def serving(*options: object, patch: str = "") -> Iterator[Listening]:
    command = started("--http", "--port", "0", *map(str, options), patch=patch)
    with subprocess.Popen(command, stderr=subprocess.PIPE, stdout=subprocess.PIPE) as process:
        try:
            line = process.stderr.readline().decode()
            found = re.search(r"serving http://(\S+):(\d+)/mcp;", line)
            assert found is not None, line
            yield Listening(process, found[1], int(found[2]))
        finally:
            process.kill()


@pytest.fixture(scope="module")
def server(zoo: Path) -> Iterator[Listening]:
    with serving("--store", zoo) as server:
        yield server


def post(server: Listening, **headers: str) -> int:
    """The status of a handshake with these headers."""
    host = server.host.strip("[]")
    body = json.dumps({"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": HELLO})
    with closing(http.client.HTTPConnection(host, server.port, timeout=10)) as connection:
        connection.request("POST", "/mcp", body, ACCEPTED | headers)
        return connection.getresponse().status


@pytest.mark.parametrize("name", ["127.0.0.1", "localhost", "[::1]"])
def test_who_calls_this_machine_by_its_name_gets_in(server: Listening, name: str) -> None:
    host = f"{name}:{server.port}"
    assert post(server, Host=host) == 200
    assert post(server, Host=host, Origin=f"http://{host}") == 200


@pytest.mark.parametrize(
    "host",
    [
        "attacker.example",
        "attacker.example:{port}",
        "127.0.0.1.attacker.example:{port}",
        "localhost.attacker.example:{port}",
        "localhost:1",
        "localhost:{port}.attacker.example",
        "localhost",
        "0.0.0.0:{port}",
        "",
    ],
)
def test_a_foreign_host_is_refused(server: Listening, host: str) -> None:
    assert post(server, Host=host.format(port=server.port)) == 421


@pytest.mark.parametrize(
    "origin",
    [
        "http://attacker.example",
        "https://attacker.example:{port}",
        "http://localhost.attacker.example:{port}",
        "http://localhost:{port}.attacker.example",
        "http://localhost:1",
        "https://localhost:{port}",
        "file://",
        "null",
    ],
)
def test_a_foreign_origin_is_refused(server: Listening, origin: str) -> None:
    assert post(server, Origin=origin.format(port=server.port)) == 403


@pytest.mark.parametrize("method", ["GET", "DELETE", "OPTIONS", "POST"])
@pytest.mark.parametrize("version", ["2025-11-25", "2026-07-28", "nonsense"])
def test_no_method_and_no_version_goes_around_it(
    server: Listening, method: str, version: str
) -> None:
    headers = {"MCP-Protocol-Version": version, "Origin": "http://attacker.example"}
    with closing(http.client.HTTPConnection(server.host, server.port, timeout=10)) as connection:
        body = json.dumps({"jsonrpc": "2.0", "id": 1, "method": "tools/list"})
        connection.request(method, "/mcp", body, ACCEPTED | headers)
        response = connection.getresponse()
        assert 400 <= response.status < 500
        assert response.getheader("Access-Control-Allow-Origin") is None
        assert b"Recall" not in response.read()


def test_the_sdk_s_own_client_gets_the_same_answers(server: Listening, zoo: Path) -> None:
    async def ask() -> None:
        async with Client(server.url) as client:
            listed = await client.list_tools()
            assert len(listed.tools) == 3
            found = await client.call_tool("Recall", {"terms": ["north stable"]})
            assert isinstance(found, CallToolResult)
            with Recall(zoo) as recall:
                assert found.content[0].text == recall.search(["north stable"]).text()

    anyio.run(ask)


def test_a_call_that_is_given_up_ends(zoo: Path) -> None:
    with serving("--store", zoo, patch=ENDLESS) as server:

        async def give_up() -> None:
            async with Client(server.url) as client:
                with anyio.move_on_after(1) as scope:
                    await client.call_tool("Recall", {"terms": ["zebra"]})
                assert scope.cancelled_caught
                with anyio.fail_after(10):
                    for line in (b"searching\n", b"cancelled\n"):
                        assert (
                            await anyio.to_thread.run_sync(server.process.stderr.readline) == line
                        )

        anyio.run(give_up)


def test_ipv6(zoo: Path) -> None:
    if not socket.has_ipv6:
        pytest.skip("needs IPv6")
    try:
        with closing(listen("::1", 0)):
            pass
    except OSError:
        pytest.skip("needs IPv6")
    with serving("--store", zoo, "--host", "::1") as server:
        assert server.host == "[::1]"
        assert post(server) == 200
        assert post(server, Host="attacker.example") == 421


@pytest.mark.parametrize("host", ["0.0.0.0", "::", "", "192.0.2.1", "example.com", "127.1", "*"])
def test_nothing_listens_where_another_machine_could_connect(host: str) -> None:
    with pytest.raises(UsageError) as caught:
        listen(host, 0)
    assert caught.value.reason == "not_loopback"


@pytest.mark.parametrize(
    "patch", ["", "import time\nrecall.Recall.search = lambda *_, **__: time.sleep(60)"]
)
def test_a_signal_ends_it_within_a_second(zoo: Path, patch: str) -> None:
    with serving("--store", zoo, patch=patch) as server:

        async def ask() -> None:
            with anyio.move_on_after(1):
                async with Client(server.url) as client:
                    await client.call_tool("Recall", {"terms": ["zebra"]})

        anyio.run(ask)
        began = time.monotonic()
        server.process.send_signal(signal.SIGTERM)
        assert server.process.wait(30) == 128 + signal.SIGTERM
        assert time.monotonic() - began < 1
        assert server.process.stdout.read() == b""
