"""Signatures only ever save reading: a text that holds a term passes it."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

import harkback.engine
from harkback.model import Entry
from harkback.reference.signature import passes, sign
from support.entries import RULES, entry, texts

NATIVE = harkback.engine.load("native")


@given(st.lists(texts()), st.data())
def test_a_text_passes_every_part_of_its_spans(spans: list[str], data: st.DataObject) -> None:
    signature = sign(b"".join(span.encode() + b"\xff" for span in spans))
    for span in spans:
        start = data.draw(st.integers(0, len(span)))
        end = data.draw(st.integers(start, len(span)))
        assert passes(span[start:end], signature)


@given(st.text(min_size=4), st.text(max_size=40))
def test_a_text_that_does_not_pass_lacks_a_run_of_the_term(term: str, text: str) -> None:
    signature = sign(text.encode())
    missing = {term.encode()[at : at + 4] for at in range(len(term.encode()) - 3)}
    missing -= {text.encode()[at : at + 4] for at in range(len(text.encode()))}
    assert passes(term, signature) or missing


@given(st.lists(st.integers(0, 59_999), min_size=1, max_size=4), st.integers(4, 12))
def test_every_block_that_holds_a_term_is_searched(places: list[int], width: int) -> None:
    """Words at any place of some hundred kilobytes, over the border of no Message."""
    words = [f"w{place * 7919 % 60_013:x}" for place in range(60_000)]
    messages: list[Entry] = [
        entry(" ".join(words[at : at + 300]), id=str(at)) for at in range(0, 60_000, 300)
    ]
    corpus = NATIVE.corpus(NATIVE.redactor(RULES))
    corpus.put("k", messages)
    for place in places:
        term = words[place][:width]
        hits = corpus.search([term], ["k"])
        expected = [row for row, message in enumerate(messages) if term in message.leaves[0][0]]
        assert hits.row == expected
        assert place // 300 in hits.row
