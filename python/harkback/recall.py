"""Recall: one object over the history of one or more Sources. Each method is one line of stages.

Data flow: query -> Views -> facts, candidates -> corpus (verifies) -> ranking -> passages ->
envelope.
Safe to call from several threads; a forked child starts with an empty corpus and its own
connections. Proof: tests/surfaces/test_recall.py.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Iterable, Iterator, Sequence
from contextlib import ExitStack, contextmanager, suppress
from typing import TYPE_CHECKING

from harkback import candidates, envelope, passages, query, ranking, verification
from harkback.awaiting import twin
from harkback.config import (
    DEFAULT_LIMIT,
    MAX_NEIGHBOURS_EACH_SIDE,
    UNSETTLED_RETRIES,
)
from harkback.envelope import Envelope
from harkback.errors import QueryError, SourceError
from harkback.model import Kind
from harkback.query import Moment, Order
from harkback.showing import of_home
from harkback.sources.base import View
from harkback.sources.group import gaps_of
from harkback.verification import Path
from harkback.wiring import Wiring

if TYPE_CHECKING:  # each is loaded by the method that needs it: a search needs none of them
    from harkback.grep import Grep
    from harkback.materials import MaterialReading
    from harkback.persisting import Coverage, Persisted, Progress
    from harkback.pointer import Pointer
    from harkback.reading import Reading, Scope


class Recall(Wiring):
    """Recall over past Sessions.

    Args:
        sources: Sources, or paths that one can be opened for.
        policy: what is redacted; the default policy if None.
        engine: ``native`` or ``reference``; None asks HARKBACK_ENGINE, then takes native.
        memory_bytes: how much verified text may stay in memory between searches; 0: none.
        eligible: the host's own word on which Sessions may be searched; a raise means no.
        exclude_projects: globs of projects whose Sessions are never searched, such as ``~/private``
            (``harkback.projects`` says what they match).
        incognito: asked before anything is opened; unless it says exactly False, nothing is.
        facts: stores of distilled facts, or paths of a ``memory.sqlite`` or its folder.
        cache: where segments outlive the process; None: nothing is kept but in memory.
    """

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
        cancel: threading.Event | None = None,
        workspace: str | None = None,
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
            cancel: once it is set, the search ends in ``cancelled``.
            workspace: the key of the workspace whose facts are searched beside those of all.

        Raises:
            QueryError: the question cannot be asked so, or now; no Source was touched, unless it
                is ``cancelled``.
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
            cancel=cancel,
            workspace=workspace,
        )
        for attempt in range(UNSETTLED_RETRIES + 1):
            try:
                return self._answer(asked)
            except QueryError as error:
                raise error.bare() from None
            except SourceError as error:
                if error.reason != "source_unsettled" or attempt == UNSETTLED_RETRIES:
                    raise error.bare() from None
        raise AssertionError("unreachable")

    def _answer(self, asked: query.Query) -> Envelope:
        with ExitStack() as opened:
            views, failures = self._views(opened)
            facts = self._facts_of(asked, views, complete=not failures)
            before: candidates.Eligible | None = None
            with suppress(IndexError):
                before = self._before.pop()
            found = candidates.eligible(views, asked, self._allowed, self._projects, before)
            path = self._prepare(asked, found, views)
            verified = verification.verify(self._engine, path, asked, found, self._corpus)
            records = self._corpus.stored.records(found)
            self._stored = self._corpus.stored.all(views, found)
            ranked = ranking.rank(asked, verified, records)
            shown = passages.build(self._engine, self._redaction, asked, ranked, self._corpus)
            again = before if found.whole is None else found
            if again is not None:
                self._before.append(again)
            return envelope.assemble(
                asked, found, verified, ranked, shown, gaps_of(failures), self._redaction, facts
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
        cancel: threading.Event | None = None,
    ) -> Reading:
        """Reads on from the anchor of a Passage, or of any Message that an answer names.

        Args:
            anchor: 32 hexadecimal digits, as an answer gives them.
            view: the ``turn`` around the Message; ``audit``, all of it; ``scroll``, the Session.
            before, after: Messages on each side, 0 to 8.
            cursor: what the last answer gave, for what comes next; or that of a Message that a
                search shows cut, for an ``audit`` that begins there.
            active: (Session, Turn) that is under way: never part of an answer.
            unbounded: lifts the Budget (for people, not models).
            cancel: once it is set, reading ends in ``cancelled``.

        Raises:
            QueryError: it cannot be asked so; or ``not_found``, whatever the cause.
            SourceError: it was not found, and a Source cannot be read.
            UsageError: the Recall is closed.
        """
        from harkback import reading

        asked = reading.build(
            anchor,
            view=view,
            before=before,
            after=after,
            cursor=cursor,
            active=active,
            unbounded=unbounded,
            cancel=cancel,
        )
        return self._of_one(reading.read, asked, of_home(anchor), reading.WHERE)

    def compaction_pointer(
        self,
        session: str,
        *,
        active: tuple[str, str] | None = None,
        cancel: threading.Event | None = None,
    ) -> Pointer:
        """What a compacted context may hold in the place of what was cut: where it still is.

        Args:
            session: the id of the Session that is compacted.
            active: (Session, Turn) that is under way: not counted, nor pointed to.
            cancel: as for ``more``.

        Raises:
            QueryError, SourceError, UsageError: as ``more`` does.
        """
        from harkback import pointer

        asked = pointer.build(session, active=active, cancel=cancel)
        return self._of_one(pointer.point, asked, lambda s: s.id == session, pointer.WHERE)

    def material(
        self,
        id: str,
        *,
        cursor: str | None = None,
        vision: bool = False,
        active: tuple[str, str] | None = None,
        unbounded: bool = False,
        cancel: threading.Event | None = None,
    ) -> MaterialReading:
        """The content of a file that a Passage lists: text in pages, or an image.

        Args:
            id: 32 hexadecimal digits, as an answer gives them.
            cursor: what the last answer gave, for the next page of a text.
            vision: whether the model sees images; only then are their bytes read.
            active: (Session, Turn) that is under way: never part of an answer.
            unbounded: lifts the Budget (for people, not models).
            cancel: as for ``more``.

        Raises:
            QueryError: it cannot be asked so; or ``not_found``, whatever the cause.
            SourceError: it was not found, and a Source cannot be read.
            UsageError: the Recall is closed.
        """
        from harkback import materials

        asked = materials.build(
            id, cursor=cursor, vision=vision, active=active, unbounded=unbounded, cancel=cancel
        )
        return self._of_one(materials.read, asked, of_home(id), materials.WHERE)

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
        cancel: threading.Event | None = None,
    ) -> Iterator[Grep]:
        """Every Message that holds any of ``terms``, newest first, as the lines that match.

        For people: no ranking, no quota, no Budget. Arguments as for ``search``.

        Args:
            context: lines shown on each side of one that matches; None: no lines at all.
            cancel: once it is set, ``Grep.matches`` ends in ``cancelled``.

        Raises:
            QueryError, SourceError, UsageError: as ``search`` does.
        """
        from harkback.grep import Grep

        asked = query.build(
            self._engine,
            self._redaction,
            terms,
            limit=None,
            order="newest",
            within=within,
            kinds=kinds,
            since=since,
            until=until,
            include_archived=include_archived,
            include_abandoned=include_abandoned,
            projects=projects,
            cancel=cancel,
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
                failures=gaps_of(failures),
                path=self._path,
                context=context,
            )

    def persist(
        self,
        seconds: float | None = None,
        progress: Progress | None = None,
        *,
        cancel: threading.Event | None = None,
    ) -> Persisted:
        """Stores Sessions in the cache that are not stored as they are now; nothing without one.

        What searches read is stored first, then the rest is read, newest activity first. Nothing
        is waited for: if another process is storing, or the cache cannot be written, that is told.

        Args:
            seconds: no Session is begun after so long, and the Sources are not looked at again if
                the last search found all of them stored; None: all Sessions are stored.
            progress: is told after each Session how many were looked at, and how many there are.
            cancel: once it is set, no other Session is begun, and one that is being read is let go.

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
                cancel=cancel,
            )

    def coverage(self) -> Coverage:
        """How much of the history the cache holds. Raises as ``persist`` does."""
        from harkback import persisting

        if self._shelf is None:
            return persisting.Coverage(0, 0, 0)
        with ExitStack() as opened:
            views, _ = self._views(opened)
            return persisting.coverage(views, self._allowed, self._projects, self._shelf)

    def _prepare(
        self, asked: query.Query, found: candidates.Eligible, views: Sequence[View]
    ) -> Path:
        """From the second search of an unchanged history on, Sessions become resident."""
        if self._path is Path.AUTO and self._memory_bytes:
            epochs = {view.name: view.epoch for view in views}
            filled = found.state, self._corpus.held.dropped
            if (
                epochs == self._epochs
                and filled != self._filled
                and verification.fill(asked, found, self._corpus)
            ):
                self._filled = filled
            self._epochs = epochs
        return self._path

    asearch = twin(search)
    amore = twin(more)
    amaterial = twin(material)
    acompaction_pointer = twin(compaction_pointer)
