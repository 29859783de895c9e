"""BM25 over Hits given as columns.

Floats in one fixed order of operations: the scores of the native engine equal these bit for bit.
Proof: tests/unit/test_bm25.py (a worked example) and tests/differential/test_bm25.py.
"""

from __future__ import annotations

from collections.abc import Sequence

from harkback.config import BM25_B, BM25_K1


def _require(mean_length: float, *columns: bool) -> None:
    if not mean_length > 0:
        raise ValueError("the mean length is not positive")
    if not all(columns):
        raise ValueError("columns differ in length")


def _term_score(frequency: int, length: int, idf: float, mean_length: float) -> float:
    norm = BM25_K1 * ((1.0 - BM25_B) + BM25_B * length / mean_length)
    return idf * frequency * (BM25_K1 + 1.0) / (frequency + norm)


def bm25(
    frequency: Sequence[Sequence[int]],
    length: Sequence[int],
    weight: Sequence[float],
    idf: Sequence[float],
    mean_length: float,
) -> list[float]:
    """Scores of Hits: ``frequency`` has one column per term, the others one value per Hit.

    score = weight * sum over terms, in order, of idf*tf*(k1+1) / (tf + k1*(1-b+b*len/mean)).

    Raises:
        ValueError: columns differ in length, or ``mean_length`` is not positive.
    """
    hits = len(length)
    _require(
        mean_length,
        len(frequency) == len(idf),
        len(weight) == hits,
        all(len(column) == hits for column in frequency),
    )
    scores: list[float] = []
    for hit in range(hits):
        total = 0.0
        for column, term_idf in zip(frequency, idf, strict=True):
            total += _term_score(column[hit], length[hit], term_idf, mean_length)
        scores.append(weight[hit] * total)
    return scores


def bm25_terms(
    frequency: Sequence[int], length: int, idf: Sequence[float], mean_length: float
) -> list[float]:
    """What each term adds to the score of one Hit, before its weight: the explanation.

    Raises:
        ValueError: columns differ in length, or ``mean_length`` is not positive.
    """
    _require(mean_length, len(frequency) == len(idf))
    return [
        _term_score(tf, length, term_idf, mean_length)
        for tf, term_idf in zip(frequency, idf, strict=True)
    ]
