"""A host's ``memory.sqlite`` as a store of facts, opened by the rules for every host database.

Invariant: nothing is written and no file is opened by this process (``sources.sqlite.opening``);
what is given is of one state; a row that cannot be a fact costs itself and is counted.
Proof: tests/unit/facts/test_memory.py.
"""

from __future__ import annotations

import contextlib
import os
import sqlite3
from collections import defaultdict
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final

from harkback import decoding
from harkback.engine import Engine
from harkback.errors import SourceError
from harkback.facts.base import Evidence, Scope, Stored, StoredFact
from harkback.facts.schema import MEMORY_NAME, NEEDED
from harkback.model import Gap, Session
from harkback.sources.base import Catalog
from harkback.sources.sqlite.base import columns_of
from harkback.sources.sqlite.opening import Connect
from harkback.sources.sqlite.source import SqliteSource
from harkback.sources.sqlite.view import SqliteView

_ITEMS: Final = (
    "SELECT item_id, content, kind, scope_type, scope_key, observed_at, updated_at,"
    " lifecycle_state FROM memory_items"
)
_KEYS: Final = "SELECT item_id, key_text FROM memory_item_keys ORDER BY item_id, key_text"
_SOURCES: Final = (
    "SELECT item_id, session_id, turn_id, event_id FROM memory_item_sources"
    " ORDER BY item_id, event_id"
)
_SCOPES: Final[dict[bytes, Scope]] = {b"global": "global", b"workspace": "workspace"}


class MemoryStore:
    """A store of facts in a SQLite database. See ``harkback.facts.base.FactSource``.

    Args:
        path: the database, or the folder that holds a ``memory.sqlite``.
        connect: see ``SqliteSource``.
    """

    folder: str | None = None

    def __init__(self, path: str | os.PathLike[str], *, connect: Connect | None = None) -> None:
        place = Path(path)
        with contextlib.suppress(OSError):  # what may not be looked at is told by a search
            if place.is_dir():
                place = place / MEMORY_NAME
        self._source = SqliteSource(place, connect=connect)
        self.name = self._source.name

    @contextlib.contextmanager
    def view(self, engine: Engine) -> Iterator[MemoryView]:
        view = MemoryView(self._source.database, engine)
        try:
            yield view
        finally:
            view.end()

    def close(self) -> None:
        self._source.close()


@dataclass(frozen=True, slots=True)
class _NoSessions:
    """What a View lists of a database that holds no Sessions."""

    catalog: Catalog = field(default_factory=lambda: Catalog(()))
    sessions: dict[str, Session] = field(default_factory=dict)


class MemoryView(SqliteView):
    """One state of a store of facts."""

    def facts(self) -> Stored:
        return self._steady(lambda: _read(self._kept.connection))

    def _list(self) -> None:
        """Looks whether this is a store of facts; what is listed of one is nothing."""
        connection = self._kept.connection
        lacking = [
            table
            for table, columns in NEEDED.items()
            if not set(columns_of(connection, table)).issuperset(columns)
        ]
        if lacking:
            message = f"The database lacks {', '.join(lacking)}, or columns of it."
            raise SourceError("source_not_a_store", message)
        self._kept.listing = _NoSessions()


def _read(connection: sqlite3.Connection) -> Stored:
    keys: defaultdict[bytes, list[str]] = defaultdict(list)
    damaged = archived = 0
    for item, key in connection.execute(_KEYS):
        if isinstance(item, bytes) and isinstance(key, bytes):
            keys[item].append(decoding.decode(key))
        else:
            damaged += 1
    evidence: defaultdict[bytes, list[Evidence]] = defaultdict(list)
    for item, *names in connection.execute(_SOURCES):
        if isinstance(item, bytes) and all(isinstance(name, bytes) for name in names):
            evidence[item].append(Evidence(*map(decoding.decode, names)))
        else:
            damaged += 1
    facts: list[StoredFact] = []
    for *row, state in connection.execute(_ITEMS):
        if state != b"active":
            archived += 1
            continue
        fact = _fact(*row)
        if fact is None:
            damaged += 1
            continue
        item = row[0]
        facts.append(fact._replace(keys=tuple(keys[item]), evidence=tuple(evidence[item])))
    gaps = []
    if archived:
        gaps.append(Gap("archived_excluded", "Archived facts were not searched.", archived))
    if damaged:
        gaps.append(Gap("record_damaged", "Rows of facts that cannot be read, left out.", damaged))
    return Stored(facts, tuple(gaps))


def _fact(
    item: Any, content: Any, kind: Any, scope: Any, workspace: Any, observed: Any, updated: Any
) -> StoredFact | None:
    """The fact of a row; None if it is none, or does not tell who may see it."""
    reach = _SCOPES.get(scope) if isinstance(scope, bytes) else None
    whole = all(isinstance(value, bytes) for value in (item, content, kind))
    if reach is None or not whole or not (isinstance(observed, int) and isinstance(updated, int)):
        return None
    if isinstance(workspace, bytes) != (reach == "workspace"):
        return None
    text = decoding.decode(content)
    if not text.strip():
        return None
    return StoredFact(
        id=decoding.decode(item),
        document=text,
        start=0,
        end=len(text),
        kind=decoding.decode(kind),
        scope=reach,
        workspace=decoding.decode(workspace) if reach == "workspace" else None,
        observed_at=observed,
        updated_at=updated,
    )
