"""The raw scan over a host store: which Sessions may hold a term, before anything is decoded.

Rows go from SQLite to the engine as bytes, in batches; the engine scans one while the next is
fetched. Invariant: only a Session whose every record was scanned to its end is ruled out; one with
a stream in flight, a torn chunk set, a payload that is no text, or pages that cannot be read, is
offered. Proof: tests/sources/test_sqlite_narrow.py.
"""

from __future__ import annotations

import sqlite3
import sys
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from harkback.engine import Scan, Scanner
from harkback.sources.sqlite import ledger, pre_ledger
from harkback.sources.sqlite.catalog import Listing
from harkback.sources.sqlite.ledger import Ledger
from harkback.sources.sqlite.opening import is_damage
from harkback.sources.sqlite.pre_ledger import PreLedger
from harkback.sources.sqlite.records import BATCH_ROWS

#: Up to so many rows of a table for each Session asked for, one sweep in file order costs less
#: than a search of the index for each; above it, a Session offered early saves its rest.
SWEEP_ROWS: Final = 256


@dataclass(frozen=True, slots=True)
class Narrowed:
    """Sessions offered, and for those seen to the end how many records they have."""

    offered: frozenset[str]
    counts: dict[str, int]


class Narrowing:
    """One scan of one View. ``listing`` says which Session lies where."""

    def __init__(
        self,
        connection: sqlite3.Connection,
        listing: Listing,
        events: Ledger,
        messages: PreLedger,
    ) -> None:
        self._connection = connection
        self._listing = listing
        self._ledger = events
        self._pre_ledger = messages
        self._tags: dict[bytes, int] = {}  # position among the Sessions asked for
        self._offered: set[bytes] = set()  # beside those that the scan finds
        self._counts: Counter[bytes] = Counter()

    def run(self, scanner: Scanner, sessions: Sequence[str]) -> Narrowed:
        """Asks ``scanner`` of every record of ``sessions`` that it may have to be asked of."""
        names = [name for name in sessions if name in self._listing.keys]
        keys = [self._listing.keys[name] for name in names]
        self._tags = {key: tag for tag, key in enumerate(keys)}
        self._offered = self._ledger.streaming().intersection(keys)
        scan = scanner.start()
        try:
            self._feed(scan, names)
        finally:
            found = scan.finish()
        offered = {names[tag] for tag in found}.union(names[self._tags[k]] for k in self._offered)
        counts = {n: self._counts[k] for n, k in zip(names, keys, strict=True) if n not in offered}
        return Narrowed(frozenset(offered), counts)

    def _feed(self, scan: Scan, names: Sequence[str]) -> None:
        owners = self._listing.owners
        for owner, table, sweep, search in (
            ("ledger", "runtime_events", ledger.SWEEP, ledger.SCAN),
            ("messages", "session_messages", pre_ledger.SWEEP, pre_ledger.SCAN),
        ):
            group = [self._listing.keys[name] for name in names if owners[name] == owner]
            small = bool(group) and self._rows(table) <= len(group) * SWEEP_ROWS
            if not (small and self._sweep(scan, group, sweep)):
                for key in group:
                    self._search(scan, key, search)

    def _rows(self, table: str) -> int:
        """About how many rows a table has, at the cost of one of them."""
        try:
            (last,) = self._connection.execute(f"SELECT MAX(rowid) FROM {table}").fetchone()
        except sqlite3.DatabaseError as error:
            if not is_damage(error):
                raise
            return sys.maxsize
        return int(last or 0)

    def _sweep(self, scan: Scan, group: Sequence[bytes], statement: str) -> bool:
        """Feeds every row of a table; gives whether the table could be read to its end."""
        wanted = set(group)
        try:
            cursor = self._connection.execute(statement)
            chunked: set[bytes] = set()
            while rows := cursor.fetchmany(BATCH_ROWS):
                batches: dict[bytes, list[bytes]] = {}
                for key, record in rows:
                    if key in wanted:
                        batches.setdefault(key, []).append(record)
                for key, records in batches.items():
                    self._take(scan, key, records)
                    if pre_ledger.MARKER in records:
                        chunked.add(key)
            for key in chunked:
                self._bodies(scan, key)
        except sqlite3.DatabaseError as error:
            if not is_damage(error):
                raise
            for key in group:
                self._counts.pop(key, None)
            return False
        return True

    def _search(self, scan: Scan, key: bytes, statement: str) -> None:
        """Feeds the rows of one Session, until one is found that may match."""
        chunked = False
        try:
            cursor = self._connection.execute(statement, (key,))
            while not self._is_offered(scan, key) and (rows := cursor.fetchmany(BATCH_ROWS)):
                records = [record for (record,) in rows]
                chunked = chunked or pre_ledger.MARKER in records
                self._take(scan, key, records)
            if chunked:
                self._bodies(scan, key)
        except sqlite3.DatabaseError as error:
            if not is_damage(error):
                raise
            self._offered.add(key)

    def _bodies(self, scan: Scan, key: bytes) -> None:
        """Feeds the joined records; each is counted with the row that stands for it."""
        for body in self._pre_ledger.bodies(key):
            if body is None:
                self._offered.add(key)
            if self._is_offered(scan, key):
                return
            scan.feed(self._tags[key], [body or b""])

    def _take(self, scan: Scan, key: bytes, records: list[bytes]) -> None:
        self._counts[key] += len(records)
        try:
            scan.feed(self._tags[key], records)
        except TypeError:
            self._offered.add(key)  # a payload that is no text

    def _is_offered(self, scan: Scan, key: bytes) -> bool:
        return key in self._offered or scan.found(self._tags[key])
