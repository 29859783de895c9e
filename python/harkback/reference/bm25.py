"""BM25: the score of a Hit, and what each term adds to it.

Floats in one fixed order of operations: the scores of the native engine equal these bit for bit.
Proof: tests/unit/test_bm25.py (a worked example), tests/differential/test_bm25.py and
tests/differential/test_tally.py.
"""

from __future__ import annotations

from collections.abc import Sequence

from harkback.config import BM25_B, BM25_K1


def bm25(
    frequency: Sequence[int],
    length: int,
    weight: float,
    idf: Sequence[float],
    mean_length: float,
) -> float:
    """weight * sum over terms, in order, of idf*tf*(k1+1) / (tf + k1*(1-b+b*len/mean)).

    Raises:
        ValueError: columns differ in length, or ``mean_length`` is not positive.
    """
    total = 0.0
    for part in bm25_terms(frequency, length, idf, mean_length):
        total += part
    return weight * total


def bm25_terms(
    frequency: Sequence[int], length: int, idf: Sequence[float], mean_length: float
) -> list[float]:
    """What each term adds to the score of one Hit, before its weight: the explanation.

    Raises:
        ValueError: columns differ in length, or ``mean_length`` is not positive.
    """
    if not mean_length > 0:
        raise ValueError("the mean length is not positive")
    if len(frequency) != len(idf):
        raise ValueError("columns differ in length")
    norm = BM25_K1 * ((1.0 - BM25_B) + BM25_B * length / mean_length)
    return [
        term_idf * tf * (BM25_K1 + 1.0) / (tf + norm)
        for tf, term_idf in zip(frequency, idf, strict=True)
    ]
