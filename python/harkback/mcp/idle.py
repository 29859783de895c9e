"""Work for when no call is under way: on a thread of its own, piece by piece, until none is left.

Invariant: nothing is done before a call was answered; the piece at hand is told to end when a call
begins, and the next one waits until calls have ended for a while. What fails, or leaves nothing
over, is tried again only once another call was answered. Proof: tests/unit/mcp/test_idle.py,
tests/surfaces/mcp/test_idle.py.
"""

from __future__ import annotations

import logging
from collections.abc import Callable
from threading import Condition, Event, Thread
from typing import Final

#: Calls come in bursts: one that reads on follows one that searched.
PAUSE_SECONDS: Final = 0.5
_LOG: Final = logging.getLogger("harkback.mcp")


class Idle:
    """Does ``work`` between calls.

    Args:
        work: does a bounded piece, ends soon once its Event is set, and says whether more is left.
    """

    def __init__(self, work: Callable[[Event], bool]) -> None:
        self._work = work
        self._changed = Condition()
        self._thread: Thread | None = None
        self._calls = 0
        self._wanted = False
        self._over = False
        self._give_up: Event | None = None  # of the piece at hand

    def begin(self) -> None:
        """A call has begun."""
        with self._changed:
            self._calls += 1
            self._interrupt()

    def end(self) -> None:
        """A call has ended."""
        with self._changed:
            self._calls -= 1
            self._wanted = not self._over
            if self._thread is None and self._wanted:
                self._thread = Thread(target=self._run, name="harkback-idle", daemon=True)
                self._thread.start()
            self._changed.notify_all()

    def stop(self) -> None:
        """No other piece is begun, and the one at hand is told to end."""
        with self._changed:
            self._over, self._wanted = True, False
            self._interrupt()

    def ended(self, seconds: float) -> bool:
        """Whether no piece is at hand, once there is none or the time is up."""
        with self._changed:
            return self._changed.wait_for(lambda: self._give_up is None, seconds)

    def _interrupt(self) -> None:
        if self._give_up is not None:
            self._give_up.set()
        self._changed.notify_all()

    def _run(self) -> None:
        while (give_up := self._next()) is not None:
            left = False
            try:
                left = self._work(give_up)
            except Exception as error:
                _LOG.warning("work between calls failed", exc_info=error)
            with self._changed:
                self._give_up = None
                self._wanted = (self._wanted or left) and not self._over
                self._changed.notify_all()

    def _next(self) -> Event | None:
        """Waits for the moment of a piece; None once it is over."""
        with self._changed:
            while not self._over:
                self._changed.wait_for(lambda: self._over or (self._wanted and not self._calls))
                if not self._changed.wait_for(lambda: self._over or self._calls, PAUSE_SECONDS):
                    self._wanted = False
                    self._give_up = Event()
                    return self._give_up
            return None
