"""The raw scan over a host store: which Sessions may hold a term, before anything is decoded.

Rows are fetched by one short-lived thread while the engine scans the batch before; both leave the
interpreter free. Invariant: only a Session whose every record was scanned to its end is ruled
out; one with a stream in flight, a torn chunk set, a payload that is no text, or pages that
cannot be read, is offered. Proof: tests/sources/test_sqlite_narrow.py.
"""

from __future__ import annotations

import contextlib
import queue
import sqlite3
import threading
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Final, Literal, TypeAlias

from harkback.engine import Scanner
from harkback.sources.sqlite import ledger, pre_ledger
from harkback.sources.sqlite.catalog import Listing
from harkback.sources.sqlite.ledger import Ledger
from harkback.sources.sqlite.opening import is_damage
from harkback.sources.sqlite.pre_ledger import PreLedger
from harkback.sources.sqlite.records import BATCH_ROWS

QUEUED_BATCHES: Final = 4

#: Rows of a Session; or that all of them were given; or that it must be offered unseen.
Step: TypeAlias = tuple[str, "Sequence[bytes] | Literal['whole', 'offer']"]


@dataclass(frozen=True, slots=True)
class Narrowed:
    """Sessions offered, and for those fetched to the end how many records they have."""

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
        self._offered: set[str] = set()

    def run(self, scanner: Scanner, sessions: Sequence[str], overlapped: bool) -> Narrowed:
        """``overlapped``: the connection may be used by another thread than this one."""
        counts: dict[str, int] = {}
        complete: set[str] = set()
        steps = self._steps(sessions)
        for session, rows in _fetched_ahead(steps) if overlapped else steps:
            if rows == "whole":
                complete.add(session)
            elif isinstance(rows, str):
                self._offered.add(session)
            elif session not in self._offered:
                if not isinstance(rows, _Body):
                    counts[session] = counts.get(session, 0) + len(rows)
                if _may_match(scanner, rows):
                    self._offered.add(session)
        seen = {name: counts.get(name, 0) for name in complete - self._offered}
        return Narrowed(frozenset(self._offered), seen)

    def _steps(self, sessions: Sequence[str]) -> Iterator[Step]:
        streaming = self._ledger.streaming()
        for session in sessions:
            for step in self._session(session, streaming):
                yield step
                if session in self._offered:
                    break

    def _session(self, session: str, streaming: set[bytes]) -> Iterator[Step]:
        key = self._listing.keys.get(session)
        if key is None:
            return
        if key in streaming:
            yield session, "offer"
            return
        try:
            if self._listing.owners[session] == "ledger":
                yield from self._batches(session, ledger.SCAN, key)
            else:
                yield from self._messages(session, key)
        except sqlite3.DatabaseError as error:
            if not is_damage(error):
                raise
            yield session, "offer"
        else:
            yield session, "whole"

    def _batches(self, session: str, statement: str, key: bytes) -> Iterator[Step]:
        cursor = self._connection.execute(statement, (key,))
        while rows := cursor.fetchmany(BATCH_ROWS):
            yield session, [row for (row,) in rows]

    def _messages(self, session: str, key: bytes) -> Iterator[Step]:
        chunked = False
        for name, rows in self._batches(session, pre_ledger.SCAN, key):
            chunked = chunked or (isinstance(rows, list) and pre_ledger.MARKER in rows)
            yield name, rows
        if not chunked:
            return
        for body in self._pre_ledger.bodies(key):
            yield session, "offer" if body is None else _Body([body])


class _Body(list[bytes]):
    """A joined record: scanned, but counted with the row that stands for it."""


def _fetched_ahead(steps: Iterator[Step]) -> Iterator[Step]:
    """The same steps, fetched by a thread that is at most a few batches ahead."""
    waiting: queue.Queue[Step | Exception | None] = queue.Queue(QUEUED_BATCHES)
    stopped = threading.Event()

    def fetch() -> None:
        try:
            for step in steps:
                waiting.put(step)
                if stopped.is_set():
                    return
        except Exception as error:
            waiting.put(error)
        else:
            waiting.put(None)

    thread = threading.Thread(target=fetch, name="harkback-fetch", daemon=True)
    thread.start()
    try:
        while (step := waiting.get()) is not None:
            if isinstance(step, Exception):
                raise step
            yield step
    finally:
        stopped.set()
        while thread.is_alive():  # it may wait for room in the queue
            with contextlib.suppress(queue.Empty):
                waiting.get(timeout=0.005)
        thread.join()


def _may_match(scanner: Scanner, rows: Sequence[bytes]) -> bool:
    try:
        return scanner.first(rows) is not None
    except TypeError:
        return True  # a payload that is no text
