"""Calls of tools under way: each on a thread of its own, each stopped when nobody waits for it.

Invariant: the event loop is never held up by a search, and a call that its client gave up, or whose
client has gone, is told to end. What is done between calls gives way to them.
Proof: tests/surfaces/mcp/test_calls.py, tests/surfaces/mcp/test_idle.py.
"""

from __future__ import annotations

import time
from collections.abc import Mapping
from functools import partial
from threading import Condition, Event
from typing import Any, Final

import anyio
import anyio.to_thread

from harkback.mcp.idle import Idle
from harkback.tools import ToolAnswer, Toolset

#: Enough for a client that asks in parallel; more would only take turns on the same cores.
MAX_CALLS_AT_ONCE: Final = 8


class Calls:
    """Runs the calls of a Toolset.

    Args:
        idle: is told when calls begin and end, and stopped with them.
    """

    def __init__(self, tools: Toolset, idle: Idle | None = None) -> None:
        self._tools = tools
        self._idle = idle
        # Of its own: calls that wait must not keep the transport from a thread.
        self._limiter = anyio.CapacityLimiter(MAX_CALLS_AT_ONCE)
        self._changed = Condition()
        self._under_way: set[Event] = set()

    async def call(self, name: str, arguments: Mapping[str, Any] | None) -> ToolAnswer:
        """The answer of one call; a task that is cancelled meanwhile ends the call."""
        cancel = Event()
        try:
            return await anyio.to_thread.run_sync(
                partial(self._call, name, arguments, cancel),
                abandon_on_cancel=True,
                limiter=self._limiter,
            )
        finally:
            cancel.set()

    def stop(self) -> None:
        """Tells every call under way to end, and what is done between calls."""
        if self._idle is not None:
            self._idle.stop()
        with self._changed:
            for cancel in self._under_way:
                cancel.set()

    def ended(self, seconds: float) -> bool:
        """Whether no call is under way nor anything between them, once that is so or time is up."""
        until = time.monotonic() + seconds
        with self._changed:
            if not self._changed.wait_for(lambda: not self._under_way, seconds):
                return False
        return self._idle is None or self._idle.ended(max(0.0, until - time.monotonic()))

    def _call(self, name: str, arguments: Mapping[str, Any] | None, cancel: Event) -> ToolAnswer:
        with self._changed:
            self._under_way.add(cancel)
        if self._idle is not None:
            self._idle.begin()
        try:
            return self._tools.call(name, arguments, cancel=cancel)
        finally:
            if self._idle is not None:
                self._idle.end()
            with self._changed:
                self._under_way.remove(cancel)
                self._changed.notify_all()
