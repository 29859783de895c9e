"""Ranking: BM25 over the verified Hits, then the quota that keeps one lineage from taking it all.

Order is total (score, time, source, Session, sequence), every statistic is exact (df and mean
length come from the verified set, N from the catalog), and arithmetic has one fixed order, so
every path and both engines rank alike to the last bit. Proof: tests/unit/test_ranking.py,
tests/differential/test_paths.py.
"""

from __future__ import annotations

import heapq
import math
from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Literal, TypeAlias

from harkback.candidates import Candidate
from harkback.config import KIND_WEIGHTS, MAX_SCORED_CODE_POINTS
from harkback.engine import Engine
from harkback.model import ABANDONED, KINDS, Explanation, Gap, Kind
from harkback.query import Query
from harkback.verification import Verified

_WEIGHTS = [KIND_WEIGHTS[kind] for kind in KINDS]

Disposition: TypeAlias = Literal["shown", "same_turn", "lineage_quota", "limit"]


@dataclass(frozen=True, slots=True)
class RankedHit:
    """One verified Message with its score and what became of it."""

    candidate: Candidate
    row: int
    turn: int
    timestamp: int
    kind: Kind
    score: float
    frequency: tuple[int, ...]  # per term
    length: int
    also_in: tuple[Candidate, ...] = ()
    disposition: Disposition = "limit"


@dataclass(frozen=True, slots=True)
class Ranking:
    """The Hits to show, in the order asked for, and the statistics their scores are made of."""

    shown: tuple[RankedHit, ...]
    left_out: tuple[RankedHit, ...]  # only when the query asks to explain
    records: int  # searchable records of every eligible Session
    total: int  # Hits in scope
    per_session: Counter[tuple[str, str]]  # Hits in scope of each Session that has any
    matched: tuple[bool, ...]  # per term: whether any Hit holds it
    idf: tuple[float, ...]
    mean_length: float
    gaps: tuple[Gap, ...]


def rank(engine: Engine, query: Query, verified: Verified, records: int) -> Ranking:
    """Scores and orders the Hits that are in scope, and chooses those that are to be shown.

    Args:
        records: searchable records of every eligible Session; N is at least the Hits.
    """
    inside, gaps = scope(query, verified)
    kept, replays = _collapse(verified, inside)
    frequency = [[column[hit] for hit in kept] for column in verified.frequency]
    length = [min(verified.length[hit], MAX_SCORED_CODE_POINTS) for hit in kept]
    total = max(records, len(kept))
    idf = [_idf(total, sum(1 for tf in column if tf)) for column in frequency]
    mean_length = sum(length) / len(length) if length else 0.0
    weight = [_WEIGHTS[verified.kind[hit] % ABANDONED] for hit in kept]
    scores = engine.bm25(frequency, length, weight, idf, mean_length) if kept else []
    order = _Order(query, verified, kept, scores)

    def ranked(at: int, disposition: Disposition) -> RankedHit:
        hit = kept[at]
        return RankedHit(
            candidate=verified.candidates[verified.candidate[hit]],
            row=verified.row[hit],
            turn=verified.turn[hit],
            timestamp=verified.timestamp[hit],
            kind=KINDS[verified.kind[hit] % ABANDONED],
            score=scores[at],
            frequency=tuple(column[at] for column in frequency),
            length=length[at],
            also_in=tuple(verified.candidates[verified.candidate[r]] for r in replays.get(hit, ())),
            disposition=disposition,
        )

    shown, left_out = order.choose(query.limit, query.explain)
    return Ranking(
        shown=tuple(ranked(at, "shown") for at in shown),
        left_out=tuple(ranked(at, fate) for at, fate in left_out) if query.explain else (),
        records=records,
        total=len(kept),
        per_session=Counter(
            {
                verified.candidates[candidate].place: hits
                for candidate, hits in Counter(verified.candidate[hit] for hit in kept).items()
            }
        ),
        matched=tuple(any(column) for column in frequency),
        idf=tuple(idf),
        mean_length=mean_length,
        gaps=gaps,
    )


def explain(engine: Engine, query: Query, ranking: Ranking, hit: RankedHit) -> Explanation:
    """The score of a Hit as a tree: weight times the sum of what each term adds."""
    added = engine.bm25_terms(hit.frequency, hit.length, ranking.idf, ranking.mean_length)
    terms = tuple(
        Explanation(
            f"term {term}",
            value,
            (
                Explanation("idf", idf),
                Explanation("tf, occurrences in surviving text", float(tf)),
                Explanation("len, code points of surviving text", float(hit.length)),
                Explanation("avgdl, mean len of the Hits", ranking.mean_length),
            ),
        )
        for term, value, idf, tf in zip(query.terms, added, ranking.idf, hit.frequency, strict=True)
        if tf
    )
    weight = Explanation(f"weight of {hit.kind}", KIND_WEIGHTS[hit.kind])
    return Explanation("score = weight x sum of terms", hit.score, (weight, *terms))


def _idf(total: int, holding: int) -> float:
    """ln(1 + (N - df + 0.5) / (df + 0.5)); never negative, since df <= N."""
    return math.log(1.0 + (total - holding + 0.5) / (holding + 0.5))


def scope(query: Query, verified: Verified) -> tuple[list[int], tuple[Gap, ...]]:
    """Hits of the kinds and the time asked for, neither rewound nor of the active Turn."""
    kinds = {index for index, kind in enumerate(KINDS) if kind in query.kinds}
    since = -math.inf if query.since is None else query.since
    until = math.inf if query.until is None else query.until
    inside: list[int] = []
    outside_time = abandoned = 0
    for hit, (kind, timestamp) in enumerate(zip(verified.kind, verified.timestamp, strict=True)):
        if kind % ABANDONED not in kinds or hit in verified.active:
            continue
        if not since <= timestamp <= until:
            outside_time += 1
        elif kind >= ABANDONED and not query.include_abandoned:
            abandoned += 1
        else:
            inside.append(hit)
    gaps: list[Gap] = []
    if abandoned:
        message = "Hits in Turns that were rewound or rolled back were left out."
        gaps.append(Gap("abandoned_excluded", message, abandoned))
    if outside_time:
        gaps.append(Gap("outside_time", "Hits lie outside the time asked for.", outside_time))
    if query.active is not None:
        gaps.append(Gap("active_turn_excluded", "The Turn under way was left out."))
    return inside, tuple(gaps)


def _collapse(verified: Verified, inside: Sequence[int]) -> tuple[list[int], dict[int, list[int]]]:
    """One Hit for a Message that several Sessions replay: an original first, else the earliest."""
    if len({verified.ident[hit] for hit in inside}) == len(inside):
        return list(inside), {}
    same: defaultdict[tuple[int, int], list[int]] = defaultdict(list)
    for hit in inside:
        same[verified.ident[hit], verified.digest[hit]].append(hit)
    kept: list[int] = []
    replays: dict[int, list[int]] = {}
    for group in same.values():
        if len(group) > 1:
            group.sort(key=lambda hit: _originality(verified, hit))
            first, *others = group
            home = verified.candidate[first]
            replays[first] = [hit for hit in others if verified.candidate[hit] != home]
            kept.extend(hit for hit in others if verified.candidate[hit] == home)
        kept.append(group[0])
    kept.sort()
    return kept, replays


def _originality(verified: Verified, hit: int) -> tuple[bool, int, int, tuple[str, str], int]:
    candidate = verified.candidates[verified.candidate[hit]]
    session = candidate.described
    return (
        session.copied,
        session.started_at,
        verified.timestamp[hit],
        candidate.place,
        verified.row[hit],
    )


class _Order:
    """The total order of the kept Hits, walked only as far as the choice needs."""

    def __init__(
        self, query: Query, verified: Verified, kept: Sequence[int], scores: Sequence[float]
    ) -> None:
        self._verified = verified
        self._kept = kept
        places = sorted(range(len(verified.candidates)), key=lambda c: verified.candidates[c].place)
        place_rank = [0] * len(places)
        for rank_, candidate in enumerate(places):
            place_rank[candidate] = rank_
        score = [-value for value in scores]
        time = [-verified.timestamp[hit] for hit in kept]
        first, second = (time, score) if query.order == "newest" else (score, time)
        place = (place_rank[verified.candidate[hit]] for hit in kept)
        row = (verified.row[hit] for hit in kept)
        self._heap = list(zip(first, second, place, row, range(len(kept)), strict=True))
        heapq.heapify(self._heap)

    def _walk(self) -> Iterator[int]:
        while self._heap:
            yield heapq.heappop(self._heap)[-1]

    def choose(
        self, limit: int | None, to_the_end: bool
    ) -> tuple[list[int], list[tuple[int, Disposition]]]:
        """What is shown, in order, and what became of the Hits that were looked at and left out.

        One Passage a Turn; at most max(1, limit // 3) Passages of one lineage, then a second pass
        fills the slots that are left; the order is restored afterwards. Hits behind the last one
        shown are looked at only ``to_the_end``.
        """
        if limit is None:
            limit = quota = len(self._kept)
        else:
            quota = max(1, limit // 3)
        taken: Counter[tuple[str, str]] = Counter()
        turns: set[tuple[int, int, int]] = set()
        seen: list[tuple[int, Disposition]] = []
        over_quota: list[int] = []  # positions in `seen`
        for at in self._walk():
            if len(turns) == limit:
                if not to_the_end:
                    break
                seen.append((at, "limit"))
                continue
            candidate = self._verified.candidates[self._verified.candidate[self._kept[at]]]
            lineage = (candidate.session.source, candidate.described.lineage)
            if self._turn(at) in turns:
                seen.append((at, "same_turn"))
            elif taken[lineage] >= quota:
                over_quota.append(len(seen))
                seen.append((at, "lineage_quota"))
            else:
                turns.add(self._turn(at))
                taken[lineage] += 1
                seen.append((at, "shown"))
        for position in over_quota:
            at, _ = seen[position]
            if self._turn(at) in turns:
                seen[position] = (at, "same_turn")
            elif len(turns) < limit:
                turns.add(self._turn(at))
                seen[position] = (at, "shown")
        shown = [at for at, fate in seen if fate == "shown"]
        return shown, [(at, fate) for at, fate in seen if fate != "shown"]

    def _turn(self, at: int) -> tuple[int, int, int]:
        """What one Passage may be shown of: a Turn, or a Message that has none."""
        hit = self._kept[at]
        turn = self._verified.turn[hit]
        return self._verified.candidate[hit], turn, self._verified.row[hit] if turn < 0 else -1
