"""Facts that match: by their keys, or by their text; redacted first, cut later, never an oracle.

A fact matches a term that its surviving text holds (the predicate of the corpus), or that one of
its keys starts with; a key ends for good where a secret begins in it. Most distinct terms first,
then the last updated, then by id. Invariant: what stays in memory between searches is redacted; a
store that cannot be read is a Gap and never passes for an empty one. Proof:
tests/unit/facts/test_search.py, tests/leaks/test_facts.py.
"""

from __future__ import annotations

import threading
from collections.abc import Hashable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import Final

from harkback.config import REDACTED_MARK, UNSETTLED_RETRIES
from harkback.engine import Corpus, Engine
from harkback.errors import SourceError
from harkback.facts.base import FactSource, Found, StoredFact
from harkback.facts.evidence import Witnesses
from harkback.facts.keys import KeyIndex, normal
from harkback.facts.showing import Item, Match, show
from harkback.model import Entry, Gap, Span
from harkback.projects import Globs, excluded
from harkback.query import Query
from harkback.redaction import Redaction
from harkback.redaction.marking import marked
from harkback.rendering import label

_KEY: Final = "facts"
_AT_ONCE: Final = 64  # facts between two looks at the deadline, or whose Sessions are looked up


@dataclass(frozen=True, slots=True)
class _Held:
    """One state of one store; nothing of it ever changes."""

    epoch: Hashable
    items: list[Item]
    corpus: Corpus
    keys: KeyIndex
    sessions: frozenset[str] = field(repr=False)  # that the facts were taken from
    gaps: tuple[Gap, ...]


@dataclass(slots=True)
class _Tally:
    """What a search leaves out, by reason."""

    elsewhere: int = 0
    outside_time: int = 0
    shut: int = 0
    gaps: list[Gap] = field(default_factory=list)

    def all(self, workspace: str | None) -> Iterator[Gap]:
        yield from self.gaps
        if self.elsewhere:
            other = "other workspaces" if workspace is not None else "workspaces"
            yield Gap("outside_scope", f"Facts of {other} were not searched.", self.elsewhere)
        if self.outside_time:
            message = "Facts match but were observed outside the time asked for."
            yield Gap("outside_time", message, self.outside_time)
        if self.shut:
            message = "Facts of excluded projects, or from excluded Sessions, were not searched."
            yield Gap("project_excluded", message, self.shut)


class _Late(Exception):
    """The deadline passed before a store was read."""


class Facts:
    """The stores of facts of one Recall. Safe to call from several threads.

    Args:
        memory_bytes: a store that needs more is read again by every search.
    """

    def __init__(
        self,
        engine: Engine,
        redaction: Redaction,
        sources: Sequence[FactSource],
        memory_bytes: int,
    ) -> None:
        self._engine = engine
        self._redaction = redaction
        self._sources = sources
        self._memory_bytes = memory_bytes
        self._lock = threading.Lock()  # guards what is held; never held while reading
        self._held: dict[str, _Held] = {}

    def search(
        self,
        asked: Query,
        witnesses: Witnesses,
        projects: Globs,
    ) -> Found:
        """The facts that match, in order, as far as the Budget goes.

        Args:
            witnesses: the Sessions that facts were taken from.
            projects: those whose facts are shut out.
        """
        nothing = (False,) * len(asked.terms)
        if asked.within is not None:
            message = "Facts belong to no one Session; within one they were not searched."
            return Found((), nothing, (Gap("not_searched", message),))
        tally = _Tally()
        found: list[_Held] = []
        for source in self._sources:
            if excluded(projects, source.folder):
                tally.gaps.append(_shut_folder())
                continue
            held = self._hold(source, asked, tally)
            if held is not None:
                tally.gaps += held.gaps
                found.append(held)
        if witnesses.guarding:
            witnesses.call(session for held in found for session in held.sessions)
        matches = [
            match
            for held in found
            for match in self._matching(held, asked, witnesses, projects, tally)
        ]
        matches.sort(key=lambda m: (-len(m.terms), -m.item.updated_at, m.item.id, m.item.source))
        shown, gaps = show(self._engine, asked, matches, witnesses)
        matched = frozenset[int]().union(*(match.terms for match in matches))
        return Found(
            shown,
            tuple(index in matched for index in range(len(asked.terms))),
            (*tally.all(asked.workspace), *gaps),
        )

    def _hold(self, source: FactSource, asked: Query, tally: _Tally) -> _Held | None:
        """The state of a store as it is now; None if it cannot be read, and why to ``tally``."""
        for attempt in range(UNSETTLED_RETRIES + 1):
            try:
                return self._current(source, asked)
            except SourceError as error:
                if error.reason != "source_unsettled" or attempt == UNSETTLED_RETRIES:
                    message = f"A store of facts could not be searched. {error.message}"
                    tally.gaps.append(Gap("facts_unavailable", message, 1))
                    return None
            except _Late:
                message = "Stores of facts were not read before the deadline."
                tally.gaps.append(Gap("deadline", message, 1))
                return None
        raise AssertionError("unreachable")

    def _current(self, source: FactSource, asked: Query) -> _Held:
        with source.view(self._engine) as view:
            with self._lock:
                held = self._held.get(source.name)
            if held is not None and held.epoch == view.epoch:
                return held
            epoch, stored = view.epoch, view.facts()
        held = self._load(epoch, source.name, stored.facts, stored.gaps, asked)
        with self._lock:
            self._held.pop(source.name, None)
            if held.corpus.size(_KEY) <= self._memory_bytes:
                self._held[source.name] = held
        return held

    def _load(
        self,
        epoch: Hashable,
        name: str,
        facts: Sequence[StoredFact],
        gaps: tuple[Gap, ...],
        asked: Query,
    ) -> _Held:
        items: list[Item] = []
        keys: list[tuple[str, int]] = []
        labels: dict[str, str] = {}
        failed = 0
        document = ""  # many facts of a file follow one another
        cuts: list[Span] = []
        for number, fact in enumerate(facts):
            if number % _AT_ONCE == 0 and asked.expired():
                raise _Late
            if fact.document is not document:
                document = fact.document
                cuts, failures = self._cuts(document)
                failed += failures
            for each in (fact.kind, fact.file or name):
                if each not in labels:
                    labels[each] = self._label(each)
            text, marks = marked(fact.document[fact.start : fact.end], _inside(cuts, fact))
            items.append(
                Item(
                    self._label(fact.id),
                    text,
                    marks,
                    labels[fact.kind],
                    fact.scope,
                    fact.workspace,
                    fact.observed_at,
                    fact.updated_at,
                    fact.evidence,
                    labels[fact.file or name],
                )
            )
            heads = (normal(self._engine, self._head(key)) for key in fact.keys)
            keys += ((head, number) for head in heads if head is not None)
        corpus = self._engine.corpus(self._redaction.redactor)
        corpus.put(
            _KEY,
            [
                Entry(item.id, None, item.observed_at, 0, "", [(item.text, False)], [item.marks])
                for item in items
            ],
        )
        if failed:
            message = "A finder of the host raised on facts; each was taken out whole."
            gaps = (*gaps, Gap("finder_failed", message, failed))
        sessions = frozenset(each.session for item in items for each in item.evidence)
        return _Held(epoch, items, corpus, KeyIndex(keys), sessions, gaps)

    def _label(self, name: str) -> str:
        return label(self._redaction.clean(name))

    def _cuts(self, text: str) -> tuple[list[Span], int]:
        """What is taken out of a document, the marks of an earlier redaction too."""
        cuts, failed = self._redaction.cuts([(text, False)])
        spans = (
            [(span.start, span.end) for span in self._redaction.spans(text)]
            if cuts is None
            else cuts[0]
        )
        at = text.find(REDACTED_MARK)
        while at >= 0:
            spans.append((at, at + len(REDACTED_MARK)))
            at = text.find(REDACTED_MARK, at + 1)
        return self._engine.grow(text, spans), failed

    def _head(self, key: str) -> str:
        """A key up to the first secret in it."""
        cuts, _ = self._cuts(key)
        return key[: cuts[0][0]] if cuts else key

    def _matching(
        self, held: _Held, asked: Query, witnesses: Witnesses, projects: Globs, tally: _Tally
    ) -> Iterator[Match]:
        """The facts in scope that match."""
        terms: dict[int, set[int]] = {}
        hits = held.corpus.search(asked.folded, [_KEY])
        for index, frequencies in enumerate(hits.frequency):
            for row, frequency in zip(hits.row, frequencies, strict=True):
                if frequency:
                    terms.setdefault(row, set()).add(index)
        for index, term in enumerate(asked.terms):
            prefix = normal(self._engine, term)
            for row in held.keys.starting(prefix) if prefix is not None else ():
                terms.setdefault(row, set()).add(index)
        for row, item in enumerate(held.items):
            # Counted whether they match or not: the count would tell what is in them.
            if excluded(projects, item.workspace) or witnesses.shut(item.evidence):
                tally.shut += 1
            elif item.scope == "workspace" and item.workspace != asked.workspace:
                tally.elsewhere += 1
            elif row in terms:
                if _is_outside(asked, item.observed_at):
                    tally.outside_time += 1
                else:
                    yield Match(item, frozenset(terms[row]))


def _inside(cuts: Sequence[Span], fact: StoredFact) -> Iterator[Span]:
    """The cuts of a document as they lie in one fact of it."""
    for start, end in cuts:
        low, high = max(start, fact.start), min(end, fact.end)
        if low < high:
            yield low - fact.start, high - fact.start


def _is_outside(asked: Query, moment: int) -> bool:
    early = asked.since is not None and moment < asked.since
    return early or (asked.until is not None and moment > asked.until)


def _shut_folder() -> Gap:
    return Gap("project_excluded", "Memory files of excluded projects were not searched.", 1)
