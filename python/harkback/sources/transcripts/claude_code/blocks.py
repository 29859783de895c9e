"""Content blocks of the Messages API, as a transcript keeps them, become parts.

Invariant: a part holds one string of its block, or a piece of one; what base64 stands for is never
text, and thinking is no part. A block of any other shape costs itself and is counted.
Proof: tests/unit/sources/transcripts/claude_code/test_blocks.py.
"""

from __future__ import annotations

from collections import Counter
from typing import Any, Final

from harkback.model import JsonPart, Part, TextPart
from harkback.sources import attachments
from harkback.sources.transcripts import values
from harkback.sources.transcripts.claude_code import injected

#: Names of things inside a result: they say which thing it is, not what it says.
_NAMING: Final = frozenset(
    {"type", "id", "tool_use_id", "file_id", "encrypted_content", "encrypted_index", "data"}
)
_DEPTH: Final = 16
_SILENT: Final = frozenset({"thinking", "redacted_thinking", "tool_reference"})


def content(value: object) -> list[dict[str, Any]]:
    """The blocks of a message's content; a bare string is one block of text."""
    if isinstance(value, str):
        return [{"type": "text", "text": value}]
    if not isinstance(value, list):
        return []
    return [
        item if isinstance(item, dict) else {"type": "text", "text": item}
        for item in value
        if isinstance(item, dict | str)
    ]


def is_call(kind: str) -> bool:
    return kind.endswith("tool_use")


def is_result(kind: str) -> bool:
    return kind.endswith("tool_result")


def is_media(kind: str) -> bool:
    return kind in ("image", "document")


def is_silent(kind: str) -> bool:
    """Whether a block is known to show nothing."""
    return kind in _SILENT


def call(block: dict[str, Any]) -> list[Part]:
    name, given = values.text(block.get("name")), block.get("input")
    parts: list[Part] = [TextPart("tool", name)] if name else []
    if given is not None:
        parts.append(JsonPart("input", given))
    return parts


def result(block: dict[str, Any], problems: Counter[str]) -> list[Part]:
    """What a tool gave back. A server's own tools give objects instead of blocks."""
    value = block.get("content")
    if isinstance(value, str):
        shown = injected.result(value)
        return [TextPart("content", shown)] if shown else []
    if isinstance(value, dict):
        return _structured(value)
    parts: list[Part] = []
    for item in content(value):
        kind = item.get("type")
        if kind == "text":
            shown = injected.result(values.text(item.get("text")))
            if shown:
                parts.append(TextPart("content", shown))
        elif not isinstance(kind, str):
            values.count_unknown(problems, item)
        elif is_media(kind):
            parts += media(item)
        elif kind.endswith("_result") or kind == "resource":
            parts += _structured(item)
        elif kind not in _SILENT:
            values.count_unknown(problems, item)
    return parts


def media(block: dict[str, Any]) -> list[Part]:
    """An image or a document; one that comes as plain text is text."""
    source = values.mapping(block.get("source"))
    name = values.text(block.get("title"))
    data, form = source.get("data"), source.get("type")
    mime = values.text(source.get("media_type"))
    if form == "text" and isinstance(data, str):
        return [TextPart("source.data", data)] if data else []
    if form == "content":
        inner = (values.text(item.get("text")) for item in content(source.get("content")))
        return [TextPart("source.content", text) for text in inner if text]
    held = data if form == "base64" else None
    return [
        attachments.inline(name, mime, held, "image" if block.get("type") == "image" else "doc")
    ]


def _structured(value: dict[str, Any]) -> list[Part]:
    rest = _said(value, 0)
    return [JsonPart("content", rest)] if rest else []


def _said(value: Any, depth: int) -> Any:
    """``value`` without the names of things and without base64, as deep as results go."""
    if depth == _DEPTH:
        return value
    if isinstance(value, list):
        return [_said(item, depth + 1) for item in value]
    if not isinstance(value, dict):
        return value
    plain = value.get("type") == "text"  # a document's source: its data is text
    return {
        key: _said(item, depth + 1)
        for key, item in value.items()
        if key not in _NAMING or (plain and key == "data")
    }
