"""A sign of life on stderr while work takes long; nothing when it is quick or unwatched.

Invariant: what was drawn is wiped before anything else is written. Proof:
tests/surfaces/test_cli_progress.py.
"""

from __future__ import annotations

import itertools
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Final, Self, TextIO

PATIENCE_SECONDS: Final = 1.0
_FRAME_SECONDS: Final = 0.1
_FRAMES: Final = "⠋⠙⠹⠸⠼⠴⠦⠧⠇⠏"


@contextmanager
def sign_of_life(
    stream: TextIO, doing: str = "searching", patience: float = PATIENCE_SECONDS
) -> Iterator[None]:
    """Shows what is going on, and for how long, once ``patience`` seconds have passed."""
    if not stream.isatty():
        yield
        return
    done = threading.Event()
    drawer = threading.Thread(target=_draw, args=(stream, doing, patience, done), daemon=True)
    drawer.start()
    try:
        yield
    finally:
        done.set()
        drawer.join()


def _draw(stream: TextIO, doing: str, patience: float, done: threading.Event) -> None:
    started = time.monotonic()
    width = 0
    wait = patience
    for frame in itertools.cycle(_FRAMES):
        if done.wait(wait):
            break
        shown = f"{frame} {doing}, {int(time.monotonic() - started)} s (Ctrl-C ends it)"
        stream.write("\r" + shown.ljust(width))
        stream.flush()
        width, wait = len(shown), _FRAME_SECONDS
    if width:
        stream.write("\r" + " " * width + "\r")
        stream.flush()


class Bar:
    """How much of known work is done, how fast, and how long the rest may take; nothing unless
    watched.

    Args:
        done: what was done before; it says nothing of how fast the rest will be.
    """

    def __init__(self, stream: TextIO, doing: str, total: int, done: int = 0) -> None:
        self._stream = stream
        self._doing = doing
        self._total = total
        self._before = self._done = done
        self._width = 0
        self._started = self._drawn = time.monotonic()

    def step(self) -> None:
        """One more is done."""
        self._done += 1
        now = time.monotonic()
        if not self._stream.isatty() or now - self._drawn < _FRAME_SECONDS:
            return
        self._drawn = now
        rate = (self._done - self._before) / max(now - self._started, 1e-9)
        left = (self._total - self._done) / rate
        shown = f"{self._doing} {self._done:,} of {self._total:,}, "
        shown += f"{rate:,.0f} a second, {left:.0f} s left"
        self._stream.write("\r" + shown.ljust(self._width))
        self._stream.flush()
        self._width = len(shown)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        if self._width:
            self._stream.write("\r" + " " * self._width + "\r")
            self._stream.flush()
