"""Writing: segments are appended to a pack, and then the manifest is told in one transaction.

So whatever stops a writer, and wherever, the manifest knows only what is there; what is not known
is written over. Segments that nothing stands for any more are cleared out by copying the others.
Invariant: readers wait for a commit, never for what is appended. Proof:
tests/unit/cache/test_writing.py, tests/unit/cache/test_stopped.py.
"""

from __future__ import annotations

import sqlite3
import time
from collections.abc import Collection, Iterator
from contextlib import ExitStack, contextmanager, suppress
from typing import Final

from harkback.cache import manifest
from harkback.cache.folder import Folder
from harkback.cache.manifest import NAME, SIDE_FILES, Place
from harkback.cache.packs import ENDING, FULL_BYTES, Appender, copy, new_name

_DAY: Final = 86_400
#: A Source that no search has spoken of for so long is not kept; it may be gone for good.
FORGOTTEN_SECONDS: Final = 30 * _DAY


class Writing:
    """The one writer of a cache. Not for two threads at once."""

    def __init__(self, folder: Folder, connection: sqlite3.Connection, held: ExitStack) -> None:
        self._folder = folder
        self._connection = connection
        self._held = held  # what is open until the end
        self._packs = manifest.packs_of(connection)
        self._appenders: list[Appender] = []  # the last one takes more
        self._places: list[Place] = []
        self._gone: list[tuple[bytes, bytes, bool]] = []
        self._used: dict[bytes, int] = {}
        self._rejected: Collection[Place] = ()

    @classmethod
    @contextmanager
    def begun(cls, folder: Folder, version: bytes, broken: bool) -> Iterator[Writing]:
        """With the lock held; what is of another version, or ``broken``, is deleted first.

        Raises:
            CacheError: as ``manifest.opened`` does.
            ManifestDamaged: it was only now found to be.
            OSError: a pack cannot be written.
        """
        if broken:
            _delete(folder)
        with manifest.opened(folder, create=True) as connection, ExitStack() as held:
            if broken:
                manifest.count(connection, "manifest", 1)
            if not manifest.is_of(connection, version):
                _start_over(folder, connection, version)
            writing = cls(folder, connection, held)
            writing._sweep()
            yield writing

    def add(self, place: Place, block: bytes) -> None:
        """A segment; where it comes to lie is filled in. Known once it is committed."""
        to = self._to()
        start = to.append(block)
        self._places.append(place._replace(pack=to.name, start=start, length=len(block)))

    def confirm(self, place: Place) -> None:
        """A stored segment that is of this View, too."""
        self._places.append(place)

    def forget(self, place: Place) -> None:
        """A Session that is gone, or whose text is not to be stored: it leaves the disk."""
        self._gone.append((place.source, place.session, True))

    def reject(self, places: Collection[Place]) -> None:
        """Segments that were not whole."""
        self._rejected = places

    def use(self, source: bytes) -> None:
        """A Source that is still spoken of; told once a day."""
        now = int(time.time())
        row = self._connection.execute(
            "SELECT used FROM sources WHERE source = ?", (source,)
        ).fetchone()
        if row is None or row[0] not in range(now - _DAY, now + 1):
            self._used[source] = now

    def commit(self) -> None:
        """Tells the manifest. Raises sqlite3.Error; then it knows what it knew."""
        if not (self._places or self._gone or self._used or self._rejected):
            return
        with _transaction(self._connection):
            self._tell()
        self._told()

    def clear_out(self, until: float | None) -> None:
        """Copies what counts out of packs that hold too much else; those are deleted then.

        Args:
            until: moment of the monotonic clock after which no other pack is begun.
        """
        self.commit()
        for pack in [pack for pack in self._packs if pack.wasteful()]:
            if until is not None and time.monotonic() >= until:
                return
            for place in manifest.places_in(self._connection, pack.name):
                to = self._to(besides=pack.name)
                start = copy(self._folder, pack.name, place.start, place.length, to)
                if start is not None:
                    self._places.append(place._replace(pack=to.name, start=start))
            self._appenders = [to for to in self._appenders if to.name != pack.name]
            with _transaction(self._connection):
                self._tell()
                for table, column in (("segments", "pack"), ("packs", "name")):
                    self._connection.execute(
                        f"DELETE FROM {table} WHERE {column} = ?", (pack.name,)
                    )
            self._told()
            self._folder.remove(pack.name)

    def _told(self) -> None:
        self._places, self._gone, self._used, self._rejected = [], [], {}, ()
        self._packs = manifest.packs_of(self._connection)

    def _tell(self) -> None:
        connection = self._connection
        for appender in self._appenders:
            connection.execute(
                "INSERT INTO packs (name, length, dead, buried) VALUES (?, ?, 0, 0)"
                " ON CONFLICT DO UPDATE SET length = excluded.length",
                (appender.name, appender.end),
            )
        lost = [place for place in self._rejected if self._is_known(place)]
        for place in lost:
            manifest.forget(connection, place.source, place.session, bury=False)
        if self._rejected:
            manifest.count(connection, "segments", len(self._rejected))
        manifest.put(connection, self._places)
        for source, session, bury in self._gone:
            manifest.forget(connection, source, session, bury=bury)
        for source, now in self._used.items():
            connection.execute("INSERT OR REPLACE INTO sources VALUES (?, ?)", (source, now))
            self._forget_unused(now)

    def _is_known(self, place: Place) -> bool:
        row = self._connection.execute(
            "SELECT pack, start FROM segments WHERE source = ? AND session = ?",
            (place.source, place.session),
        ).fetchone()
        return bool(row == (place.pack, place.start))

    def _forget_unused(self, now: int) -> None:
        """One whose time lies ahead was told by a clock that went wrong; it is used from now on."""
        connection = self._connection
        connection.execute("UPDATE sources SET used = ? WHERE used > ?", (now, now + _DAY))
        rows = connection.execute(
            "SELECT source, session FROM segments JOIN sources USING (source) WHERE used < ?",
            (now - FORGOTTEN_SECONDS,),
        ).fetchall()
        for source, session in rows:
            manifest.forget(connection, source, session, bury=True)
        connection.execute("DELETE FROM sources WHERE used < ?", (now - FORGOTTEN_SECONDS,))

    def _to(self, besides: str = "") -> Appender:
        """The pack that takes more, a new one if the others are full."""
        last = self._appenders[-1] if self._appenders else None
        if last is None or last.end >= FULL_BYTES or last.name == besides:
            last = self._held.enter_context(self._next(besides))
            self._appenders.append(last)
        return last

    def _next(self, besides: str) -> Appender:
        taken = {besides, *(appender.name for appender in self._appenders)}
        for pack in self._packs:
            if pack.length < FULL_BYTES and not pack.wasteful() and pack.name not in taken:
                size = self._folder.size_of(pack.name)
                if size is not None and size >= pack.length:
                    return Appender(self._folder, pack.name, pack.length, create=False)
        return Appender(self._folder, new_name(), 0, create=True)

    def _sweep(self) -> None:
        """Packs of a writer that was stopped before it told of them."""
        known = {pack.name for pack in self._packs}
        for name in self._folder.names(ENDING):
            if name not in known:
                self._folder.remove(name)


@contextmanager
def _transaction(connection: sqlite3.Connection) -> Iterator[None]:
    connection.execute("BEGIN IMMEDIATE")
    try:
        yield
        connection.execute("COMMIT")
    except BaseException:
        with suppress(sqlite3.Error):
            connection.execute("ROLLBACK")
        raise


def _start_over(folder: Folder, connection: sqlite3.Connection, version: bytes) -> None:
    with _transaction(connection):
        for table in ("segments", "packs", "sources", "about"):
            connection.execute(f"DELETE FROM {table}")
        connection.execute("INSERT INTO about VALUES (?)", (version,))
    for name in folder.names(ENDING):
        folder.remove(name)


def _delete(folder: Folder) -> None:
    for name in (*SIDE_FILES, NAME, *folder.names(ENDING)):
        folder.remove(name)
