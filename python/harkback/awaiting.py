"""Awaitable twins of methods that block: the work is done by a thread, the event loop goes on.

A twin takes the arguments of the method and gives what it gives. Invariant: a task that is
cancelled ends at once; the thread that works for it ends at its next look at ``cancel``, and what
it still does touches nobody. Proof: tests/surfaces/test_awaiting.py.
"""

from __future__ import annotations

import functools
import threading
from collections.abc import Callable, Coroutine
from typing import Any, Concatenate, ParamSpec, TypeVar

S = TypeVar("S")
P = ParamSpec("P")
T = TypeVar("T")


class _Either(threading.Event):
    """Set when the task was cancelled, or when the caller's own event is set."""

    def __init__(self, given: threading.Event | None) -> None:
        super().__init__()
        self._given = given

    def is_set(self) -> bool:
        return super().is_set() or (self._given is not None and self._given.is_set())


def twin(
    blocking: Callable[Concatenate[S, P], T],
) -> Callable[Concatenate[S, P], Coroutine[Any, Any, T]]:
    """The awaitable form of a method that takes ``cancel``, run by the loop's own executor."""

    @functools.wraps(blocking)
    async def waiting(self: S, /, *args: P.args, **kwargs: P.kwargs) -> T:
        import asyncio  # a host without an event loop does not pay for it

        given = kwargs.get("cancel")
        if given is None or isinstance(given, threading.Event):  # else the method refuses it
            kwargs["cancel"] = stop = _Either(given)
        else:
            stop = _Either(None)
        try:
            return await asyncio.to_thread(blocking, self, *args, **kwargs)
        except asyncio.CancelledError:
            stop.set()
            raise

    waiting.__name__ = f"a{blocking.__name__}"
    waiting.__qualname__ = f"{blocking.__qualname__.rpartition('.')[0]}.{waiting.__name__}"
    waiting.__doc__ = f"``{blocking.__name__}``, awaitable; cancelling the task stops the work."
    return waiting
