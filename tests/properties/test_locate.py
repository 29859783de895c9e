"""``locate`` and the corpus are one predicate: what is counted can be shown, and only that."""

from __future__ import annotations

from collections import Counter

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import harkback.engine
from harkback.model import Entry
from support.entries import RULES, terms, texts


@pytest.mark.parametrize("name", ["native", "reference"])
@settings(deadline=None, max_examples=300)
@given(texts(), terms(), st.booleans())
def test_occurrences_located_are_the_frequency_counted(
    name: harkback.engine.EngineName, text: str, raw: list[str], sensitive: bool
) -> None:
    engine = harkback.engine.load(name)
    redactor = engine.redactor(RULES)
    corpus = engine.corpus(redactor)
    message = Entry("m", None, 0, 0, "", [(text, sensitive)])
    corpus.put("k", [message])
    cuts = corpus.rows("k", 0, 1)[0].spans[0]
    folded = [engine.fold(term) for term in raw]

    found = engine.locate(text, cuts, folded)
    counted = corpus.search(folded, ["k"]).frequency
    located = Counter(term for _, _, term in found)
    assert [located[index] for index in range(len(raw))] == [sum(column) for column in counted]
    assert found == sorted(found, key=lambda occurrence: (occurrence[0], occurrence[2]))
    for start, end, term in found:
        assert folded[term] in engine.fold(text[start:end])
        assert all(end <= cut_start or cut_end <= start for cut_start, cut_end in cuts)
