"""The writer of facts, for hosts that keep none: creates a ``memory.sqlite`` and changes it.

Every change is one transaction with a row that says what was asked, so a change that is asked for
twice under one operation id happens once. Invariant: content is redacted before it is hashed or
written, so neither a secret nor a digest of one reaches the disk; what is written can be read back
by the reader of a host's own store; nothing is written to a database of somebody else.
Proof: tests/unit/facts/test_store.py.
"""

from __future__ import annotations

import contextlib
import hashlib
import json
import os
import sqlite3
from collections.abc import Callable, Iterable, Iterator
from typing import Any, ClassVar, Final, Literal, TypeAlias, get_args

from harkback import decoding
from harkback.config import REDACTED_MARK
from harkback.engine import EngineName, load
from harkback.errors import StoreError
from harkback.facts.base import Evidence
from harkback.facts.keys import normal
from harkback.facts.schema import (
    MAX_CONTENT_CODE_POINTS,
    MAX_IDENTIFIER_CODE_POINTS,
    MAX_KEY_CODE_POINTS,
    MAX_KEYS,
    MAX_SOURCES,
    MEMORY_SCHEMA_VERSION,
    SCHEMA,
    FactKind,
    Origin,
)
from harkback.redaction import DEFAULT, Policy
from harkback.sources.sqlite import opening
from harkback.store.database import OwnDatabase
from harkback.store.turns import new_id, now

_Operation: TypeAlias = Literal["create", "update", "archive", "restore"]
_State: TypeAlias = Literal["active", "archived"]
_Keys: TypeAlias = dict[str, str]  # normal form -> as it was given

_FIND: Final = "SELECT lifecycle_state, origin FROM memory_items WHERE item_id = ?"
_EQUAL: Final = (
    "SELECT item_id FROM memory_items WHERE scope_type = ? AND scope_key IS ? AND content_hash = ?"
)


class FactStore(OwnDatabase):
    """An open store of facts. Use it from the thread that opened it; ``with`` closes it."""

    APPLICATION_ID: ClassVar[int] = 0x48726B66  # "Hrkf"

    def __init__(
        self, connection: sqlite3.Connection, policy: Policy | None, engine: EngineName | None
    ) -> None:
        super().__init__(connection)
        self._engine = load(engine)
        self._redaction = (policy or DEFAULT).bind(self._engine)

    @classmethod
    def create(
        cls,
        path: str | os.PathLike[str],
        *,
        policy: Policy | None = None,
        engine: EngineName | None = None,
    ) -> FactStore:
        """A new, empty store that only its owner may read.

        Args:
            policy: what is taken out of a fact before it is written; the default one if None.

        Raises:
            StoreError: ``store_exists``, or the folder cannot be written.
        """
        version = f"PRAGMA user_version={MEMORY_SCHEMA_VERSION}"
        return cls(cls.make(path, (*SCHEMA.split(";"), version)), policy, engine)

    @classmethod
    def open(
        cls,
        path: str | os.PathLike[str],
        *,
        policy: Policy | None = None,
        engine: EngineName | None = None,
    ) -> FactStore:
        """A store that ``create`` made.

        Raises:
            StoreError: ``store_foreign`` for a database of somebody else, which is not touched.
            SourceError: there is no database, or it cannot be read.
        """
        return cls(cls.reopen(path), policy, engine)

    def remember(
        self,
        content: str,
        *,
        kind: FactKind,
        keys: Iterable[str] = (),
        workspace: str | None = None,
        sources: Iterable[Evidence] = (),
        observed_at: int | None = None,
        origin: Origin = "agent_extracted",
        operation: str | None = None,
    ) -> str:
        """Keeps a fact; gives its id.

        What is kept already in this scope, word for word, is not kept twice: it gets these keys and
        sources too, the later time, and is active again.

        Args:
            content: at most 2,000 code points once it is redacted.
            keys: at most 32 short names to find it by; what is secret in one is left out.
            workspace: whose fact it is, and nobody else's; None: of all.
            sources: at most 256 Messages that it was taken from.
            observed_at: milliseconds since the epoch; now when not given.
            operation: a name for this change; asked for again under it, it does not happen again.

        Raises:
            StoreError: ``fact_invalid``; ``operation_conflict``: the name stands for another one.
            SourceError: the database is locked or damaged.
        """
        text = self._content(content)
        _one_of("kind", kind, FactKind)
        _one_of("origin", origin, Origin)
        named = self._keys(keys)
        taken = self._evidence(sources)
        if workspace is not None:
            self._identifier("workspace", workspace)
        moment = _moment(observed_at)
        request = ["remember", text, kind, sorted(named), workspace, taken, observed_at, origin]
        digest = hashlib.sha256(text.encode()).hexdigest()
        scope = "global" if workspace is None else "workspace"

        def write(connection: sqlite3.Connection) -> str:
            row = connection.execute(_EQUAL, (scope, workspace, digest)).fetchone()
            at = max(now(), moment)
            if row is not None:
                item = str(row[0])
                connection.execute(
                    "UPDATE memory_items SET version = version + 1, lifecycle_state = 'active',"
                    " observed_at = max(observed_at, ?), updated_at = max(updated_at, ?)"
                    " WHERE item_id = ?",
                    (moment, at, item),
                )
            else:
                item = new_id()
                connection.execute(
                    "INSERT INTO memory_items (item_id, version, content, kind, statement_type,"
                    " temporal_type, scope_type, scope_key, observed_at, lifecycle_state, origin,"
                    " content_hash, created_at, updated_at)"
                    " VALUES (?, 1, ?, ?, 'fact', 'undated', ?, ?, ?, 'active', ?, ?, ?, ?)",
                    (item, text, kind, scope, workspace, moment, origin, digest, at, at),
                )
            _add(connection, item, named, taken, origin)
            return item

        return self._once("create", operation, request, write)

    def update(
        self,
        id: str,
        *,
        content: str | None = None,
        kind: FactKind | None = None,
        keys: Iterable[str] | None = None,
        sources: Iterable[Evidence] = (),
        observed_at: int | None = None,
        operation: str | None = None,
    ) -> None:
        """Changes a fact; what is not given stays. Arguments and errors as for ``remember``.

        Args:
            keys: instead of those it has.
            sources: beside those it has.

        Raises:
            StoreError: ``fact_unknown`` too; ``fact_invalid``: another fact says the same.
        """
        text = None if content is None else self._content(content)
        if kind is not None:
            _one_of("kind", kind, FactKind)
        named = None if keys is None else self._keys(keys)
        taken = self._evidence(sources)
        moment = None if observed_at is None else _moment(observed_at)
        listed = None if named is None else sorted(named)
        request = ["update", id, text, kind, listed, taken, observed_at]

        def write(connection: sqlite3.Connection) -> str:
            _, origin = _find(connection, id)
            digest = None if text is None else hashlib.sha256(text.encode()).hexdigest()
            if text is not None and _is_said(connection, id, digest):
                raise _invalid("Another fact of this scope says the same.")
            at = max(now(), moment or 0)
            connection.execute(
                "UPDATE memory_items SET version = version + 1, content = coalesce(?, content),"
                " content_hash = coalesce(?, content_hash), kind = coalesce(?, kind),"
                " observed_at = coalesce(?, observed_at), updated_at = max(updated_at, ?)"
                " WHERE item_id = ?",
                (text, digest, kind, moment, at, id),
            )
            if named is not None:
                connection.execute("DELETE FROM memory_item_keys WHERE item_id = ?", (id,))
            _add(connection, id, named or {}, taken, origin)
            return id

        self._once("update", operation, request, write)

    def archive(self, id: str, *, operation: str | None = None) -> None:
        """Takes a fact out of every answer; it stays in the store. Errors as for ``update``."""
        self._turn("archive", id, "archived", operation)

    def restore(self, id: str, *, operation: str | None = None) -> None:
        """Brings an archived fact back. Errors as for ``update``."""
        self._turn("restore", id, "active", operation)

    def _turn(self, change: _Operation, id: str, state: _State, operation: str | None) -> None:
        def write(connection: sqlite3.Connection) -> str:
            if _find(connection, id)[0] != state:
                connection.execute(
                    "UPDATE memory_items SET version = version + 1, lifecycle_state = ?,"
                    " updated_at = max(updated_at, ?) WHERE item_id = ?",
                    (state, now(), id),
                )
            return id

        self._once(change, operation, [change, id], write)

    def _once(
        self,
        change: _Operation,
        operation: str | None,
        request: list[Any],
        write: Callable[[sqlite3.Connection], str],
    ) -> str:
        """``write`` and the row that says so, unless this operation has been carried out."""
        if operation is not None:
            self._identifier("operation", operation)
        digest = hashlib.sha256(json.dumps(request).encode()).hexdigest()
        with _translated(), self.transaction() as connection:
            known = connection.execute(
                "SELECT request_hash, result_json FROM memory_write_operations"
                " WHERE operation_id = ?",
                (operation,),
            ).fetchone()
            if known is not None:
                if known[0] != digest:
                    message = "The operation was carried out with other values; name it apart."
                    raise StoreError("operation_conflict", message)
                return str(json.loads(known[1])["itemId"])
            item = write(connection)
            (version,) = connection.execute(
                "SELECT version FROM memory_items WHERE item_id = ?", (item,)
            ).fetchone()
            result = json.dumps({"itemId": item, "version": version})
            connection.execute(
                "INSERT INTO memory_write_operations VALUES (?, ?, ?, ?, ?)",
                (operation or new_id(), change, digest, result, now()),
            )
            return item

    # --- what may be written ---

    def _content(self, content: str) -> str:
        if not isinstance(content, str):
            raise _invalid("The content of a fact is a string.")
        text = self._redaction.clean(decoding.clean(content)).strip()
        if not text.replace(REDACTED_MARK, "").strip():
            raise _invalid("There is nothing to remember but white space and secrets.")
        if len(text) > MAX_CONTENT_CODE_POINTS:
            raise _invalid(f"A fact has at most {MAX_CONTENT_CODE_POINTS} characters.")
        return text

    def _keys(self, keys: Iterable[str]) -> _Keys:
        given = [] if isinstance(keys, str) else list(keys)
        if isinstance(keys, str) or not all(isinstance(key, str) for key in given):
            raise _invalid("Keys are a list of strings.")
        named: _Keys = {}
        for key in given:
            text = self._redaction.clean(decoding.clean(key)).strip()
            if not text.replace(REDACTED_MARK, "").strip():
                continue
            form = normal(self._engine, text)
            if form is None:
                raise _invalid("A key holds control or zero-width characters.")
            if len(text) > MAX_KEY_CODE_POINTS or len(form) > MAX_KEY_CODE_POINTS:
                raise _invalid(f"A key has at most {MAX_KEY_CODE_POINTS} characters.")
            named.setdefault(form, text)
        return named

    def _evidence(self, sources: Iterable[Evidence]) -> list[tuple[str, str, str, str]]:
        taken = []
        for each in sources:
            if not isinstance(each, Evidence):
                raise _invalid("Sources are a list of Evidence.")
            for name, value in (
                ("session", each.session),
                ("turn", each.turn),
                ("event", each.event),
            ):
                self._identifier(name, value)
            if each.run:
                self._identifier("run", each.run)
            taken.append((each.session, each.run, each.turn, each.event))
        return taken

    def _identifier(self, name: str, value: str) -> None:
        """Ids have to stay as they are, so one that holds a secret is refused."""
        if not isinstance(value, str) or not value.strip() or value != decoding.clean(value):
            raise _invalid(f"{name} is text that is not empty.")
        if len(value) > MAX_IDENTIFIER_CODE_POINTS:
            raise _invalid(f"{name} has at most {MAX_IDENTIFIER_CODE_POINTS} characters.")
        if self._redaction.changes(value):
            raise _invalid(f"{name} looks like a credential.")


def _add(
    connection: sqlite3.Connection,
    item: str,
    keys: _Keys,
    sources: list[tuple[str, str, str, str]],
    origin: str,
) -> None:
    """Keys and sources beside those that the fact has."""
    by = "user" if origin == "user_requested" else "llm"
    connection.executemany(
        "INSERT OR IGNORE INTO memory_item_keys VALUES (?, ?, ?, 'concept', ?)",
        [(item, text, form, by) for form, text in keys.items()],
    )
    connection.executemany(
        "INSERT OR IGNORE INTO memory_item_sources VALUES (?, ?, ?, ?, ?)",
        [(item, *source) for source in sources],
    )
    for table, limit in (("memory_item_keys", MAX_KEYS), ("memory_item_sources", MAX_SOURCES)):
        statement = f"SELECT count(*) FROM {table} WHERE item_id = ?"
        if connection.execute(statement, (item,)).fetchone()[0] > limit:
            raise _invalid(f"A fact has at most {MAX_KEYS} keys and {MAX_SOURCES} sources.")


def _find(connection: sqlite3.Connection, id: str) -> tuple[Any, ...]:
    if isinstance(id, str) and id == decoding.clean(id):
        row: tuple[Any, ...] | None = connection.execute(_FIND, (id,)).fetchone()
        if row is not None:
            return row
    raise StoreError("fact_unknown", "The store holds no fact of this id.")


def _is_said(connection: sqlite3.Connection, id: str, digest: str | None) -> bool:
    """Whether another fact of the same scope has this content."""
    scope = connection.execute(
        "SELECT scope_type, scope_key FROM memory_items WHERE item_id = ?", (id,)
    ).fetchone()
    found = connection.execute(_EQUAL, (*scope, digest)).fetchall()
    return any(row[0] != id for row in found)


def _one_of(name: str, value: str, values: Any) -> None:
    if value not in get_args(values):
        raise _invalid(f"{name} is one of: {', '.join(get_args(values))}.")


def _moment(value: int | None) -> int:
    at = now()
    if value is None:
        return at
    if type(value) is not int or not 0 <= value <= at:
        raise _invalid("observed_at is milliseconds since 1970, and not in the future.")
    return value


def _invalid(message: str) -> StoreError:
    return StoreError("fact_invalid", message)


@contextlib.contextmanager
def _translated() -> Iterator[None]:
    try:
        yield
    except sqlite3.Error as error:
        raise opening.translate(error) from None
