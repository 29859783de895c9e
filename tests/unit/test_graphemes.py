"""Cuts never tear what a reader sees as one character."""

import regex
from hypothesis import given
from hypothesis import strategies as st

from harkback.graphemes import border_after, border_before, is_border

PIECES = [
    "a",
    " ",
    "é",
    "e\u0301",
    "a\u0323\u0302",
    "模",
    "👩‍👩‍👧‍👦",
    "👍🏽",
    "🇩🇪",
    "🇫🇷",
    "한",
    "\u1112\u1161\u11ab",
    "각\u11a8",
    "\r\n",
    "❤️",
    "1️⃣",
    "か\u3099",
    "🏴\U000e0067\U000e0062\U000e007f",
]


@given(st.lists(st.sampled_from(PIECES), max_size=12).map("".join))
def test_borders_are_those_of_the_standard(text: str) -> None:
    ends = {0, len(text), *(m.end() for m in regex.finditer(r"\X", text))}
    assert {i for i in range(len(text) + 1) if is_border(text, i)} == ends


@given(st.lists(st.sampled_from(PIECES), min_size=1, max_size=12).map("".join), st.data())
def test_the_nearest_border_is_found_on_either_side(text: str, data: st.DataObject) -> None:
    at = data.draw(st.integers(0, len(text)))
    low, high = border_before(text, at), border_after(text, at)
    assert low <= at <= high
    assert is_border(text, low)
    assert is_border(text, high)
    assert not any(is_border(text, i) for i in range(low + 1, high) if i != at)


def test_a_cluster_without_end_is_cut_inside() -> None:
    text = "a" + "\u0301" * 10_000
    assert border_before(text, 5_000) == 5_000


def test_a_long_row_of_flags_is_cut_between_them() -> None:
    text = "🇻🇳" * 5_000
    for at in (63, 64, 65, 801, 9_999):
        assert border_before(text, at) == at // 2 * 2
        assert border_after(text, at) == (at + 1) // 2 * 2
    endless = "🇻" * 300_000  # is cut in bounded time
    assert 0 <= 250_001 - border_before(endless, 250_001) <= 1
