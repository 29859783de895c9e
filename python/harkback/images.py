"""What the first bytes of an image tell: its type, its size in pixels, what a model pays for it.

Nothing is decoded. Invariant: no input raises, and no more than a bounded head is looked at.
Proof: tests/unit/test_images.py.
"""

from __future__ import annotations

from math import ceil
from typing import Final

from harkback.config import IMAGE_BYTES_PER_PIXEL, IMAGE_LONG_EDGE, IMAGE_TOKENS, PIXELS_PER_TOKEN

_PNG: Final = b"\x89PNG\r\n\x1a\n"
#: Segments of a JPEG that give its size: start of frame, of every coding.
_FRAMES: Final = frozenset(range(0xC0, 0xD0)) - {0xC4, 0xC8, 0xCC}
_BARE: Final = frozenset({0x01, *range(0xD0, 0xD9)})  # segments without a length


def sniff(head: bytes) -> str:
    """The media type that the first bytes are of, of those that models take; "" for any other."""
    if head.startswith(_PNG):
        return "image/png"
    if head.startswith(b"\xff\xd8\xff"):
        return "image/jpeg"
    if head.startswith((b"GIF87a", b"GIF89a")):
        return "image/gif"
    if head[:4] == b"RIFF" and head[8:12] == b"WEBP":
        return "image/webp"
    return ""


def pixels(head: bytes) -> tuple[int, int] | None:
    """Width and height, if the first bytes hold them."""
    readers = {"image/png": _png, "image/jpeg": _jpeg, "image/gif": _gif, "image/webp": _webp}
    reader = readers.get(sniff(head))
    found = None if reader is None else reader(head)
    return found if found and min(found) > 0 else None


def tokens(size: tuple[int, int]) -> int:
    """Tokens that an image of this width and height costs, as Claude counts them."""
    width, height = size
    scale = min(1.0, IMAGE_LONG_EDGE / max(width, height))
    return max(1, min(IMAGE_TOKENS, ceil(width * scale * height * scale / PIXELS_PER_TOKEN)))


def tokens_of_bytes(count: int) -> int:
    """A guess where pixels are not known: by its bytes, and never more than the most."""
    return max(1, min(IMAGE_TOKENS, ceil(count / IMAGE_BYTES_PER_PIXEL / PIXELS_PER_TOKEN)))


def _png(head: bytes) -> tuple[int, int] | None:
    if head[12:16] != b"IHDR" or len(head) < 24:
        return None
    return int.from_bytes(head[16:20], "big"), int.from_bytes(head[20:24], "big")


def _gif(head: bytes) -> tuple[int, int] | None:
    if len(head) < 10:
        return None
    return int.from_bytes(head[6:8], "little"), int.from_bytes(head[8:10], "little")


def _webp(head: bytes) -> tuple[int, int] | None:
    if len(head) < 30:
        return None
    form = head[12:16]
    if form == b"VP8X":
        wide, high = head[24:27], head[27:30]
        return int.from_bytes(wide, "little") + 1, int.from_bytes(high, "little") + 1
    if form == b"VP8L" and head[20] == 0x2F:
        bits = int.from_bytes(head[21:25], "little")
        return (bits & 0x3FFF) + 1, (bits >> 14 & 0x3FFF) + 1
    if form == b"VP8 " and head[23:26] == b"\x9d\x01\x2a":
        wide, high = head[26:28], head[28:30]
        return int.from_bytes(wide, "little") & 0x3FFF, int.from_bytes(high, "little") & 0x3FFF
    return None


def _jpeg(head: bytes) -> tuple[int, int] | None:
    at = 2
    while at + 9 <= len(head) and head[at] == 0xFF:
        marker = head[at + 1]
        if marker in _FRAMES:
            high, wide = head[at + 5 : at + 7], head[at + 7 : at + 9]
            return int.from_bytes(wide, "big"), int.from_bytes(high, "big")
        if marker == 0xFF:  # filling
            at += 1
        elif marker in _BARE:
            at += 2
        else:
            at += 2 + int.from_bytes(head[at + 2 : at + 4], "big")
    return None
