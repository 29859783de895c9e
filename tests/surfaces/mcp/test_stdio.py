"""Over standard streams: what comes out is the protocol, whatever goes in or is printed."""

from __future__ import annotations

import json
from pathlib import Path

import anyio

from harkback import __version__
from support.mcp import Raw, client, raw

#: Prints wherever a program can: through Python, through the descriptor, through a child.
NOISY = """
import os, subprocess, sys
quiet = recall.Recall.search
def search(*args, **kwargs):
    print("noise 1")
    os.write(1, b"noise 2\\n")
    subprocess.run([sys.executable, "-c", "print('noise 3')"], check=True)
    return quiet(*args, **kwargs)
recall.Recall.search = search
"""


def test_the_handshake_of_the_sdk_s_own_client(zoo: Path) -> None:
    async def shake() -> None:
        async with client("--store", zoo) as session:
            server = session.initialize_result
            assert server is not None
            assert (server.server_info.name, server.server_info.version) == (
                "harkback",
                __version__,
            )
            assert server.instructions is not None
            assert "Recall" in server.instructions
            assert len(server.instructions) < 400
            await session.send_ping()

    anyio.run(shake)


def only_protocol(server: Raw) -> list[dict[str, object]]:
    """Every line that was written, each a JSON-RPC message."""
    whole = b"".join(server.out)
    assert whole.endswith(b"\n")
    messages = [json.loads(line) for line in whole.decode().removesuffix("\n").split("\n")]
    assert all(message["jsonrpc"] == "2.0" for message in messages)
    return messages


def test_what_is_printed_does_not_reach_the_client(zoo: Path) -> None:
    with raw("--store", zoo, patch=NOISY) as server:
        server.call("Recall", {"terms": ["斑马"]})
        assert "斑马" in server.receive()["result"]["content"][0]["text"]
        assert server.leave()[0] == 0
        assert len(only_protocol(server)) == 2
    for number in range(1, 4):
        assert f"noise {number}\n".encode() in server.err


def test_what_is_no_message_is_refused_and_the_next_one_answered(zoo: Path) -> None:
    with raw("--store", zoo) as server:
        for line, code in (
            (b"{nonsense\n", -32700),
            (b"\xff\xfe\n", -32700),
            (b"[]\n", -32600),
            (b'{"id": 1}\n', -32600),
        ):
            server.send(line)
            refused = server.receive()
            assert (refused["id"], refused["error"]["code"]) == (None, code), line
        server.send(b"\n \r\n")
        assert server.ask("ping")["result"] == {}
        assert server.ask("no/such/method")["error"]["code"] == -32601
        assert server.leave()[0] == 0
        only_protocol(server)


def test_nothing_is_written_on_standard_error_when_all_is_well(zoo: Path) -> None:
    with raw("--store", zoo) as server:
        server.call("Recall", {"terms": ["zebra"]})
        assert not server.receive()["result"].get("isError", False)
        assert server.leave()[0] == 0
    assert server.err == []
