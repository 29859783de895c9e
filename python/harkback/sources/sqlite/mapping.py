"""A mapping: which tables of a database hold history, and what their columns mean. From TOML.

Invariant: a mapping that was accepted never fails on a row; one that says anything unknown is
refused whole, by the name of the key. Proof: tests/unit/sources/sqlite/test_mapping.py.
"""

from __future__ import annotations

import os
import tomllib
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final, Literal, TypeAlias, cast, get_args

from harkback.errors import UsageError
from harkback.model import Kind
from harkback.sources.sqlite.select import Ref, Row, reference

Unit: TypeAlias = Literal["s", "ms", "us", "text"]
ParentKind: TypeAlias = Literal["subagent", "branch", "revision"]
Conditions: TypeAlias = tuple[tuple[Ref, tuple[Any, ...]], ...]

SHOWN_KINDS: Final = ("user", "assistant", "tool_call", "tool_result", "summary")


@dataclass(frozen=True, slots=True)
class Shown:
    """One kind of Message that a row can be.

    Attributes:
        each: one Message for each value here, and the references below are inside of it.
        starts: texts that the program wrote itself, told by how they begin.
    """

    kind: Kind
    when: Conditions = ()
    unless: Conditions = ()
    unless_starts: Conditions = ()
    each: Ref | None = None
    text: tuple[Ref, ...] = ()
    tool: Ref | None = None
    arguments: tuple[Ref, ...] = ()
    files: tuple[Ref, ...] = ()

    def applies(self, row: Row) -> bool:
        return holds_all(self.when, row) and not (
            holds_any(self.unless, row) or starts_any(self.unless_starts, row)
        )


@dataclass(frozen=True, slots=True)
class Sessions:
    """The table of Sessions; without one they are what the messages name."""

    table: str
    id: str
    title: str | None = None
    project: str | None = None
    started: str | None = None
    active: str | None = None
    unit: Unit = "ms"
    archived: str | None = None
    when: Conditions = ()
    unless: Conditions = ()
    parents: tuple[tuple[Ref, ParentKind], ...] = ()


@dataclass(frozen=True, slots=True)
class Messages:
    """The table of messages.

    Attributes:
        abandoned: all must hold for a row that was rewound.
        sealed: rows that nobody can read; counted.
    """

    table: str
    session: str
    id: str
    order: tuple[str, ...]
    shown: tuple[Shown, ...]
    time: str | None = None
    unit: Unit = "ms"
    when: Conditions = ()
    unless: Conditions = ()
    abandoned: Conditions = ()
    sealed: Conditions = ()


@dataclass(frozen=True, slots=True)
class Table:
    """The Mapping of one database."""

    agent: str
    messages: Messages
    sessions: Sessions | None = None
    optional: frozenset[str] = field(default=frozenset())


def holds_all(conditions: Conditions, row: Row) -> bool:
    return all(_is_one_of(ref.first(row), values) for ref, values in conditions)


def holds_any(conditions: Conditions, row: Row) -> bool:
    return any(_is_one_of(ref.first(row), values) for ref, values in conditions)


def starts_any(conditions: Conditions, row: Row) -> bool:
    return any(text.startswith(values) for ref, values in conditions for text in ref.texts(row))


def _is_one_of(value: Any, values: tuple[Any, ...]) -> bool:
    """An empty string stands for no value as well: TOML has none."""
    if value is None:
        return "" in values
    return isinstance(value, str | int | float) and value in values


def load(mapping: str | os.PathLike[str] | Mapping[str, Any]) -> Table:
    """A mapping from a TOML file, or from what one says.

    Raises:
        UsageError: ``mapping_invalid``.
    """
    if isinstance(mapping, Mapping):
        return _table(mapping)
    try:
        text = Path(mapping).read_text(encoding="utf-8")
    except (OSError, ValueError):
        raise _invalid("the file cannot be read") from None
    return parse(text)


def parse(text: str) -> Table:
    """A mapping from TOML.

    Raises:
        UsageError: ``mapping_invalid``.
    """
    try:
        return _table(tomllib.loads(text))
    except tomllib.TOMLDecodeError:
        raise _invalid("the file is no TOML") from None


def _invalid(what: str) -> UsageError:
    return UsageError("mapping_invalid", f"The mapping cannot be used: {what}.")


class _Keys:
    """One table of the TOML: each key is taken once, and none may be left."""

    def __init__(self, value: object, place: str) -> None:
        if not isinstance(value, Mapping):
            raise _invalid(f"`{place}` is no table")
        self._left = dict(value)
        self._place = place

    def _name(self, key: str) -> str:
        return f"{self._place}.{key}" if self._place else key

    def take(self, key: str) -> Any:
        return self._left.pop(key, None)

    def text(self, key: str) -> str:
        value = self.optional_text(key)
        if value is None:
            raise _invalid(f"`{self._name(key)}` is missing")
        return value

    def optional_text(self, key: str) -> str | None:
        value = self.take(key)
        if value is not None and not (isinstance(value, str) and value and "\0" not in value):
            raise _invalid(f"`{self._name(key)}` is no text")
        return value

    def texts(self, key: str) -> tuple[str, ...]:
        value = self.take(key)
        values = [value] if isinstance(value, str) else [] if value is None else value
        if not isinstance(values, list) or not all(isinstance(v, str) and v for v in values):
            raise _invalid(f"`{self._name(key)}` is no text, nor a list of texts")
        return tuple(values)

    def choice(self, key: str, among: Iterable[str], otherwise: str | None = None) -> str:
        value = self.take(key)
        value = otherwise if value is None else value
        if value not in tuple(among):
            raise _invalid(f"`{self._name(key)}` is none of {', '.join(among)}")
        return cast(str, value)

    def refs(self, key: str, *, inside: bool = False) -> tuple[Ref, ...]:
        found = [reference(text, inside=inside) for text in self.texts(key)]
        if None in found:
            raise _invalid(f"`{self._name(key)}` is no reference")
        return tuple(ref for ref in found if ref is not None)

    def ref(self, key: str, *, inside: bool = False) -> Ref | None:
        found = self.refs(key, inside=inside)
        if len(found) > 1:
            raise _invalid(f"`{self._name(key)}` is more than one reference")
        return found[0] if found else None

    def conditions(
        self, key: str, kinds: type | tuple[type, ...] = (str, int, float)
    ) -> Conditions:
        value = self.take(key)
        if value is None:
            return ()
        if not isinstance(value, Mapping):
            raise _invalid(f"`{self._name(key)}` is no table")
        found = []
        for name, wanted in value.items():
            ref = reference(name)
            values = tuple(wanted) if isinstance(wanted, list) else (wanted,)
            if ref is None or not values or not all(isinstance(v, kinds) for v in values):
                raise _invalid(f"`{self._name(key)}` is no table of values by reference")
            found.append((ref, values))
        return tuple(found)

    def tables(self, key: str) -> list[_Keys]:
        value = self.take(key)
        if value is not None and not isinstance(value, list):
            raise _invalid(f"`{self._name(key)}` is no list of tables")
        return [_Keys(item, f"{self._name(key)}[{n}]") for n, item in enumerate(value or ())]

    def end(self) -> None:
        if self._left:
            raise _invalid(f"`{self._name(min(map(str, self._left)))}` is not known")


def _table(value: Mapping[str, Any]) -> Table:
    keys = _Keys(value, "")
    sessions = keys.take("sessions")
    table = Table(
        agent=keys.text("agent"),
        messages=_messages(_Keys(keys.take("messages"), "messages")),
        sessions=None if sessions is None else _sessions(_Keys(sessions, "sessions")),
        optional=frozenset(keys.texts("optional")),
    )
    keys.end()
    return table


def _sessions(keys: _Keys) -> Sessions:
    found = Sessions(
        table=keys.text("table"),
        id=keys.text("id"),
        title=keys.optional_text("title"),
        project=keys.optional_text("project"),
        started=keys.optional_text("started"),
        active=keys.optional_text("active"),
        unit=cast(Unit, keys.choice("unit", get_args(Unit), "ms")),
        archived=keys.optional_text("archived"),
        when=keys.conditions("when"),
        unless=keys.conditions("unless"),
        parents=tuple(_parent(parent) for parent in keys.tables("parents")),
    )
    keys.end()
    return found


def _parent(keys: _Keys) -> tuple[Ref, ParentKind]:
    ref, kind = keys.ref("from"), keys.choice("kind", get_args(ParentKind))
    keys.end()
    if ref is None:
        raise _invalid("`sessions.parents.from` is missing")
    return ref, cast(ParentKind, kind)


def _messages(keys: _Keys) -> Messages:
    id_ = keys.text("id")
    found = Messages(
        table=keys.text("table"),
        session=keys.text("session"),
        id=id_,
        order=keys.texts("order") or (id_,),
        shown=tuple(_shown(shown) for shown in keys.tables("shown")),
        time=keys.optional_text("time"),
        unit=cast(Unit, keys.choice("unit", get_args(Unit), "ms")),
        when=keys.conditions("when"),
        unless=keys.conditions("unless"),
        abandoned=keys.conditions("abandoned"),
        sealed=keys.conditions("sealed"),
    )
    keys.end()
    if not found.shown:
        raise _invalid("`messages.shown` is missing")
    return found


def _shown(keys: _Keys) -> Shown:
    each = keys.ref("each")
    inside = each is not None
    found = Shown(
        kind=cast(Kind, keys.choice("kind", SHOWN_KINDS)),
        when=keys.conditions("when"),
        unless=keys.conditions("unless"),
        unless_starts=keys.conditions("unless_starts", str),
        each=each,
        text=keys.refs("text", inside=inside),
        tool=keys.ref("tool", inside=inside),
        arguments=keys.refs("arguments", inside=inside),
        files=keys.refs("files", inside=inside),
    )
    keys.end()
    return found
