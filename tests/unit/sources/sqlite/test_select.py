"""Where a reference leads, and that no value makes it fail."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from harkback.sources.sqlite.select import Ref, Row, reference


def ref(text: str, *, inside: bool = False) -> Ref:
    found = reference(text, inside=inside)
    assert found is not None
    return found


def row(value: Any) -> Row:
    raw = value if isinstance(value, bytes) else json.dumps(value).encode()
    return Row({"c": raw, "n": 5, "t": b"plain \xff\0", "none": None})


@pytest.mark.parametrize("text", ["", ":a", "a:[", "a:]", "a:b[0]", "a:[[]]"])
def test_what_is_no_reference(text: str) -> None:
    assert reference(text) is None


@pytest.mark.parametrize(
    ("text", "value", "found"),
    [
        ("n", None, [5]),
        ("none", None, [None]),
        ("gone", None, [None]),
        ("t", None, ["plain \ufffd\ufffd"]),
        ("c:a.b", {"a": {"b": 1}}, [1]),
        ("c:a[].b", {"a": [{"b": 1}, {"x": 2}, 3, {"b": 4}]}, [1, 4]),
        ("c:[]", [1, "two"], [1, "two"]),
        ("c:a", "text", []),
        ("c:a.b", {"a": "text"}, []),
        ("c:a", b"{broken", []),
        ("n:a", None, []),
    ],
)
def test_values(text: str, value: Any, found: list[Any]) -> None:
    assert list(ref(text).values(row(value))) == found


@pytest.mark.parametrize(
    ("text", "value", "found"),
    [
        ("c:content[].text", {"content": "a string"}, ["a string"]),
        ("c:content[].text", {"content": [{"text": "one"}, "two", {"text": ""}]}, ["one", "two"]),
        ("c:content[].text", {"content": 5}, []),
        ("c:[].text", [{"type": "text", "text": "one"}], ["one"]),
        ("c:[].text", [{"type": "image"}], []),
        ("c:[].text", [1, 2], ["[1, 2]"]),
        ("c:[].text", {"pasted": 1}, ['{"pasted": 1}']),
        ("c:[].text", b"plain text", ["plain text"]),
        ("c:[].text", b"[broken", ["[broken"]),
        ("c:a", [1], ["[1]"]),
        ("n", None, []),
    ],
)
def test_texts(text: str, value: Any, found: list[str]) -> None:
    assert list(ref(text).texts(row(value))) == found


def test_inside_of_an_item() -> None:
    assert list(ref("a.b", inside=True).values(row(1), {"a": {"b": 2}})) == [2]
    assert list(ref("a", inside=True).texts(row(1), {"a": "text"})) == ["text"]


VALUES = st.recursive(
    st.none() | st.integers() | st.text(max_size=3),
    lambda inner: st.lists(inner) | st.dictionaries(st.sampled_from("ab"), inner),
    max_leaves=8,
)


@given(VALUES | st.binary(max_size=9), st.sampled_from(["c", "c:a", "c:[]", "c:a[].b", "c:[].a.b"]))
def test_nothing_raises(value: Any, text: str) -> None:
    list(ref(text).values(row(value)))
    assert all(isinstance(found, str) for found in ref(text).texts(row(value)))
