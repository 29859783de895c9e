"""Grep: every verified Message, newest first, as the lines that match. For people, not for models.

The predicate and the redaction are those of a search; there is no ranking, no quota, no Budget.
Matches stream: one is given out once no Session is left whose newest activity lies behind it. A
Message that several Sessions replay is told once, of an original if one is known by then.
Proof: tests/unit/test_grep.py.
"""

from __future__ import annotations

import heapq
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Final

from harkback.candidates import Candidate, Eligible
from harkback.corpus import Corpus
from harkback.engine import Engine
from harkback.errors import QueryError, SourceError
from harkback.graphemes import border_after, border_before
from harkback.model import ABANDONED, KINDS, Gap, Kind, Leaf, SessionCard, Span
from harkback.query import Query
from harkback.redaction import Redaction, marking
from harkback.showing import Showing, anchor_home, anchor_id
from harkback.verification import Path, left_out_by, scope_gaps, scope_of
from harkback.windows import Shown, redacted

_AT_ONCE: Final = 256  # Messages re-read together
_LINE_CODE_POINTS: Final = 400  # of a longer line, what stands around its first match is shown
_LINE_LEAD: Final = 100


@dataclass(frozen=True, slots=True)
class Line:
    """A line of a leaf. ``number`` counts from 1; without ``spans`` it is there for context."""

    number: int
    text: str
    spans: tuple[Span, ...] = ()


@dataclass(frozen=True, slots=True)
class Match:
    """A verified Message. ``lines`` are of all its leaves, in order; None stands for a break."""

    anchor: str
    session: SessionCard
    kind: Kind
    timestamp: int
    occurrences: int
    lines: tuple[Line | None, ...]
    in_progress: bool = False
    abandoned: bool = False


class Grep:
    """The matches of a question, and, once they are read to the end, what was not searched."""

    def __init__(
        self,
        engine: Engine,
        redaction: Redaction,
        query: Query,
        found: Eligible,
        corpus: Corpus,
        *,
        failures: Sequence[Gap],
        path: Path,
        context: int | None,
    ) -> None:
        self._engine = engine
        self._query = query
        self._found = found
        self._corpus = corpus
        self._path = path
        self._context = context
        self._showing = Showing(engine, redaction, corpus)
        self._gaps: Counter[Gap] = Counter()
        self._heap: list[tuple[int, tuple[bool, int], tuple[str, str], int, int, int, Match]] = []
        self._told: set[tuple[int, int]] = set()
        self._count(failures)

    def matches(self) -> Iterator[Match]:
        """Newest first."""
        try:
            yield from self._matches()
        except (QueryError, SourceError) as error:
            raise error.bare() from None

    def _matches(self) -> Iterator[Match]:
        listed = self._found.candidates
        with self._corpus.known(self._found) as known:
            left_out, gaps, _ = left_out_by(self._path, self._query, listed, known, self._corpus)
        chosen = [candidate for candidate in listed if candidate not in left_out]
        self._count([*self._found.gaps, *gaps])
        for index, candidate in enumerate(chosen):
            self._take(candidate)
            rest = chosen[index + 1 : index + 2]
            until = rest[0].session.last_activity_at if rest else None
            yield from self._settled(until)

    def gaps(self) -> tuple[Gap, ...]:
        """What was not searched, as far as it is known by now."""
        return tuple(
            gap if gap.count is None else Gap(gap.code, gap.message, count)
            for gap, count in self._gaps.items()
        )

    def _count(self, gaps: Sequence[Gap]) -> None:
        for gap in gaps:
            self._gaps[Gap(gap.code, gap.message, gap.count and 1)] += gap.count or 0

    def _settled(self, until: int | None) -> Iterator[Match]:
        while self._heap and (until is None or -self._heap[0][0] > until):
            *_, ident, digest, match = heapq.heappop(self._heap)
            if (ident, digest) not in self._told:
                self._told.add((ident, digest))
                yield match

    def _take(self, candidate: Candidate) -> None:
        """Puts the matches of one Session in their places."""
        with self._corpus.hold(candidate, self._query.cancel) as segment:
            scope = scope_of(self._query, [candidate])
            found = self._corpus.search(self._query.folded, [segment], scope)
            self._count(segment.gaps)
            self._count(segment.damage if found.holding else ())
            self._count(scope_gaps(self._query, found.outside_time, found.abandoned))
            if not found.row:
                return
            session = candidate.described
            card = self._showing.card(candidate)
            home = anchor_home(session.source, session.id)
            originality = (session.copied, session.started_at)
            for start in range(0, len(found.row), _AT_ONCE):
                hits = range(len(found.row))[start : start + _AT_ONCE]
                rows = [
                    row
                    for hit in hits
                    for row in self._corpus.rows(segment, found.row[hit], found.row[hit] + 1)
                ]
                shown: list[tuple[Line | None, ...]] = [()] * len(rows)
                flying = [False] * len(rows)
                if self._context is not None:
                    stored = self._showing.stored(candidate, segment, rows)
                    shown = [self._lines(*self._showing.redacted(message)) for message in stored]
                    flying = [message.in_progress for message in stored]
                for hit, row, lines, in_progress in zip(hits, rows, shown, flying, strict=True):
                    match = Match(
                        anchor=anchor_id(home, row.id),
                        session=card,
                        kind=KINDS[row.kind % ABANDONED],
                        timestamp=row.timestamp,
                        occurrences=sum(column[hit] for column in found.frequency),
                        lines=lines,
                        in_progress=in_progress,
                        abandoned=row.kind >= ABANDONED,
                    )
                    same = found.ident[hit], found.digest[hit]
                    place = -row.timestamp, originality, candidate.place, found.row[hit]
                    heapq.heappush(self._heap, (*place, *same, match))

    def _lines(
        self, leaves: Sequence[Leaf], cuts: Sequence[Sequence[Span]]
    ) -> tuple[Line | None, ...]:
        found: list[Line | None] = []
        for leaf, cut in zip(leaves, cuts, strict=True):
            shown = redacted(self._engine, self._query.folded, leaf.text, cut)
            if shown.matches:
                found += [None] if found else []
                found += lines(shown, self._context or 0)
        return tuple(found)


def lines(shown: Shown, context: int) -> Iterator[Line | None]:
    """The lines that hold a match, ``context`` more on each side, and None where some are left out.

    A match over several lines marks all of them.
    """
    starts = [0]
    while (at := shown.text.find("\n", starts[-1])) >= 0:
        starts.append(at + 1)
    ends = [*(start - 1 for start in starts[1:]), len(shown.text)]
    spans: dict[int, list[Span]] = {}
    line = 0
    for start, end in shown.matches:
        while ends[line] < start:
            line += 1
        at = line
        while at < len(starts) and starts[at] < end:
            low, high = max(start, starts[at]), min(end, ends[at])
            if low < high:
                spans.setdefault(at, []).append((low, high))
            at += 1
    wanted = sorted(
        {
            near
            for at in spans
            for near in range(max(0, at - context), min(len(starts), at + context + 1))
        }
    )
    before = None
    for at in wanted:
        if before is not None and at != before + 1:
            yield None
        before = at
        yield _line(shown, at + 1, starts[at], ends[at], spans.get(at, []))


def _line(shown: Shown, number: int, start: int, end: int, spans: Sequence[Span]) -> Line:
    """A line as it stands, or what of a long one stands around its first match."""
    low, high = start, end
    if end - start > _LINE_CODE_POINTS:
        first = spans[0][0] if spans else start
        low = max(start, min(first - _LINE_LEAD, end - _LINE_CODE_POINTS))
        low = border_after(shown.text, low) if low > start else start
        high = border_before(shown.text, min(end, low + _LINE_CODE_POINTS))
        low, high = marking.behind(shown.marks, low), marking.before(shown.marks, high)
    before, after = "…" if low > start else "", "…" if high < end else ""
    shift = len(before) - low
    inside = ((max(a, low), min(b, high)) for a, b in spans if b > low and a < high)
    text = before + shown.text[low:high] + after
    return Line(number, text, tuple((a + shift, b + shift) for a, b in inside))
