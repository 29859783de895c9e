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
@given(st.one_of(texts(), st.text(max_size=40)), CUTS, terms())
def test_locate(text: str, cuts: list[tuple[int, int]], raw: list[str]) -> None:
    folded = [REFERENCE.fold(term) for term in raw]
    assert NATIVE.locate(text, cuts, folded) == REFERENCE.locate(text, cuts, folded)
