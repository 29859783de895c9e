"""A host's SQLite store as a Source: Views of one database, none of which leaves a trace.

A View holds one read transaction, or reads a file that did not move meanwhile. What is costly to
get is kept per thread between Views of the same epoch: connection, catalog, fingerprints, counts.
Invariant: two Views have equal epochs only if nothing was written in between, as far as the file
system (settled times, sizes, inodes), or ``data_version`` of a host's own connection, tells.
Proof: tests/sources/test_sqlite_source.py, tests/sources/test_sqlite_untouched.py.
"""

from __future__ import annotations

import contextlib
import itertools
import os
import sqlite3
import threading
import weakref
from collections.abc import Callable, Hashable, Iterator, Sequence
from typing import Final, TypeVar

from harkback.engine import Engine
from harkback.errors import SourceError, UsageError
from harkback.model import Gap, Session, StoredMessage
from harkback.sources.base import TITLE, Catalog, ScanResult, Transcript, names, title_message
from harkback.sources.sqlite import ledger, opening, pre_ledger
from harkback.sources.sqlite.catalog import Listing, read_listing, whole_tables
from harkback.sources.sqlite.ledger import Ledger
from harkback.sources.sqlite.narrow import Narrowing
from harkback.sources.sqlite.opening import Connect, Files
from harkback.sources.sqlite.pre_ledger import PreLedger
from harkback.sources.sqlite.records import Findings, Fingerprint

T = TypeVar("T")

_serials = itertools.count()
#: Connections that a fork left in the child. Closing one would act on the parent's locks, so they
#: are kept from the collector for as long as the process lives.
_abandoned: Final[list[object]] = []


class _Kept:
    """A connection and what was read on it, valid for one epoch."""

    def __init__(self, path: str, connect: Connect | None) -> None:
        self.pid = os.getpid()
        self.path = path
        self.files = opening.look(path)
        self.settled = self.files.settled()  # then, not now: what was read since is in question
        self.connection, self.mode = opening.connect(path, self.files, connect)
        self.version = 0
        self.forget()

    def forget(self) -> None:
        self.serial = next(_serials)
        self.tables: frozenset[str] | None = None
        self.listing: Listing | None = None
        self.fingerprints: dict[str, bytes] = {}
        self.counts: dict[str, int] = {}

    @property
    def live(self) -> bool:
        """Whether SQLite itself sees to it that a View stays as it is."""
        return self.mode in ("shared", "host")

    def begin(self) -> bool:
        """Begins a View; False when another connection is needed for it."""
        if self.pid != os.getpid():
            return False
        if self.mode == "host":
            version = opening.begin(self.connection)
            if version != self.version:
                self.forget()
                self.version = version
            return True
        if self.mode == "shared":
            return self._begin_shared()
        return self.settled and opening.look(self.path) == self.files

    def _begin_shared(self) -> bool:
        """Files that were settled and look as they did hold what they held.

        They are looked at behind the begin: a commit before it shows, one behind it is not seen.
        """
        before = opening.look(self.path)
        if "connection" not in self.__dict__:
            self.connection, self.mode = opening.connect(self.path, before, None)
        if self.mode != "shared":
            return False
        opening.begin(self.connection)
        files = opening.look(self.path)
        if not (self.settled and files == self.files):
            self.forget()
            self.files, self.settled = files, before == files and files.settled()
        return True

    def connections(self) -> list[sqlite3.Connection]:
        """Of the same state, one for each thread that is worth its cost.

        Only files that are held to stand still are the same for every connection.
        """
        size = self.files.database[1] if self.files.database else 0
        if self.mode != "immutable" or size < opening.BESIDE_BYTES or (os.cpu_count() or 1) < 2:
            return [self.connection]
        if "second" not in self.__dict__:
            self.second, _ = opening.connect(self.path, self.files, None)
        return [self.connection, self.second]

    def end(self) -> None:
        """Ends a View. Shared memory is let go of at once: as long as this process holds it
        read-only, a connection that the host opens in this process could not write.
        """
        if self.live:
            self.connection.execute("COMMIT")
        if self.mode == "shared":
            self.dispose()

    def epoch(self) -> Hashable:
        """Of a host's connection by its data version; of files by their stats, once settled."""
        if self.mode == "host":
            return (self.serial, self.version)
        return self.files if self.settled else (self.serial, self.files)

    def dispose(self) -> None:
        """Closes what the process opened itself; a child gives it up instead."""
        for name in ("connection", "second"):
            connection: sqlite3.Connection | None = self.__dict__.pop(name, None)
            if connection is None:
                continue
            if self.pid != os.getpid():
                _abandoned.append(connection)
                continue
            with contextlib.suppress(sqlite3.Error):
                connection.close()

    def __del__(self) -> None:  # the thread that kept it has ended
        self.dispose()


class SqliteSource:
    """A host store.

    Args:
        path: the database file.
        name: unique among the Sources of one Recall and stable; the file's path when not given.
        connect: makes a connection with the host's own SQLite library, for a host that bundles
            another one; or that may open the store in this process while a search is under way
            (in one process SQLite shares a database's shared memory between connections, and
            the first one decides whether it may be written).
    """

    def __init__(
        self,
        path: str | os.PathLike[str],
        *,
        name: str | None = None,
        connect: Connect | None = None,
    ) -> None:
        # The place itself, not a link to it: there SQLite keeps the side files.
        self._path = os.path.realpath(path)
        self.name = name or self._path
        self._connect = connect
        self._local = threading.local()
        self._open: weakref.WeakSet[_Kept] = weakref.WeakSet()
        self._closed = False

    @contextlib.contextmanager
    def view(self, engine: Engine) -> Iterator[SqliteView]:
        """One consistent state. Views of one thread do not overlap.

        Raises:
            SourceError: the store as a whole cannot be read.
            UsageError: the Source was closed.
        """
        if self._closed:
            raise UsageError("closed", "This Source was closed.")
        view = SqliteView(self, engine)
        try:
            yield view
        finally:
            view.end()

    def close(self) -> None:
        """Closes every connection; Views must have ended."""
        self._closed = True
        for kept in list(self._open):
            kept.dispose()

    def acquire(self) -> _Kept:
        """This thread's connection, fit for the database as it is now, in a transaction."""
        kept: _Kept | None = getattr(self._local, "kept", None)
        if kept is not None:
            if kept.begin():
                return kept
            self.release(kept)
        kept = _Kept(self._path, self._connect)
        self._open.add(kept)
        self._local.kept = kept
        if kept.live:
            kept.begin()
        return kept

    def release(self, kept: _Kept) -> None:
        """Gives up a connection that cannot serve any more."""
        self._local.kept = None
        kept.dispose()

    def look(self) -> Files:
        return opening.look(self._path)


class SqliteView:
    """One consistent state of a host store. Not for two threads at once."""

    def __init__(self, source: SqliteSource, engine: Engine) -> None:
        self._source = source
        self._engine = engine
        self._answered = False
        self._kept = source.acquire()
        self.epoch: Hashable = self._kept.epoch()
        try:
            self._listing()
        except BaseException:
            self.end()
            raise

    def sessions(self) -> Catalog:
        return self._listing().catalog

    def describe(self, session: str) -> Session:
        return self._listing().sessions[session]

    def record_count(self, session: str) -> int:
        """Rows of the kinds that can be visible, whatever can be read of them."""
        counts = self._kept.counts
        if session not in counts:
            counts[session] = self._steady(lambda: self._count(session))
        return counts[session]

    def fingerprint(self, session: str) -> bytes:
        known = self._kept.fingerprints.get(session)
        return self._steady(lambda: self._hash(session)) if known is None else known

    def scan(self, terms: Sequence[str], sessions: Sequence[str]) -> ScanResult:
        missing = self._listing().missing
        if missing:
            message = "Nothing was ruled out: the store lacks " + ", ".join(missing) + "."
            return ScanResult(frozenset(sessions), Gap("fast_path_declined", message))
        scanner = self._engine.scanner(terms)

        def narrow() -> frozenset[str]:
            connections, listing = self._kept.connections(), self._listing()
            found = Narrowing(connections, listing, *self._readers(), scanner).run(sessions)
            self._kept.counts.update(found.counts)
            asked = (listing.sessions[name] for name in sessions if name in listing.sessions)
            return found.offered.union(s.id for s in asked if names(self._engine, terms, s))

        return ScanResult(self._steady(narrow))

    def read(self, session: str) -> Transcript:
        return self._steady(lambda: self._read(session))

    def read_around(self, session: str, locators: Sequence[str]) -> list[StoredMessage]:
        def around() -> list[StoredMessage]:
            listing = self._listing()
            reader = self._readers()[listing.owners[session] == "messages"]
            titles = iter(title_message(listing.sessions[session]))
            places = [locator for locator in locators if locator != TITLE]
            found = iter(reader.around(listing.keys[session], places))
            return [next(titles if locator == TITLE else found) for locator in locators]

        return self._steady(around)

    def end(self) -> None:
        """Ends the transaction; what was read is kept for the next View of this thread."""
        try:
            self._kept.end()
        except sqlite3.Error:
            self._source.release(self._kept)

    def _listing(self) -> Listing:
        if self._kept.listing is None:
            self._steady(self._list)
        listing = self._kept.listing
        assert listing is not None
        return listing

    def _list(self) -> None:
        kept = self._kept
        kept.tables = whole_tables(kept.connection)
        kept.listing = read_listing(kept.connection, kept.tables, self._source.name)

    def _readers(self) -> tuple[Ledger, PreLedger]:
        tables, connection = self._kept.tables or frozenset(), self._kept.connection
        return Ledger(connection, tables), PreLedger(connection, tables, self._engine)

    def _count(self, session: str) -> int:
        listing = self._listing()
        owns = listing.owners[session] == "ledger"
        if ("runtime_events" if owns else "session_messages") in listing.missing:
            return 0
        statement = ledger.COUNT if owns else pre_ledger.COUNT
        try:
            row = self._kept.connection.execute(statement, (listing.keys[session],)).fetchone()
        except sqlite3.DatabaseError as error:
            if not opening.is_damage(error):
                raise
            return 0  # damaged pages: reading the Session says so
        return int(row[0])

    def _hash(self, session: str) -> bytes:
        listing = self._listing()
        owner = listing.owners[session]
        fingerprint = self._fingerprint(owner, listing.sessions[session])
        try:
            reader = self._readers()[owner == "messages"]
            reader.hash(listing.keys[session], fingerprint)
        except sqlite3.DatabaseError as error:
            return _of_damage(error)
        self._kept.fingerprints[session] = fingerprint.digest()
        return fingerprint.digest()

    def _read(self, session: str) -> Transcript:
        listing = self._listing()
        owner = listing.owners[session]
        fingerprint = self._fingerprint(owner, listing.sessions[session])
        findings = Findings(self._engine)
        try:
            reader = self._readers()[owner == "messages"]
            messages = reader.read(listing.keys[session], fingerprint, findings)
        except sqlite3.DatabaseError as error:
            message = "A Session lies in damaged pages of the database and was left out."
            return Transcript((), _of_damage(error), (Gap("session_unreadable", message, 1),))
        self._kept.fingerprints[session] = fingerprint.digest()
        shown = (*messages, *title_message(listing.sessions[session]))
        return Transcript(shown, fingerprint.digest(), findings.gaps(), findings.damage())

    def _fingerprint(self, owner: str, session: Session) -> Fingerprint:
        fingerprint = Fingerprint(owner)
        fingerprint.feed((session.title, session.started_at))
        return fingerprint

    def _steady(self, work: Callable[[], T]) -> T:
        """``work`` on a state that stood still. A View that has answered cannot start again."""
        for _ in range(opening.ATTEMPTS):
            try:
                result = work()
            except sqlite3.Error as error:
                if not self._moved():
                    raise opening.translate(error) from None
            except SourceError:
                if not self._moved():
                    raise
            else:
                if not self._moved():
                    self._answered = True
                    return result
            self._source.release(self._kept)
            if self._answered:
                break
            self._kept = self._source.acquire()
            self.epoch = self._kept.epoch()
        raise opening.unsettled()

    def _moved(self) -> bool:
        """Whether a file read without locks changed: before the first answer, in any way."""
        if self._kept.mode != "immutable":
            return False
        now, then = self._source.look(), self._kept.files
        return now.database != then.database if self._answered else now != then


def _of_damage(error: sqlite3.DatabaseError) -> bytes:
    """A fingerprint that equals no other: what could not be read may have changed."""
    if not opening.is_damage(error):
        raise error
    return os.urandom(32)
