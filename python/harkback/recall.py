"""Recall: one object over the history of one or more Sources. Each method is one line of stages.

Data flow: query -> Views -> candidates -> corpus (verifies) -> ranking -> passages -> envelope.
Safe to call from several threads; a forked child starts with an empty corpus and its own
connections. Proof: tests/surfaces/test_recall.py.
"""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Hashable, Iterable, Iterator, Sequence
from contextlib import ExitStack, contextmanager
from pathlib import Path as FilePath
from types import TracebackType
from typing import TYPE_CHECKING, Self

from harkback import (
    candidates,
    envelope,
    passages,
    query,
    ranking,
    reading,
    verification,
)
from harkback.config import (
    DEFAULT_LIMIT,
    DEFAULT_MEMORY_BYTES,
    MAX_NEIGHBOURS_EACH_SIDE,
    UNSETTLED_RETRIES,
)
from harkback.corpus import Corpus
from harkback.engine import EngineName, load
from harkback.envelope import Envelope
from harkback.errors import QueryError, SourceError, UsageError
from harkback.grep import Grep
from harkback.model import Gap, Kind, Session
from harkback.projection import PROJECTION_VERSION
from harkback.projects import compile_globs
from harkback.query import Moment, Order
from harkback.reading import Reading, Scope
from harkback.redaction import DEFAULT, Policy
from harkback.sources.base import Source, View
from harkback.sources.registry import open_source
from harkback.verification import Path

if TYPE_CHECKING:  # who has no cache does not load what it is made of
    from harkback.cache import SegmentCache, Shelf
    from harkback.persisting import Coverage, Persisted, Progress


class Recall:
    """Recall over past Sessions.

    Args:
        sources: Sources, or paths that one can be opened for.
        policy: what is redacted; the default policy if None.
        engine: ``native`` or ``reference``; None asks HARKBACK_ENGINE, then takes native.
        memory_bytes: how much verified text may stay in memory between searches; 0: none.
        eligible: the host's own word on which Sessions may be searched; a raise means no.
        exclude_projects: globs of projects whose Sessions are never searched, such as ``~/private``
            (``harkback.projects`` says what they match).
        cache: where segments outlive the process; None: nothing is kept but in memory.
    """

    def __init__(
        self,
        *sources: Source | str | os.PathLike[str],
        policy: Policy | None = None,
        engine: EngineName | None = None,
        memory_bytes: int = DEFAULT_MEMORY_BYTES,
        eligible: Callable[[Session], bool] | None = None,
        exclude_projects: Iterable[str] = (),
        cache: SegmentCache | None = None,
    ) -> None:
        self._engine = load(engine)
        self._redaction = (policy or DEFAULT).bind(self._engine)
        self._sources = [
            open_source(FilePath(s)) if isinstance(s, str | os.PathLike) else s for s in sources
        ]
        names = [source.name for source in self._sources]
        if len(set(names)) < len(names):
            raise SourceError("source_duplicate", "Two sources have one name; name them apart.")
        self._memory_bytes = memory_bytes
        self._allowed = eligible
        self._projects = compile_globs(exclude_projects)
        self._cache = cache
        self._path = Path.AUTO
        self._closed = False
        self._start()

    def _start(self) -> None:
        self._process = os.getpid()
        engine, version = self._engine, self._redaction.policy.version
        self._shelf: Shelf | None = None
        if self._cache is not None:
            self._shelf = self._cache.shelf(engine.FORMAT, PROJECTION_VERSION, version)
        self._corpus = Corpus(engine, self._redaction, self._memory_bytes, self._shelf)
        self._epochs: dict[str, Hashable] = {}  # of the last search
        self._stored = False  # whether the last search found all of its Sources stored

    def search(
        self,
        terms: Sequence[str] = (),
        *,
        question: str | None = None,
        limit: int | None = DEFAULT_LIMIT,
        order: Order = "relevance",
        within: str | None = None,
        kinds: Iterable[Kind] | None = None,
        since: Moment | None = None,
        until: Moment | None = None,
        include_archived: bool = False,
        include_abandoned: bool = False,
        projects: Iterable[str] = (),
        active: tuple[str, str] | None = None,
        explain: bool = False,
        deadline: float | None = None,
    ) -> Envelope:
        """Passages of past Sessions that hold any of a few literal terms, best first.

        Args:
            terms: 1 to 8 literals of at most 500 code points; compared after folding, OR-ed.
            question: gives the terms when none are given; never matched whole, never echoed.
            limit: Passages, 1 to 25; None lifts limit, quota and Budget (for people, not models).
            order: best first, or newest first.
            within: a Session id, or the id of a lineage.
            kinds: of the matching Messages; summaries and titles only if asked for.
            since, until: bounds of the time of the matching Messages, both inclusive.
            include_archived: search archived Sessions too.
            include_abandoned: Messages of Turns that were rewound or rolled back, too.
            projects: globs; only Sessions of these projects are searched (``harkback.projects``).
            active: (Session, Turn) that is under way: never part of an answer.
            explain: give each score as a tree.
            deadline: seconds; Sessions not reached by then become a Gap.

        Raises:
            QueryError: the question cannot be asked so; no Source was touched.
            SourceError: none of the Sources can be read.
            UsageError: the Recall is closed.
        """
        asked = query.build(
            self._engine,
            self._redaction,
            terms,
            question=question,
            limit=limit,
            order=order,
            within=within,
            kinds=kinds,
            since=since,
            until=until,
            include_archived=include_archived,
            include_abandoned=include_abandoned,
            projects=projects,
            active=active,
            explain=explain,
            deadline=deadline,
        )
        for attempt in range(UNSETTLED_RETRIES + 1):
            try:
                return self._answer(asked)
            except SourceError as error:
                if error.reason != "source_unsettled" or attempt == UNSETTLED_RETRIES:
                    raise error.bare() from None
        raise AssertionError("unreachable")

    def _answer(self, asked: query.Query) -> Envelope:
        with ExitStack() as opened:
            views, failures = self._views(opened)
            found = candidates.eligible(views, asked, self._allowed, self._projects)
            path = self._prepare(asked, found)
            verified = verification.verify(self._engine, path, asked, found, self._corpus)
            records = self._corpus.records(found.candidates)
            self._stored = self._corpus.all_stored(found.candidates)
            ranked = ranking.rank(asked, verified, records)
            shown = passages.build(self._engine, self._redaction, asked, ranked, self._corpus)
            return envelope.assemble(
                asked, found, verified, ranked, shown, _gaps_of(failures), self._redaction
            )

    def more(
        self,
        anchor: str,
        *,
        view: Scope = "turn",
        before: int = MAX_NEIGHBOURS_EACH_SIDE,
        after: int = MAX_NEIGHBOURS_EACH_SIDE,
        cursor: str | None = None,
        active: tuple[str, str] | None = None,
        unbounded: bool = False,
    ) -> Reading:
        """Reads on from the anchor of a Passage, or of any Message that an answer names.

        Args:
            anchor: 32 hexadecimal digits, as an answer gives them.
            view: the ``turn`` around the Message; ``audit``, all of it; ``scroll``, the Session.
            before, after: Messages on each side, 0 to 8.
            cursor: what the last answer gave, for what comes next.
            active: (Session, Turn) that is under way: never part of an answer.
            unbounded: lifts the Budget (for people, not models).

        Raises:
            QueryError: it cannot be asked so; or ``not_found``, whatever the cause.
            SourceError: it was not found, and a Source cannot be read.
            UsageError: the Recall is closed.
        """
        asked = reading.build(
            anchor,
            view=view,
            before=before,
            after=after,
            cursor=cursor,
            active=active,
            unbounded=unbounded,
        )
        with ExitStack() as opened:
            views, failures = self._views(opened)
            try:
                return reading.read(
                    self._engine,
                    self._redaction,
                    asked,
                    views,
                    self._allowed,
                    self._projects,
                    self._corpus,
                )
            except SourceError as error:
                raise error.bare() from None
            except QueryError as error:
                raise (failures[0] if failures else error).bare() from None

    @contextmanager
    def grep(
        self,
        terms: Sequence[str],
        *,
        within: str | None = None,
        kinds: Iterable[Kind] | None = None,
        since: Moment | None = None,
        until: Moment | None = None,
        include_archived: bool = False,
        include_abandoned: bool = False,
        projects: Iterable[str] = (),
        context: int | None = 0,
    ) -> Iterator[Grep]:
        """Every Message that holds any of ``terms``, newest first, as the lines that match.

        For people: no ranking, no quota, no Budget. Arguments as for ``search``.

        Args:
            context: lines shown on each side of one that matches; None: no lines at all.

        Raises:
            QueryError, SourceError, UsageError: as ``search`` does.
        """
        asked = query.build(
            self._engine,
            self._redaction,
            terms,
            question=None,
            limit=None,
            order="newest",
            within=within,
            kinds=kinds,
            since=since,
            until=until,
            include_archived=include_archived,
            include_abandoned=include_abandoned,
            projects=projects,
            active=None,
            explain=False,
            deadline=None,
        )
        with ExitStack() as opened:
            views, failures = self._views(opened)
            found = candidates.eligible(views, asked, self._allowed, self._projects)
            yield Grep(
                self._engine,
                self._redaction,
                asked,
                found,
                self._corpus,
                failures=_gaps_of(failures),
                path=self._path,
                context=context,
            )

    def persist(self, seconds: float | None = None, progress: Progress | None = None) -> Persisted:
        """Stores Sessions in the cache that are not stored as they are now; nothing without one.

        What searches read is stored first, then the rest is read, newest activity first. Nothing
        is waited for: if another process is storing, or the cache cannot be written, that is told.

        Args:
            seconds: no Session is begun after so long, and the Sources are not looked at again if
                the last search found all of them stored; None: all Sessions are stored.
            progress: is told after each Session how many were looked at, and how many there are.

        Raises:
            SourceError: none of the Sources can be read.
            UsageError: the Recall is closed.
        """
        from harkback import persisting

        if self._shelf is None or (seconds is not None and self._stored and self._shelf.is_tidy()):
            return persisting.Persisted()
        until = None if seconds is None else time.monotonic() + seconds
        with ExitStack() as opened:
            views, _ = self._views(opened)
            return persisting.persist(
                views,
                self._allowed,
                self._projects,
                self._corpus,
                self._shelf,
                until=until,
                progress=progress,
            )

    def coverage(self) -> Coverage:
        """How much of the history the cache holds. Raises as ``persist`` does."""
        from harkback import persisting

        if self._shelf is None:
            return persisting.Coverage(0, 0, 0)
        with ExitStack() as opened:
            views, _ = self._views(opened)
            return persisting.coverage(views, self._allowed, self._projects, self._shelf)

    def _views(self, opened: ExitStack) -> tuple[list[View], list[SourceError]]:
        """A View of every Source that can be read, and why the others cannot."""
        if self._closed:
            raise UsageError("closed", "This Recall is closed; make another.")
        if self._process != os.getpid():
            self._start()
        views: list[View] = []
        failures: list[SourceError] = []
        for source in self._sources:
            try:
                views.append(opened.enter_context(source.view(self._engine)))
            except SourceError as error:
                failures.append(error)
        if failures and not views:
            raise failures[0]
        return views, failures

    def _prepare(self, asked: query.Query, found: candidates.Eligible) -> Path:
        """From the second search of an unchanged history on, Sessions become resident."""
        if self._path is Path.AUTO and self._memory_bytes:
            epochs = {c.session.source: c.view.epoch for c in found.candidates}
            if epochs == self._epochs:
                verification.fill(asked, found, self._corpus)
            self._epochs = epochs
        return self._path

    def close(self) -> None:
        """Lets go of memory and connections; the Sources are as they were."""
        self._closed = True
        for source in self._sources:
            source.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.close()


def _gaps_of(failures: Iterable[SourceError]) -> list[Gap]:
    return [Gap("source_failed", error.message, 1) for error in failures]
