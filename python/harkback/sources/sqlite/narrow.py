"""The raw scan over a host store: which Sessions may hold a term, before anything is decoded.

Asked for most Sessions it sweeps a table in the order it lies in the file, asked for few it goes
by the session index. Rows are fetched by one short-lived thread while the engine scans the batch
before; both leave the interpreter free. Invariant: only a Session whose every record was scanned
to its end is ruled out; one with a stream in flight, a torn chunk set, a payload that is no text,
or pages that cannot be read, is offered. Proof: tests/sources/test_sqlite_narrow.py.
"""

from __future__ import annotations

import contextlib
import queue
import sqlite3
import sys
import threading
from collections import Counter
from collections.abc import Generator, Iterator, Sequence
from dataclasses import dataclass
from typing import Final, NamedTuple

from harkback.engine import Scanner
from harkback.sources.sqlite import ledger, pre_ledger
from harkback.sources.sqlite.catalog import Listing
from harkback.sources.sqlite.ledger import Ledger
from harkback.sources.sqlite.opening import is_damage
from harkback.sources.sqlite.pre_ledger import PreLedger
from harkback.sources.sqlite.records import BATCH_ROWS

QUEUED_BATCHES: Final = 4
#: Up to so many rows of a table for each Session asked for, one sweep in file order costs less
#: than a search of the index for each; above it, a Session offered early saves its rest.
SWEEP_ROWS: Final = 256


class Batch(NamedTuple):
    """Records to scan, each with the stored id of its Session."""

    keys: Sequence[bytes]
    records: Sequence[bytes]
    counted: bool = True  # a joined record is counted with the row that stands for it


@dataclass(frozen=True, slots=True)
class Narrowed:
    """Sessions offered, and for those seen to the end how many records they have."""

    offered: frozenset[str]
    counts: dict[str, int]


class Narrowing:
    """One scan on one connection, which nobody else uses meanwhile."""

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
        #: Neither offered nor ruled out. Only ever shrinks, so the fetching thread may look.
        self._open: set[bytes] = set()
        self._whole: set[bytes] = set()
        self._counted_twice = False

    def run(self, scanner: Scanner, sessions: Sequence[str], overlapped: bool) -> Narrowed:
        """``overlapped``: the connection may be used by another thread than this one."""
        keys = {self._listing.keys[name]: name for name in sessions if name in self._listing.keys}
        self._open = set(keys)
        counts: Counter[bytes] = Counter()
        batches = self._batches(keys)
        for batch in _fetched_ahead(batches) if overlapped else batches:
            if batch.counted:
                counts.update(batch.keys)
            self._scan(scanner, batch)
        seen: dict[str, int] = {}
        if not self._counted_twice:
            seen = {keys[key]: counts[key] for key in self._whole & self._open}
        offered = frozenset(name for key, name in keys.items() if key not in self._open)
        return Narrowed(offered, seen)

    def _scan(self, scanner: Scanner, batch: Batch) -> None:
        """Offers each Session that a record of the batch speaks for."""
        keys, records = batch.keys, batch.records
        if not self._open.issuperset(keys):
            keys = [key for key in keys if key in self._open]
            pairs = zip(batch.keys, batch.records, strict=True)
            records = [record for key, record in pairs if key in self._open]
        while records:
            try:
                hit = scanner.first(records)
            except TypeError:
                hit = next(i for i, record in enumerate(records) if not isinstance(record, bytes))
            if hit is None:
                return
            offered = keys[hit]
            self._open.discard(offered)
            rest = zip(keys[hit + 1 :], records[hit + 1 :], strict=True)
            left = [(key, record) for key, record in rest if key != offered]
            keys, records = [key for key, _ in left], [record for _, record in left]

    def _batches(self, keys: dict[bytes, str]) -> Iterator[Batch]:
        self._open -= self._ledger.streaming()
        owners = self._listing.owners
        for owner, table, sweep, search in (
            ("ledger", "runtime_events", ledger.SWEEP, ledger.SCAN),
            ("messages", "session_messages", pre_ledger.SWEEP, pre_ledger.SCAN),
        ):
            group = [key for key, name in keys.items() if owners[name] == owner]
            swept = bool(group) and self._rows(table) <= len(group) * SWEEP_ROWS
            if not (swept and (yield from self._sweep(group, sweep))):
                for key in group:
                    yield from self._search(key, search)

    def _rows(self, table: str) -> int:
        """About how many rows a table has, at the cost of one of them."""
        try:
            (last,) = self._connection.execute(f"SELECT MAX(rowid) FROM {table}").fetchone()
        except sqlite3.DatabaseError as error:
            if not is_damage(error):
                raise
            return sys.maxsize
        return int(last or 0)

    def _sweep(self, group: Sequence[bytes], statement: str) -> Generator[Batch, None, bool]:
        """Every row of a table; gives whether the table could be read to its end."""
        chunked: set[bytes] = set()
        wanted = set(group)
        try:
            cursor = self._connection.execute(statement)
            while not self._open.isdisjoint(wanted) and (rows := cursor.fetchmany(BATCH_ROWS)):
                keys, records = zip(*rows, strict=True)
                if not wanted.issuperset(keys):
                    rows = [row for row in rows if row[0] in wanted]
                    if not rows:
                        continue
                    keys, records = zip(*rows, strict=True)
                if pre_ledger.MARKER in records:
                    chunked.update(key for key, record in rows if record == pre_ledger.MARKER)
                yield Batch(keys, records)
            for key in chunked & wanted:
                yield from self._bodies(key)
        except sqlite3.DatabaseError as error:
            if not is_damage(error):
                raise
            self._counted_twice = True
            return False
        self._whole |= wanted
        return True

    def _search(self, key: bytes, statement: str) -> Iterator[Batch]:
        """The rows of one Session."""
        chunked = False
        try:
            cursor = self._connection.execute(statement, (key,))
            while key in self._open and (rows := cursor.fetchmany(BATCH_ROWS)):
                records = [record for (record,) in rows]
                chunked = chunked or pre_ledger.MARKER in records
                yield Batch([key] * len(records), records)
            if chunked:
                yield from self._bodies(key)
        except sqlite3.DatabaseError as error:
            if not is_damage(error):
                raise
            self._open.discard(key)
        self._whole.add(key)

    def _bodies(self, key: bytes) -> Iterator[Batch]:
        for body in self._pre_ledger.bodies(key):
            if body is None:
                self._open.discard(key)
            if key not in self._open:
                return
            yield Batch([key], [body or b""], counted=False)


def _fetched_ahead(batches: Iterator[Batch]) -> Iterator[Batch]:
    """The same batches, fetched by a thread that is at most a few of them ahead."""
    waiting: queue.Queue[Batch | Exception | None] = queue.Queue(QUEUED_BATCHES)
    stopped = threading.Event()

    def fetch() -> None:
        try:
            for batch in batches:
                waiting.put(batch)
                if stopped.is_set():
                    return
        except Exception as error:
            waiting.put(error)
        else:
            waiting.put(None)

    thread = threading.Thread(target=fetch, name="harkback-fetch", daemon=True)
    thread.start()
    try:
        while (batch := waiting.get()) is not None:
            if isinstance(batch, Exception):
                raise batch
            yield batch
    finally:
        stopped.set()
        while thread.is_alive():  # it may wait for room in the queue
            with contextlib.suppress(queue.Empty):
                waiting.get(timeout=0.005)
        thread.join()
