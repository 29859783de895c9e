"""Occurrences in surviving text, in offsets of the original; on both engines."""

from __future__ import annotations

import pytest

from harkback.engine import Engine


def test_offsets_are_code_points_of_the_original(engine: Engine) -> None:
    assert engine.locate("你好 AB 你 ab😀ab", [], ["ab", "你"]) == [
        (0, 1, 1), (3, 5, 0), (6, 7, 1), (8, 10, 0), (11, 13, 0),
    ]  # fmt: skip


def test_order_is_by_start_then_term(engine: Engine) -> None:
    assert engine.locate("aab", [], ["b", "ab", "a", "aa", "a"]) == [
        (0, 1, 2), (0, 2, 3), (0, 1, 4), (1, 3, 1), (1, 2, 2), (1, 2, 4), (2, 3, 0),
    ]  # fmt: skip


def test_reach_counts_what_survives_behind_the_start_of_the_first(engine: Engine) -> None:
    text, cuts = "- ab ab SECRET ab cd", [(8, 14)]
    terms = ["cd", "ab"]
    whole = engine.locate(text, cuts, terms)
    assert [start for start, *_ in whole] == [2, 5, 15, 18]
    for reach, count in ((0, 0), (1, 1), (3, 1), (4, 2), (7, 2), (8, 3), (10, 3), (11, 4)):
        assert engine.locate(text, cuts, terms, reach) == whole[:count]


def test_per_term_non_overlapping_from_the_left(engine: Engine) -> None:
    assert engine.locate("aaaaa", [], ["aa"]) == [(0, 2, 0), (2, 4, 0)]


@pytest.mark.parametrize(
    ("cuts", "found"),
    [
        ([], [(0, 2, 0), (2, 4, 0), (4, 6, 0)]),
        ([(0, 6)], []),
        ([(1, 2)], [(2, 4, 0), (4, 6, 0)]),
        ([(1, 2), (2, 3)], [(3, 5, 0)]),
        ([(1, 4), (2, 3)], [(4, 6, 0)]),
        ([(0, 0), (5, 99)], [(0, 2, 0), (2, 4, 0)]),
        ([(5, 2)], [(0, 2, 0), (2, 4, 0)]),
        ([(3, 4), (0, 1)], [(0, 2, 0), (4, 6, 0)]),
        ([(50, 99)], [(0, 2, 0), (2, 4, 0), (4, 6, 0)]),
    ],
)
def test_a_match_lies_in_one_surviving_span(
    engine: Engine, cuts: list[tuple[int, int]], found: list[tuple[int, int, int]]
) -> None:
    assert engine.locate("aaaaaa", cuts, ["aa"]) == found


def test_a_match_covers_the_whole_composition_segment(engine: Engine) -> None:
    assert engine.locate("xe\u0301y", [], ["é", "xé", "e", "\u0301"]) == [(0, 3, 1), (1, 3, 0)]
    assert engine.locate("xe\u0301y", [(2, 3)], ["e", "é"]) == [(1, 2, 0)]


def test_nothing_to_find(engine: Engine) -> None:
    assert engine.locate("", [], ["a"]) == []
    assert engine.locate("a", [], []) == []
    with pytest.raises(ValueError, match="empty"):
        engine.locate("a", [], ["a", ""])
