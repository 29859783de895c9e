"""Which strings a raw record holds, and what they decode to."""

from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from harkback.reference.json import Undecodable, strings


@pytest.mark.parametrize(
    ("record", "texts"),
    [
        (rb'{"a": ["b", 1, null, "c"]}', ["a", "b", "c"]),
        (b'""', [""]),
        (b"17", []),
        (rb'"\"\\\/\b\f\n\r\t\u00e9"', ['"\\/\b\f\n\r\té']),
        (rb'"\ud83d\ude00 \uD83D\uDE00"', ["😀 😀"]),
        (rb'"\ud83d" "\ude00" "\ud83dx" "\ud83d\n"', ["\ufffd", "\ufffd", "\ufffdx", "\ufffd\n"]),
        (rb'"\ud83d\ud83d\ude00"', ["\ufffd😀"]),
        (rb'"a\u0000b"', ["a\ufffdb"]),
        (b'"a\0b"', ["a\ufffdb"]),
        (b'"raw\nline"', ["raw\nline"]),
        (b'"\xe4\xbdx\xff\xed\xa0\x80"', ["\ufffdx\ufffd\ufffd\ufffd\ufffd"]),
        (rb'"{\"k\": \"\\u0041\"}"', ['{"k": "\\u0041"}']),
        (rb'"ends in a backslash\\"', ["ends in a backslash\\"]),
    ],
)
def test_decodes_as_a_reader_does(record, texts):
    assert list(strings(record)) == texts


@pytest.mark.parametrize(
    "record",
    [
        b'"open',
        b'"\\',
        rb'"\"',
        rb'"\x41"',
        rb'"\u12"',
        rb'"\u+123"',
        rb'"\u1_23"',
        rb'"\U0041"',
        rb'"fine" "\u00g0"',
    ],
)
def test_what_json_does_not_have_is_undecodable(record):
    with pytest.raises(Undecodable):
        list(strings(record))


def leaves(value):
    if isinstance(value, str):
        return [value]
    if isinstance(value, list):
        return [leaf for item in value for leaf in leaves(item)]
    return [leaf for key, item in value.items() for leaf in [key, *leaves(item)]]


@given(
    st.recursive(
        st.text(),
        lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(), inner, max_size=3),
        max_leaves=8,
    ),
    st.booleans(),
)
def test_agrees_with_the_standard_decoder(value, ascii_only):
    record = json.dumps(value, ensure_ascii=ascii_only).encode("utf-8", "surrogatepass")
    if ascii_only or not any("\ud800" <= char <= "\udfff" for char in str(value)):
        expected = [
            leaf.encode("utf-16", "surrogatepass")
            .decode("utf-16", "replace")
            .replace("\0", "\ufffd")
            for leaf in leaves(json.loads(record))
        ]
        assert list(strings(record)) == expected
