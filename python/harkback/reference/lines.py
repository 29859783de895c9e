"""The records of a growing file of lines, in bounded memory, repaired for a strict JSON parser.

A record ends at the byte 0x0A and nowhere else; an empty one, or one of NUL bytes, is none. What
follows the last 0x0A is the tail: whether it is a record yet is for the caller to say. Offsets are
those of the uncompressed stream.
Repaired: a mark of byte order at the start is left out, and so are NUL, space, tab and CR around
a record; an ill-formed part of UTF-8 and any other NUL, a lone surrogate escape and ``\\u0000``
each denote U+FFFD. Invariant: the same records and the same damage however the file is cut into
reads. Proof: tests/differential/test_lines.py.
"""

from __future__ import annotations

import re
from typing import Final

from harkback.reference.stream import Stream

LINE_LIMIT: Final = 64 << 20  # bytes of a record; a longer one is skipped and counted
_MARK: Final = b"\xef\xbb\xbf"
_AROUND: Final = b"\0 \t\r"
_ESCAPE = re.compile(
    rb"\\(?:(u[dD][89abAB][0-9a-fA-F]{2}\\u[dD][c-fC-F][0-9a-fA-F]{2})"
    rb"|(u[dD][89a-fA-F][0-9a-fA-F]{2}|u0000)|.)",
    re.DOTALL,
)


class Lines:
    """The records of one file, read as they are asked for."""

    def __init__(self, path: str, stop: int) -> None:
        self._stream: Stream | None = Stream(path, stop)
        self._rest = b""  # of the line that is being read
        self._offset = 0  # of that line
        self._skipped = 0  # bytes of it that are gone because it is too long
        self._damage: list[tuple[str, int, int]] = []

    def take(self) -> list[tuple[int, bytes]]:
        """The next records with their offsets, in order; none at the end. Raises OSError."""
        while self._stream is not None:
            piece = self._stream.read()
            if not piece:
                if self._stream.damage is not None:
                    self._damage.append((self._stream.damage, self._offset, 0))
                self.close()
                break
            found = self._cut(piece)
            if found:
                return found
        return []

    def _cut(self, piece: bytes) -> list[tuple[int, bytes]]:
        *ended, rest = piece.split(b"\n")
        found = []
        for line in ended:
            found += self._record(self._rest + line)
            self._offset += self._skipped + len(self._rest) + len(line) + 1
            self._rest, self._skipped = b"", 0
        self._rest += rest
        if self._skipped or len(self._rest) > LINE_LIMIT:
            self._skipped += len(self._rest)
            self._rest = b""
        return found

    def _record(self, line: bytes) -> list[tuple[int, bytes]]:
        size = self._skipped + len(line)
        if size > LINE_LIMIT:
            self._damage.append(("line_too_long", self._offset, size))
            return []
        if self._offset == 0 and line.startswith(_MARK):
            line = line[len(_MARK) :]
        record = line.strip(_AROUND)
        if not record:
            if b"\0" in line:
                self._damage.append(("nul_run", self._offset, size))
            return []
        record, whole = repair(record)
        if not whole:
            self._damage.append(("invalid_utf8", self._offset, size))
        return [(self._offset, record)]

    def tail(self) -> tuple[int, bytes] | None:
        """What follows the last 0x0A, repaired, once ``take`` gave nothing."""
        if self._stream is not None or self._skipped:
            return None
        line = self._rest
        if self._offset == 0 and line.startswith(_MARK):
            line = line[len(_MARK) :]
        record = line.strip(_AROUND)
        return (self._offset, repair(record)[0]) if record else None

    def close(self) -> None:
        """Lets go of the file; nothing more is read."""
        if self._stream is not None:
            self._stream.close()
            self._stream = None

    def damage(self) -> list[tuple[str, int, int]]:
        """What was met so far that is no record: (reason, offset, bytes)."""
        return list(self._damage)


def repair(record: bytes) -> tuple[bytes, bool]:
    """The record with U+FFFD for what no text can hold, and whether it was well-formed UTF-8."""
    text = record.decode("utf-8", "replace").replace("\0", "\ufffd")
    repaired = _ESCAPE.sub(_replace, text.encode())
    try:
        record.decode("utf-8")
    except UnicodeDecodeError:
        return repaired, False
    return repaired, True


def _replace(escape: re.Match[bytes]) -> bytes:
    return b"\\ufffd" if escape.group(2) else escape.group()


def lines(path: str, stop: int) -> Lines:
    """The records in the first ``stop`` bytes of a file. Raises OSError if it cannot be opened."""
    return Lines(path, stop)
