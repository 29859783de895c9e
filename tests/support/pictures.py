"""Small images of any size in pixels, of each type that models take, and a PDF."""

from __future__ import annotations

import struct
import zlib


def png(width: int, height: int, text: bytes = b"") -> bytes:
    """One that is whole if it is 1 by 1; with text in its metadata."""

    def chunk(name: bytes, data: bytes) -> bytes:
        check = struct.pack(">I", zlib.crc32(name + data))
        return struct.pack(">I", len(data)) + name + data + check

    head = struct.pack(">IIBBBBB", width, height, 8, 0, 0, 0, 0)
    about = chunk(b"tEXt", b"Comment\0" + text) if text else b""
    pixels = chunk(b"IDAT", zlib.compress(b"\0\0"))
    return b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", head) + about + pixels + chunk(b"IEND", b"")


def gif(width: int, height: int) -> bytes:
    return b"GIF89a" + struct.pack("<HH", width, height) + b"\0\0\0;"


def jpeg(width: int, height: int, before: int = 0) -> bytes:
    """Its head; with a segment of ``before`` bytes ahead of its size."""
    about = b"\xff\xe1" + struct.pack(">H", before + 2) + b"e" * before if before else b""
    frame = struct.pack(">HBHHB", 11, 8, height, width, 1) + b"\1\x11\0"
    return b"\xff\xd8" + about + b"\xff" + b"\xff\xc0" + frame + b"\xff\xd9"


def webp(form: bytes, width: int, height: int) -> bytes:
    """The head of one: ``VP8 ``, ``VP8L`` or ``VP8X``."""
    body = {
        b"VP8 ": lambda: b"\0\0\0\x9d\x01\x2a" + struct.pack("<HH", width, height),
        b"VP8L": lambda: b"\x2f" + struct.pack("<I", width - 1 | height - 1 << 14) + b"\0" * 5,
        b"VP8X": lambda: (
            b"\0" * 4 + struct.pack("<I", width - 1)[:3] + struct.pack("<I", height - 1)[:3]
        ),
    }[form]()
    data = b"WEBP" + form + struct.pack("<I", len(body)) + body
    return b"RIFF" + struct.pack("<I", len(data)) + data


def pdf(*pages: str) -> bytes:
    """A document with one line of text on each page."""
    count = len(pages)
    kids = " ".join(f"{4 + 2 * n} 0 R" for n in range(count))
    objects = [
        "<</Type/Catalog/Pages 2 0 R>>",
        f"<</Type/Pages/Kids[{kids}]/Count {count}>>",
        "<</Type/Font/Subtype/Type1/BaseFont/Helvetica>>",
    ]
    for number, text in enumerate(pages):
        drawn = f"BT /F1 12 Tf 72 720 Td ({text}) Tj ET"
        objects.append(
            "<</Type/Page/Parent 2 0 R/MediaBox[0 0 612 792]"
            f"/Contents {5 + 2 * number} 0 R/Resources<</Font<</F1 3 0 R>>>>>>"
        )
        objects.append(f"<</Length {len(drawn)}>>\nstream\n{drawn}\nendstream")
    out, places = b"%PDF-1.4\n", []
    for number, body in enumerate(objects, 1):
        places.append(len(out))
        out += f"{number} 0 obj\n{body}\nendobj\n".encode()
    table = "".join(f"{place:010} 00000 n \n" for place in places)
    end = f"xref\n0 {len(objects) + 1}\n0000000000 65535 f \n{table}"
    end += f"trailer<</Size {len(objects) + 1}/Root 1 0 R>>\nstartxref\n{len(out)}\n%%EOF\n"
    return out + end.encode()
