"""What a schema is: how one program keeps history in a SQLite database.

A schema knows tables and what their rows mean. It opens nothing and keeps nothing: connections,
snapshots and everything that is remembered between Views are the business of ``kept`` and
``source``. Invariant: a Reader answers from its connection, its Listing and the files that
``outside`` tells of, and from nothing else. Proof: tests/sources/test_contract.py.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Hashable, Sequence
from dataclasses import dataclass, field
from typing import Any, Protocol, TypeAlias

from harkback.engine import Engine
from harkback.model import Gap, Session, StoredMessage
from harkback.sources.base import Catalog, Transcript


class Listing(Protocol):
    """A catalog, with whatever else reading needs."""

    @property
    def catalog(self) -> Catalog: ...

    @property
    def sessions(self) -> dict[str, Session]:
        """Those of the catalog, by id. A title is there if it is the Session's own."""


Marks: TypeAlias = Any  # of one schema; only its Readers look into them


@dataclass(frozen=True, slots=True)
class Narrowed:
    """What a scan offers.

    Attributes:
        counts: records of Sessions that the scan saw to the end; those of others may be missing.
        declined: why nothing was ruled out.
    """

    offered: frozenset[str]
    counts: dict[str, int] = field(default_factory=dict)
    declined: Gap | None = None


class Reader(Protocol):
    """One state of one database, read on one connection. See ``harkback.sources.base.View``.

    Every method may raise sqlite3.Error.
    """

    def count(self, session: str) -> int: ...

    def hash(self, session: str) -> tuple[bytes, int]:
        """The fingerprint that ``read`` would give, and about how many bytes it is of."""

    def stamp(self, session: str) -> bytes | None:
        """Of its rows as indexes tell of them: how many, which, of which times.

        Another one, unless rows were only rewritten in place. None: there are no such indexes.
        """

    def touched(self, since: Marks) -> tuple[Marks, frozenset[str] | None]:
        """Marks that tell this state from later ones, and the Sessions whose stamp may have changed
        since others were taken; None: any may. The first marks of all are None.
        """

    def narrow(
        self,
        connections: Sequence[sqlite3.Connection],
        terms: Sequence[str],
        sessions: Sequence[str],
    ) -> Narrowed:
        """The raw scan, side by side on ``connections``, which are of the Reader's state."""

    def read(self, session: str) -> Transcript: ...

    def grown(self, session: str) -> tuple[bytes, Transcript, int] | None:
        """The fingerprint that ``read`` gave last, and what has been appended since: a Transcript
        of that, with the fingerprint and the Gaps of the whole, and how many records ``count``
        counts of it. None: nothing tells.
        """

    def around(self, session: str, locators: Sequence[str]) -> list[StoredMessage]: ...

    def material(self, session: str, ref: str, limit: int) -> bytes | None: ...

    def first_prompt(self, session: str) -> str:
        """What stands for a title where a Session has none of its own; may be empty."""


@dataclass(frozen=True, slots=True)
class Place:
    """Where a database lies, and what a Source remembers of it.

    Attributes:
        path: of the database file.
        source: the name of its Source.
        notes: outlive every connection; of any thread, so only whole values are put in.
    """

    path: str
    source: str
    notes: dict[Any, Any] = field(default_factory=dict, repr=False)


class Schema(Protocol):
    """How one program keeps its history."""

    @property
    def agent(self) -> str:
        """As people write it in a command."""

    @property
    def version(self) -> str:
        """Another one if the same rows come to mean other Messages."""

    def recognises(self, connection: sqlite3.Connection) -> bool:
        """Whether the database has tables of this schema."""

    def outside(self, place: Place) -> Hashable:
        """The state of what the program keeps beside the database; equal states, equal files."""

    def listing(self, connection: sqlite3.Connection, place: Place, outside: Any) -> Listing: ...

    def reader(
        self, connection: sqlite3.Connection, listing: Any, place: Place, engine: Engine
    ) -> Reader:
        """A Reader; ``listing`` is one that this schema made."""


def columns_of(connection: sqlite3.Connection, table: str) -> dict[str, str]:
    """Columns of a table by name, with their declared types; none if there is no such table."""
    quoted = table.replace('"', '""')
    rows = connection.execute(f'PRAGMA table_info("{quoted}")').fetchall()
    return {_text(row[1]): _text(row[2]) for row in rows}


def _text(value: object) -> str:
    return value.decode("utf-8", "replace") if isinstance(value, bytes) else str(value)
