"""A SQLite database as a Source, whose Views are of one state each.

What the tables mean is the business of a schema. Invariant: nothing of the database is written.
Proof: tests/sources/test_sqlite_source.py, tests/sources/test_sqlite_untouched.py.
"""

from __future__ import annotations

import contextlib
import os
from collections.abc import Iterator

from harkback.engine import Engine
from harkback.errors import UsageError
from harkback.sources.sqlite.base import Place, Schema
from harkback.sources.sqlite.database import Database
from harkback.sources.sqlite.opening import Connect
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
        place = os.path.realpath(path)
        self.name = name or place
        self.database = Database(Place(place, self.name), connect, schema)

    @contextlib.contextmanager
    def view(self, engine: Engine) -> Iterator[SqliteView]:
        """One consistent state. Views of one thread do not overlap.

        Raises:
            SourceError: the store as a whole cannot be read.
            UsageError: the Source was closed.
        """
        if self.database.closed:
            raise UsageError("closed", "This Source was closed.")
        view = SqliteView(self.database, engine)
        try:
            yield view
        finally:
            view.end()

    def close(self) -> None:
        """Closes every connection; Views must have ended."""
        self.database.close()
