"""What of a stored Message is visible, kind by kind, and that a leaf is one decoded string."""

from __future__ import annotations

from typing import Any

import pytest

from harkback.model import AttachmentPart, JsonPart, Leaf, StoredMessage, TextPart
from harkback.projection import project


def stored(kind: Any, *parts: Any) -> StoredMessage:
    return StoredMessage("m", kind, "t", 5, parts, "e1", in_progress=True)


FILE = AttachmentPart("plan.md", "doc", "text/markdown", 3)


def test_names_of_attachments_are_a_users_only() -> None:
    parts = (TextPart("text", "see"), FILE, AttachmentPart("", "image", "image/png", None))
    assert project(stored("user", *parts)) == [
        Leaf(("text",), "see"),
        Leaf(("attachments", "name"), "plan.md"),
    ]
    assert project(stored("tool_result", *parts)) == [Leaf(("text",), "see")]


def test_strings_of_json_in_document_order_without_keys_numbers_and_empties() -> None:
    value = {"b": "1", "a": [{"deep": ["2", "", 7, None, True]}, "3"], "z": {"z": "4"}}
    assert project(stored("tool_call", TextPart("tool", "Run"), JsonPart("args", value))) == [
        Leaf(("tool",), "Run"),
        Leaf(("args", "b"), "1"),
        Leaf(("args", "a", "deep"), "2"),
        Leaf(("args", "a"), "3"),
        Leaf(("args", "z", "z"), "4"),
    ]


@pytest.mark.parametrize("value", ["", None, 5, [], {}, [[[]]]])
def test_nothing_visible_gives_no_leaf(value: Any) -> None:
    assert project(stored("tool_result", JsonPart("content", value))) == []
    assert project(stored("assistant", TextPart("text", ""))) == []


def test_nesting_of_any_depth() -> None:
    value: Any = "bottom"
    for _ in range(50_000):
        value = [value]
    (leaf,) = project(stored("tool_result", JsonPart("content.value", value)))
    assert leaf == Leaf(("content", "value"), "bottom")
    while isinstance(value, list):  # taken apart by hand: a deep list is freed recursively
        value = value.pop()
