"""Records that Copilot CLI wrote badly, read after all.

Two things happen to its log: a record is split at a line break that was left unescaped, and the
beginning of a record is followed on its line by a whole one. Invariant: what is read is text that
stands in the log, in its order; a line that gives nothing is counted once.
Proof: tests/unit/sources/transcripts/test_copilot_damage.py.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from typing import Any, Final

from harkback.decoding import Damaged, parse

_START: Final = b'{"type":'
_MOST_BYTES: Final = 16 << 20  # of a split record
_MOST_TRIES: Final = 64
_MOST_STARTS: Final = 16
_BLANK_LINES: Final = 16  # between two pieces; a record in between is longer


class Mender:
    """Takes the broken lines of one file in order; used by ``Files.records``."""

    def __init__(self, problems: Counter[str]) -> None:
        self._problems = problems
        self._pieces: list[bytes] = []
        self._next = 0  # offset at which the next piece would begin
        self._bytes = self._tries = 0

    def __call__(self, offset: int, line: bytes) -> Iterable[dict[str, Any]]:
        whole = _after_prefix(line)
        if whole is not None:
            self.close()
            return [whole]
        gap = offset - self._next
        if self._pieces and 0 <= gap <= _BLANK_LINES and self._bytes < _MOST_BYTES:
            self._pieces += [b""] * gap
        else:
            self.close()
        self._pieces.append(line)
        self._bytes += len(line)
        self._next = offset + len(line) + 1
        if not self._pieces[0].lstrip().startswith(b"{"):
            self.close()
        elif len(self._pieces) > 1 and line.rstrip().endswith(b"}") and self._tries < _MOST_TRIES:
            self._tries += 1
            joined = _parsed(b"\n".join(self._pieces))
            if joined is not None:
                self._forget()
                return [joined]
        return ()

    def close(self) -> None:
        """Gives up on the pieces that are held: no further line belongs to them."""
        if self._pieces:
            self._problems["damaged_record"] += 1
            self._forget()

    def _forget(self) -> None:
        self._pieces = []
        self._bytes = self._tries = 0


def _after_prefix(line: bytes) -> dict[str, Any] | None:
    """The whole record at the end of a line that begins with a part of one."""
    start = 0
    for _ in range(_MOST_STARTS):
        start = line.find(_START, start + 1)
        if start < 0:
            return None
        found = _parsed(line[start:])
        if found is not None:
            return found
    return None


def _parsed(raw: bytes) -> dict[str, Any] | None:
    try:
        return parse(raw)
    except Damaged:
        return None
