"""JSON records of a host store become typed parts.

Invariant: the text of a part is one decoded JSON string, whole, as ``harkback.decoding`` gives it.
Proof: tests/unit/sources/sqlite/test_decode.py.
"""

from __future__ import annotations

from typing import Any

from harkback import decoding
from harkback.decoding import Record
from harkback.model import MATERIAL_KINDS, AttachmentPart, JsonPart, JsonValue, Part, TextPart
from harkback.sources.sqlite import artifacts

_ARCHIVED = frozenset({"archived_tool_result", "maka.archived_tool_result"})
_STREAMS = ("stdout", "stderr", "screen", "scrollback")
#: Of an unknown content kind: names that say which thing it is, not what it says.
_NAMING = frozenset({"kind", "id", "ref", "refs", "hash", "mimeType", "sha256"})
_NAMING_ENDINGS = ("Id", "Ids", "Ref", "Refs", "Hash", "Sha256")


def text_of(value: object) -> str:
    """A TEXT or BLOB value as text; anything else is no text."""
    if isinstance(value, bytes):
        return decoding.decode(value)
    return value if isinstance(value, str) else ""


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


def user_parts(record: Record, owner: str = "") -> tuple[Part, ...]:
    """Text and files of a prompt.

    Args:
        owner: the Session: only what is stored in it has a ``ref``.
    """
    shown = record.get("displayText")
    text = shown if isinstance(shown, str) else record.get("text")
    return (*_text("text", text), *attachments(record.get("attachments"), owner))


def assistant_parts(record: Record) -> tuple[Part, ...]:
    return _text("text", record.get("text"))


def call_parts(tool: object, intent: object, arguments: JsonValue) -> tuple[Part, ...]:
    return (
        *_text("tool", tool),
        *_text("intent", intent),
        *(() if arguments is None else (JsonPart("args", arguments),)),
    )


def attachments(value: object, owner: str = "") -> list[Part]:
    """The attachments whose shape is the host's; others are no attachments."""
    found: list[Part] = []
    for item in value if isinstance(value, list) else ():
        if not isinstance(item, dict):
            continue
        name, kind, mime, size = (item.get(k) for k in ("name", "kind", "mimeType", "bytes"))
        if (
            isinstance(name, str)
            and isinstance(kind, str)
            and kind in MATERIAL_KINDS
            and kind != "output"
            and isinstance(mime, str)
            and isinstance(size, int)
            and not isinstance(size, bool)
            and size >= 0
        ):
            ref = artifacts.ref_of(item.get("ref"), owner, size)
            found.append(AttachmentPart(name, kind, mime, size, ref))
    return found


def result_parts(content: Any, owner: str = "") -> tuple[tuple[Part, ...], bool]:
    """Parts of a tool result, and whether its body was moved to an archive."""
    if isinstance(content, str):
        return _text("content", content), False
    if not isinstance(content, dict):
        return (() if content is None else (JsonPart("content", content),)), False
    kind = content.get("kind")
    if not isinstance(kind, str):
        return (JsonPart("content", content),), False
    if kind in _ARCHIVED:
        return _archived(content, owner), True
    if kind in ("terminal", "shell_run"):
        return _terminal(content), False
    if kind == "image":
        return _image(content, owner), False
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


def _image(content: Record, owner: str) -> tuple[Part, ...]:
    """An image is a material without text: not even the name of where it lies."""
    mime, size = content.get("mimeType"), _count(content.get("bytes"))
    shown = mime if isinstance(mime, str) else ""
    ref = artifacts.ref_of(content.get("ref"), owner, size)
    return (AttachmentPart("", "image", shown, size, ref),)


def _archived(content: Record, owner: str) -> tuple[Part, ...]:
    """The body, if its artifact is named: it is not searched, but may still be fetched."""
    name = content.get("artifactId")
    if not isinstance(name, str) or not name:
        return ()
    where = {"kind": artifacts.STORED, "sessionId": owner, "relativePath": name}
    ref = artifacts.ref_of(where, owner, None)
    return (AttachmentPart("", "output", "", _count(content.get("originalBytes")), ref),)


def _count(value: object) -> int | None:
    return value if type(value) is int and value >= 0 else None
