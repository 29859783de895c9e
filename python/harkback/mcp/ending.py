"""How the server ends: calls are told to stop, waited for a moment, and then it is over.

Invariant: within a second of the first sign the process has gone, whatever still runs, reads or
blocks; no thread is joined that may never return. Proof: tests/surfaces/mcp/test_ending.py.
"""

from __future__ import annotations

import contextlib
import logging
import os
import signal
import sys
import time
from collections.abc import Callable
from threading import Event, Thread
from types import FrameType
from typing import Any, Final, NoReturn

from harkback.mcp.calls import Calls

#: For calls that heed the word and for what is still to be written: half of what a client waits.
GRACE_SECONDS: Final = 0.5
_LAST_WORDS_SECONDS: Final = 0.1
_LOG: Final = logging.getLogger("harkback.mcp")
FAILED: Final = 2
_SIGNALS: Final = (signal.SIGTERM, signal.SIGINT)


class Ending:
    """Ends this process once; on SIGTERM and SIGINT as a shell reports it: 128 and the signal.

    Args:
        calls: what may be under way.
        close: lets go of what is open; only called when nothing uses it.
    """

    def __init__(self, calls: Calls, close: Callable[[], None]) -> None:
        self._calls = calls
        self._close = close
        self._begun = Event()
        self._served = Event()
        for each in _SIGNALS:
            signal.signal(each, self._signalled)

    def after(self, serving: Callable[..., None], *arguments: Any) -> NoReturn:
        """Runs what serves; the process ends with it, with its client, or with a signal."""
        code = 0
        try:
            serving(*arguments)
        except Exception as error:
            _LOG.error("the server failed", exc_info=error)
            code = FAILED
        self._served.set()
        self.begin(code)
        while True:  # a thread of its own ends the process, and this one with it
            time.sleep(GRACE_SECONDS)

    def begin(self, code: int = 0) -> None:
        """Starts the end, from whichever thread; ``code`` is how the process will exit."""
        if not self._begun.is_set():
            self._begun.set()
            Thread(target=self._end, args=(code,), name="harkback-ending", daemon=True).start()

    def _signalled(self, number: int, _: FrameType | None) -> None:
        self.begin(128 + number)

    def _end(self, code: int) -> None:
        try:
            self._calls.stop()
            if self._calls.ended(GRACE_SECONDS):
                self._served.wait(_LAST_WORDS_SECONDS)
                self._close()
        finally:
            with contextlib.suppress(OSError, ValueError):
                sys.stderr.flush()
            os._exit(code)
