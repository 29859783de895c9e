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
from harkback.sources.sqlite.sweep import JOINT, Sweep, Window

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
        connections: one for each thread that may fetch, all of the same state.
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
        self._owner: Owner = "ledger"  # of the records that are taken
        self._wanted: set[bytes] = set()
        self._offered: set[bytes] = set()  # only ever grows
        self._counts: Counter[bytes] = Counter()
        self._counting = threading.Lock()
        self._markers: Counter[bytes] = Counter()  # of records that lie in chunks

    def run(self, sessions: Sequence[str]) -> Narrowed:
        """Which of ``sessions`` may hold one of the scanner's terms."""
        keys = {self._listing.keys[name]: name for name in sessions if name in self._listing.keys}
        self._offered = self._ledger.streaming() & set(keys)
        self._offered.update(key for key in keys if JOINT in key)
        owners = self._listing.owners
        for owner, sweep, search in _TABLES:
            self._owner = owner
            group = [key for key, name in keys.items() if owners[name] == owner]
            held = sum(each == owner for each in owners.values())
            many = bool(group) and len(group) * SWEEP_SHARE >= held
            if not (many and sweep.is_possible(self._connections[0]) and self._sweep(sweep, group)):
                for key in group:
                    self._search(key, search)
        counts = {name: self._counts[key] for key, name in keys.items() if key not in self._offered}
        return Narrowed(frozenset(keys[key] for key in self._offered), counts)

    def _sweep(self, sweep: Sweep, group: Sequence[bytes]) -> bool:
        """Scans a whole table; gives whether it could be read to its end."""
        try:
            self._wanted = set(group)
            sweep.run(self._connections, self._take)
            for key in self._wanted:
                if self._markers[key]:
                    self._bodies(key)
        except sqlite3.DatabaseError as error:
            # One row that is too long to join fails alone when it is fetched alone.
            if not (is_damage(error) or isinstance(error, sqlite3.DataError)):
                raise
            for key in group:
                del self._counts[key], self._markers[key]
            return False
        return True

    def _take(self, window: Window) -> None:
        counts = _count(window.keys)
        with self._counting:
            for key, rows in counts.items():
                self._counts[key] += rows
        alive = self._wanted.intersection(counts) - self._offered
        if not alive:
            return
        chunked = self._owner == "messages" and pre_ledger.MARKER in window.records
        if not (chunked or self._may_match([window.records])):
            return
        if len(alive) == len(counts) == 1 and not chunked:
            self._offered |= alive
        else:
            self._take_apart(window, alive)

    def _take_apart(self, window: Window, alive: set[bytes]) -> None:
        """Says which of the Sessions ``alive`` in a window it is that may match."""
        keys, records = window.keys.split(JOINT), window.records.split(JOINT)
        if len(records) != len(keys):
            self._offered |= alive
            return
        for key in alive:
            own = [record for of, record in zip(keys, records, strict=True) if of == key]
            with self._counting:
                self._markers[key] += own.count(pre_ledger.MARKER)
            if self._may_match(own):
                self._offered.add(key)

    def _search(self, key: bytes, statement: str) -> None:
        """Scans the rows of one Session, until one may match."""
        try:
            cursor = self._connections[0].execute(statement, (key,))
            while key not in self._offered and (rows := cursor.fetchmany(BATCH_ROWS)):
                records = [record for (record,) in rows]
                self._counts[key] += len(records)
                self._markers[key] += records.count(pre_ledger.MARKER)
                if self._may_match(records):
                    self._offered.add(key)
            if self._markers[key]:
                self._bodies(key)
        except sqlite3.DatabaseError as error:
            if not is_damage(error):
                raise
            self._offered.add(key)

    def _bodies(self, key: bytes) -> None:
        """Scans the joined records; each was counted with the row that stands for it."""
        for body in self._pre_ledger.bodies(key, self._markers[key]):
            if key in self._offered:
                return
            if body is None or self._may_match([body]):
                self._offered.add(key)

    def _may_match(self, records: Sequence[bytes]) -> bool:
        try:
            return self._scanner.first(records) is not None
        except TypeError:
            return True  # a payload that is no text


def _count(keys: bytes) -> dict[bytes, int]:
    """How often each of the joined keys stands there; most windows hold one Session's rows."""
    rows = keys.count(JOINT) + 1
    first = keys.split(JOINT, 1)[0]
    if len(keys) == rows * (len(first) + 1) - 1 and keys.count(first) == rows:
        return {first: rows}
    return Counter(keys.split(JOINT))
