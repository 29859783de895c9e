"""BM25 on both engines: a worked example, the explanation, and what is refused."""

from __future__ import annotations

import math

import pytest

from harkback.engine import Engine

# Ten records, two of them Hits: 10 code points with the term once, 30 with it three times.
IDF = math.log(1 + (10 - 2 + 0.5) / (2 + 0.5))


def test_worked_example(engine: Engine) -> None:
    assert round(IDF, 4) == 1.4816
    scores = [engine.bm25_terms([tf], length, [IDF], 20.0) for tf, length in ((1, 10), (3, 30))]
    assert [round(score, 4) for (score,) in scores] == [1.8626, 2.1029]


def test_a_term_that_is_not_there_adds_nothing(engine: Engine) -> None:
    assert engine.bm25_terms([3, 0, 1], 17, [1.5, 2.0, 0.1], 9.5)[1] == 0.0
    assert engine.bm25_terms([], 5, [], 5.0) == []


@pytest.mark.parametrize("mean_length", [0.0, -1.0, math.nan])
def test_a_mean_that_is_not_positive_is_refused(engine: Engine, mean_length: float) -> None:
    with pytest.raises(ValueError, match="mean length"):
        engine.bm25_terms([1], 1, [1.0], mean_length)
    with pytest.raises(ValueError, match="mean length"):
        engine.tally().score([1.0], mean_length, [1.0], False)


def test_columns_of_different_lengths_are_refused(engine: Engine) -> None:
    with pytest.raises(ValueError, match="columns"):
        engine.bm25_terms([1], 1, [], 1.0)
