"""Recall: one object over the history of one or more Sources. Each method is one line of stages.

Data flow: query -> Views -> facts, candidates -> corpus (verifies) -> ranking -> passages ->
envelope.
Safe to call from several threads; a forked child starts with an empty corpus and its own
connections. Proof: tests/surfaces/test_recall.py.
"""

from __future__ import annotations

import os
import threading
from collections.abc import Callable, Hashable, Iterable, Iterator, Sequence
from contextlib import ExitStack, contextmanager
from types import TracebackType
from typing import Self, TypeVar

from harkback import (
    candidates,
    envelope,
    materials,
    passages,
    pointer,
    query,
    ranking,
    reading,
    verification,
)
from harkback.awaiting import twin
from harkback.config import (
    DEFAULT_LIMIT,
    DEFAULT_MEMORY_BYTES,
    MAX_NEIGHBOURS_EACH_SIDE,
    UNSETTLED_RETRIES,
)
from harkback.corpus import Corpus
from harkback.engine import EngineName, load
from harkback.envelope import Envelope
from harkback.errors import QueryError, SourceError
from harkback.facts.base import FactSource
from harkback.facts.evidence import Witnesses
from harkback.facts.registry import open_facts
from harkback.facts.search import Facts
from harkback.grep import Grep
from harkback.materials import MaterialReading
from harkback.model import Kind, Session
from harkback.pointer import Pointer
from harkback.projects import compile_globs
from harkback.query import Moment, Order
from harkback.reading import Reading, Scope
from harkback.redaction import DEFAULT, Policy
from harkback.sources.base import Source, View
from harkback.sources.group import Group, gaps_of
from harkback.verification import Path

T = TypeVar("T")


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
        incognito: asked before anything is opened; unless it says exactly False, nothing is.
        facts: stores of distilled facts, or paths of a ``memory.sqlite`` or its folder.
    """

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
        self._path = Path.AUTO
        self._start()

    def _start(self) -> None:
        self._process = os.getpid()
        self._corpus = Corpus(self._engine, self._redaction, self._memory_bytes)
        self._facts = Facts(self._engine, self._redaction, self._fact_sources, self._memory_bytes)
        self._epochs: dict[str, Hashable] = {}  # of the last search

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
            witnesses = Witnesses(
                views, self._allowed, self._projects, asked.active, complete=not failures
            )
            facts = self._facts.search(asked, witnesses, self._projects)
            found = candidates.eligible(views, asked, self._allowed, self._projects)
            path = self._prepare(asked, found)
            verified = verification.verify(path, asked, found, self._corpus)
            ranked = ranking.rank(self._engine, asked, verified, found.records())
            shown = passages.build(self._engine, self._redaction, asked, ranked, self._corpus)
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
            cursor: what the last answer gave, for what comes next.
            active: (Session, Turn) that is under way: never part of an answer.
            unbounded: lifts the Budget (for people, not models).
            cancel: once it is set, reading ends in ``cancelled``.

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
            cancel=cancel,
        )
        return self._of_one(reading.read, asked)

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
        asked = pointer.build(session, active=active, cancel=cancel)
        return self._of_one(pointer.point, asked)

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
        asked = materials.build(
            id, cursor=cursor, vision=vision, active=active, unbounded=unbounded, cancel=cancel
        )
        return self._of_one(materials.read, asked)

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

    def _views(self, opened: ExitStack) -> tuple[list[View], list[SourceError]]:
        """A View of every Source that can be read, and why the others cannot.

        Every method goes through here, so nothing is opened while history is closed to them all.
        """
        query.admit(self._incognito)
        if self._process != os.getpid():
            self._group.start()
            self._start()
        return self._group.views(self._engine, opened)

    def _of_one(self, read: Callable[..., T], asked: object) -> T:
        """What is read of one Session; a Source that failed may have held what is not found."""
        with ExitStack() as opened:
            views, failures = self._views(opened)
            try:
                return read(
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
                lost = failures and error.reason == "not_found"
                raise (failures[0] if lost else error).bare() from None

    def _prepare(self, asked: query.Query, found: candidates.Eligible) -> Path:
        """From the second search of an unchanged history on, Sessions become resident."""
        if self._path is Path.AUTO and self._memory_bytes:
            epochs = {c.session.source: c.view.epoch for c in found.candidates}
            if epochs == self._epochs:
                verification.fill(asked, found, self._corpus)
            self._epochs = epochs
        return self._path

    asearch = twin(search)
    amore = twin(more)
    amaterial = twin(material)
    acompaction_pointer = twin(compaction_pointer)

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
