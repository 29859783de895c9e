"""The Sessions of a database that a mapping names, and what its columns say of them.

Invariant: a Session is listed if a row of either table names it and no condition hides it.
Proof: tests/sources/test_generic.py.
"""

from __future__ import annotations

import math
import sqlite3
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any, Final, TypeAlias

from harkback.decoding import decode
from harkback.model import Session
from harkback.sources.base import Catalog
from harkback.sources.sqlite.base import columns_of
from harkback.sources.sqlite.decode import milliseconds
from harkback.sources.sqlite.lineage import placed
from harkback.sources.sqlite.mapping import (
    Conditions,
    Messages,
    Sessions,
    Table,
    Unit,
    holds_all,
    holds_any,
)
from harkback.sources.sqlite.select import Row

Key: TypeAlias = "bytes | int"  # a stored id: text, as it is fetched, or a number

_PER_SECOND: Final = {"s": 1, "ms": 1_000, "us": 1_000_000}


@dataclass(frozen=True, slots=True)
class Listing:
    """A catalog with what reading needs beside it."""

    catalog: Catalog
    sessions: dict[str, Session]
    keys: dict[str, Key]
    counts: dict[str, int]
    columns: frozenset[str]  # of the table of messages


def quoted(name: str) -> str:
    """An identifier. It must exist: SQLite takes an unknown one in quotes for a string."""
    return '"' + name.replace('"', '""') + '"'


def placeholder(key: Key) -> str:
    """For a stored id, which is fetched as bytes where it is text."""
    return "?" if isinstance(key, int) else "CAST(? AS TEXT)"


def time_of(value: object, unit: Unit) -> int:
    """A time of a row in milliseconds; 0 for what is none. Text without a zone is UTC."""
    if unit == "text":
        try:
            moment = datetime.fromisoformat(value) if isinstance(value, str) else None
        except ValueError:
            moment = None
        if moment is None:
            return 0
        moment = moment if moment.tzinfo else moment.replace(tzinfo=UTC)
        return round(moment.timestamp() * 1000)
    if isinstance(value, bool) or not isinstance(value, int | float) or not math.isfinite(value):
        return 0
    try:
        return milliseconds(value * 1000 / _PER_SECOND[unit], 0)
    except OverflowError:
        return 0


def are_there(connection: sqlite3.Connection, table: Table) -> bool:
    """Whether the tables have every column that the mapping names and does not call optional."""
    pairs = [(table.messages.table, columns(table.messages))]
    if table.sessions:
        pairs.append((table.sessions.table, session_columns(table.sessions)))
    for name, needed in pairs:
        there = columns_of(connection, name)
        if not there or not set(needed) - table.optional <= set(there):
            return False
    return True


def columns(messages: Messages) -> list[str]:
    """Every column of the table of messages that a mapping names."""
    found: list[str | None] = [messages.session, messages.id, *messages.order, messages.time]
    groups = [messages.when, messages.unless, messages.abandoned, messages.sealed]
    for shown in messages.shown:
        groups += [shown.when, shown.unless, shown.unless_starts]
        refs = (shown.each, shown.tool, *shown.text, *shown.arguments, *shown.files)
        found += [ref.column for ref in refs if ref is not None]
    return list(dict.fromkeys(name for name in (*found, *_named(groups)) if name))


def session_columns(sessions: Sessions) -> list[str]:
    """Every column of the table of Sessions that a mapping names."""
    found = [sessions.id, sessions.title, sessions.project, sessions.started, sessions.active]
    found += [sessions.archived, *(ref.column for ref, _ in sessions.parents)]
    named = _named([sessions.when, sessions.unless])
    return list(dict.fromkeys(name for name in (*found, *named) if name))


def _named(groups: list[Conditions]) -> Iterator[str]:
    for group in groups:
        for ref, _ in group:
            if ref.column:
                yield ref.column


def read_listing(connection: sqlite3.Connection, table: Table, source: str) -> Listing:
    """Every Session, newest activity first, then by id."""
    spans = _spans(connection, table.messages)
    found: dict[Key, Session] = {}
    if table.sessions:
        hidden = set[Key]()
        for key, row in _session_rows(connection, table.sessions):
            if holds_all(table.sessions.when, row) and not holds_any(table.sessions.unless, row):
                found[key] = _session(source, key, row, table.sessions, spans.get(key))
            else:
                hidden.add(key)
        spans_left = {k: v for k, v in spans.items() if k not in found and k not in hidden}
    else:
        spans_left = spans
    for key, (_, first, last) in spans_left.items():
        name = _name(key)
        found[key] = Session(source, name, "", None, first, last, lineage=name)
    sessions = placed(found.values())
    keys = {session.id: key for session, key in zip(sessions, found, strict=True)}
    counts = {name: spans[key][0] if key in spans else 0 for name, key in keys.items()}
    sessions.sort(key=lambda session: (-session.last_activity_at, session.id))
    return Listing(
        Catalog(tuple(sessions)),
        {session.id: session for session in sessions},
        keys,
        counts,
        frozenset(columns_of(connection, table.messages.table)),
    )


def _spans(connection: sqlite3.Connection, messages: Messages) -> dict[Key, tuple[int, int, int]]:
    """Per Session how many rows it has, and the times of the first and the last."""
    session, time = quoted(messages.session), quoted(messages.time) if messages.time else "NULL"
    statement = (
        f"SELECT {session}, COUNT(*), MIN({time}), MAX({time}) "
        f"FROM {quoted(messages.table)} GROUP BY {session}"
    )
    found: dict[Key, tuple[int, int, int]] = {}
    for key, count, first, last in connection.execute(statement):
        if isinstance(key, bytes | int):
            ends = [time_of(_plain(value), messages.unit) for value in (first, last)]
            found[key] = (count, ends[0], ends[1])
    return found


def _session_rows(connection: sqlite3.Connection, sessions: Sessions) -> Iterator[tuple[Key, Row]]:
    there = columns_of(connection, sessions.table)
    names = [name for name in session_columns(sessions) if name in there]
    listed = ", ".join(quoted(name) for name in names)
    for values in connection.execute(f"SELECT {listed} FROM {quoted(sessions.table)}"):
        if isinstance(values[0], bytes | int):
            yield values[0], Row(dict(zip(names, values, strict=True)))


def _session(
    source: str, key: Key, row: Row, sessions: Sessions, span: tuple[int, int, int] | None
) -> Session:
    name = _name(key)
    _, first, last = span or (0, 0, 0)
    started = _time(row, sessions.started, sessions.unit) or first
    parent, kind = None, None
    for ref, called in sessions.parents:
        value = ref.first(row)
        if (
            isinstance(value, str | int)
            and not isinstance(value, bool)
            and str(value) not in ("", name)
        ):
            parent, kind = str(value), called
            break
    return Session(
        source=source,
        id=name,
        lineage=name,
        title=_text(row, sessions.title),
        project=_text(row, sessions.project) or None,
        started_at=started,
        last_activity_at=max(_time(row, sessions.active, sessions.unit), last) or started,
        archived=sessions.archived is not None and bool(row.plain(sessions.archived)),
        parent=parent,
        parent_kind=kind,
        copied=kind == "branch",
    )


def _time(row: Row, column: str | None, unit: Unit) -> int:
    return time_of(row.plain(column), unit) if column else 0


def _text(row: Row, column: str | None) -> str:
    value = row.plain(column) if column else None
    return value if isinstance(value, str) else ""


def _name(key: Key) -> str:
    return str(_plain(key))


def _plain(value: Any) -> Any:
    return decode(value) if isinstance(value, bytes) else value
