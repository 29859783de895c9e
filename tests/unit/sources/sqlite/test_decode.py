"""Records become parts: tolerant of what breaks strict parsers, silent about what is not said."""

from __future__ import annotations

from typing import Any

import pytest

from harkback.model import AttachmentPart, JsonPart, TextPart
from harkback.sources.sqlite import decode

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
