"""Which schemas there are, and which of them a database is of.

Invariant: a database is told by its tables, never by its name. Proof:
tests/unit/sources/sqlite/test_schemas.py.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator

from harkback.errors import SourceError
from harkback.sources.sqlite.base import Schema
from harkback.sources.sqlite.host import HostStore


def known() -> Iterator[Schema]:
    """Every schema, each loaded when it is its turn."""
    yield HostStore()
    from harkback.sources.sqlite.opencode import OpenCode

    yield OpenCode()
    from harkback.sources.sqlite import generic

    yield from generic.ready()


def recognise(connection: sqlite3.Connection) -> Schema:
    """The schema of a database.

    Raises:
        SourceError: ``source_not_a_store`` when its tables are none that is known.
    """
    for schema in known():
        if schema.recognises(connection):
            return schema
    raise SourceError(
        "source_not_a_store", "The database holds no session tables; name another file."
    )
