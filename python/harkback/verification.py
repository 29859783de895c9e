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
from harkback.model import Gap
from harkback.query import Query


class Path(StrEnum):
    """How the Sessions to verify are found."""

    AUTO = "auto"
    FULL = "full"
    NARROWED = "narrowed"
    RESIDENT = "resident"


@dataclass(slots=True)
class Verified:
    """The Hits of a search as parallel columns; ``candidate`` indexes ``candidates``."""

    candidates: list[Candidate] = field(default_factory=list)
    candidate: list[int] = field(default_factory=list)
    row: list[int] = field(default_factory=list)
    turn: list[int] = field(default_factory=list)
    timestamp: list[int] = field(default_factory=list)
    kind: list[int] = field(default_factory=list)
    length: list[int] = field(default_factory=list)
    ident: list[int] = field(default_factory=list)
    digest: list[int] = field(default_factory=list)
    frequency: list[list[int]] = field(default_factory=list)
    active: set[int] = field(default_factory=set)  # Hits of the caller's active Turn
    gaps: list[Gap] = field(default_factory=list)

    def take(self, query: Query, corpus: Corpus, batch: _Batch) -> None:
        """Appends the Hits of held segments, and the Gaps of their Sessions."""
        hits = corpus.search(query.folded, batch.segments)
        offset, before = len(self.candidates), len(self.row)
        self.candidates.extend(batch.candidates)
        holding = set(hits.key)
        for key, segment in enumerate(batch.segments):
            self.gaps.extend(segment.gaps)
            if key in holding:  # of others it would tell that the raw scan offered them
                self.gaps.extend(segment.damage)
        self.candidate.extend(key + offset for key in hits.key)
        for name in ("row", "turn", "timestamp", "kind", "length", "ident", "digest"):
            getattr(self, name).extend(getattr(hits, name))
        for column, found in zip(self.frequency, hits.frequency, strict=True):
            column.extend(found)
        if query.active is not None:
            for hit, (key, row) in enumerate(zip(hits.key, hits.row, strict=True), before):
                if batch.candidates[key].session.id == query.active[0]:
                    (kept,) = corpus.rows(batch.segments[key], row, row + 1)
                    if kept.turn == query.active[1]:
                        self.active.add(hit)


@dataclass(slots=True)
class _Batch:
    candidates: list[Candidate] = field(default_factory=list)
    segments: list[Segment] = field(default_factory=list)


def verify(path: Path, query: Query, found: Eligible, corpus: Corpus) -> Verified:
    """The Hits of every eligible Session that the deadline lets be reached, newest first."""
    verified = Verified(frequency=[[] for _ in query.folded])
    chosen, unreached = bring(path, query, found, corpus, verified)
    rest = iter(chosen)
    while _take_batch(query, rest, corpus, verified):
        pass
    unreached += len(chosen) - len(verified.candidates)
    if unreached:
        message = "Sessions were not reached before the deadline."
        verified.gaps.append(Gap("deadline", message, unreached))
    return verified


def bring(
    path: Path, query: Query, found: Eligible, corpus: Corpus, verified: Verified
) -> tuple[Sequence[Candidate], int]:
    """The Sessions that this path brings before the Corpus, newest activity first, and how many
    the deadline kept from being looked at. Gaps go to ``verified``.
    """
    chosen: Sequence[Candidate] = found.candidates
    unreached = 0
    if path in (Path.NARROWED, Path.AUTO):
        known = {c for c in chosen if corpus.current(c)} if path is Path.AUTO else set()
        answer = offered(query, [c for c in chosen if c not in known])
        verified.gaps.extend(answer.gaps)
        unreached += answer.unreached
        known.update(answer.candidates)
        chosen = [c for c in chosen if c in known]
    return chosen, unreached


def verify_one(query: Query, candidate: Candidate, corpus: Corpus, segment: Segment) -> Verified:
    """The Hits of one Session whose segment is held."""
    verified = Verified(frequency=[[] for _ in query.folded])
    verified.take(query, corpus, _Batch([candidate], [segment]))
    return verified


def _take_batch(
    query: Query, rest: Iterator[Candidate], corpus: Corpus, verified: Verified
) -> bool:
    """Verifies the next Sessions, as many as one search may hold; False when none are left."""
    batch = _Batch()
    size = 0
    with ExitStack() as held:
        for candidate in rest:
            if query.expired():
                break
            segment = held.enter_context(corpus.hold(candidate))
            batch.candidates.append(candidate)
            batch.segments.append(segment)
            size += segment.bytes
            if size >= VERIFY_BATCH_BYTES:
                break
        if batch.candidates:
            verified.take(query, corpus, batch)
    return bool(batch.candidates) and not query.expired()


def fill(query: Query, found: Eligible, corpus: Corpus) -> None:
    """Makes Sessions resident, newest first, while there is room; a bounded while per search."""
    until = time.monotonic() + FILL_SECONDS
    for candidate in found.candidates:
        if not corpus.has_room() or time.monotonic() >= until or query.expired():
            return
        if not corpus.current(candidate):
            with corpus.hold(candidate):
                pass
