"""Aside: one piece of work on another thread, while the one who gives it prepares the next.

Invariant: nothing that was given is left undone or unheard of once the block is left. Proof:
tests/unit/test_corpus_aside.py.
"""

from __future__ import annotations

import threading
from collections.abc import Callable
from types import TracebackType
from typing import Self


class Aside:
    """A thread that folds a Session while its user decodes the next; one at a time.

    Folding needs no interpreter. Leaving the block waits; what was raised is raised there, or
    where the next work is given.
    """

    def __init__(self) -> None:
        self._thread: threading.Thread | None = None
        self._error: BaseException | None = None

    def run(self, work: Callable[[], None]) -> None:
        """Starts a piece of work as soon as the one before is done."""
        self.wait()

        def watched() -> None:
            try:
                work()
            except BaseException as error:
                self._error = error

        self._thread = threading.Thread(target=watched, daemon=True)
        self._thread.start()

    def wait(self) -> None:
        if self._thread is not None:
            self._thread.join()
            self._thread = None
        if self._error is not None:
            error, self._error = self._error, None
            raise error

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.wait()
