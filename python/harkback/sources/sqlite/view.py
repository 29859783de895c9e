"""A View of a database: one read transaction, or a file that did not move meanwhile.

Invariant: every answer of a View is of one state, and none leaves a trace; a file that is read
without locks and moves makes the View start over, or fail once it has answered.
Proof: tests/sources/test_sqlite_source.py, tests/sources/test_sqlite_untouched.py.
"""

from __future__ import annotations

import os
import sqlite3
from collections.abc import Callable, Hashable, Sequence
from dataclasses import replace
from typing import TypeVar

from harkback.engine import Engine
from harkback.errors import SourceError
from harkback.model import Gap, Session, StoredMessage
from harkback.sources.base import (
    TITLE,
    Catalog,
    Grown,
    Naming,
    ScanResult,
    Transcript,
    names,
    title_message,
)
from harkback.sources.sqlite import opening, schemas
from harkback.sources.sqlite.base import Listing, Reader
from harkback.sources.sqlite.database import Database
from harkback.sources.sqlite.memory import STAMP_BYTES
from harkback.sources.sqlite.records import Fingerprint

T = TypeVar("T")


class SqliteView(Naming):
    """One consistent state of a database. Not for two threads at once."""

    def __init__(self, database: Database, engine: Engine) -> None:
        self._database = database
        self.name = database.place.source
        self._engine = engine
        self._answered = False
        self._lost = False  # its connection was given up, and there is no going on
        self._kept = database.acquire()
        try:
            if self._kept.schema is not None:
                self._kept.beside(self._kept.schema.outside(database.place))
            self._listing()
            self._left = database.memory.recheck(
                self._kept.state(), lambda s: s in self._listing().sessions, self._recheck
            )  # of the slice, bytes
        except BaseException:
            self.end()
            raise
        #: What was found in this state that had changed without a trace makes it another.
        self.epoch: Hashable = (self._kept.state(), database.memory.corrections)
        self._answered = True  # with its epoch, and with what is known of that

    @property
    def token(self) -> bytes | None:
        kept = self._kept
        return kept.token() if self._database.memory.is_sure(kept.state()) else None

    def sessions(self) -> Catalog:
        return self._listing().catalog

    def describe(self, session: str) -> Session:
        listed, schema = self._listing().sessions[session], self._kept.schema
        agent = "" if schema is None else schema.agent
        return replace(listed, agent=agent)

    def title(self, session: str) -> str:
        """The title, or the first prompt."""
        known = self._kept.titles
        if session not in known:
            known[session] = self._steady(lambda: self._title(session))
        return known[session]

    def size(self) -> int:
        """Bytes of the database and its WAL."""
        return self._database.look().size()

    def record_count(self, session: str) -> int:
        """Rows of the kinds that can be visible, whatever can be read of them."""
        counts = self._kept.counts
        if session not in counts:
            stamp = self._stamp_at_hand(session)
            known = None if stamp is None else self._database.memory.count(session, stamp)
            if known is None:
                known = self._steady(lambda: self._count(session))
            counts[session] = known
        return counts[session]

    def fingerprint(self, session: str) -> bytes:
        known = self._kept.fingerprints.get(session)
        return self._steady(lambda: self._hash(session))[0] if known is None else known

    def unchanged(self, session: str, fingerprint: bytes) -> bool | None:
        """By the rows if they were read in this state; else by a stamp, if there are stamps."""
        known = self._kept.fingerprints.get(session)
        if known is not None:
            return known == fingerprint
        stamp = self._stamp_at_hand(session)
        if stamp is None:
            return None
        if not fingerprint.startswith(stamp):
            return False
        told = self._database.memory.told(session, stamp)
        if told is None and self._left > 0:
            self._left -= self._recheck(session)
            told = self._kept.fingerprints.get(session, b"")
        if told is None:
            self._database.memory.trust(session, fingerprint)
        return told in (None, fingerprint)

    def scan(self, terms: Sequence[str], sessions: Sequence[str]) -> ScanResult:
        def narrow() -> ScanResult:
            reader, listing = self._reader(), self._listing()
            listed = [name for name in sessions if name in listing.sessions]
            found = reader.narrow(self._kept.connections(), terms, listed)
            self._kept.counts.update(found.counts)
            named = (n for n in listed if names(self._engine, terms, listing.sessions[n]))
            return ScanResult(found.offered.union(named), found.declined)

        return self._steady(narrow)

    def read(self, session: str) -> Transcript:
        return self._steady(lambda: self._read(session))

    def grown(self, session: str, fingerprint: bytes) -> Grown | None:
        return self._steady(lambda: self._grown(session, fingerprint))

    def read_around(self, session: str, locators: Sequence[str]) -> list[StoredMessage]:
        def around() -> list[StoredMessage]:
            places = [locator for locator in locators if locator != TITLE]
            found = {each.locator: each for each in self._reader().around(session, places)}
            found.update((TITLE, each) for each in title_message(self._listing().sessions[session]))
            return [found[locator] for locator in locators if locator in found]

        return self._steady(around)

    def named(self, session: str, names: Sequence[str]) -> dict[str, StoredMessage] | None:
        """See ``harkback.sources.base.Naming``; nothing of what lies in damaged pages."""

        def find() -> dict[str, StoredMessage] | None:
            reader = self._reader()
            try:
                return reader.named(session, names) if isinstance(reader, Naming) else None
            except sqlite3.DatabaseError as error:
                if not opening.is_damage(error):
                    raise
                return {}

        return self._steady(find)

    def material(self, session: str, ref: str, limit: int) -> bytes | None:
        return self._steady(lambda: self._reader().material(session, ref, limit))

    def end(self) -> None:
        """Ends the transaction; what was read is kept for the next View of this thread."""
        try:
            self._kept.end()
        except sqlite3.Error:
            self._database.release(self._kept)

    def _listing(self) -> Listing:
        if self._kept.listing is None:
            self._steady(self._list)
        listing = self._kept.listing
        assert listing is not None
        return listing

    def _list(self) -> None:
        kept, place = self._kept, self._database.place
        kept.schema = self._database.schema or schemas.recognise(kept.connection)
        kept.beside(kept.schema.outside(place))
        kept.listing = kept.schema.listing(kept.connection, place, kept.outside)

    def _reader(self) -> Reader:
        listing, kept = self._listing(), self._kept
        assert kept.schema is not None
        return kept.schema.reader(kept.connection, listing, self._database.place, self._engine)

    def _title(self, session: str) -> str:
        listed = self._listing().sessions[session]
        if listed.title:
            return listed.title
        try:
            return self._reader().first_prompt(session)
        except sqlite3.DatabaseError as error:
            if not opening.is_damage(error):
                raise
            return ""  # reading the Session says so

    def _count(self, session: str) -> int:
        memory, stamp = self._database.memory, self._stamp(session)
        try:
            count = self._reader().count(session)
            if stamp is not None:
                memory.counted(session, stamp, count)
            return count
        except sqlite3.DatabaseError as error:
            if not opening.is_damage(error):
                raise
            return 0  # damaged pages: reading the Session says so

    def _recheck(self, session: str) -> int:
        return self._steady(lambda: self._hash(session))[1]

    def _hash(self, session: str) -> tuple[bytes, int]:
        """The fingerprint, and about how many bytes were read for it."""
        try:
            rows, size = self._reader().hash(session)
        except sqlite3.DatabaseError as error:
            return self._damaged(session, error), 0
        return self._found(session, rows), size

    def _found(self, session: str, rows: bytes) -> bytes:
        """The fingerprint that a digest of the rows of a Session comes to; kept."""
        stamp, digest = self._stamp(session), self._digest(session, rows)
        if stamp is not None:
            digest = stamp + digest
            count = self._kept.counts.get(session)
            self._database.memory.read(self._kept.state(), session, digest, count)
        self._kept.fingerprints[session] = digest
        return digest

    def _damaged(self, session: str, error: sqlite3.DatabaseError) -> bytes:
        """A fingerprint that equals no other: what could not be read may have changed."""
        if not opening.is_damage(error):
            raise error
        stamp, other = self._stamp(session), os.urandom(32)
        if stamp is not None:
            other = stamp + other
            self._database.memory.read(self._kept.state(), session, other, None)
        return other

    def _stamp(self, session: str) -> bytes | None:
        """The stamp of the rows and the title; None also where damage keeps from taking it."""
        known = self._kept.stamps
        if session not in known:
            try:
                rows = self._row_stamp(session)
            except sqlite3.DatabaseError as error:
                if not opening.is_damage(error):
                    raise
                rows = None
            if rows is None:
                return None
            known[session] = self._digest(session, rows)[:STAMP_BYTES]
        return known[session]

    def _stamp_at_hand(self, session: str) -> bytes | None:
        """The same; most need no look at the database, nor at whether it moved."""
        known = self._kept.stamps.get(session)
        return self._steady(lambda: self._stamp(session)) if known is None else known

    def _grown(self, session: str, fingerprint: bytes) -> Grown | None:
        stamp = self._stamp(session)
        try:
            found = None if stamp is None else self._reader().grown(session)
        except sqlite3.DatabaseError as error:
            if not opening.is_damage(error):
                raise
            return None
        if stamp is None or found is None:
            return None
        then, transcript, records = found
        titles = tuple(title_message(self._listing().sessions[session]))
        if fingerprint[STAMP_BYTES:] != self._digest(session, then):
            return None  # it was read again meanwhile, or has another title
        now, memory = stamp + self._digest(session, transcript.fingerprint), self._database.memory
        told = self._kept.fingerprints.get(session) or memory.told(session, stamp)
        if told not in (None, now):
            return None  # rows in front of it are known to be others
        if told is None:
            memory.trust(session, now)
        before = memory.count(session, fingerprint[:STAMP_BYTES])
        if before is not None:
            memory.counted(session, stamp, before + records)
        messages = (*transcript.messages, *titles)
        return Grown(
            transcript._replace(messages=messages, fingerprint=now), tuple(m.id for m in titles)
        )

    def _row_stamp(self, session: str) -> bytes | None:
        kept, memory, reader = self._kept, self._database.memory, self._reader()
        if kept.row_stamps is None:
            kept.row_stamps = memory.stamps(kept.state(), reader)
            for other, rows in kept.row_stamps.items():
                if other in self._listing().sessions:
                    kept.stamps[other] = self._digest(other, rows)[:STAMP_BYTES]
        if session not in kept.row_stamps:
            stamp = reader.stamp(session)
            if stamp is None:
                return None
            kept.row_stamps[session] = stamp
            memory.took(kept.state(), session, stamp)
        return kept.row_stamps[session]

    def _read(self, session: str) -> Transcript:
        try:
            transcript = self._reader().read(session)
        except sqlite3.DatabaseError as error:
            message = "A Session lies in damaged pages of the database and was left out."
            fingerprint = self._damaged(session, error)
            return Transcript((), fingerprint, (Gap("session_unreadable", message, 1),))
        fingerprint = self._found(session, transcript.fingerprint)
        shown = (*transcript.messages, *title_message(self._listing().sessions[session]))
        return transcript._replace(messages=shown, fingerprint=fingerprint)

    def _digest(self, session: str, rows: bytes) -> bytes:
        """What the rows tell, and what the catalog adds to it."""
        listed = self._listing().sessions[session]
        fingerprint = Fingerprint("title")
        assert self._kept.schema is not None
        fingerprint.feed((self._kept.schema.version, rows, listed.title, listed.started_at))
        return fingerprint.digest()

    def _steady(self, work: Callable[[], T]) -> T:
        """``work`` on a state that stood still. A View that has answered cannot start again."""
        if self._lost:
            raise opening.unsettled()
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
            self._database.release(self._kept)
            self._lost = True
            if self._answered:
                break
            self._kept = self._database.acquire()
            self._lost = False
        raise opening.unsettled()

    def _moved(self) -> bool:
        """Whether a file read without locks changed: before the first answer, in any way."""
        if self._kept.mode != "immutable":
            return False
        now, then = self._database.look(), self._kept.files
        return now.database != then.database if self._answered else now != then
