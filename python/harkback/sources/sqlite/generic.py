"""The schema of any database whose tables a mapping names.

Identifiers come from the mapping, are quoted and known to exist; values are parameters. Invariant:
a row is scanned in every form that reading may show it in: as text, as JSON, and as JSON inside
of the strings of JSON. Locators: positions in the Session. Proof: tests/sources/test_generic.py.
"""

from __future__ import annotations

import hashlib
import sqlite3
from collections.abc import Hashable, Iterator, Sequence
from dataclasses import replace
from functools import lru_cache
from typing import Any

import orjson

from harkback.decoding import Damaged, decode, parse_any
from harkback.engine import Engine, Scanner
from harkback.errors import SourceError
from harkback.model import JsonPart, Part, StoredMessage, TextPart
from harkback.sources import attachments, mappings
from harkback.sources.base import Transcript, first_prompt, own_name
from harkback.sources.sqlite import mapping
from harkback.sources.sqlite.base import Marks, Narrowed, Place
from harkback.sources.sqlite.generic_catalog import (
    Key,
    Listing,
    are_there,
    columns,
    placeholder,
    quoted,
    read_listing,
    time_of,
)
from harkback.sources.sqlite.mapping import Shown, Table, holds_all, holds_any
from harkback.sources.sqlite.narrow import SWEEP_SHARE
from harkback.sources.sqlite.opening import is_damage
from harkback.sources.sqlite.records import BATCH_ROWS, Findings, Fingerprint
from harkback.sources.sqlite.select import Row, json_in


@lru_cache(maxsize=1)
def ready() -> tuple[Generic, ...]:
    """The schemas whose mappings come with the package."""
    return tuple(Generic(mapping.parse(text)) for text in mappings.ready())


class Generic:
    """See ``harkback.sources.sqlite.base.Schema``."""

    def __init__(self, table: Table) -> None:
        self._table = table
        told = repr((replace(table, optional=frozenset()), sorted(table.optional)))
        self._version = f"generic-1 {hashlib.sha256(told.encode()).hexdigest()}"

    @property
    def agent(self) -> str:
        return self._table.agent

    @property
    def version(self) -> str:
        """Of the mapping too: it says what the rows mean."""
        return self._version

    def recognises(self, connection: sqlite3.Connection) -> bool:
        return are_there(connection, self._table)

    def outside(self, place: Place) -> Hashable:
        return None

    def listing(self, connection: sqlite3.Connection, place: Place, outside: object) -> Listing:
        if not are_there(connection, self._table):
            raise SourceError(
                "source_not_a_store", "The database lacks tables or columns that the mapping names."
            )
        return read_listing(connection, self._table, place.source)

    def reader(
        self, connection: sqlite3.Connection, listing: Listing, place: Place, engine: Engine
    ) -> GenericReader:
        return GenericReader(connection, listing, self._table, engine)


class GenericReader:
    """See ``harkback.sources.sqlite.base.Reader``."""

    def __init__(
        self, connection: sqlite3.Connection, listing: Listing, table: Table, engine: Engine
    ) -> None:
        self._connection = connection
        self._listing = listing
        self._messages = table.messages
        self._engine = engine
        there = listing.columns
        self._names = [name for name in columns(table.messages) if name in there]
        self._shown = [name for name in shown_columns(table.messages.shown) if name in there]

    def count(self, session: str) -> int:
        return self._listing.counts[session]

    def hash(self, session: str) -> tuple[bytes, int]:
        fingerprint = Fingerprint("generic-1")
        for _ in fingerprint.through(self._rows(session)):
            pass
        return fingerprint.digest(), fingerprint.bytes

    def stamp(self, session: str) -> None:
        """None: nothing is known of the indexes of somebody's own tables."""

    def touched(self, since: Marks) -> tuple[Marks, None]:
        """Any: there are no stamps."""
        return None, None

    def read(self, session: str) -> Transcript:
        findings, fingerprint = Findings(self._engine), Fingerprint("generic-1")
        messages = self._decode(fingerprint.through(self._rows(session)), findings)
        return Transcript(tuple(messages), fingerprint.digest(), findings.gaps(), findings.damage())

    def grown(self, session: str) -> None:
        """None: rows may have been changed anywhere."""

    def around(self, session: str, locators: Sequence[str]) -> list[StoredMessage]:
        messages = list(self._decode(self._rows(session), Findings()))
        return [messages[int(locator)] for locator in locators]

    def material(self, session: str, ref: str, limit: int) -> bytes | None:
        for values in self._rows(session):
            for value in values:
                data = next((f for r in forms(value) if (f := _found(r, ref)) is not None), None)
                if data is not None:
                    return data
        return None

    def first_prompt(self, session: str) -> str:
        return first_prompt(self._decode(self._rows(session), Findings()))

    # --- the scan ---------------------------------------------------------------------------

    def narrow(
        self,
        connections: Sequence[sqlite3.Connection],
        terms: Sequence[str],
        sessions: Sequence[str],
    ) -> Narrowed:
        scanner, offered = self._engine.scanner(terms), set[Key]()
        keys = {self._listing.keys[name]: name for name in sessions}
        many = len(keys) * SWEEP_SHARE >= len(self._listing.keys)
        for group in [set(keys)] if many else [{key} for key in keys]:
            try:
                self._scan(scanner, group, offered, None if many else next(iter(group)))
            except sqlite3.DatabaseError as error:
                if not is_damage(error):
                    raise
                offered |= group
        return Narrowed(frozenset(keys[key] for key in offered))

    def _scan(self, scanner: Scanner, group: set[Key], offered: set[Key], one: Key | None) -> None:
        names = ", ".join(quoted(n) for n in (self._messages.session, *self._shown))
        statement = f"SELECT {names} FROM {quoted(self._messages.table)}"
        if one is None:
            cursor = self._connection.execute(statement)
        else:
            where = f"{quoted(self._messages.session)} = {placeholder(one)}"
            cursor = self._connection.execute(f"{statement} WHERE {where}", (one,))
        while rows := cursor.fetchmany(BATCH_ROWS):
            for key, *values in rows:
                if key in group and key not in offered:
                    records = [record for value in values for record in forms(value)]
                    if scanner.first(records) is not None:
                        offered.add(key)

    # --- rows -------------------------------------------------------------------------------

    def _rows(self, session: str) -> Iterator[tuple[Any, ...]]:
        key, messages = self._listing.keys[session], self._messages
        names = ", ".join(quoted(name) for name in self._names)
        order = ", ".join(quoted(name) for name in messages.order)
        statement = (
            f"SELECT {names} FROM {quoted(messages.table)} "
            f"WHERE {quoted(messages.session)} = {placeholder(key)} ORDER BY {order}"
        )
        return self._connection.execute(statement, (key,))

    def _decode(
        self, rows: Iterator[tuple[Any, ...]], findings: Findings
    ) -> Iterator[StoredMessage]:
        taken: dict[str, int] = {}
        turn: str | None = None
        position = 0
        for values in rows:
            row = Row(dict(zip(self._names, values, strict=True)))
            table = self._messages
            if not holds_all(table.when, row) or holds_any(table.unless, row):
                continue
            if table.sealed and holds_all(table.sealed, row):
                findings.add_read("sealed")
                continue
            abandoned = bool(table.abandoned) and holds_all(table.abandoned, row)
            at = time_of(row.plain(table.time), table.unit) if table.time else 0
            for shown in table.shown:
                for parts in _messages_of(shown, row):
                    name = own_name(taken, str(row.plain(table.id)))
                    turn = name if shown.kind == "user" else turn
                    yield StoredMessage(
                        name, shown.kind, turn, at, parts, str(position), abandoned=abandoned
                    )
                    position += 1


def shown_columns(shown: Sequence[Shown]) -> list[str]:
    """The columns whose text a Message may show."""
    refs = [
        ref
        for each in shown
        for ref in (each.each, each.tool, *each.text, *each.arguments, *each.files)
    ]
    return list(dict.fromkeys(ref.column for ref in refs if ref is not None and ref.column))


def forms(value: object) -> Iterator[bytes]:
    """The records that a value is to the scan."""
    if not isinstance(value, bytes):
        return
    yield orjson.dumps(decode(value))
    if value.lstrip()[:1] in (b"{", b"["):
        yield value
        if b"\\" in value:  # a string in a string has quotes, and those are escaped
            try:
                yield from _inner(parse_any(value))
            except Damaged:
                return


def _inner(value: Any) -> Iterator[bytes]:
    """Strings of a JSON value that are JSON themselves."""
    stack = [value]
    while stack:
        node = stack.pop()
        if isinstance(node, str):
            if node.lstrip()[:1] in ("{", "["):
                yield node.encode()
        elif isinstance(node, dict):
            stack += node.values()
        elif isinstance(node, list):
            stack += node


def _found(record: bytes, ref: str) -> bytes | None:
    try:
        return attachments.find(parse_any(record), ref)
    except Damaged:
        return None


def _messages_of(shown: Shown, row: Row) -> Iterator[tuple[Part, ...]]:
    """The parts of every Message that a row is, of this kind."""
    if not shown.applies(row):
        return
    for item in shown.each.values(row) if shown.each else (None,):
        parts: list[Part] = []
        if shown.tool is not None:
            parts += [TextPart("tool", text) for text in shown.tool.texts(row, item)]
        for ref in shown.arguments:
            parts += [_argument(value) for value in ref.values(row, item) if value is not None]
        field = "content" if shown.kind == "tool_result" else "text"
        for ref in shown.text:
            parts += [TextPart(field, text) for text in ref.texts(row, item)]
        for ref in shown.files:
            parts += [
                attachments.linked(url) for url in ref.values(row, item) if isinstance(url, str)
            ]
        if parts:
            yield tuple(parts)


def _argument(value: Any) -> Part:
    """Arguments as they are, or as the JSON text that most programs keep."""
    inner = json_in(value) if isinstance(value, str) else value
    if isinstance(value, str) and inner is None:
        return TextPart("args", value)
    return JsonPart("args", inner)
