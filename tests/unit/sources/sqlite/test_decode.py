"""Records become parts: tolerant of what breaks strict parsers, silent about what is not said."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from harkback.model import AttachmentPart, JsonPart, TextPart
from harkback.sources.sqlite import decode


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
    assert decode.parse(raw)["t"] == text


@pytest.mark.parametrize(
    "raw", [b"", b"{", b"[]", b"1", b"null", b'"text"', b"\xef\xbb\xbf{}", 5, None, "text"]
)
def test_what_is_no_record(raw: object) -> None:
    with pytest.raises(decode.Damaged):
        decode.parse(raw)


@pytest.mark.parametrize("depth", [900, 1500, 1_000_000])
def test_depth_costs_the_record_at_most(depth: int) -> None:
    raw = b'{"t":' + b"[" * depth + b'"\\ud800\\u0000"' + b"]" * depth + b"}"
    try:
        value = decode.parse(raw)["t"]
    except decode.Damaged:
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
    assert decode.parse(escaped)["t"] == wanted


RESULTS: list[tuple[Any, tuple[Any, ...]]] = [
    ("plain", (TextPart("content", "plain"),)),
    (None, ()),
    ("", ()),
    (["a", {"b": "c"}], (JsonPart("content", ["a", {"b": "c"}]),)),
    ({"no": "kind"}, (JsonPart("content", {"no": "kind"}),)),
    ({"kind": "text", "text": "t", "truncated": True}, (TextPart("content.text", "t"),)),
    ({"kind": "json", "value": {"a": 1}}, (JsonPart("content.value", {"a": 1}),)),
    ({"kind": "json", "value": "s"}, (TextPart("content.value", "s"),)),
    (
        {"kind": "file_diff", "paths": ["p"], "diff": "+a"},
        (JsonPart("content.paths", ["p"]), TextPart("content.diff", "+a")),
    ),
    ({"kind": "file_write", "path": "p", "bytes": 3}, (TextPart("content.path", "p"),)),
    (
        {
            "kind": "terminal",
            "cwd": "/hidden",
            "cmd": "hidden",
            "status": "completed",
            "output": {"mode": "pipes", "stdout": "out", "stderr": "err", "redacted": False},
        },
        (TextPart("content.output.stdout", "out"), TextPart("content.output.stderr", "err")),
    ),
    (
        {"kind": "terminal", "output": {"mode": "pty", "screen": "s", "scrollback": "b"}},
        (TextPart("content.output.screen", "s"), TextPart("content.output.scrollback", "b")),
    ),
    ({"kind": "shell_run", "id": "hidden", "stdout": "o"}, (TextPart("content.stdout", "o"),)),
    ({"kind": "shell_run", "output": "o"}, (TextPart("content.output", "o"),)),
    (
        {"kind": "image", "mimeType": "image/png", "ref": {"relativePath": "hidden.png"}},
        (AttachmentPart("", "image", "image/png", None),),
    ),
    (
        {"kind": "summary", "original": "o", "summarized": "s", "reason": "too_large"},
        (TextPart("content.original", "o"), TextPart("content.summarized", "s")),
    ),
    (
        {"kind": "web_search", "provider": "hidden", "query": "q", "rows": [{"title": "t"}]},
        (TextPart("content.query", "q"), JsonPart("content.rows", [{"title": "t"}])),
    ),
    (
        {"kind": "explore_agent", "report": "r", "message": "m", "matches": ["x"]},
        (
            TextPart("content.report", "r"),
            TextPart("content.message", "m"),
            JsonPart("content.matches", ["x"]),
        ),
    ),
    (
        {"kind": "subagent", "childSessionId": "hidden", "summary": "s"},
        (TextPart("content.summary", "s"),),
    ),
    (
        {"kind": "novelty", "id": "hidden", "bodySha256": "hidden", "refs": {}, "said": "this"},
        (JsonPart("content", {"said": "this"}),),
    ),
]


@pytest.mark.parametrize(("content", "parts"), RESULTS)
def test_results_by_kind(content: Any, parts: tuple[Any, ...]) -> None:
    assert decode.result_parts(content) == (parts, False)


@pytest.mark.parametrize("kind", ["archived_tool_result", "maka.archived_tool_result"])
def test_archived_results_have_no_text(kind: str) -> None:
    assert decode.result_parts({"kind": kind, "readInstructions": "hidden"}) == ((), True)


def test_attachments_of_the_right_shape_only() -> None:
    good = {"kind": "pdf", "name": "a.pdf", "mimeType": "application/pdf", "bytes": 0}
    bad = [
        None,
        "text",
        {},
        {**good, "kind": "other kind"},
        {**good, "bytes": -1},
        {**good, "bytes": 1.5},
        {**good, "bytes": True},
        {**good, "name": None},
        {**good, "kind": []},
    ]
    many = [*bad, *[good] * 12]
    assert decode.attachments(many) == [AttachmentPart("a.pdf", "pdf", "application/pdf", 0)] * 12
    assert decode.attachments({"name": "a"}) == []


def test_times() -> None:
    assert decode.milliseconds(5, 7) == 5
    assert decode.milliseconds("5", 7) == 7
    assert decode.milliseconds(None, None) == 0
    assert decode.milliseconds(5e246, 7) == 7
    assert decode.milliseconds(True, 7) == 7
    assert decode.milliseconds(float("nan"), 7) == 7
    assert decode.milliseconds(5.9, 7) == 5
