"""JSON strings of a raw record: bytes in, decoded text out, to the depth of one string.

Decoded as a reader does: escapes resolved, surrogate pairs joined; a lone surrogate, U+0000 and
each maximal ill-formed part of UTF-8 become U+FFFD. A string that itself holds JSON text is just a
string. Of what stands between strings only this is checked: there is no backslash. With one, what
looks like a string may be what lies between two, as after a record that was cut and begun again.
Proof: tests/unit/reference/test_json.py.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

_SIMPLE = {
    ord('"'): '"',
    ord("\\"): "\\",
    ord("/"): "/",
    ord("b"): "\b",
    ord("f"): "\f",
    ord("n"): "\n",
    ord("r"): "\r",
    ord("t"): "\t",
}
_HEX4 = re.compile(rb"[0-9a-fA-F]{4}")


class Undecodable(ValueError):
    """No JSON: an open string, an unknown escape, one outside; stays inside the engine."""


def strings(record: bytes) -> Iterator[str]:
    """Every string of ``record`` in order, keys included.

    Raises:
        Undecodable: on reaching what cannot be decoded.
    """
    at = 0
    while (start := record.find(b'"', at)) != -1:
        if b"\\" in record[at:start]:
            raise Undecodable
        end = _string_end(record, start + 1)
        yield decode(record[start + 1 : end])
        at = end + 1
    if b"\\" in record[at:]:
        raise Undecodable


def _string_end(record: bytes, at: int) -> int:
    """Position of the quote that closes the string whose content starts at ``at``."""
    while at < len(record):
        if record[at] == ord('"'):
            return at
        at += 2 if record[at] == ord("\\") else 1
    raise Undecodable


def decode(content: bytes) -> str:
    """The text of one string, given the bytes between its quotes.

    Raises:
        Undecodable: a bad escape.
    """
    pieces = []
    at = 0
    while (backslash := content.find(b"\\", at)) != -1:
        pieces.append(content[at:backslash].decode("utf-8", "replace"))
        text, at = _escape(content, backslash + 1)
        pieces.append(text)
    pieces.append(content[at:].decode("utf-8", "replace"))
    return "".join(pieces).replace("\0", "\ufffd")


def _escape(content: bytes, at: int) -> tuple[str, int]:
    """Text of the escape whose letter is at ``at``, and where it ends."""
    letter = content[at : at + 1]
    if letter != b"u":
        if not letter or letter[0] not in _SIMPLE:
            raise Undecodable
        return _SIMPLE[letter[0]], at + 1
    high = _code_unit(content, at + 1)
    if high is None:
        raise Undecodable
    end = at + 5
    if 0xD800 <= high < 0xDC00 and content[end : end + 2] == b"\\u":
        low = _code_unit(content, end + 2)
        if low is not None and 0xDC00 <= low < 0xE000:
            return chr(0x10000 + ((high - 0xD800) << 10) + (low - 0xDC00)), end + 6
    if 0xD800 <= high < 0xE000:
        return "\ufffd", end
    return chr(high), end


def _code_unit(content: bytes, at: int) -> int | None:
    digits = _HEX4.match(content, at)
    return int(digits.group(), 16) if digits else None
