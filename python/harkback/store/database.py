"""Databases of Harkback's own making, and the first of them: a host store, in ledger form.

For hosts in Python, and for stores to try things on. Invariant: what is written to is a database
that carries its own ``application_id``, each call is one transaction with the durability of the
host's own (WAL, ``synchronous=FULL``), and the reader reads back what was written.
Proof: tests/unit/test_store.py, tests/unit/facts/test_store.py.
"""

from __future__ import annotations

import contextlib
import os
import sqlite3
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any, ClassVar, Final, Self

import orjson

from harkback.errors import StoreError
from harkback.sources.sqlite import opening
from harkback.sources.sqlite.schema import (
    METADATA_SCHEMA_VERSION,
    RUNTIME_SCHEMA_VERSION,
    SCHEMA,
)
from harkback.store.turns import SessionWriter, new_id, now, storable, to_json

BUSY_SECONDS: Final = 5.0


class OwnDatabase:
    """A database that Harkback made. Use it from the thread that opened it."""

    APPLICATION_ID: ClassVar[int]

    def __init__(self, connection: sqlite3.Connection) -> None:
        self._connection = connection

    @classmethod
    def make(cls, path: str | os.PathLike[str], statements: Iterable[str]) -> sqlite3.Connection:
        """A connection to a new database that only its owner may read, with these tables.

        Raises:
            StoreError: ``store_exists``, or the folder cannot be written.
        """
        try:
            # The file is new, so no connection of this process can hold a lock on it.
            os.close(os.open(path, os.O_CREAT | os.O_EXCL | os.O_RDWR, 0o600))
        except FileExistsError:
            raise StoreError("store_exists", "There is a file already; open it instead.") from None
        except OSError:
            raise StoreError("store_invalid", "The store cannot be created here.") from None
        connection = _connect(path)
        with _transaction(connection):
            for statement in statements:
                connection.execute(statement)
            connection.execute(f"PRAGMA application_id={cls.APPLICATION_ID}")
        return connection

    @classmethod
    def reopen(cls, path: str | os.PathLike[str]) -> sqlite3.Connection:
        """A connection to a database that ``make`` made.

        Raises:
            StoreError: ``store_foreign`` for a database of somebody else, which is not touched.
            SourceError: there is no database, or it cannot be read.
        """
        place = str(Path(path).absolute())
        connection, _ = opening.connect(place, opening.look(place), None)
        with contextlib.closing(connection):
            found = connection.execute("PRAGMA application_id").fetchone()[0]
        if found != cls.APPLICATION_ID:
            raise StoreError("store_foreign", "Harkback did not create this database.")
        return _connect(path)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        self._connection.close()

    @contextlib.contextmanager
    def transaction(self) -> Iterator[sqlite3.Connection]:
        """A write transaction, or the one that is open: the outermost commits or undoes all."""
        if self._connection.in_transaction:
            yield self._connection
            return
        with _transaction(self._connection):
            yield self._connection


class Store(OwnDatabase):
    """An open store. Use it from the thread that opened it; a context manager closes it."""

    APPLICATION_ID: ClassVar[int] = 0x48726B62  # "Hrkb"

    @classmethod
    def create(cls, path: str | os.PathLike[str]) -> Store:
        """A new, empty store that only its owner may read.

        Raises:
            StoreError: ``store_exists``, or the folder cannot be written.
        """
        return cls(
            cls.make(
                path,
                (
                    *SCHEMA.split(";"),
                    "INSERT INTO session_metadata_schema VALUES"
                    f" ('session_metadata', {METADATA_SCHEMA_VERSION})",
                    f"PRAGMA user_version={RUNTIME_SCHEMA_VERSION}",
                ),
            )
        )

    @classmethod
    def open(cls, path: str | os.PathLike[str]) -> Store:
        """A store that ``create`` made.

        Raises:
            StoreError: ``store_foreign`` for a database of somebody else, which is not touched.
            SourceError: there is no database, or it cannot be read.
        """
        return cls(cls.reopen(path))

    @contextlib.contextmanager
    def batch(self) -> Iterator[None]:
        """Everything inside is one transaction, undone when it raises."""
        with self.transaction():
            yield

    def session(
        self,
        title: str,
        project: str | None = None,
        id: str | None = None,
        parent: str | None = None,
        archived: bool = False,
        started_at: int | None = None,
    ) -> SessionWriter:
        """A Session to write to. An id that is there already continues that Session as it is.

        Args:
            project: the working folder.
            parent: id of the Session that spawned this one.
            started_at: milliseconds since the epoch; now when not given.
        """
        session = id or new_id()
        row = self._connection.execute(
            "SELECT payload_json FROM session_metadata WHERE session_id = ?", (session,)
        ).fetchone()
        if row is not None:
            return SessionWriter(self, session, orjson.loads(row[0]))
        at = now() if started_at is None else started_at
        header: dict[str, Any] = {
            "id": session,
            "cwd": project or "",
            "createdAt": at,
            "lastUsedAt": at,
            "name": title,
            "titleIsManual": True,
            "isFlagged": False,
            "labels": [],
            "isArchived": archived,
            "hasUnread": False,
            "backend": "harkback",
            "llmConnectionSlug": "",
            "model": "",
            "schemaVersion": 1,
            "transcriptLedgerVersion": 1,
        }
        if parent is not None:
            header["subagentParent"] = {"kind": "subagent", "parentSessionId": parent}
        payload = to_json(header)
        with self.transaction() as connection:
            connection.execute(
                "INSERT INTO session_metadata (session_id, payload_json, created_at, last_used_at,"
                " name, is_flagged, is_archived, has_unread, backend, llm_connection_slug, model,"
                " metadata_version, committed_at, subagent_parent_session_id)"
                " VALUES (?, ?, ?, ?, ?, 0, ?, 0, 'harkback', '', '', 1, ?, ?)",
                (session, payload, at, at, storable(title), int(archived), at, parent),
            )
        return SessionWriter(self, session, header)


@contextlib.contextmanager
def _transaction(connection: sqlite3.Connection) -> Iterator[None]:
    connection.execute("BEGIN IMMEDIATE")
    try:
        yield
    except BaseException:
        connection.execute("ROLLBACK")
        raise
    connection.execute("COMMIT")


def _connect(path: str | os.PathLike[str]) -> sqlite3.Connection:
    connection = sqlite3.connect(path, timeout=BUSY_SECONDS, isolation_level=None)
    connection.execute("PRAGMA journal_mode=WAL").fetchone()
    connection.execute("PRAGMA synchronous=FULL")
    connection.execute("PRAGMA foreign_keys=ON")
    return connection
