"""The superset law: the scan never says no to a record that holds a term.

``holds`` is the truth, written without the scan: one decoded string contains the folded term.
"""

from __future__ import annotations

import json

from hypothesis import assume, example, given, settings
from hypothesis import strategies as st

import harkback.engine
from harkback.reference.fold import fold
from harkback.reference.json import Undecodable, strings
from support.text import UNUSUAL, text

native = harkback.engine.load("native")
reference = harkback.engine.load("reference")


def holds(record, term):
    """True, False, or None if a string cannot be decoded and none before it holds the term."""
    try:
        return any(term in fold(decoded) for decoded in strings(record))
    except Undecodable:
        return None


@st.composite
def records_and_terms(draw):
    """A record, and a term cut out of the fold of one of its texts (or not)."""
    texts = draw(st.lists(text, min_size=1, max_size=3))
    record = draw(st.sampled_from([raw, escaped, mixed]))(texts, draw)
    folded = fold(draw(st.sampled_from(texts)))
    assume(folded)
    start = draw(st.integers(0, len(folded) - 1))
    end = draw(st.integers(start + 1, len(folded)))
    return record, draw(st.just(folded[start:end]) | text.map(fold).filter(bool))


def raw(texts, draw):
    return json.dumps(texts, ensure_ascii=False).encode()


def escaped(texts, draw):
    return json.dumps({text: text for text in texts}).encode()


def mixed(texts, draw):
    """Some characters escaped, and now and then a byte that is no UTF-8."""
    pieces = [b'"']
    for char in "".join(texts):
        how = draw(st.sampled_from(["raw", "raw", "escaped", "torn"]))
        pieces.append(json.dumps(char, ensure_ascii=how == "escaped").encode()[1:-1])
        if how == "torn":
            pieces.append(draw(st.sampled_from([b"\xff", b"\xe4", b"\xcc", b"\xf0\x9f"])))
    return b"".join(pieces) + b'"'


@settings(max_examples=800)
@given(records_and_terms())
@example(('["e\u0301\u0323"]'.encode(), "ẹ\u0301"))
@example(('["é\u0323!"]'.encode(), "\u0301!"))
@example(('["I\u0316\u0307"]'.encode(), "i\u0316"))
@example(('["\uac00\u11a8"]'.encode(), "각"))
def test_never_refuses_what_holds(case):
    record, term = case
    truth = holds(record, term)
    assert (reference.scanner([term]).first([record]) is not None) == (truth is not False)
    if truth:
        assert native.scanner([term]).first([record]) == 0
        assert native.scanner(["absent", term]).first([record]) == 0


@given(st.binary(max_size=40).map(lambda data: b'"' + data), st.text('ab\\"u0\ufffd', min_size=1))
def test_never_refuses_any_bytes_that_hold(record, term):
    if holds(record, fold(term)):
        assert native.scanner([fold(term)]).first([record]) == 0


def test_every_pair_that_meets_is_offered_for_every_piece_of_its_fold():
    """Pairs of unusual code points, raw, for all single characters and the whole of their folds."""
    usual = UNUSUAL.replace("\0", "")  # a record cannot hold it
    for first in usual:
        for second in usual:
            folded = fold(first + second)
            record = json.dumps(first + second, ensure_ascii=False).encode()
            for term in {folded, *folded}:
                assert native.scanner([term]).first([record]) == 0, ascii((first, second, term))
