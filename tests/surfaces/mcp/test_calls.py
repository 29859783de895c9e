"""Calls under way: several at once, given up, watched."""

from __future__ import annotations

import time
from pathlib import Path
from threading import Event

import anyio
import pytest
from mcp.shared.exceptions import MCPError
from mcp_types import CallToolResult

from harkback import Recall, Store
from harkback.mcp.calls import Calls
from harkback.redaction import DEFAULT
from harkback.tools import Toolset
from support.mcp import ENDLESS, client, raw

#: Searches that answer only once two of them are under way.
PAIRED = """
import threading
quiet, both = recall.Recall.search, threading.Barrier(2)
def search(*args, **kwargs):
    both.wait(30)
    return quiet(*args, **kwargs)
recall.Recall.search = search
"""
#: A search that takes long enough for signs of life.
SLOW = """
import time
import harkback.mcp.server as server
server.PROGRESS_SECONDS = 0.1
quiet = recall.Recall.search
def search(*args, **kwargs):
    time.sleep(0.6)
    return quiet(*args, **kwargs)
recall.Recall.search = search
"""


def test_a_call_that_is_given_up_ends_and_is_not_answered(zoo: Path) -> None:
    with raw("--store", zoo, patch=ENDLESS) as server:
        number = server.call("Recall", {"terms": ["zebra"]})
        server.said(b"searching")
        assert server.ask("ping")["result"] == {}  # the loop is not held up
        server.send(
            {
                "jsonrpc": "2.0",
                "method": "notifications/cancelled",
                "params": {"requestId": number, "reason": "enough"},
            }
        )
        server.said(b"cancelled")
        assert server.ask("ping")["result"] == {}  # and not the answer of what was given up
        assert server.leave()[0] == 0
        assert len(server.out) == 3


def test_a_client_that_leaves_has_its_calls_cancelled(zoo: Path) -> None:
    with raw("--store", zoo, patch=ENDLESS) as server:
        server.call("Recall", {"terms": ["zebra"]})
        server.said(b"searching")
        assert server.leave()[0] == 0
    assert b"cancelled\n" in server.err


class Gate:
    """A finder that the first search of it stands in until it is let through."""

    id, version = "gate", "1"

    def __init__(self) -> None:
        self.reached, self.opened = Event(), Event()
        self.leaves = 0

    def __call__(self, text: str, /) -> list[tuple[int, int]]:
        self.leaves += 1
        self.reached.set()
        assert self.opened.wait(30)
        return []


def test_a_search_that_is_given_up_does_not_go_on(tmp_path: Path) -> None:
    path = tmp_path / "runtime.sqlite"
    with Store.create(path) as store, store.batch():
        for number in range(40):
            store.session(f"{number}").turn().user("zebra okapi")
    gate = Gate()
    with Recall(path, policy=DEFAULT.add(gate)) as recall:
        calls = Calls(Toolset(recall))

        async def give_up() -> None:
            async with anyio.create_task_group() as group:
                group.start_soon(calls.call, "Recall", {"terms": ["zebra"]})
                assert await anyio.to_thread.run_sync(gate.reached.wait, 30)
                group.cancel_scope.cancel()

        anyio.run(give_up)
        assert not calls.ended(0)
        before = gate.leaves
        gate.opened.set()
        assert calls.ended(30)
    assert gate.leaves - before < 10


def test_a_timeout_of_the_sdk_s_client_is_a_cancellation(zoo: Path, tmp_path: Path) -> None:
    mark = tmp_path / "cancelled"
    patch = ENDLESS.replace('print("cancelled"', f'open({str(mark)!r}, "w").close(), print("x"')

    async def give_up() -> None:
        async with client("--store", zoo, patch=patch) as session:
            with pytest.raises(MCPError):
                await session.call_tool("Recall", {"terms": ["x"]}, read_timeout_seconds=1)
            with anyio.fail_after(10):
                while not mark.exists():
                    await anyio.sleep(0.01)

    anyio.run(give_up)


def test_several_at_once(zoo: Path) -> None:
    answers: list[CallToolResult] = []

    async def ask_two() -> None:
        async with (
            client("--store", zoo, patch=PAIRED) as session,
            anyio.create_task_group() as both,
        ):

            async def ask(term: str) -> None:
                found = await session.call_tool("Recall", {"terms": [term]})
                assert isinstance(found, CallToolResult)
                answers.append(found)

            both.start_soon(ask, "zebra")
            both.start_soon(ask, "okapi")

    anyio.run(ask_two)
    assert len(answers) == 2
    assert not any(answer.is_error for answer in answers)


def test_signs_of_life_for_a_client_that_asks_for_them(zoo: Path) -> None:
    seen: list[float] = []

    async def progress(done: float, total: float | None, message: str | None) -> None:
        assert total is message is None
        seen.append(done)

    async def watch() -> None:
        async with client("--store", zoo, patch=SLOW) as session:
            await session.call_tool("Recall", {"terms": ["zebra"]}, progress_callback=progress)

    anyio.run(watch)
    assert len(seen) >= 3
    assert seen == sorted(set(seen))


def test_no_signs_of_life_for_one_that_does_not(zoo: Path) -> None:
    with raw("--store", zoo, patch=SLOW) as server:
        began = time.monotonic()
        number = server.call("Recall", {"terms": ["zebra"]})
        assert server.receive()["id"] == number
        assert time.monotonic() - began > 0.5
        assert server.leave()[0] == 0
        assert len(server.out) == 2
