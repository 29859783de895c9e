"""The manifest: which segments are stored, of which state of which Session, and where.

A SQLite database of its own. With a rollback journal, since shared memory asks more of a file
system than some containers and network mounts give, and a commit keeps readers off for moments
only; without syncing, since nothing here is lost that is not made again. Invariant: each row is
sealed with a digest of all it says, so a row that damage changed is no row; Sources and Sessions
are digests, not names. Proof: tests/unit/cache/test_manifest.py.
"""

from __future__ import annotations

import hashlib
import json
import sqlite3
from collections.abc import Iterable, Iterator
from contextlib import closing, contextmanager
from typing import Final, NamedTuple
from urllib.parse import quote

from harkback.cache.folder import Folder, unusable
from harkback.cache.packs import Pack
from harkback.errors import CacheError
from harkback.model import Gap

NAME: Final = "manifest.sqlite"
SIDE_FILES: Final = (NAME + "-journal", NAME + "-wal", NAME + "-shm")
_BUSY_SECONDS: Final = 0.1  # a commit of a writer takes less
_SCHEMA: Final = """
CREATE TABLE about (version BLOB NOT NULL);
CREATE TABLE packs (
    id INTEGER PRIMARY KEY, name TEXT NOT NULL UNIQUE, length INTEGER NOT NULL,
    dead INTEGER NOT NULL, buried INTEGER NOT NULL
);
CREATE TABLE segments (
    source BLOB NOT NULL, session BLOB NOT NULL, fingerprint BLOB NOT NULL, token BLOB NOT NULL,
    pack TEXT NOT NULL, start INTEGER NOT NULL, length INTEGER NOT NULL, records INTEGER NOT NULL,
    told TEXT NOT NULL, seal BLOB NOT NULL, PRIMARY KEY (source, session)
) WITHOUT ROWID;
CREATE TABLE sources (source BLOB PRIMARY KEY, used INTEGER NOT NULL) WITHOUT ROWID;
CREATE TABLE counts (name TEXT PRIMARY KEY, count INTEGER NOT NULL) WITHOUT ROWID;
"""
_COLUMNS: Final = "source, session, fingerprint, token, pack, start, length, records, told"
_NOTHING_TOLD: Final = "[[], []]"
#: A database that is none, or whose pages contradict one another.
_DAMAGE: Final = (sqlite3.SQLITE_CORRUPT, sqlite3.SQLITE_NOTADB, sqlite3.SQLITE_ERROR)


class Place(NamedTuple):
    """Where the segment of a Session lies, and what it is the segment of.

    Attributes:
        source, session: digests of their names.
        fingerprint: of the Session when it was read.
        token: of the View in which the fingerprint was last found; empty if it had none.
        pack, start, length: the stretch of a file.
        records: searchable records of the Session in that View.
        told: Gaps and damage of its transcript, as JSON.
    """

    source: bytes
    session: bytes
    fingerprint: bytes
    token: bytes
    pack: str
    start: int
    length: int
    records: int
    told: str

    @staticmethod
    def telling(gaps: Iterable[Gap], damage: Iterable[Gap]) -> str:
        """What is to be told of a Session beside its Hits, to be written down."""
        both = (gaps, damage)
        return json.dumps([[[gap.code, gap.message, gap.count] for gap in told] for told in both])

    def gaps(self) -> tuple[tuple[Gap, ...], tuple[Gap, ...]]:
        """Gaps and damage as ``telling`` wrote them down."""
        if self.told == _NOTHING_TOLD:
            return (), ()
        gaps, damage = json.loads(self.told)
        return tuple(Gap(*gap) for gap in gaps), tuple(Gap(*gap) for gap in damage)

    def seal(self) -> bytes:
        """A digest of all of it; whatever the types are that damage may have left."""
        return hashlib.blake2b(repr(tuple(self)).encode(), digest_size=16).digest()


class ManifestDamaged(Exception):
    """It is no manifest any more, or not one that can be read."""


@contextmanager
def opened(folder: Folder, *, create: bool = False) -> Iterator[sqlite3.Connection]:
    """A connection to the manifest, closed at the end of the block.

    Raises:
        CacheError: ``cache_busy``, ``cache_unsafe``, ``cache_unusable``.
        ManifestDamaged: it is not one.
    """
    size = folder.size_of(NAME)
    if size is None and create:
        _touch(folder)
    for name in SIDE_FILES:
        folder.size_of(name)  # SQLite would follow a link
    path = quote(str(folder.path / NAME))
    try:
        connection = sqlite3.connect(
            f"file:{path}?mode=rw", uri=True, isolation_level=None, timeout=_BUSY_SECONDS
        )
        with closing(connection):
            connection.execute("PRAGMA trusted_schema=OFF")
            connection.execute("PRAGMA synchronous=OFF")
            if create and not size:
                connection.executescript(f"BEGIN IMMEDIATE;{_SCHEMA}COMMIT;")
            yield connection
    except sqlite3.Error as error:
        raise translated(error) from None
    except UnicodeDecodeError:  # of what SQLite has to say of a damaged schema
        raise ManifestDamaged from None


def _touch(folder: Folder) -> None:
    """SQLite gives its side files the permissions of the database, so these come first."""
    import os

    try:
        os.close(folder.open(NAME, create=True))
    except OSError as error:
        raise unusable(error) from None


def translated(error: sqlite3.Error) -> CacheError | ManifestDamaged:
    """What a failure of SQLite means here."""
    code = getattr(error, "sqlite_errorcode", sqlite3.SQLITE_ERROR) & 0xFF
    if code in (sqlite3.SQLITE_BUSY, sqlite3.SQLITE_LOCKED):
        return CacheError("cache_busy", "Another process is writing to the cache.")
    if code in _DAMAGE or not isinstance(error, sqlite3.OperationalError):
        return ManifestDamaged()
    return CacheError("cache_unusable", f"The cache: {sqlite_reason(code)}.")


def sqlite_reason(code: int) -> str:
    return {
        sqlite3.SQLITE_FULL: "No space left on device",
        sqlite3.SQLITE_READONLY: "It may not be written",
        sqlite3.SQLITE_CANTOPEN: "It cannot be opened",
    }.get(code, "Input or output failed")


def is_of(connection: sqlite3.Connection, version: bytes) -> bool:
    """Whether its segments were made by what this version stands for."""
    return connection.execute("SELECT version FROM about").fetchall() == [(version,)]


def places_of(connection: sqlite3.Connection, source: bytes) -> dict[bytes, Place]:
    """The segments of a Source by Session, those that damage changed left out."""
    asked = f"SELECT {_COLUMNS}, seal FROM segments WHERE source = ?"
    found: dict[bytes, Place] = {}
    for *values, seal in connection.execute(asked, (source,)):
        place = Place(*values)
        if place.seal() == seal:
            found[place.session] = place
    return found


def packs_of(connection: sqlite3.Connection) -> list[Pack]:
    """The packs, oldest first. Raises ManifestDamaged."""
    rows = connection.execute("SELECT id, name, length, dead, buried FROM packs ORDER BY id")
    found = [Pack(id, name, length, dead, bool(buried)) for id, name, length, dead, buried in rows]
    if not all(pack.is_sound() for pack in found):
        raise ManifestDamaged
    return found


def places_in(connection: sqlite3.Connection, pack: str) -> list[Place]:
    """The segments that lie in a pack, in their order there."""
    asked = f"SELECT {_COLUMNS}, seal FROM segments WHERE pack = ? ORDER BY start"
    rows = [(Place(*values), seal) for *values, seal in connection.execute(asked, (pack,))]
    return [place for place, seal in rows if place.seal() == seal]


def put(connection: sqlite3.Connection, places: Iterable[Place]) -> None:
    """Stores the places, each instead of what its Session had; the bytes of that are dead."""
    for place in places:
        _bury(connection, place.source, place.session, moved_to=place)
        connection.execute(
            f"INSERT OR REPLACE INTO segments ({_COLUMNS}, seal) VALUES (?,?,?,?,?,?,?,?,?,?)",
            (*place, place.seal()),
        )


def forget(connection: sqlite3.Connection, source: bytes, session: bytes, *, bury: bool) -> None:
    """Takes a Session out. ``bury``: its text has to leave the disk, not only its place."""
    _bury(connection, source, session, bury=bury)
    connection.execute("DELETE FROM segments WHERE source = ? AND session = ?", (source, session))


def _bury(
    connection: sqlite3.Connection,
    source: bytes,
    session: bytes,
    *,
    moved_to: Place | None = None,
    bury: bool = False,
) -> None:
    row = connection.execute(
        "SELECT pack, start, length FROM segments WHERE source = ? AND session = ?",
        (source, session),
    ).fetchone()
    if row is not None and (moved_to is None or row[:2] != (moved_to.pack, moved_to.start)):
        connection.execute(
            "UPDATE packs SET dead = dead + ?, buried = buried OR ? WHERE name = ?",
            (row[2], bury, row[0]),
        )


def count(connection: sqlite3.Connection, name: str, more: int) -> None:
    """Adds to what ``harkback doctor`` tells of."""
    connection.execute(
        "INSERT INTO counts VALUES (?, ?) ON CONFLICT DO UPDATE SET count = count + excluded.count",
        (name, more),
    )


def counts_of(connection: sqlite3.Connection) -> dict[str, int]:
    rows = connection.execute("SELECT name, count FROM counts").fetchall()
    return {name: count for name, count in rows if isinstance(count, int)}
