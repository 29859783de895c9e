"""A sweep: all records of a table in file order, joined a window at a time by SQLite itself.

During the step that joins a window the interpreter is free, and no row costs a Python object: so
connections of one state can sweep side by side. A window with the rows of several Sessions is
grouped by them. Invariant: every record of the table that can be visible is taken exactly once.
Proof: tests/sources/test_sqlite_narrow.py.
"""

from __future__ import annotations

import sqlite3
import threading
from collections.abc import Callable, Sequence
from typing import Final, TypeAlias

#: Rows joined at a time: enough that the step outweighs the call, few enough to stay in the cache.
WINDOW_ROWS: Final = 256

#: A Session, how many records it has in the window, and these, joined by 0xFF, which is what the
#: engine's scanner takes records apart by. A NULL is left out: it holds nothing.
Take: TypeAlias = Callable[[bytes, int, bytes], None]


class Sweep:
    """The statements that sweep one table."""

    def __init__(self, table: str, record: str, visible: str) -> None:
        # Asked for both at once, SQLite would read the table to tell.
        self._bounds = (f"SELECT MIN(rowid) FROM {table}", f"SELECT MAX(rowid) FROM {table}")
        part = f"FROM {table} NOT INDEXED WHERE rowid BETWEEN ? AND ? AND {visible}"
        joined = f"COUNT(*), GROUP_CONCAT({record}, X'FF')"
        self._whole = f"SELECT MIN(session_id), MAX(session_id), {joined} {part}"
        self._grouped = f"SELECT session_id, {joined} {part} GROUP BY session_id"

    def is_possible(self, connection: sqlite3.Connection) -> bool:
        """Whether the joint stays the byte it is: not where text is stored as UTF-16."""
        (encoding,) = connection.execute("PRAGMA encoding").fetchone()
        return bool(encoding == b"UTF-8")

    def run(self, connections: Sequence[sqlite3.Connection], sessions: int, take: Take) -> None:
        """Calls ``take`` for the Sessions of every window, from a thread for each connection.

        Args:
            sessions: about how many the table has, for a first guess at how windows are filled.

        Raises:
            sqlite3.Error: the table could not be read to its end; some of it was taken.
        """
        low, high = (connections[0].execute(bound).fetchone()[0] for bound in self._bounds)
        starts = iter(range(low, high + 1, WINDOW_ROWS) if low is not None else ())
        small = low is not None and high - low < sessions * WINDOW_ROWS
        turn = threading.Lock()
        failures: list[BaseException] = []

        def work(connection: sqlite3.Connection) -> None:
            mixed = small
            try:
                while not failures:
                    with turn:
                        start = next(starts, None)
                    if start is None:
                        return
                    mixed = self._window(connection, start, mixed, take)
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

    def _window(self, connection: sqlite3.Connection, start: int, mixed: bool, take: Take) -> bool:
        """Takes one window; ``mixed`` is the guess, and the answer: it has several Sessions."""
        bounds = (start, start + WINDOW_ROWS - 1)
        if not mixed:
            low, high, count, joined = connection.execute(self._whole, bounds).fetchone()
            if low == high:
                if count:
                    take(low, count, joined or b"")
                return False
        groups = connection.execute(self._grouped, bounds).fetchall()
        for key, count, joined in groups:
            take(key, count, joined or b"")
        return len(groups) > 1
