"""The raw scan over tables of records: which Sessions may hold a term, before anything is decoded.

Most Sessions of a table asked for: it is swept once. A few: the rows of each are fetched, until
one may match. Invariant: only a Session whose every record was scanned to its end is ruled out;
one with a record that is no text, or in pages that cannot be read, is offered.
Proof: tests/sources/test_sqlite_narrow.py.
"""

from __future__ import annotations

import sqlite3
import threading
from collections import Counter
from collections.abc import Sequence
from typing import Final

from harkback.engine import Scanner
from harkback.sources.sqlite.opening import is_damage
from harkback.sources.sqlite.records import BATCH_ROWS
from harkback.sources.sqlite.sweep import Sweep

#: One part in so many of a table's Sessions, and a sweep costs less than a search for each.
SWEEP_SHARE: Final = 3


class Narrowing:
    """One scan of one View.

    Args:
        connections: of one state; a sweep uses them side by side.
    """

    def __init__(self, connections: Sequence[sqlite3.Connection], scanner: Scanner) -> None:
        self._connections = connections
        self._scanner = scanner
        self.offered: set[bytes] = set()  # only ever grows
        self._counting = threading.Lock()  # guards the counters
        self.counts: Counter[bytes] = Counter()

    def table(self, sweep: Sweep, search: str, group: set[bytes], held: int) -> None:
        """Scans the records of a table.

        Args:
            search: selects the records of the one Session that it is given.
            group: the Sessions asked for.
            held: how many Sessions have records in the table.
        """
        many = bool(group) and len(group) * SWEEP_SHARE >= held
        if not (many and self._sweep(sweep, group)):
            for key in group:
                self._search(key, search)

    def _sweep(self, sweep: Sweep, group: set[bytes]) -> bool:
        """Scans a whole table; gives whether it could be read to its end."""

        def take(key: bytes, count: int, joined: bytes) -> None:
            if key in group and key not in self.offered:
                self._take(key, count, [joined])

        try:
            if not sweep.is_possible(self._connections[0]):
                return False
            sweep.run(self._connections, len(group), take)
            for key in group:
                self._finish(key)
        except sqlite3.DatabaseError as error:
            # One row that is too long to join fails alone when it is fetched alone.
            if not (is_damage(error) or isinstance(error, sqlite3.DataError)):
                raise
            for key in group:
                self._forget(key)
            return False
        return True

    def _take(self, key: bytes, count: int, records: Sequence[bytes]) -> None:
        try:
            found = self._scanner.first(records) is not None
        except (TypeError, AttributeError):
            found = True  # a record that is no text
        with self._counting:
            self.counts[key] += count
        if found:
            self.offered.add(key)

    def _search(self, key: bytes, statement: str) -> None:
        """Scans the rows of one Session, until one may match."""
        try:
            cursor = self._connections[0].execute(statement, (key,))
            while key not in self.offered and (rows := cursor.fetchmany(BATCH_ROWS)):
                self._take(key, len(rows), [record for (record,) in rows])
            self._finish(key)
        except sqlite3.DatabaseError as error:
            if not is_damage(error):
                raise
            self.offered.add(key)

    def _finish(self, key: bytes) -> None:
        """Scans what a Session has beside its rows."""

    def _forget(self, key: bytes) -> None:
        """Takes back what was counted."""
        del self.counts[key]
