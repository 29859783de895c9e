"""Native and reference BM25: equal to the last bit."""

from __future__ import annotations

import struct

from hypothesis import given, settings
from hypothesis import strategies as st

import harkback.engine
from harkback.config import BM25_B, BM25_K1

NATIVE = harkback.engine.load("native")
REFERENCE = harkback.engine.load("reference")
COUNTS = st.one_of(st.integers(0, 50), st.integers(0, 2**64 - 1))
FLOATS = st.one_of(st.floats(0, 20), st.floats())
MEANS = st.one_of(st.floats(1, 5000), st.floats(min_value=0, exclude_min=True))


def bits(values: list[float]) -> list[bytes | None]:
    """NaN is one value here: its payload and sign are the processor's business."""
    return [None if value != value else struct.pack("<d", value) for value in values]


@settings(deadline=None, max_examples=500)
@given(st.lists(st.tuples(COUNTS, FLOATS), max_size=4), COUNTS, MEANS)
def test_what_terms_add(terms: list[tuple[int, float]], length: int, mean: float) -> None:
    frequency, idf = [tf for tf, _ in terms], [idf for _, idf in terms]
    native = NATIVE.bm25_terms(frequency, length, idf, mean)
    assert bits(native) == bits(REFERENCE.bm25_terms(frequency, length, idf, mean))


def test_both_engines_use_the_constants_of_config() -> None:
    expected = 2.0 * 3 * (BM25_K1 + 1.0) / (3 + BM25_K1 * ((1.0 - BM25_B) + BM25_B * 7 / 5.0))
    assert NATIVE.bm25_terms([3], 7, [2.0], 5.0) == [expected]
    assert REFERENCE.bm25_terms([3], 7, [2.0], 5.0) == [expected]
