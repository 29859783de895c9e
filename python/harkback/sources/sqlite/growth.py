"""Whether the tables of a host store were only added to, and of which Sessions the new rows are.

A host adds events, messages and runs, at a rowid above all others, and takes back whole ones; it
never rewrites an event or a message. So equal counts of the rows up to a rowid, and the same row
at it, say that those rows are the same: a row that was removed lowers the count, one that took
its rowid is another, and one that was moved in its Session shifts a total of places.
Invariant: a Session that is not named has the rows it had, as far as rows keep their contents.
Proof: tests/sources/test_sqlite_memory.py.
"""

from __future__ import annotations

import sqlite3
from typing import Final, NamedTuple

from harkback.sources.sqlite.records import Fingerprint

#: What is counted of each: rows, and for those that have one, their place in the Session.
_GROWING: Final = {
    "runtime_events": "COUNT(*)",
    "session_messages": "COUNT(*), TOTAL(sequence * rowid)",
    "core_agent_runs": "COUNT(*)",
}
_LONG: Final = "SELECT session_id, sequence, record_bytes, sha256 FROM session_message_payloads"
_CHUNKS: Final = "SELECT COUNT(*) FROM session_message_chunks"


class Tail(NamedTuple):
    """The end of a table: its highest rowid, what is counted up to it, and that row."""

    rowid: int
    counts: tuple[float, ...]
    row: bytes


class Growth(NamedTuple):
    """A store at one moment.

    Attributes:
        tails: by table, of those that only grow.
        streaming: Sessions with a stream in flight: its rows are rewritten.
        long: of all records that lie in chunks.
    """

    tails: dict[str, Tail]
    streaming: frozenset[bytes]
    long: bytes


def look(connection: sqlite3.Connection, tables: frozenset[str]) -> Growth:
    """The store as it is; ``tables`` are those that are whole."""
    tails: dict[str, Tail] = {}
    for table, counted in _GROWING.items():
        if table in tables:
            (rowid,) = connection.execute(f"SELECT MAX(rowid) FROM {table}").fetchone()
            counts = connection.execute(f"SELECT {counted} FROM {table}").fetchone()
            tails[table] = Tail(rowid or 0, counts, _row(connection, table, rowid or 0))
    streaming: frozenset[bytes] = frozenset()
    if "runtime_partial_snapshots" in tables:
        statement = "SELECT DISTINCT session_id FROM runtime_partial_snapshots"
        streaming = frozenset(key for (key,) in connection.execute(statement))
    long = Fingerprint("long")
    for table, statement in (
        ("session_message_payloads", _LONG),
        ("session_message_chunks", _CHUNKS),
    ):
        if table in tables:
            for row in connection.execute(statement):
                long.feed(row)
    return Growth(tails, streaming, long.digest())


def added(connection: sqlite3.Connection, then: Growth, now: Growth) -> set[bytes] | None:
    """The stored ids of Sessions with rows that are new; None if rows were not only added."""
    if then.tails.keys() != now.tails.keys() or then.long != now.long:
        return None
    keys = set(then.streaming | now.streaming)
    for table, tail in then.tails.items():
        if tail == now.tails[table]:
            continue
        statement = (  # grouped by an index, all of it would be walked
            f"SELECT session_id, {_GROWING[table]} FROM {table} NOT INDEXED "
            "WHERE rowid > ? GROUP BY session_id"
        )
        new = connection.execute(statement, (tail.rowid,)).fetchall()
        counts = [
            sum(column) for column in zip(tail.counts, *(row[1:] for row in new), strict=True)
        ]
        same = tuple(counts) == now.tails[table].counts
        if not same or _row(connection, table, tail.rowid) != tail.row:
            return None
        keys.update(row[0] for row in new)
    return keys


def _row(connection: sqlite3.Connection, table: str, rowid: int) -> bytes:
    """All of one row, as a digest."""
    row = Fingerprint(table)
    for values in connection.execute(f"SELECT * FROM {table} WHERE rowid = ?", (rowid,)):
        row.feed(values)
    return row.digest()
