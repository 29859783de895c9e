"""The Sessions of a host store: which there are, who owns their transcript, how they descend.

Invariant: deleted, staging, preparing and placeholder Sessions are not listed; a missing table is
named in a Gap and never passes for an empty one; a lineage has one root whatever the links say.
Proof: tests/sources/test_sqlite_catalog.py.
"""

from __future__ import annotations

import hashlib
import marshal
import sqlite3
from typing import Any, Final, Literal, NamedTuple, TypeAlias

from harkback import decoding
from harkback.decoding import Record
from harkback.model import Gap, Session
from harkback.sources.base import Catalog
from harkback.sources.sqlite import decode
from harkback.sources.sqlite.base import Place, columns_of
from harkback.sources.sqlite.lineage import placed
from harkback.sources.sqlite.schema import (
    KNOWN_RUNTIME_VERSION,
    METADATA_SCHEMA_VERSION,
    NEEDED,
)

Owner: TypeAlias = Literal["ledger", "messages"]
ParentKind: TypeAlias = Literal["subagent", "branch", "revision"]

#: Columns that mirror the payload; newer and older schemas may lack them.
_MIRRORS: Final = (
    "last_message_at",
    "is_archived",
    "backend",
    "parent_session_id",
    "revision_root_session_id",
    "subagent_parent_session_id",
)
_PARENTS: Final[tuple[tuple[ParentKind, str, str], ...]] = (
    ("revision", "revisionParentSessionId", "revision_root_session_id"),
    ("branch", "parentSessionId", "parent_session_id"),
)


class Listing(NamedTuple):
    """A catalog with what reading needs beside it: per Session its stored id and its owner."""

    catalog: Catalog
    sessions: dict[str, Session]
    keys: dict[str, bytes]
    owners: dict[str, Owner]
    missing: tuple[str, ...]
    tables: frozenset[str]


class _Entry(NamedTuple):
    key: bytes
    session: Session
    owner: Owner | None  # None: not listed, but a link in a lineage


def whole_tables(connection: sqlite3.Connection) -> frozenset[str]:
    """The needed tables that are there with the needed columns."""
    return frozenset(
        table
        for table, columns in NEEDED.items()
        if set(columns_of(connection, table)).issuperset(columns)
    )


def read_listing(connection: sqlite3.Connection, tables: frozenset[str], place: Place) -> Listing:
    """Every listed Session, newest activity first, then by id.

    Args:
        place: its notes hold what the headers said, for those that the next listing meets again.
    """
    missing = tuple(table for table in NEEDED if table not in tables)
    gaps: list[Gap] = []
    if missing:
        gaps.append(Gap("source_incomplete", "The store lacks " + ", ".join(missing) + "."))
    if _is_newer(connection):
        message = "The store is of a newer schema than is known; what is understood was read."
        gaps.append(Gap("format_drift", message))
    if "session_metadata" in tables:
        entries, damaged = _from_metadata(connection, tables, place)
    else:
        entries, damaged = _from_records(connection, tables, place.source), 0
    if damaged:
        message = "Session headers do not parse; the columns beside them were read."
        gaps.append(Gap("record_damaged", message, damaged))
    sessions = placed(entry.session for entry in entries)
    pairs = zip(entries, sessions, strict=True)
    listed = [_Entry(entry.key, session, entry.owner) for entry, session in pairs if entry.owner]
    listed.sort(key=lambda entry: (-entry.session.last_activity_at, entry.session.id))
    return Listing(
        Catalog(tuple(entry.session for entry in listed), tuple(gaps)),
        {entry.session.id: entry.session for entry in listed},
        {entry.session.id: entry.key for entry in listed},
        {entry.session.id: entry.owner for entry in listed if entry.owner},
        missing,
        tables,
    )


def _is_newer(connection: sqlite3.Connection) -> bool:
    """Whether a version that the store tells of itself is one that nobody here has seen."""
    (runtime,) = connection.execute("PRAGMA user_version").fetchone()
    newest = None
    if "version" in columns_of(connection, "session_metadata_schema"):
        statement = "SELECT MAX(version) FROM session_metadata_schema"
        (newest,) = connection.execute(statement).fetchone()
    metadata = decode.milliseconds(newest, 0)
    return runtime > KNOWN_RUNTIME_VERSION or metadata > METADATA_SCHEMA_VERSION


def _from_metadata(
    connection: sqlite3.Connection, tables: frozenset[str], place: Place
) -> tuple[list[_Entry], int]:
    there = columns_of(connection, "session_metadata")
    present = [name for name in _MIRRORS if name in there]
    columns = (*NEEDED["session_metadata"], *present)
    deleted: set[bytes] = set()
    if "session_metadata_tombstones" in tables:
        deleted = {
            key
            for (key,) in connection.execute("SELECT session_id FROM session_metadata_tombstones")
        }
    entries, damaged = [], 0
    then: dict[bytes, _Entry] = place.notes.get("headers", {})  # by digest of the row
    told: dict[bytes, _Entry] = {}
    for row in connection.execute(f"SELECT {', '.join(columns)} FROM session_metadata"):
        digest = hashlib.sha256(marshal.dumps((columns, row), 2)).digest()
        entry = then.get(digest)
        if entry is None:
            column = dict(zip(columns, row, strict=True))
            try:
                header = decoding.parse(column["payload_json"])
            except decoding.Damaged:
                key = column["session_id"]
                damaged += key not in deleted
                owner = None if key in deleted else _owner_by_rows(connection, tables, key)
                entries.append(_Entry(key, _session(place.source, {}, column), owner))
                continue
            session = _session(place.source, header, column)
            entry = _Entry(column["session_id"], session, _owner(header, column))
        told[digest] = entry
        entries.append(entry._replace(owner=None) if entry.key in deleted else entry)
    place.notes["headers"] = told
    return entries, damaged


def _owner(header: Record, column: dict[str, Any]) -> Owner | None:
    """Who owns the transcript; None hides the Session."""
    marker = header.get("transcriptLedgerVersion")
    staging = marker == 0 and marker is not None
    preparing = header.get("revisionState") == "preparing"
    placeholder = "fake" in (header.get("backend"), decode.text_of(column.get("backend")))
    if staging or preparing or placeholder:
        return None
    return "messages" if marker is None else "ledger"


def _owner_by_rows(connection: sqlite3.Connection, tables: frozenset[str], key: bytes) -> Owner:
    """For a header that cannot be read: the ledger when it holds anything of the Session."""
    if "runtime_events" not in tables:
        return "messages"
    found = connection.execute(
        "SELECT 1 FROM runtime_events WHERE session_id = CAST(? AS TEXT) LIMIT 1", (key,)
    ).fetchone()
    return "ledger" if found else "messages"


def _session(source: str, header: Record, column: dict[str, Any]) -> Session:
    started = decode.milliseconds(column["created_at"], header.get("createdAt"))
    used = decode.milliseconds(column["last_used_at"], started)
    parent, kind = _parent(header, column)
    archived = header.get("isArchived")
    cwd = header.get("cwd")
    name = decode.text_of(column["session_id"])
    return Session(
        source=source,
        id=name,
        lineage=name,
        title=decode.text_of(column["name"]),
        project=cwd if isinstance(cwd, str) and cwd else None,
        started_at=started,
        last_activity_at=decode.milliseconds(column.get("last_message_at"), used),
        archived=archived if isinstance(archived, bool) else bool(column.get("is_archived")),
        parent=parent,
        parent_kind=kind,
        copied=bool(header.get("conversationCopy")) or kind in ("branch", "revision"),
    )


def _parent(header: Record, column: dict[str, Any]) -> tuple[str | None, ParentKind | None]:
    own = decode.text_of(column["session_id"])
    spawned = header.get("subagentParent")
    named = spawned.get("parentSessionId") if isinstance(spawned, dict) else None
    found = named or decode.text_of(column.get("subagent_parent_session_id"))
    if isinstance(found, str) and found and found != own:
        return found, "subagent"
    for kind, key, mirror in _PARENTS:
        found = header.get(key) or decode.text_of(column.get(mirror))
        if isinstance(found, str) and found and found != own:
            return found, kind
    return None, None


def _from_records(
    connection: sqlite3.Connection, tables: frozenset[str], source: str
) -> list[_Entry]:
    """Without metadata: the ids that the transcript tables hold; the ledger goes first."""
    entries: dict[bytes, _Entry] = {}
    places: tuple[tuple[Owner, str, str], ...] = (
        ("ledger", "runtime_events", "committed_at"),
        ("messages", "session_messages", "message_ts"),
    )
    for owner, table, time in places:
        if table not in tables:
            continue
        statement = f"SELECT session_id, MIN({time}), MAX({time}) FROM {table} GROUP BY session_id"
        for key, first, last in connection.execute(statement):
            name = decode.text_of(key)
            session = Session(
                source,
                name,
                "",
                None,
                decode.milliseconds(first, 0),
                decode.milliseconds(last, 0),
                lineage=name,
            )
            entries.setdefault(key, _Entry(key, session, owner))
    return list(entries.values())
