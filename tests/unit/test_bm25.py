"""BM25 on both engines: a worked example, weights, the explanation, and what is refused."""

from __future__ import annotations

import math

import pytest

from harkback.engine import Engine

# Ten records, two of them Hits: 10 code points with the term once, 30 with it three times.
IDF = math.log(1 + (10 - 2 + 0.5) / (2 + 0.5))


def test_worked_example(engine: Engine) -> None:
    assert round(IDF, 4) == 1.4816
    scores = engine.bm25([[1, 3]], [10, 30], [1.0, 1.0], [IDF], 20.0)
    assert [round(score, 4) for score in scores] == [1.8626, 2.1029]
    halved = engine.bm25([[1, 3]], [10, 30], [1.0, 0.5], [IDF], 20.0)
    assert halved == [scores[0], scores[1] / 2]
    assert round(halved[1], 4) == 1.0515


def test_the_explanation_adds_up_to_the_score(engine: Engine) -> None:
    frequency, idf = [3, 0, 1], [1.5, 2.0, 0.1]
    parts = engine.bm25_terms(frequency, 17, idf, 9.5)
    assert parts[1] == 0.0
    total = 0.0
    for part in parts:
        total += part
    assert engine.bm25([[tf] for tf in frequency], [17], [0.5], idf, 9.5) == [0.5 * total]


def test_no_hits_and_no_terms(engine: Engine) -> None:
    assert engine.bm25([[]], [], [], [1.0], 1.0) == []
    assert engine.bm25([], [5, 6], [1.0, 1.0], [], 5.5) == [0.0, 0.0]
    assert engine.bm25_terms([], 5, [], 5.0) == []


@pytest.mark.parametrize("mean_length", [0.0, -1.0, math.nan])
def test_a_mean_that_is_not_positive_is_refused(engine: Engine, mean_length: float) -> None:
    with pytest.raises(ValueError, match="mean length"):
        engine.bm25([[1]], [1], [1.0], [1.0], mean_length)
    with pytest.raises(ValueError, match="mean length"):
        engine.bm25_terms([1], 1, [1.0], mean_length)


def test_columns_of_different_lengths_are_refused(engine: Engine) -> None:
    with pytest.raises(ValueError, match="columns"):
        engine.bm25([[1, 2]], [1], [1.0], [1.0], 1.0)
    with pytest.raises(ValueError, match="columns"):
        engine.bm25([[1]], [1], [], [1.0], 1.0)
    with pytest.raises(ValueError, match="columns"):
        engine.bm25([[1]], [1], [1.0], [], 1.0)
    with pytest.raises(ValueError, match="columns"):
        engine.bm25_terms([1], 1, [], 1.0)
