"""Files that came with a message: what is told of them, never their bytes.

Invariant: the bytes of a ``data:`` URL are counted and let go of. Proof:
tests/unit/sources/test_attachments.py.
"""

from __future__ import annotations

from urllib.parse import unquote_to_bytes

from harkback.decoding import Record
from harkback.model import AttachmentPart

_KINDS = {"image": "image", "text": "doc"}


def attachment(record: Record) -> AttachmentPart:
    """What a part of type ``file`` tells: name, media type, and size if its bytes are in it."""
    mime, name, url = (record.get(key) for key in ("mime", "filename", "url"))
    mime = mime if isinstance(mime, str) else ""
    kind = "pdf" if mime == "application/pdf" else _KINDS.get(mime.split("/")[0], "other")
    size = data_bytes(url) if isinstance(url, str) else None
    return AttachmentPart(name if isinstance(name, str) else "", kind, mime, size)


def data_url(url: str) -> AttachmentPart:
    """An image of which nothing but the URL is told."""
    mime = url[5:].partition(",")[0].partition(";")[0] if url.startswith("data:") else ""
    return attachment({"mime": mime or "image/*", "url": url})


def data_bytes(url: str) -> int | None:
    """How many bytes a ``data:`` URL stands for; None for any other."""
    if not url.startswith("data:") or "," not in url:
        return None
    head, _, body = url.partition(",")
    if not head.endswith(";base64"):
        return len(unquote_to_bytes(body))
    return max(0, len(body.rstrip("=")) * 3 // 4)
