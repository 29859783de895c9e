"""Blocks become parts; what base64 stands for is never text."""

from __future__ import annotations

import base64
from collections import Counter

import pytest

from harkback.model import AttachmentPart, JsonPart, Leaf, StoredMessage, TextPart
from harkback.projection import project
from harkback.sources.transcripts.claude_code import blocks
from support.claude_rows import image, text


def result(content: object) -> tuple[list[str], list[AttachmentPart], Counter[str]]:
    problems: Counter[str] = Counter()
    parts = blocks.result({"type": "tool_result", "content": content}, problems)
    message = StoredMessage("", "tool_result", None, 0, tuple(parts), "")
    leaves: list[Leaf] = project(message)
    return (
        [leaf.text for leaf in leaves],
        [part for part in parts if isinstance(part, AttachmentPart)],
        problems,
    )


@pytest.mark.parametrize(
    ("content", "leaves"),
    [
        ("plain", ["plain"]),
        ("", []),
        (None, []),
        (5, []),
        ([text("a"), text(""), "bare", text("b")], ["a", "bare", "b"]),
        ([{"type": "tool_reference", "tool_name": "x"}], []),
        ({"type": "code_execution_result", "stdout": "out", "file_id": "f"}, ["out"]),
        (
            [
                {
                    "type": "web_search_result",
                    "title": "T",
                    "url": "https://a.example",
                    "encrypted_content": "e",
                }
            ],
            ["T", "https://a.example"],
        ),
        (
            {"type": "web_fetch_result", "content": {"source": {"type": "text", "data": "page"}}},
            ["page"],
        ),
        (
            {"type": "web_fetch_result", "content": {"source": {"type": "base64", "data": "QUJD"}}},
            ["base64"][:0],
        ),
    ],
)
def test_what_a_tool_gave_back(content: object, leaves: list[str]) -> None:
    found, _, problems = result(content)
    assert [leaf for leaf in found if leaf != "web_fetch_result"] == leaves
    assert not problems


@pytest.mark.parametrize("size", range(8))
def test_an_image_is_measured_and_not_decoded(size: int) -> None:
    data = base64.b64encode(bytes(size)).decode()
    leaves, (attachment,), _ = result([image(data)])
    assert leaves == []
    assert attachment == AttachmentPart("", "image", "image/png", size)


def test_documents() -> None:
    assert blocks.media(image("QUJD", "document", title="Bill")) == [
        AttachmentPart("Bill", "pdf", "application/pdf", 3)
    ]
    plain = {"type": "document", "source": {"type": "text", "data": "words"}}
    assert blocks.media(plain) == [TextPart("source.data", "words")]
    inner = {"type": "document", "source": {"type": "content", "content": [text("a"), image()]}}
    assert blocks.media(inner) == [TextPart("source.content", "a")]
    linked = {"type": "image", "source": {"type": "url", "url": "https://a.example/b.png"}}
    assert blocks.media(linked) == [AttachmentPart("", "image", "", None)]
    assert blocks.media({"type": "image"}) == [AttachmentPart("", "image", "", None)]


def test_calls() -> None:
    assert blocks.call({"name": "Bash", "input": {"command": "ls"}}) == [
        TextPart("tool", "Bash"),
        JsonPart("input", {"command": "ls"}),
    ]
    assert blocks.call({"name": 5, "input": "x"}) == [JsonPart("input", "x")]
    assert blocks.call({}) == []


def test_unknown_blocks_are_counted() -> None:
    leaves, _, problems = result([{"type": "hologram", "said": "some words"}, {"kind": 1}])
    assert leaves == []
    assert problems == {"unknown_type_with_text": 1, "unknown_type": 1}


def test_what_nests_deeper_than_results_do_is_kept_as_it_is() -> None:
    value: object = {"id": "kept"}
    for _ in range(500):
        value = [value]
    assert result({"type": "x_result", "content": value})[0] == ["kept"]
