"""Verification: the predicate on every candidate, whatever the path that named it.

The paths differ only in which Sessions they bring before the Corpus, never in what matches:
``full`` brings every eligible Session, ``narrowed`` those that the raw scan offers, ``resident``
every one, from segments that stay in memory; ``auto`` takes what is known to be current and
narrows the rest.
Proof: tests/differential/test_paths.py holds them equal row for row.
"""

from __future__ import annotations

import time
from collections.abc import Iterator, Sequence
from contextlib import ExitStack
from dataclasses import dataclass, field
from enum import StrEnum

from harkback.candidates import Candidate, Eligible, offered
from harkback.config import FILL_SECONDS, VERIFY_BATCH_BYTES
from harkback.corpus import Corpus, Segment
from harkback.engine import Engine, Tally
from harkback.model import KINDS, Gap, Scope
from harkback.query import Query


class Path(StrEnum):
    """How the Sessions to verify are found."""

    AUTO = "auto"
    FULL = "full"
    NARROWED = "narrowed"
    RESIDENT = "resident"


@dataclass(slots=True)
class Verified:
    """The Hits of a search, kept by the engine; their keys index ``candidates``."""

    tally: Tally
    candidates: list[Candidate] = field(default_factory=list)
    outside_time: int = 0  # Messages that hold a term, at a time not asked for
    abandoned: int = 0  # and of Turns that were rewound
    gaps: list[Gap] = field(default_factory=list)
    holding: list[int] = field(default_factory=list)  # candidates that have a Hit

    def take(
        self,
        query: Query,
        corpus: Corpus,
        candidates: Sequence[Candidate],
        segments: Sequence[Segment],
    ) -> None:
        """Adds the Hits of held segments, and the Gaps of their Sessions."""
        scope = scope_of(query, candidates)
        holding, outside_time, abandoned = corpus.count(self.tally, query.folded, segments, scope)
        self.holding.extend(len(self.candidates) + key for key in holding)
        self.candidates.extend(candidates)
        self.outside_time += outside_time
        self.abandoned += abandoned
        matched = set(holding)
        for key in [at for at, segment in enumerate(segments) if segment.gaps or segment.damage]:
            self.gaps.extend(segments[key].gaps)
            if key in matched:  # of others it would tell that the raw scan offered them
                self.gaps.extend(segments[key].damage)


def scope_of(query: Query, candidates: Sequence[Candidate]) -> Scope:
    """Which Messages of these Sessions may be Hits."""
    active = None
    if query.active is not None:
        session, turn = query.active
        own = (at for at, c in enumerate(candidates) if c.session.id == session)
        active = (tuple(own), turn)
    return Scope(
        kinds=tuple(index for index, kind in enumerate(KINDS) if kind in query.kinds),
        since=query.since,
        until=query.until,
        abandoned=query.include_abandoned,
        active=active,
    )


def scope_gaps(query: Query, outside_time: int, abandoned: int) -> tuple[Gap, ...]:
    """What was left out because it is not in scope."""
    gaps: list[Gap] = []
    if abandoned:
        message = "Hits in Turns that were rewound or rolled back were left out."
        gaps.append(Gap("abandoned_excluded", message, abandoned))
    if outside_time:
        gaps.append(Gap("outside_time", "Hits lie outside the time asked for.", outside_time))
    if query.active is not None:
        gaps.append(Gap("active_turn_excluded", "The Turn under way was left out."))
    return tuple(gaps)


def verify(engine: Engine, path: Path, query: Query, found: Eligible, corpus: Corpus) -> Verified:
    """The Hits of every eligible Session that the deadline lets be reached, newest first."""
    verified = Verified(engine.tally())
    with corpus.known(found) as known:
        left_out, gaps, unreached = left_out_by(path, query, found.candidates, known, corpus)
        verified.gaps.extend(gaps)
        pairs = zip(found.candidates, known, strict=True)
        chosen = [pair for pair in pairs if pair[0] not in left_out]
        rest = iter(chosen)
        while _take_batch(query, rest, corpus, verified):
            pass
        unreached += len(chosen) - len(verified.candidates)
    if unreached:
        message = "Sessions were not reached before the deadline."
        verified.gaps.append(Gap("deadline", message, unreached))
    return verified


def left_out_by(
    path: Path,
    query: Query,
    candidates: Sequence[Candidate],
    known: Sequence[Segment | None],
    corpus: Corpus,
) -> tuple[set[Candidate], Sequence[Gap], int]:
    """The Sessions that this path does not bring before the Corpus, what narrowing could not do,
    and how many of them the deadline kept from being looked at.

    Args:
        known: of each Session the segment that is held as it is now.
    """
    if path in (Path.FULL, Path.RESIDENT):
        return set(), (), 0
    asked = candidates
    if path is Path.AUTO:
        pairs = zip(candidates, known, strict=True)
        missing = [c for c, segment in pairs if segment is None] if None in known else []
        stored = corpus.kept(missing)
        asked = [candidate for candidate in missing if candidate not in stored]
    answer = offered(query, asked)
    return set(asked).difference(answer.candidates), answer.gaps, answer.unreached


def _take_batch(
    query: Query,
    rest: Iterator[tuple[Candidate, Segment | None]],
    corpus: Corpus,
    verified: Verified,
) -> bool:
    """Verifies the next Sessions, as many as one search may hold; False when none are left.

    Those that are held anyway count only where somebody may want to stop in between.
    """
    candidates: list[Candidate] = []
    segments: list[Segment] = []
    watched = query.deadline is not None or query.cancel is not None
    if watched and query.expired():
        return False
    size = 0
    with ExitStack() as held:
        for candidate, known in rest:
            if known is None and query.expired():
                break
            segment = known or held.enter_context(corpus.hold(candidate, query.cancel))
            candidates.append(candidate)
            segments.append(segment)
            if known is None or watched:
                size += segment.bytes
            if size >= VERIFY_BATCH_BYTES:
                break
        if candidates:
            verified.take(query, corpus, candidates, segments)
    return bool(candidates) and not query.expired()


def fill(query: Query, found: Eligible, corpus: Corpus) -> bool:
    """Makes Sessions resident, newest first, while there is room; a bounded while per search.

    True: all of them are, or are stored.
    """
    until = time.monotonic() + FILL_SECONDS
    if not corpus.held.has_room():
        return False
    current = corpus.current(found.candidates)
    for candidate in found.candidates:
        if candidate in current:
            continue
        if not corpus.held.has_room() or time.monotonic() >= until or query.expired():
            return False
        with corpus.hold(candidate, query.cancel):
            pass
    return True
