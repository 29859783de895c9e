"""Native and reference ``locate``: the same occurrences for any text, cuts and terms."""

from __future__ import annotations

from hypothesis import given, settings
from hypothesis import strategies as st

import harkback.engine
from support.entries import terms, texts

NATIVE = harkback.engine.load("native")
REFERENCE = harkback.engine.load("reference")
CUTS = st.lists(st.tuples(st.integers(0, 40), st.integers(0, 40)), max_size=4).map(sorted)


@settings(deadline=None, max_examples=500)
@given(
    st.one_of(texts(), st.text(max_size=40)),
    CUTS,
    terms(),
    st.one_of(st.none(), st.integers(0, 30)),
)
def test_locate(text: str, cuts: list[tuple[int, int]], raw: list[str], reach: int | None) -> None:
    folded = [REFERENCE.fold(term) for term in raw]
    found = NATIVE.locate(text, cuts, folded, reach)
    assert found == REFERENCE.locate(text, cuts, folded, reach)


@settings(deadline=None, max_examples=300)
@given(
    st.lists(st.tuples(texts(), st.integers(0, 90)), max_size=12),
    st.lists(st.integers(0, 4000), max_size=6).map(sorted),
    terms(),
    st.one_of(st.none(), st.integers(0, 3000)),
)
def test_locate_in_long_text(
    parts: list[tuple[str, int]], at: list[int], raw: list[str], reach: int | None
) -> None:
    """Long enough to be folded in pieces, of which some move and most do not."""
    text = "".join(part + "x y_" * filler for part, filler in parts)
    cuts = [(start, start + 7) for start in at]
    folded = [REFERENCE.fold(term) for term in raw]
    found = NATIVE.locate(text, cuts, folded, reach)
    assert found == REFERENCE.locate(text, cuts, folded, reach)
