"""What the two halves of a store share: the rows of one Session, its hash, its decoded Messages.

Invariant: a fingerprint is fed with every value that the Messages are made of, each in a form
that cannot be confused with another, so equal fingerprints mean equal Messages, locators too.
Proof: tests/sources/test_sqlite_fingerprint.py.
"""

from __future__ import annotations

import copy
import hashlib
import marshal
import re
import sqlite3
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from typing import Any, Final, TypeAlias

from harkback.engine import Engine
from harkback.model import Gap, GapCode, StoredMessage

Row: TypeAlias = tuple[Any, ...]

BATCH_ROWS: Final = 256
#: Changes when the same rows decode to other Messages than before.
DECODER_VERSION: Final = b"harkback-sqlite-1"

_MESSAGES: Final[dict[str, tuple[GapCode, str]]] = {
    "record": ("record_damaged", "Records that do not parse were left out."),
    "chunk_gap": ("record_damaged", "Long records lack a part and were left out."),
    "chunk_length": ("record_damaged", "Long records have another length than recorded."),
    "chunk_digest": ("record_damaged", "Long records have another digest than recorded."),
    "long": ("record_oversized", "Records too long to be read were left out."),
    "sealed": ("record_damaged", "Records that are encrypted were left out."),
    "beside": ("record_damaged", "Outputs kept beside the database could not be read."),
    "archived": ("body_archived", "Tool results were moved to an archive; their text is gone."),
    "stream": ("stream_in_flight", "Answers are still being written; shown as far as they are."),
}


class Fingerprint:
    """A strong hash over rows."""

    def __init__(self, owner: str) -> None:
        self._hash = hashlib.sha256(DECODER_VERSION + owner.encode())
        self.bytes = 0  # fed so far

    def feed(self, row: Row) -> None:
        """Takes a row: version 2 of the format knows no references, so equal values are equal."""
        fed = marshal.dumps(row, 2)
        self._hash.update(fed)
        self.bytes += len(fed)

    def through(self, rows: Iterable[Row]) -> Iterator[Row]:
        for row in rows:
            self.feed(row)
            yield row

    def mark(self, name: bytes) -> None:
        """Separates one kind of rows from the next."""
        self._hash.update(b"\x00" + name + b"\x00")

    def copy(self) -> Fingerprint:
        """One that goes on from here on its own."""
        other = copy.copy(self)
        other._hash = self._hash.copy()
        return other

    def digest(self) -> bytes:
        return self._hash.digest()


class NoFingerprint(Fingerprint):
    """Where rows are read for what they say alone."""

    def __init__(self) -> None:
        super().__init__("")

    def feed(self, row: Row) -> None:
        pass

    def through(self, rows: Iterable[Row]) -> Iterator[Row]:
        return iter(rows)

    def mark(self, name: bytes) -> None:
        pass


#: Text that no history holds: a scan for it says yes only to what no scan can decode.
_NOWHERE: Final = "\ufdd0" * 8
_GOOD_ESCAPE: Final = re.compile(rb'\\(?:["\\/bfnrt]|u[0-9a-fA-F]{4})')


class Reader:
    """Reads one half of a store on one connection; ``tables`` are those that are whole."""

    def __init__(self, connection: sqlite3.Connection, tables: frozenset[str]) -> None:
        self._connection = connection
        self._tables = tables

    def _rows(self, table: str, statement: str, *values: object) -> Iterator[Row]:
        """Nothing of a table that is not whole."""
        if table not in self._tables:
            return iter(())
        return self._connection.execute(statement, values)


class Findings:
    """Counts per reason, given out as Gaps: what every scan sees, and what only reading finds."""

    def __init__(self, engine: Engine | None = None) -> None:
        self._engine = engine
        self._seen: Counter[str] = Counter()
        self._read: Counter[str] = Counter()

    def copy(self) -> Findings:
        """Findings that go on from here on their own."""
        other = Findings(self._engine)
        other._seen, other._read = self._seen.copy(), self._read.copy()
        return other

    def take(self, others: Findings) -> None:
        """Counts what others have counted."""
        self._seen.update(others._seen)
        self._read.update(others._read)

    def add(self, reason: str) -> None:
        """Counts what every scan offers the Session for."""
        self._seen[reason] += 1

    def add_archived(self) -> None:
        self.add_read("archived")

    def add_read(self, reason: str) -> None:
        """Counts what only reading finds."""
        self._read[reason] += 1

    def add_record(self, raw: object) -> None:
        """Counts a record that does not parse; most do not keep a scan from looking into them."""
        (self._seen if self._stops_scans(raw) else self._read)["record"] += 1

    def _stops_scans(self, raw: object) -> bool:
        if not isinstance(raw, bytes):
            return raw is not None
        if self._engine is None or b"\\" not in _GOOD_ESCAPE.sub(b"", raw):
            return False
        return self._engine.scanner([_NOWHERE]).first([raw]) is not None

    def gaps(self) -> tuple[Gap, ...]:
        """What every scan offers the Session for."""
        return _gaps(self._seen)

    def damage(self) -> tuple[Gap, ...]:
        """What only reading finds."""
        return _gaps(self._read)


def _gaps(counts: Counter[str]) -> tuple[Gap, ...]:
    return tuple(
        Gap(code, message, counts[reason])
        for reason, (code, message) in _MESSAGES.items()
        if counts[reason]
    )


def unique(ids: set[str], *candidates: object) -> str | None:
    """The first candidate that is a usable id and not taken; takes it."""
    for candidate in candidates:
        if isinstance(candidate, str) and candidate and candidate not in ids:
            ids.add(candidate)
            return candidate
    return None


def in_order(messages: Iterable[StoredMessage], locators: Sequence[str]) -> list[StoredMessage]:
    """The Messages that these locators name, in this order; a locator without one is skipped."""
    found = {message.locator: message for message in messages}
    return [found[locator] for locator in locators if locator in found]


def placeholders(count: int) -> str:
    return ",".join("?" * count)
