"""Files that came with a message: what is told of them, and how their bytes are found again.

Of bytes that a record holds itself, as base64 or a ``data:`` URL, a part keeps a digest; whoever
wants them reads the records again and takes the string that has it. Invariant: what is found is the
very string that was listed, and no part holds bytes. Proof: tests/unit/sources/test_attachments.py.
"""

from __future__ import annotations

import base64
import hashlib
from collections.abc import Iterator
from typing import Any, Final
from urllib.parse import unquote_to_bytes

from harkback import images
from harkback.config import IMAGE_HEAD_BYTES
from harkback.model import AttachmentPart, MaterialKind

INLINE: Final = "inline:"  # how a ref begins whose bytes are in a record: then length and digest
FILE: Final = "file:"  # how one begins whose bytes lie beside the records: then the file's name
_KINDS: Final[dict[str, MaterialKind]] = {"image": "image", "text": "doc"}
_HEAD_OF_URL: Final = 200  # of a ``data:`` URL, in which its comma has to be
_SMALL_HEAD: Final = 1024  # bytes; enough for every type but JPEG
_STEP: Final = 1 << 16


def attachment(
    name: str, mime: str, size: int | None, otherwise: MaterialKind = "other"
) -> AttachmentPart:
    """A file whose bytes are not at hand. Its type tells its kind; ``otherwise`` without one."""
    return AttachmentPart(name, _kind(mime, otherwise), mime, size)


def inline(name: str, mime: str, data: object, otherwise: MaterialKind = "other") -> AttachmentPart:
    """A file whose bytes a record holds as base64; of what is no text, only that there is one."""
    if not isinstance(data, str):
        return attachment(name, mime, None, otherwise)
    return _held(name, mime, data, 0, otherwise)


def linked(
    url: object, name: str = "", mime: str = "", otherwise: MaterialKind = "image"
) -> AttachmentPart:
    """The file that a ``data:`` URL holds; of any other address only that there is a file."""
    comma = _comma(url)
    if not isinstance(url, str) or comma < 0:
        return attachment(name, mime, None, otherwise)
    own, *marks = url[5:comma].split(";")
    mime = mime or own
    if "base64" in marks:
        return _held(name, mime, url, comma + 1, otherwise)
    size = len(unquote_to_bytes(url[comma + 1 :]))
    return AttachmentPart(name, _kind(mime, otherwise), mime, size, _reference(url))


def spilled(name: str, text: str | None) -> AttachmentPart:
    """A tool output that lies in a file of its own; None: it is not there any more."""
    if text is None:
        return AttachmentPart(name, "output", "text/plain", None)
    return AttachmentPart(name, "output", "text/plain", len(text.encode()), FILE + name)


def find(value: object, ref: str) -> bytes | None:
    """The bytes that a ``ref`` of inline bytes means, if any string of ``value`` is theirs."""
    length, _, digest = ref.removeprefix(INLINE).partition(":")
    for text in _strings(value):
        if str(len(text)) == length and _digest(text) == digest:
            return _decoded(text)
    return None


def base64_size(data: str, start: int = 0) -> int:
    """Bytes that the base64 text from ``start`` on stands for, without decoding it."""
    padding = len(data[-4:]) - len(data[-4:].rstrip("="))
    return max(0, (len(data) - start - data.count("\n", start)) * 3 // 4 - padding)


def _held(name: str, mime: str, text: str, start: int, otherwise: MaterialKind) -> AttachmentPart:
    kind = _kind(mime, otherwise)
    size = _pixels(text, start) if kind == "image" else None
    return AttachmentPart(name, kind, mime, base64_size(text, start), _reference(text), size)


def _kind(mime: str, otherwise: MaterialKind) -> MaterialKind:
    if not mime:
        return otherwise
    return "pdf" if mime.endswith("/pdf") else _KINDS.get(mime.split("/")[0], "other")


def _pixels(text: str, start: int) -> tuple[int, int] | None:
    for head in (_SMALL_HEAD, IMAGE_HEAD_BYTES):
        try:
            found = base64.b64decode(text[start : start + head * 4 // 3 // 4 * 4])
        except ValueError:
            return None
        size = images.pixels(found)
        if size is not None or images.sniff(found) != "image/jpeg":
            return size
    return None


def _reference(text: str) -> str:
    return f"{INLINE}{len(text)}:{_digest(text)}"


def _digest(text: str) -> str:
    """By pieces: a copy of all of it would cost more than the hash."""
    digest = hashlib.sha256()
    for at in range(0, len(text), _STEP):
        digest.update(text[at : at + _STEP].encode("utf-8", "surrogatepass"))
    return digest.hexdigest()[:32]


def _comma(url: object) -> int:
    if not isinstance(url, str) or not url.startswith("data:"):
        return -1
    return url.find(",", 0, _HEAD_OF_URL)


def _decoded(text: str) -> bytes | None:
    comma = _comma(text)
    try:
        if comma < 0:
            return base64.b64decode(text)
        if "base64" in text[5:comma].split(";"):
            return base64.b64decode(text[comma + 1 :])
    except ValueError:
        return None
    return unquote_to_bytes(text[comma + 1 :])


def _strings(value: Any) -> Iterator[str]:
    stack = [value]
    while stack:
        node = stack.pop()
        if isinstance(node, str):
            yield node
        elif isinstance(node, dict):
            stack += node.values()
        elif isinstance(node, list):
            stack += node
