"""The raw scan over a host store: which Sessions may hold a term, before anything is decoded.

Most Sessions asked for: each table is swept once. A few: the rows of each are fetched, until one
may match. Invariant: only a Session whose every record was scanned to its end is ruled out; one
with a stream in flight, a torn chunk set, a payload that is no text, or pages that cannot be read,
is offered. Proof: tests/sources/test_sqlite_narrow.py.
"""

from __future__ import annotations

import sqlite3
import threading
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from harkback.engine import Scanner
from harkback.sources.sqlite import ledger, pre_ledger
from harkback.sources.sqlite.catalog import Listing, Owner
from harkback.sources.sqlite.ledger import Ledger
from harkback.sources.sqlite.opening import is_damage
from harkback.sources.sqlite.pre_ledger import PreLedger
from harkback.sources.sqlite.records import BATCH_ROWS
from harkback.sources.sqlite.sweep import Sweep

#: One part in so many of a table's Sessions, and a sweep costs less than a search for each.
SWEEP_SHARE: Final = 3


_TABLES: Final[tuple[tuple[Owner, Sweep, str], ...]] = (
    ("ledger", ledger.SWEEP, ledger.SCAN),
    ("messages", pre_ledger.SWEEP, pre_ledger.SCAN),
)


@dataclass(frozen=True, slots=True)
class Narrowed:
    """Sessions offered, and for those seen to the end how many records they have."""

    offered: frozenset[str]
    counts: dict[str, int]


class Narrowing:
    """One scan of one View.

    Args:
        connections: of one state; a sweep uses them side by side.
        listing: which Session lies where.
    """

    def __init__(
        self,
        connections: Sequence[sqlite3.Connection],
        listing: Listing,
        events: Ledger,
        messages: PreLedger,
        scanner: Scanner,
    ) -> None:
        self._connections = connections
        self._listing = listing
        self._ledger = events
        self._pre_ledger = messages
        self._scanner = scanner
        self._offered: set[bytes] = set()  # only ever grows
        self._counting = threading.Lock()  # guards the two counters
        self._counts: Counter[bytes] = Counter()
        self._chunks = False  # whether records of the table at hand may lie in chunks
        self._markers: Counter[bytes] = Counter()  # of those that do

    def run(self, sessions: Sequence[str]) -> Narrowed:
        """Which of ``sessions`` may hold one of the scanner's terms."""
        keys = {self._listing.keys[name]: name for name in sessions if name in self._listing.keys}
        self._offered = self._ledger.streaming() & set(keys)
        owners = self._listing.owners
        for owner, sweep, search in _TABLES:
            self._chunks = owner == "messages"
            group = {key for key, name in keys.items() if owners[name] == owner}
            held = sum(each == owner for each in owners.values())
            many = bool(group) and len(group) * SWEEP_SHARE >= held
            if not (many and self._sweep(sweep, group)):
                for key in group:
                    self._search(key, search)
        counts = {name: self._counts[key] for key, name in keys.items() if key not in self._offered}
        return Narrowed(frozenset(keys[key] for key in self._offered), counts)

    def _sweep(self, sweep: Sweep, group: set[bytes]) -> bool:
        """Scans a whole table; gives whether it could be read to its end."""

        def take(key: bytes, count: int, joined: bytes) -> None:
            if key in group and key not in self._offered:
                self._take(key, count, [joined])

        try:
            if not sweep.is_possible(self._connections[0]):
                return False
            sweep.run(self._connections, len(group), take)
            for key in group:
                self._bodies(key)
        except sqlite3.DatabaseError as error:
            # One row that is too long to join fails alone when it is fetched alone.
            if not (is_damage(error) or isinstance(error, sqlite3.DataError)):
                raise
            for key in group:
                del self._counts[key], self._markers[key]
            return False
        return True

    def _take(self, key: bytes, count: int, records: Sequence[bytes]) -> None:
        try:
            markers = sum(r.count(pre_ledger.MARKER) for r in records) if self._chunks else 0
            found = self._scanner.first(records) is not None
        except (TypeError, AttributeError):
            markers, found = 0, True  # a payload that is no text
        with self._counting:
            self._counts[key] += count
            self._markers[key] += markers
        if found:
            self._offered.add(key)

    def _search(self, key: bytes, statement: str) -> None:
        """Scans the rows of one Session, until one may match."""
        try:
            cursor = self._connections[0].execute(statement, (key,))
            while key not in self._offered and (rows := cursor.fetchmany(BATCH_ROWS)):
                self._take(key, len(rows), [record for (record,) in rows])
            self._bodies(key)
        except sqlite3.DatabaseError as error:
            if not is_damage(error):
                raise
            self._offered.add(key)

    def _bodies(self, key: bytes) -> None:
        """Scans the joined records; each was counted with the row that stands for it."""
        if not self._markers[key] or key in self._offered:
            return
        for body in self._pre_ledger.bodies(key, self._markers[key]):
            if body is None or self._scanner.first([body]) is not None:
                self._offered.add(key)
                return
