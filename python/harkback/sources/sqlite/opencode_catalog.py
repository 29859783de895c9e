"""The Sessions of an OpenCode database: which there are, what they are called, how they descend.

A fork has no link to what it was made from: it is told by the mark in its title and by the time of
its first message, which it keeps. Invariant: an older or newer schema that has the needed columns
is read; of the others each may be missing. Proof: tests/sources/test_opencode_catalog.py.
"""

from __future__ import annotations

import re
import sqlite3
from dataclasses import dataclass, replace
from typing import Any, Final

from harkback.decoding import Damaged, parse
from harkback.model import Gap, Session
from harkback.sources.base import Catalog
from harkback.sources.opencode.messages import Revert, own_title, revert_of
from harkback.sources.opencode.spills import Spills
from harkback.sources.sqlite.base import columns_of
from harkback.sources.sqlite.decode import milliseconds, text_of
from harkback.sources.sqlite.lineage import placed

NEEDED: Final[dict[str, tuple[str, ...]]] = {
    "session": ("id",),
    "message": ("id", "session_id", "time_created", "data"),
    "part": ("id", "message_id", "session_id", "time_created", "data"),
}
#: Of table session; each may be missing.
_OPTIONAL: Final = (
    "project_id",
    "parent_id",
    "directory",
    "title",
    "revert",
    "time_created",
    "time_updated",
    "time_archived",
)
_FORK = re.compile(r".* \(fork #\d+\)", re.DOTALL)


@dataclass(frozen=True, slots=True)
class Listing:
    """A catalog with what reading needs beside it.

    Attributes:
        keys: stored ids.
        reverts: what was undone, of Sessions with such a mark.
        origins: of forks, what they were made from.
        columns: what the tables ``message`` and ``part`` have.
        spills: the files beside the database.
    """

    catalog: Catalog
    sessions: dict[str, Session]
    keys: dict[str, bytes]
    reverts: dict[str, Revert]
    origins: dict[str, str]
    missing: tuple[str, ...]
    columns: dict[str, frozenset[str]]
    spills: Spills


def read_listing(connection: sqlite3.Connection, source: str, spills: Spills) -> Listing:
    """Every Session, newest activity first, then by id."""
    columns = {table: frozenset(columns_of(connection, table)) for table in NEEDED}
    missing = tuple(t for t, needed in NEEDED.items() if not columns[t].issuperset(needed))
    gaps = []
    if missing:
        gaps.append(Gap("source_incomplete", "The store lacks " + ", ".join(missing) + "."))
    rows = [] if "session" in missing else list(_rows(connection, columns["session"]))
    projects = _projects(connection)
    found = [_session(source, row, projects) for row in rows]
    if "message" not in missing:
        found = _with_forks(connection, found)
    sessions = placed(found)
    keys = {session.id: row["id"] for session, row in zip(sessions, rows, strict=True)}
    reverts = {
        session.id: mark
        for session, row in zip(sessions, rows, strict=True)
        if (mark := _revert(row.get("revert"))) is not None
    }
    origins = {s.id: s.parent for s in sessions if s.parent and s.parent_kind == "branch"}
    sessions.sort(key=lambda session: (-session.last_activity_at, session.id))
    catalog = Catalog(tuple(sessions), tuple(gaps))
    named = {session.id: session for session in sessions}
    return Listing(catalog, named, keys, reverts, origins, missing, columns, spills)


def _rows(connection: sqlite3.Connection, columns: frozenset[str]) -> list[dict[str, Any]]:
    names = ("id", *(name for name in _OPTIONAL if name in columns))
    statement = f"SELECT {', '.join(names)} FROM session"
    rows = (dict(zip(names, row, strict=True)) for row in connection.execute(statement))
    return [row for row in rows if isinstance(row["id"], bytes)]


def _projects(connection: sqlite3.Connection) -> dict[Any, str]:
    if not {"id", "worktree"} <= set(columns_of(connection, "project")):
        return {}
    return {
        key: text_of(tree) for key, tree in connection.execute("SELECT id, worktree FROM project")
    }


def _session(source: str, row: dict[str, Any], projects: dict[Any, str]) -> Session:
    name = text_of(row["id"])
    parent = text_of(row.get("parent_id"))
    started = milliseconds(row.get("time_created"), 0)
    directory = text_of(row.get("directory")) or projects.get(row.get("project_id"), "")
    spawned = bool(parent) and parent != name
    return Session(
        source=source,
        id=name,
        lineage=name,
        title=own_title(text_of(row.get("title"))),
        project=directory or None,
        started_at=started,
        last_activity_at=milliseconds(row.get("time_updated"), started),
        archived=row.get("time_archived") is not None,
        parent=parent if spawned else None,
        parent_kind="subagent" if spawned else None,
    )


def _revert(raw: object) -> Revert | None:
    try:
        return revert_of(parse(raw)) if raw is not None else None
    except Damaged:
        return None


def _with_forks(connection: sqlite3.Connection, sessions: list[Session]) -> list[Session]:
    """Forks with the Session that they were made from: the first of their project to begin so."""
    if not any(_is_fork(session) for session in sessions):
        return sessions
    statement = "SELECT session_id, MIN(time_created) FROM message GROUP BY session_id"
    begins = {text_of(key): begin for key, begin in connection.execute(statement)}
    first: dict[tuple[object, str | None], Session] = {}
    for session in sorted(sessions, key=lambda s: (s.started_at, s.id)):
        if session.id in begins:
            first.setdefault((begins[session.id], session.project), session)
    done = []
    for session in sessions:
        origin = first.get((begins.get(session.id), session.project))
        if _is_fork(session) and origin is not None and origin.id != session.id:
            session = replace(session, parent=origin.id, parent_kind="branch", copied=True)
        done.append(session)
    return done


def _is_fork(session: Session) -> bool:
    return session.parent is None and _FORK.fullmatch(session.title) is not None
