"""Calls of tools under way: each on a thread of its own, each stopped when nobody waits for it.

Invariant: the event loop is never held up by a search, and a call that its client gave up, or whose
client has gone, is told to end. Proof: tests/surfaces/mcp/test_calls.py.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial
from threading import Condition, Event
from typing import Any, Final

import anyio
import anyio.to_thread

from harkback.tools import ToolAnswer, Toolset

#: Enough for a client that asks in parallel; more would only take turns on the same cores.
MAX_CALLS_AT_ONCE: Final = 8


class Calls:
    """Runs the calls of a Toolset."""

    def __init__(self, tools: Toolset) -> None:
        self._tools = tools
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
        """Tells every call under way to end."""
        with self._changed:
            for cancel in self._under_way:
                cancel.set()

    def ended(self, seconds: float) -> bool:
        """Whether no call is under way, once there is none or the time is up."""
        with self._changed:
            return self._changed.wait_for(lambda: not self._under_way, seconds)

    def _call(self, name: str, arguments: Mapping[str, Any] | None, cancel: Event) -> ToolAnswer:
        with self._changed:
            self._under_way.add(cancel)
        try:
            return self._tools.call(name, arguments, cancel=cancel)
        finally:
            with self._changed:
                self._under_way.remove(cancel)
                self._changed.notify_all()
