"""A Recall that is opened when it is first asked for something.

A client waits for the first answer of a server, so finding and opening histories is left to the
first call of a tool. Invariant: what cannot be opened is tried again at the next call, and until
then each call says why. Proof: tests/unit/mcp/test_later.py.
"""

from __future__ import annotations

from collections.abc import Callable
from contextlib import AbstractContextManager, ExitStack
from threading import Lock
from typing import Any

from harkback.recall import Recall


class Later:
    """What a Toolset asks of a Recall.

    Args:
        open: gives the Recall for as long as it is used; it may raise what a search may raise.
    """

    def __init__(self, open: Callable[[], AbstractContextManager[Recall]]) -> None:
        self._open = open
        self._lock = Lock()
        self._held = ExitStack()
        self._opened: Recall | None = None

    def search(self, *args: Any, **kwargs: Any) -> Any:
        return self._recall().search(*args, **kwargs)

    def more(self, *args: Any, **kwargs: Any) -> Any:
        return self._recall().more(*args, **kwargs)

    def material(self, *args: Any, **kwargs: Any) -> Any:
        return self._recall().material(*args, **kwargs)

    def close(self) -> None:
        """Closes what was opened."""
        with self._lock:
            self._held.close()

    def _recall(self) -> Any:
        with self._lock:
            if self._opened is None:
                self._opened = self._held.enter_context(self._open())
            return self._opened
