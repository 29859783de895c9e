"""Cuts that a policy found itself: how spans grow, and what the Corpus keeps of them."""

from __future__ import annotations

from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from harkback import engine as engines
from harkback.engine import Engine
from harkback.model import Entry, Span
from support.entries import RULES, SECRET, terms, texts

NATIVE, REFERENCE = engines.load("native"), engines.load("reference")
MARKS = "\u0301\u0323"


@st.composite
def texts_with_spans(draw: st.DrawFn) -> tuple[str, list[Span]]:
    text = draw(texts(12).filter(bool))
    offsets = st.integers(0, len(text))
    pairs = draw(st.lists(st.tuples(offsets, offsets), max_size=6))
    return text, [(min(pair), max(pair)) for pair in pairs if pair[0] != pair[1]]


@given(texts_with_spans())
def test_spans_grow_alike(drawn: tuple[str, list[Span]]) -> None:
    text, spans = drawn
    grown = NATIVE.grow(text, spans)
    assert grown == REFERENCE.grow(text, spans)
    assert NATIVE.grow(text, grown) == grown
    assert all(before < after for (_, before), (after, _) in pairwise(grown))
    assert {i for a, b in spans for i in range(a, b)} <= {i for a, b in grown for i in range(a, b)}


def test_a_span_takes_its_accents_along(engine: Engine) -> None:
    text = "ae\u0301\u0323b" + MARKS * 3 + "c"
    assert engine.grow(text, [(2, 3)]) == [(1, 4)]
    assert engine.grow(text, [(1, 2)]) == [(1, 4)]
    assert engine.grow(text, [(6, 7), (8, 9), (0, 1)]) == [(0, 1), (4, 11)]
    assert engine.grow(text, [(3, 5), (1, 2), (5, 6)]) == [(1, 11)]
    assert engine.grow(MARKS, [(1, 2)]) == [(0, 2)]
    assert engine.grow("", []) == []


@pytest.mark.parametrize("span", [(0, 0), (2, 1), (1, 4), (4, 5)])
def test_a_span_outside_its_text_is_refused(engine: Engine, span: Span) -> None:
    with pytest.raises(ValueError, match="inside its text"):
        engine.grow("a\u0301b", [span])


@given(texts_with_spans(), st.booleans(), terms())
def test_the_corpus_takes_cuts_as_they_are(
    drawn: tuple[str, list[Span]], sensitive: bool, raw: list[str]
) -> None:
    text, spans = drawn
    cuts = NATIVE.grow(text, spans)
    entry = Entry("m", None, 0, 0, "", [("before", False), (text, sensitive)], [[], cuts])
    kept = []
    for engine in (NATIVE, REFERENCE):
        corpus = engine.corpus(engine.redactor(RULES))
        corpus.put("k", [entry])
        corpus.extend("k", [entry._replace(id="n")], [])
        kept.append((corpus.rows("k", 0, 2), corpus.search([engine.fold(t) for t in raw], ["k"])))
    assert kept[0] == kept[1]
    assert [row.spans for row in kept[0][0]] == [[[], cuts]] * 2


def test_known_cuts_replace_what_the_rules_would_find(engine: Engine) -> None:
    """They are the whole answer of the policy, rules included."""
    corpus = engine.corpus(engine.redactor(RULES))
    text = f"see {SECRET} and zebra"
    corpus.put("k", [Entry("m", None, 0, 0, "", [(text, False)], [[(4, 15)]])])
    assert corpus.rows("k", 0, 1)[0].spans == [[(4, 15)]]
    corpus.put("k", [Entry("m", None, 0, 0, "", [(text, True)], [[(20, 25)]])])
    assert corpus.search(["zebra"], ["k"]).row == []
    assert corpus.search(["and"], ["k"]).row == [0]


def test_cuts_are_given_for_each_leaf_or_for_none(engine: Engine) -> None:
    corpus = engine.corpus(engine.redactor(RULES))
    entry = Entry("m", None, 0, 0, "", [("a", False), ("b", False)], [[]])
    with pytest.raises(ValueError, match="each leaf"):
        corpus.put("k", [entry])
    corpus.put("k", [])
    with pytest.raises(ValueError, match="each leaf"):
        corpus.extend("k", [entry], [])
    assert corpus.rows("k", 0, 9) == []
