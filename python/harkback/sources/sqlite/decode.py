"""JSON records of a host store become typed parts.

Invariant: the text of a part is one decoded JSON string as the raw scan decodes it: escapes
resolved, surrogate pairs joined, a lone surrogate, U+0000 and each maximal invalid UTF-8 subpart
replaced by U+FFFD. A record that does not parse raises Damaged and costs only itself.
Proof: tests/unit/sources/sqlite/test_decode.py.
"""

from __future__ import annotations

import json
import re
from typing import Any, TypeAlias, cast

import orjson

from harkback.model import AttachmentPart, JsonPart, JsonValue, Part, TextPart

Record: TypeAlias = dict[str, Any]

_REPLACED = re.compile("[\ud800-\udfff\x00]")
_NUL_ESCAPE = b"\\u0000"
_ARCHIVED = frozenset({"archived_tool_result", "maka.archived_tool_result"})
_ATTACHMENT_KINDS = frozenset({"image", "pdf", "doc", "code", "other"})
_STREAMS = ("stdout", "stderr", "screen", "scrollback")
#: Of an unknown content kind: names that say which thing it is, not what it says.
_NAMING = frozenset({"kind", "id", "ref", "refs", "hash", "mimeType", "sha256"})
_NAMING_ENDINGS = ("Id", "Ids", "Ref", "Refs", "Hash", "Sha256")


class Damaged(Exception):
    """A record that is no JSON object, or nests too deeply to be read."""


def clean(value: Any) -> Any:
    """``value`` with U+FFFD for each surrogate and U+0000 in every string, keys included."""
    if isinstance(value, str):
        return value if value.isascii() and "\0" not in value else _REPLACED.sub("\ufffd", value)
    if isinstance(value, list):
        return [clean(item) for item in value]
    if isinstance(value, dict):
        return {clean(key): clean(item) for key, item in value.items()}
    return value


def text_of(value: object) -> str:
    """A TEXT or BLOB value as text; anything else is no text."""
    if isinstance(value, bytes):
        if value.isascii() and b"\0" not in value:
            return value.decode()
        return clean(value.decode("utf-8", "replace"))  # type: ignore[no-any-return]
    return value if isinstance(value, str) else ""


def parse(raw: object) -> Record:
    """One record.

    Raises:
        Damaged: not text, not JSON, not an object, or too deep.
    """
    if not isinstance(raw, bytes):
        raise Damaged
    try:
        value = orjson.loads(raw)
        dirty = _NUL_ESCAPE in raw
    except orjson.JSONDecodeError:
        value, dirty = _parse_tolerantly(raw), True
    if not isinstance(value, dict):
        raise Damaged
    if not dirty:
        return value
    try:
        return cast(Record, clean(value))
    except RecursionError:
        raise Damaged from None


def _parse_tolerantly(raw: bytes) -> Any:
    """What the strict parser refuses: lone surrogates, control characters, invalid UTF-8."""
    try:
        return json.loads(raw.decode("utf-8", "replace"), strict=False)
    except (ValueError, RecursionError):
        raise Damaged from None


def milliseconds(value: object, otherwise: object) -> int:
    """A time of a record, else the one that its row carries, else 0; within 64 bits, signed."""
    for candidate in (value, otherwise):
        if isinstance(candidate, bool) or not isinstance(candidate, int | float):
            continue
        if -(2**63) <= candidate < 2**63:  # NaN is not
            return int(candidate)
    return 0


def hidden(record: Record) -> bool:
    """Whether the host keeps the record away from the model or has replaced it."""
    return (
        record.get("modelVisibility") == "hidden"
        or record.get("modelVisible") is False
        or record.get("superseded") is True
        or record.get("abandoned") is True
    )


def user_parts(record: Record) -> tuple[Part, ...]:
    shown = record.get("displayText")
    text = shown if isinstance(shown, str) else record.get("text")
    return (*_text("text", text), *attachments(record.get("attachments")))


def assistant_parts(record: Record) -> tuple[Part, ...]:
    return _text("text", record.get("text"))


def call_parts(tool: object, intent: object, arguments: JsonValue) -> tuple[Part, ...]:
    return (
        *_text("tool", tool),
        *_text("intent", intent),
        *(() if arguments is None else (JsonPart("args", arguments),)),
    )


def attachments(value: object) -> list[Part]:
    """The attachments whose shape is the host's; others are no attachments."""
    found: list[Part] = []
    for item in value if isinstance(value, list) else ():
        if not isinstance(item, dict):
            continue
        name, kind, mime, size = (item.get(k) for k in ("name", "kind", "mimeType", "bytes"))
        if (
            isinstance(name, str)
            and isinstance(kind, str)
            and kind in _ATTACHMENT_KINDS
            and isinstance(mime, str)
            and isinstance(size, int)
            and not isinstance(size, bool)
            and size >= 0
        ):
            found.append(AttachmentPart(name, kind, mime, size))
    return found


def result_parts(content: Any) -> tuple[tuple[Part, ...], bool]:
    """Visible parts of a tool result, and whether its body was moved to an archive."""
    if isinstance(content, str):
        return _text("content", content), False
    if not isinstance(content, dict):
        return (() if content is None else (JsonPart("content", content),)), False
    kind = content.get("kind")
    if not isinstance(kind, str):
        return (JsonPart("content", content),), False
    if kind in _ARCHIVED:
        return (), True
    if kind in ("terminal", "shell_run"):
        return _terminal(content), False
    if kind == "image":
        return _image(content), False
    fields = _FIELDS.get(kind)
    if fields is None:
        rest = {k: v for k, v in content.items() if not _is_name(k)}
        return (JsonPart("content", rest),), False
    return tuple(part for field in fields for part in _any(field, content.get(field))), False


_FIELDS: dict[str, tuple[str, ...]] = {
    "text": ("text",),
    "json": ("value",),
    "file_diff": ("paths", "diff"),
    "file_write": ("path",),
    "summary": ("original", "summarized"),
    "web_search": ("query", "rows"),
    "explore_agent": ("report", "summary", "message", "matches"),
    "subagent": ("summary",),
}


def _is_name(key: str) -> bool:
    return key in _NAMING or key.endswith(_NAMING_ENDINGS)


def _text(field: str, value: object) -> tuple[Part, ...]:
    return (TextPart(field, value),) if isinstance(value, str) and value else ()


def _any(field: str, value: Any) -> tuple[Part, ...]:
    if isinstance(value, str):
        return _text(f"content.{field}", value)
    return () if value is None else (JsonPart(f"content.{field}", value),)


def _terminal(content: Record) -> tuple[Part, ...]:
    """Output streams, wherever this version of the host puts them; no command, no status."""
    output = content.get("output")
    if isinstance(output, str):
        return _text("content.output", output)
    parts: list[Part] = []
    for prefix, place in (("content", content), ("content.output", output)):
        if isinstance(place, dict):
            for stream in _STREAMS:
                value = place.get(stream)
                if isinstance(value, list):
                    parts.append(JsonPart(f"{prefix}.{stream}", value))
                elif value:
                    parts += _text(f"{prefix}.{stream}", value)
    return tuple(parts)


def _image(content: Record) -> tuple[Part, ...]:
    """An image is a material without text: not even the name of where it lies."""
    mime, size = content.get("mimeType"), content.get("bytes")
    counted = isinstance(size, int) and not isinstance(size, bool) and size >= 0
    shown = mime if isinstance(mime, str) else ""
    return (AttachmentPart("", "image", shown, size if counted else None),)
