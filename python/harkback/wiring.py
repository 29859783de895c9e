"""Wiring: what a Recall is made of, and how each question is let in to it.

Invariant: every question opens its Views here, so nothing is read while history is closed, and a
forked child never uses what its parent opened. Proof: tests/surfaces/test_recall.py,
tests/surfaces/test_incognito.py.
"""

from __future__ import annotations

import os
from collections import deque
from collections.abc import Callable, Hashable, Iterable
from contextlib import ExitStack
from types import TracebackType
from typing import TYPE_CHECKING, Self, TypeVar

from harkback import query
from harkback.candidates import Candidate, Eligible, find
from harkback.config import DEFAULT_MEMORY_BYTES
from harkback.corpus import Corpus
from harkback.engine import Engine, EngineName, load
from harkback.errors import QueryError, SourceError
from harkback.facts.base import FactSource, Found
from harkback.facts.registry import open_facts
from harkback.model import Session
from harkback.projection import PROJECTION_VERSION
from harkback.projects import compile_globs
from harkback.redaction import DEFAULT, Policy, Redaction
from harkback.sources.base import Source, View
from harkback.sources.group import Group
from harkback.verification import Path

if TYPE_CHECKING:  # who has no cache does not load what it is made of
    from harkback.cache import SegmentCache, Shelf
    from harkback.facts.search import Facts

T = TypeVar("T")
A = TypeVar("A")


class Wiring:
    """The parts of a Recall; its arguments are described there."""

    def __init__(
        self,
        *sources: Source | str | os.PathLike[str],
        policy: Policy | None = None,
        engine: EngineName | None = None,
        memory_bytes: int = DEFAULT_MEMORY_BYTES,
        eligible: Callable[[Session], bool] | None = None,
        exclude_projects: Iterable[str] = (),
        incognito: Callable[[], bool] | None = None,
        facts: Iterable[FactSource | str | os.PathLike[str]] = (),
        cache: SegmentCache | None = None,
    ) -> None:
        self._engine = load(engine)
        self._redaction = (policy or DEFAULT).bind(self._engine)
        self._fact_sources: list[FactSource] = [
            open_facts(store) if isinstance(store, str | os.PathLike) else store for store in facts
        ]
        self._group = Group(sources, self._fact_sources)
        self._memory_bytes = memory_bytes
        self._allowed = eligible
        self._projects = compile_globs(exclude_projects)
        self._incognito = incognito
        self._cache = cache
        self._path = Path.AUTO
        self._start()

    def _start(self) -> None:
        self._process = os.getpid()
        engine, version = self._engine, self._redaction.policy.version
        self._shelf: Shelf | None = None
        if self._cache is not None:
            self._shelf = self._cache.shelf(
                engine.FORMAT, engine.FOLD_VERSION, PROJECTION_VERSION, version
            )
        self._corpus = Corpus(engine, self._redaction, self._memory_bytes, self._shelf)
        self._facts: Facts | None = None
        if self._fact_sources:
            from harkback.facts.search import Facts  # most histories have none

            self._facts = Facts(engine, self._redaction, self._fact_sources, self._memory_bytes)
        self._epochs: dict[str, Hashable] = {}  # of the last search
        self._filled: object = None  # of what nothing was left to make resident
        #: Of searches that are over. Whoever takes one out has it alone.
        self._before: deque[Eligible] = deque(maxlen=1)
        self._stored = False  # whether the last search found all of its Sources stored

    def _views(self, opened: ExitStack) -> tuple[list[View], list[SourceError]]:
        """A View of every Source that can be read, and why the others cannot.

        Every method goes through here, so nothing is opened while history is closed to them all.
        """
        query.admit(self._incognito)
        if self._process != os.getpid():
            self._group.start()
            self._start()
        return self._group.views(self._engine, opened)

    def _facts_of(self, asked: query.Query, views: list[View], *, complete: bool) -> Found:
        """The facts that match; ``complete``: every Source has a View."""
        if self._facts is None:
            return Found.without_stores(len(asked.terms))
        from harkback.facts.evidence import Witnesses

        guard = (self._allowed, self._projects)
        witnesses = Witnesses(views, *guard, asked.active, complete=complete)
        return self._facts.search(asked, witnesses, self._projects)

    def _of_one(
        self,
        read: Callable[[Engine, Redaction, A, Candidate, Corpus], T],
        asked: A,
        chosen: Callable[[Session], bool],
        where: str,
    ) -> T:
        """What is read of the one Session that is ``chosen``, archived or not, if it may be read.

        A Source that failed may have held what is not found.

        Args:
            where: what was named, as the sentence of ``not_found`` ends.
        """
        with ExitStack() as opened:
            views, failures = self._views(opened)
            try:
                candidate = find(views, self._allowed, self._projects, chosen)
                if candidate is None:
                    raise query.not_found(where)
                return read(self._engine, self._redaction, asked, candidate, self._corpus)
            except SourceError as error:
                raise error.bare() from None
            except QueryError as error:
                lost = failures and error.reason == "not_found"
                raise (failures[0] if lost else error).bare() from None

    def close(self) -> None:
        """Lets go of memory and connections, once what is under way in other threads has ended."""
        self._group.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.close()
