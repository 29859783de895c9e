"""A SQLite database as a Source: connections to it, one for each thread, and Views on them.

What the tables mean is the business of a schema. Invariant: a connection serves one View at a time,
and none outlives the thread, process or state that it was made for.
Proof: tests/sources/test_sqlite_source.py, tests/sources/test_sqlite_untouched.py.
"""

from __future__ import annotations

import contextlib
import os
import threading
import weakref
from collections.abc import Iterator

from harkback.engine import Engine
from harkback.errors import UsageError
from harkback.sources.sqlite import opening
from harkback.sources.sqlite.base import Place, Schema
from harkback.sources.sqlite.kept import Kept
from harkback.sources.sqlite.memory import Memory
from harkback.sources.sqlite.opening import Connect, Files
from harkback.sources.sqlite.view import SqliteView


class SqliteSource:
    """A database with agent history.

    Args:
        path: the database file.
        name: unique among the Sources of one Recall and stable; the file's path when not given.
        connect: makes a connection with the host's own SQLite library, for a host that bundles
            another one; or that may open the store in this process while a search is under way
            (in one process SQLite shares a database's shared memory between connections, and
            the first one decides whether it may be written).
        schema: what its tables mean; told by the tables when not given.
    """

    def __init__(
        self,
        path: str | os.PathLike[str],
        *,
        name: str | None = None,
        connect: Connect | None = None,
        schema: Schema | None = None,
    ) -> None:
        # The place itself, not a link to it: there SQLite keeps the side files.
        self._path = os.path.realpath(path)
        self.name = name or self._path
        self.place = Place(self._path, self.name)
        self.schema = schema
        self.memory = Memory()
        self._connect = connect
        self._local = threading.local()
        self._open: weakref.WeakSet[Kept] = weakref.WeakSet()
        self._closed = False

    @contextlib.contextmanager
    def view(self, engine: Engine) -> Iterator[SqliteView]:
        """One consistent state. Views of one thread do not overlap.

        Raises:
            SourceError: the store as a whole cannot be read.
            UsageError: the Source was closed.
        """
        if self._closed:
            raise UsageError("closed", "This Source was closed.")
        view = SqliteView(self, engine)
        try:
            yield view
        finally:
            view.end()

    def close(self) -> None:
        """Closes every connection; Views must have ended."""
        self._closed = True
        for kept in list(self._open):
            kept.dispose()

    def acquire(self) -> Kept:
        """This thread's connection, fit for the database as it is now, in a transaction."""
        kept: Kept | None = getattr(self._local, "kept", None)
        if kept is not None:
            if kept.begin():
                return kept
            self.release(kept)
        kept = Kept(self._path, self._connect)
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
        return opening.look(self._path)
