"""The Sources of one Recall: opened once, and asked for their Views at every question.

Invariant: a Source that fails costs itself alone and is named in a Gap; only when none is left is
there an error. A Source is closed when nobody works with it any more.
Proof: tests/surfaces/test_bad_input.py, tests/surfaces/test_awaiting.py.
"""

from __future__ import annotations

import os
import threading
from collections.abc import Iterable, Iterator, Sequence
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import Final, Protocol

from harkback.engine import Engine
from harkback.errors import SourceError, UsageError
from harkback.model import Gap, GapCode
from harkback.sources.base import Source, View
from harkback.sources.registry import open_source

#: Failures that have a Gap code of their own: what to do about them is not the same.
_CODES: Final[dict[str, GapCode]] = {
    "source_locked": "source_locked",
    "source_unreadable": "source_unreadable",
}


class Named(Protocol):
    """What has a name of its own, and is closed."""

    @property
    def name(self) -> str: ...

    def close(self) -> None: ...


class Group:
    """Sources of different names.

    Args:
        sources: Sources, or paths that one can be opened for.
        beside: what else has to have a name of its own, and is closed together with them.

    Raises:
        SourceError: a path holds no history; ``source_duplicate``.
    """

    def __init__(
        self, sources: Iterable[Source | str | os.PathLike[str]], beside: Sequence[Named] = ()
    ) -> None:
        self.sources = [
            open_source(Path(s)) if isinstance(s, str | os.PathLike) else s for s in sources
        ]
        self._all: list[Named] = [*self.sources, *beside]
        names = [each.name for each in self._all]
        if len(set(names)) < len(names):
            raise SourceError("source_duplicate", "Two sources have one name; name them apart.")
        self._closed = False
        self.start()

    def start(self) -> None:
        """Nobody is at work: at first, and in a forked child, where the other threads are gone."""
        self._lock = threading.Lock()  # guards who is at work and whether it was closed
        self._working = 0

    def views(self, engine: Engine, opened: ExitStack) -> tuple[list[View], list[SourceError]]:
        """A View of every Source that can be read, until ``opened`` ends, and why others cannot.

        Raises:
            SourceError: none of them can be read.
            UsageError: the group was closed.
        """
        opened.enter_context(self._work())
        views: list[View] = []
        failures: list[SourceError] = []
        for source in self.sources:
            try:
                views.append(opened.enter_context(source.view(engine)))
            except SourceError as error:
                failures.append(error.bare())
        if failures and not views:
            raise failures[0]
        return views, failures

    def close(self) -> None:
        """Closes the Sources; what is at work with them in another thread ends first, unhurried."""
        with self._lock:
            self._closed = True
            over = self._is_over()
        if over:
            self._let_go()

    @contextmanager
    def _work(self) -> Iterator[None]:
        """As long as somebody works with a Source, it is not closed: that would crash SQLite."""
        with self._lock:
            if self._closed:
                raise UsageError("closed", "This Recall is closed; make another.")
            self._working += 1
        try:
            yield
        finally:
            with self._lock:
                self._working -= 1
                over = self._is_over()
            if over:
                self._let_go()

    def _is_over(self) -> bool:
        return self._closed and not self._working

    def _let_go(self) -> None:
        for each in self._all:
            each.close()


def gaps_of(failures: Iterable[SourceError]) -> list[Gap]:
    """What a question is told of Sources that could not be read."""
    return [Gap(_CODES.get(error.reason, "source_failed"), error.message, 1) for error in failures]
