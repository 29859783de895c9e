"""The Hits of one question: gathered over several searches, counted, scored and put in order.

Every statistic is exact and every order total.
Proof: tests/unit/test_ranking.py, tests/differential/test_tally.py.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Sequence

from harkback.model import ABANDONED, Counts, Ranked, Scope
from harkback.reference.bm25 import bm25
from harkback.reference.corpus import Corpus


class Tally:
    """``harkback.engine.Tally`` is its contract."""

    def __init__(self) -> None:
        self._keys = self._terms = 0
        self._hits: list[Ranked] = []
        self._same: defaultdict[tuple[int, int], list[int]] = defaultdict(list)  # (id, digest)
        self._places: Sequence[int] = ()

    def take(
        self, corpus: Corpus, terms: Sequence[str], keys: Sequence[str], scope: Scope
    ) -> tuple[list[int], int, int]:
        """Adds the Hits of a search: keys that hold a term, Hits out of time, abandoned ones."""
        hits = corpus.search(terms, keys, scope)
        self._terms = len(terms)
        for at, key in enumerate(hits.key):
            self._same[hits.ident[at], hits.digest[at]].append(len(self._hits))
            hit = Ranked(
                key=self._keys + key,
                row=hits.row[at],
                turn=hits.turn[at],
                timestamp=hits.timestamp[at],
                kind=hits.kind[at],
                length=hits.length[at],
                score=0.0,
                frequency=tuple(column[at] for column in hits.frequency),
                also_in=[],
            )
            self._hits.append(hit)
        self._keys += len(keys)
        return hits.holding, hits.outside_time, hits.abandoned

    def repeats(self) -> list[int]:
        """Keys of the Sessions that share a Message with another."""
        homes = [{self._hits[at].key for at in group} for group in self._same.values()]
        return sorted({key for keys in homes if len(keys) > 1 for key in keys})

    def settle(self, origins: Sequence[int], places: Sequence[int], most: int) -> Counts:
        """One Hit for a Message that several Sessions replay; see the contract."""
        if not len(origins) == len(places) == self._keys:
            raise ValueError("not as many as there are keys")
        self._places = places
        kept: list[Ranked] = []
        for group in self._same.values():
            hits = sorted(
                (self._hits[at] for at in group),
                key=lambda hit: (origins[hit.key], hit.timestamp, places[hit.key], hit.row),
            )
            replays = [hit.key for hit in hits if hit.key != hits[0].key]
            kept.append(hits[0]._replace(also_in=replays))
            kept += [hit for hit in hits[1:] if hit.key == hits[0].key]
        self._hits = [hit._replace(length=min(hit.length, most)) for hit in kept]
        per_key = Counter(hit.key for hit in kept)
        return Counts(
            total=len(kept),
            length=sum(hit.length for hit in self._hits),
            holding=[sum(hit.frequency[term] > 0 for hit in kept) for term in range(self._terms)],
            per_key=[per_key[key] for key in range(self._keys)],
        )

    def score(
        self, idf: Sequence[float], mean_length: float, weights: Sequence[float], newest: bool
    ) -> None:
        """Scores every Hit, and puts them in order.

        Raises:
            ValueError: ``mean_length`` is not positive.
        """
        if not mean_length > 0:
            raise ValueError("the mean length is not positive")

        def order(hit: Ranked) -> tuple[float, float, int, int]:
            first = (-hit.timestamp, -hit.score) if newest else (-hit.score, -hit.timestamp)
            return *first, self._places[hit.key], hit.row

        scored = (
            hit._replace(
                score=bm25(
                    hit.frequency, hit.length, weights[hit.kind % ABANDONED], idf, mean_length
                )
            )
            for hit in self._hits
        )
        self._hits = sorted(scored, key=order)

    def ranked(self, start: int, stop: int) -> list[Ranked]:
        """The Hits in places ``start`` up to ``stop``."""
        return self._hits[start:stop]
