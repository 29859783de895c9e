"""Raw JSON becomes text: what breaks strict parsers costs one record alone."""

from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from harkback import decoding


@pytest.mark.parametrize(
    ("raw", "text"),
    [
        (rb'{"t":"\ud83d"}', "\ufffd"),
        (rb'{"t":"\ude00\ud83d"}', "\ufffd\ufffd"),
        (rb'{"t":"\ud83d\ude00"}', "😀"),
        (rb'{"t":"\\ud83d"}', "\\ud83d"),
        (rb'{"t":"\u0000a"}', "\ufffda"),
        (rb'{"t":"\\u0000a"}', "\\u0000a"),
        (b'{"t":"\x00a"}', "\ufffda"),
        (b'{"t":"tab\there"}', "tab\there"),
        (b'{"t":"\xff"}', "\ufffd"),
        (b'{"t":"\xe4\xb8"}', "\ufffd"),
        (b'{"t":"\xed\xa0\x80"}', "\ufffd\ufffd\ufffd"),
        (b'{"t":"\xf0\x9f\\u0041"}', "\ufffdA"),
        (b'{"t":"ok","n":NaN}', "ok"),
    ],
)
def test_what_strict_parsers_refuse(raw: bytes, text: str) -> None:
    assert decoding.parse(raw)["t"] == text


@pytest.mark.parametrize(
    "raw", [b"", b"{", b"[]", b"1", b"null", b'"text"', b"\xef\xbb\xbf{}", 5, None, "text"]
)
def test_what_is_no_record(raw: object) -> None:
    with pytest.raises(decoding.Damaged):
        decoding.parse(raw)


@pytest.mark.parametrize("depth", [900, 1500, 1_000_000])
def test_depth_costs_the_record_at_most(depth: int) -> None:
    raw = b'{"t":' + b"[" * depth + b'"\\ud800\\u0000"' + b"]" * depth + b"}"
    try:
        value = decoding.parse(raw)["t"]
    except decoding.Damaged:
        return
    while isinstance(value, list):
        value = value[0]
    assert value == "\ufffd\ufffd"


@given(st.text(alphabet=st.characters(codec=None), max_size=40))
def test_one_string_escaped_or_raw(text: str) -> None:
    """What a JavaScript or a Python writer makes of a string decodes to the same text."""
    wanted = "".join("\ufffd" if c == "\0" or 0xD800 <= ord(c) < 0xE000 else c for c in text)
    escaped = json.dumps({"t": text}).encode()
    joined = json.loads(json.dumps(text))  # two neighbouring halves become one character
    if joined != text:
        wanted = "".join("\ufffd" if c == "\0" or 0xD800 <= ord(c) < 0xE000 else c for c in joined)
    assert decoding.parse(escaped)["t"] == wanted
