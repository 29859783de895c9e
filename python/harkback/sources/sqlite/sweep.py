"""A sweep: all records of a table in file order, handed over a window at a time by SQLite itself.

SQLite joins the records of a window in one step, during which the interpreter is free: so two
connections fetch side by side, and no row costs a Python object. Invariant: every record of the
table that can be visible is in the window of exactly one call.
Proof: tests/sources/test_sqlite_narrow.py.
"""

from __future__ import annotations

import sqlite3
import threading
from collections.abc import Callable, Sequence
from typing import Final, NamedTuple, TypeAlias

#: Rows joined at a time: enough that the step outweighs the call, few enough to stay in the cache.
WINDOW_ROWS: Final = 128
JOINT: Final = b"\xff"  # what the engine's scanner takes records apart by


class Window(NamedTuple):
    """Some records of a table, and the Session of each, both joined by JOINT in one order.

    They do not fall apart alike if a record holds JOINT itself, or is NULL and left out.
    """

    keys: bytes
    records: bytes


Take: TypeAlias = Callable[[Window], None]


class Sweep:
    """The statements that sweep one table."""

    def __init__(self, table: str, record: str, visible: str) -> None:
        # Asked for both at once, SQLite would read the table to tell.
        self._bounds = (f"SELECT MIN(rowid) FROM {table}", f"SELECT MAX(rowid) FROM {table}")
        self._window = (
            f"SELECT GROUP_CONCAT(session_id, X'FF'), GROUP_CONCAT({record}, X'FF') "
            f"FROM {table} NOT INDEXED WHERE rowid BETWEEN ? AND ? AND {visible}"
        )

    def is_possible(self, connection: sqlite3.Connection) -> bool:
        """Whether the joint stays the byte it is: not where text is stored as UTF-16."""
        (encoding,) = connection.execute("PRAGMA encoding").fetchone()
        return bool(encoding == b"UTF-8")

    def _span(self, connection: sqlite3.Connection) -> range:
        """Rowids that the table spans."""
        low, high = (connection.execute(bound).fetchone()[0] for bound in self._bounds)
        return range(0) if low is None else range(low, high + 1)

    def run(self, connections: Sequence[sqlite3.Connection], take: Take) -> None:
        """Calls ``take`` for every window that holds records, from as many threads as connections.

        Raises:
            sqlite3.Error: the table could not be read to its end; some of it was taken.
        """
        span = self._span(connections[0])
        starts = iter(range(span.start, span.stop, WINDOW_ROWS))
        turn = threading.Lock()
        failures: list[BaseException] = []

        def work(connection: sqlite3.Connection) -> None:
            try:
                while not failures:
                    with turn:
                        start = next(starts, None)
                    if start is None:
                        return
                    bounds = (start, start + WINDOW_ROWS - 1)
                    keys, records = connection.execute(self._window, bounds).fetchone()
                    if keys is not None:
                        take(Window(keys, records or b""))
            except BaseException as error:
                failures.append(error)

        others = [threading.Thread(target=work, args=(c,), daemon=True) for c in connections[1:]]
        for thread in others:
            thread.start()
        work(connections[0])
        for thread in others:
            thread.join()
        if failures:
            raise failures[0]
