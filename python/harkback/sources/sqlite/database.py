"""A database as Views need it: connections to it, one for each thread, and what is known of it.

Invariant: a connection serves one View at a time, and none outlives the thread, process or state
that it was made for.
Proof: tests/sources/test_sqlite_source.py, tests/sources/test_sqlite_untouched.py.
"""

from __future__ import annotations

import threading
import weakref

from harkback.sources.sqlite import opening
from harkback.sources.sqlite.base import Place, Schema
from harkback.sources.sqlite.kept import Kept
from harkback.sources.sqlite.memory import Memory
from harkback.sources.sqlite.opening import Connect, Files


class Database:
    """See ``harkback.sources.sqlite.source.SqliteSource`` for the arguments."""

    def __init__(self, place: Place, connect: Connect | None, schema: Schema | None) -> None:
        self.place = place
        self.schema = schema
        self.memory = Memory()
        self.closed = False
        self._connect = connect
        self._local = threading.local()
        self._open: weakref.WeakSet[Kept] = weakref.WeakSet()

    def close(self) -> None:
        """Closes every connection; Views must have ended."""
        self.closed = True
        for kept in list(self._open):
            kept.dispose()

    def acquire(self) -> Kept:
        """This thread's connection, fit for the database as it is now, in a transaction."""
        kept: Kept | None = getattr(self._local, "kept", None)
        if kept is not None:
            if kept.begin():
                return kept
            self.release(kept)
        kept = Kept(self.place.path, self._connect)
        self._open.add(kept)
        self._local.kept = kept
        if kept.live:
            kept.begin()
        return kept

    def release(self, kept: Kept) -> None:
        """Gives up a connection that cannot serve any more."""
        self._local.kept = None
        kept.dispose()

    def look(self) -> Files:
        return opening.look(self.place.path)
