"""Ranking: BM25 over the verified Hits, then the quota that keeps one lineage from taking it all.

Order is total (score, time, source, Session, sequence), every statistic is exact (df and mean
length come from the verified set, N from the catalog), and arithmetic has one fixed order, so
every path and both engines rank alike to the last bit. Proof: tests/unit/test_ranking.py,
tests/differential/test_paths.py.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterator, Sequence
from typing import Literal, NamedTuple, TypeAlias

from harkback.candidates import Candidate
from harkback.config import KIND_WEIGHTS, MAX_SCORED_CODE_POINTS
from harkback.engine import Engine
from harkback.model import ABANDONED, KINDS, Counts, Explanation, Gap, Kind, Ranked
from harkback.query import Query
from harkback.verification import Verified, scope_gaps

_WEIGHTS = [KIND_WEIGHTS[kind] for kind in KINDS]

_AT_ONCE = 256  # Hits that are put in order together
_Turn: TypeAlias = tuple[int, int, int]
Disposition: TypeAlias = Literal["shown", "same_turn", "lineage_quota", "limit"]


class RankedHit(NamedTuple):
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


class Ranking(NamedTuple):
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


def rank(query: Query, verified: Verified, records: int) -> Ranking:
    """Scores and orders the Hits, and chooses those that are to be shown.

    Args:
        records: searchable records of every eligible Session; N is at least the Hits.
    """
    candidates, tally = verified.candidates, verified.tally
    counts = tally.settle(_origins(verified), _places(verified), MAX_SCORED_CODE_POINTS)
    total = max(records, counts.total)
    holding = counts.holding or [0] * len(query.folded)
    idf = [_idf(total, hits) for hits in holding]
    mean_length = counts.length / counts.total if counts.total else 0.0
    if counts.total:
        tally.score(idf, mean_length, _WEIGHTS, query.order == "newest")
    chosen = _choose(query, verified, counts)

    def ranked(hit: Ranked, disposition: Disposition) -> RankedHit:
        return RankedHit(
            candidate=candidates[hit.key],
            row=hit.row,
            turn=hit.turn,
            timestamp=hit.timestamp,
            kind=KINDS[hit.kind % ABANDONED],
            score=hit.score,
            frequency=hit.frequency,
            length=hit.length,
            also_in=tuple(candidates[key] for key in hit.also_in),
            disposition=disposition,
        )

    values = [ranked(hit, fate) for hit, fate in chosen if fate == "shown" or query.explain]
    return Ranking(
        shown=tuple(hit for hit in values if hit.disposition == "shown"),
        left_out=tuple(hit for hit in values if hit.disposition != "shown"),
        records=records,
        total=counts.total,
        per_session=Counter(
            {candidates[key].place: n for key in verified.holding if (n := counts.per_key[key])}
        ),
        matched=tuple(hits > 0 for hits in holding),
        idf=tuple(idf),
        mean_length=mean_length,
        gaps=scope_gaps(query, verified.outside_time, verified.abandoned),
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


def _origins(verified: Verified) -> list[int]:
    """Per Session, how original it is, least first; 0 for those that share no Message."""
    sharing = verified.tally.repeats()
    sessions = {key: verified.candidates[key].described for key in sharing}
    originality = {key: (session.copied, session.started_at) for key, session in sessions.items()}
    order = {origin: place for place, origin in enumerate(sorted(set(originality.values())))}
    origins = [0] * len(verified.candidates)
    for key, origin in originality.items():
        origins[key] = order[origin]
    return origins


def _places(verified: Verified) -> list[int]:
    """Per Session, its place in the order of their names; 0 for those without a Hit."""
    candidates = verified.candidates
    places = [0] * len(candidates)
    by_name = sorted(verified.holding, key=lambda key: candidates[key].place)
    for place, key in enumerate(by_name):
        places[key] = place
    return places


def _choose(query: Query, verified: Verified, counts: Counts) -> list[tuple[Ranked, Disposition]]:
    """What is shown, in order, and what became of the Hits that were looked at and left out.

    One Passage a Turn; at most max(1, limit // 3) Passages of one lineage, then a second pass fills
    the slots that are left; the order is restored afterwards. Hits behind the last one shown are
    looked at only to explain.
    """
    limit = counts.total if query.limit is None else query.limit
    quota = limit if query.limit is None else max(1, limit // 3)
    taken: Counter[tuple[str, str]] = Counter()
    turns: set[_Turn] = set()
    seen: list[tuple[Ranked, Disposition]] = []
    over_quota: list[int] = []  # positions in `seen`
    spare: set[_Turn] = set()  # Turns of those
    lineages = _Lineages(verified.candidates, counts)
    for hit in _walk(verified, counts):
        # What is left is of lineages that have had their share, and the second pass has enough.
        enough = not lineages.open and len(turns | spare) >= limit
        if not query.explain and (enough or len(turns) == limit):
            break
        if len(turns) == limit:
            seen.append((hit, "limit"))
            continue
        lineage, turn = lineages.meet(hit.key), _turn(hit)
        if turn in turns:
            seen.append((hit, "same_turn"))
        elif taken[lineage] >= quota:
            over_quota.append(len(seen))
            spare.add(turn)
            seen.append((hit, "lineage_quota"))
        else:
            turns.add(turn)
            taken[lineage] += 1
            seen.append((hit, "shown"))
            if taken[lineage] == quota:
                lineages.close(lineage)
    for position in over_quota:
        hit, _ = seen[position]
        if _turn(hit) in turns:
            seen[position] = (hit, "same_turn")
        elif len(turns) < limit:
            turns.add(_turn(hit))
            seen[position] = (hit, "shown")
    return seen


class _Lineages:
    """Lineages of the Sessions that were met, and how many Hits may be of one that is open."""

    def __init__(self, candidates: Sequence[Candidate], counts: Counts) -> None:
        self.open = counts.total
        self._candidates = candidates
        self._rest = list(counts.per_key)  # Hits to come
        self._known: dict[int, tuple[str, str]] = {}
        self._closed: set[tuple[str, str]] = set()

    def meet(self, key: int) -> tuple[str, str]:
        """The lineage of the next Hit."""
        known = self._known.get(key)
        if known is None:
            candidate = self._candidates[key]
            known = self._known[key] = candidate.session.source, candidate.described.lineage
            if known in self._closed:
                self.open -= self._rest[key]
        self._rest[key] -= 1
        self.open -= known not in self._closed
        return known

    def close(self, lineage: tuple[str, str]) -> None:
        """It has had its share."""
        self._closed.add(lineage)
        self.open -= sum(self._rest[key] for key, own in self._known.items() if own == lineage)


def _walk(verified: Verified, counts: Counts) -> Iterator[Ranked]:
    """The Hits in order, made as far as they are asked for."""
    start = 0
    while start < counts.total:
        stop = 2 * start + _AT_ONCE
        yield from verified.tally.ranked(start, stop)
        start = stop


def _turn(hit: Ranked) -> _Turn:
    """What one Passage may be shown of: a Turn, or a Message that has none."""
    return hit.key, hit.turn, hit.row if hit.turn < 0 else -1
