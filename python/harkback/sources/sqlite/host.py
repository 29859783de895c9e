"""The schema of a host store: the event ledger, and the rows of Sessions from before it.

Invariant: a Session is read from the half that owns it, and from that half alone.
Proof: tests/sources/test_sqlite_catalog.py, tests/sources/test_sqlite_ledger.py,
tests/sources/test_sqlite_pre_ledger.py.
"""

from __future__ import annotations

import os
import sqlite3
from collections import Counter
from collections.abc import Hashable, Sequence
from typing import Final, NamedTuple

from harkback.engine import Engine, Scanner
from harkback.model import Gap, StoredMessage
from harkback.sources.base import Naming, Transcript
from harkback.sources.sqlite import artifacts, growth, ledger, pre_ledger
from harkback.sources.sqlite.base import Narrowed, Place
from harkback.sources.sqlite.catalog import Listing, Owner, read_listing, whole_tables
from harkback.sources.sqlite.growth import Growth
from harkback.sources.sqlite.ledger import Ledger, Tail
from harkback.sources.sqlite.narrow import Narrowing
from harkback.sources.sqlite.pre_ledger import PreLedger
from harkback.sources.sqlite.records import Findings, Fingerprint
from harkback.sources.sqlite.schema import IDENTIFYING
from harkback.sources.sqlite.sweep import Sweep

KEPT_TAILS: Final = 8

_TABLES: Final[tuple[tuple[Owner, Sweep, str], ...]] = (
    ("ledger", ledger.SWEEP, ledger.SCAN),
    ("messages", pre_ledger.SWEEP, pre_ledger.SCAN),
)


class HostStore:
    """See ``harkback.sources.sqlite.base.Schema``."""

    agent: Final = "maka"
    version: Final = "host-1"

    def recognises(self, connection: sqlite3.Connection) -> bool:
        return not whole_tables(connection).isdisjoint(IDENTIFYING)

    def outside(self, place: Place) -> Hashable:
        return None

    def listing(self, connection: sqlite3.Connection, place: Place, outside: object) -> Listing:
        return read_listing(connection, whole_tables(connection), place)

    def reader(
        self, connection: sqlite3.Connection, listing: Listing, place: Place, engine: Engine
    ) -> HostReader:
        return HostReader(connection, listing, place, engine)


class _Marks(NamedTuple):
    """What a stamp depends on, but for what only the rows of its Session tell."""

    tables: Growth
    owners: dict[str, Owner]


class HostReader(Naming):
    """See ``harkback.sources.sqlite.base.Reader``."""

    def __init__(
        self, connection: sqlite3.Connection, listing: Listing, place: Place, engine: Engine
    ) -> None:
        self._connection = connection
        self._folder = os.path.dirname(place.path)  # noqa: PTH120
        self._listing = listing
        #: Of the Session that was read last and those of newest activity, with their fingerprints:
        #: such as may yet grow.
        self._tails: dict[str, tuple[bytes, Tail]] = place.notes.setdefault("tails", {})
        self._engine = engine
        self._ledger = Ledger(connection, listing.tables)
        self._pre_ledger = PreLedger(connection, listing.tables, engine)

    def count(self, session: str) -> int:
        owns = self._listing.owners[session] == "ledger"
        if ("runtime_events" if owns else "session_messages") in self._listing.missing:
            return 0
        statement = ledger.COUNT if owns else pre_ledger.COUNT
        row = self._connection.execute(statement, (self._listing.keys[session],)).fetchone()
        return int(row[0])

    def hash(self, session: str) -> tuple[bytes, int]:
        fingerprint = Fingerprint(self._listing.owners[session])
        self._half(session).hash(self._listing.keys[session], fingerprint)
        return fingerprint.digest(), fingerprint.bytes

    def stamp(self, session: str) -> bytes:
        fingerprint = Fingerprint(self._listing.owners[session])
        self._half(session).stamp(self._listing.keys[session], fingerprint)
        return fingerprint.digest()

    def touched(self, since: _Marks | None) -> tuple[_Marks, frozenset[str] | None]:
        listing = self._listing
        tables = growth.look(self._connection, listing.tables)
        now = _Marks(tables, listing.owners)
        keys = None if since is None else growth.added(self._connection, since.tables, tables)
        if since is None or keys is None:
            return now, None
        names = (
            name
            for name, owner in listing.owners.items()
            if listing.keys[name] in keys or since.owners.get(name) != owner
        )
        return now, frozenset(names)

    def narrow(
        self,
        connections: Sequence[sqlite3.Connection],
        terms: Sequence[str],
        sessions: Sequence[str],
    ) -> Narrowed:
        missing = self._listing.missing
        if missing:
            message = "Nothing was ruled out: the store lacks " + ", ".join(missing) + "."
            return Narrowed(frozenset(sessions), {}, Gap("fast_path_declined", message))
        scanner = self._engine.scanner(terms)
        scan = _HostNarrowing(connections, scanner, self._pre_ledger)
        return scan.run(self._listing, self._ledger.streaming(), sessions)

    def read(self, session: str) -> Transcript:
        fingerprint = Fingerprint(self._listing.owners[session])
        findings = Findings(self._engine)
        key = self._listing.keys[session]
        messages = self._half(session).read(key, fingerprint, findings)
        return self._transcript(session, messages, fingerprint, findings)

    def grown(self, session: str) -> tuple[bytes, Transcript, int] | None:
        """Events that were added behind all others; message rows are from before the ledger."""
        known = self._tails.get(session)
        if known is None or self._listing.owners[session] != "ledger":
            return None
        fingerprint, findings = Fingerprint("ledger"), Findings(self._engine)
        key = self._listing.keys[session]
        found = self._ledger.grown(key, known[1], fingerprint, findings)
        if found is None:
            return None
        messages, records = found
        return known[0], self._transcript(session, messages, fingerprint, findings), records

    def _transcript(
        self,
        session: str,
        messages: Sequence[StoredMessage],
        fingerprint: Fingerprint,
        findings: Findings,
    ) -> Transcript:
        digest = fingerprint.digest()
        self._tails.pop(session, None)
        if self._ledger.tail is not None:
            self._tails[session] = (digest, self._ledger.tail)
            others = [name for name in list(self._tails) if name != session]
            if len(others) > KEPT_TAILS:
                self._tails.pop(min(others, key=self._activity), None)
        return Transcript(tuple(messages), digest, findings.gaps(), findings.damage())

    def _activity(self, session: str) -> int:
        listed = self._listing.sessions.get(session)
        return -1 if listed is None else listed.last_activity_at

    def around(self, session: str, locators: Sequence[str]) -> list[StoredMessage]:
        return self._half(session).around(self._listing.keys[session], locators)

    def named(self, session: str, names: Sequence[str]) -> dict[str, StoredMessage]:
        return self._half(session).named(self._listing.keys[session], names)

    def material(self, session: str, ref: str, limit: int) -> bytes | None:
        key = self._listing.keys[session]
        return artifacts.read(self._connection, self._folder, key, ref, limit)

    def first_prompt(self, session: str) -> str:
        return ""

    def _half(self, session: str) -> Ledger | PreLedger:
        return self._ledger if self._listing.owners[session] == "ledger" else self._pre_ledger


class _HostNarrowing(Narrowing):
    """Sessions with a stream in flight are offered; records in chunks are joined before."""

    def __init__(
        self,
        connections: Sequence[sqlite3.Connection],
        scanner: Scanner,
        messages: PreLedger,
    ) -> None:
        super().__init__(connections, scanner)
        self._pre_ledger = messages
        self._chunks = False  # whether records of the table at hand may lie in chunks
        self._markers: Counter[bytes] = Counter()  # of those that do

    def run(self, listing: Listing, streaming: set[bytes], sessions: Sequence[str]) -> Narrowed:
        keys = {listing.keys[name]: name for name in sessions if name in listing.keys}
        self.offered = streaming & set(keys)
        owners = listing.owners
        for owner, sweep, search in _TABLES:
            self._chunks = owner == "messages"
            group = {key for key, name in keys.items() if owners[name] == owner}
            self.table(sweep, search, group, sum(each == owner for each in owners.values()))
        counts = {name: self.counts[key] for key, name in keys.items() if key not in self.offered}
        return Narrowed(frozenset(keys[key] for key in self.offered), counts)

    def _take(self, key: bytes, count: int, records: Sequence[bytes]) -> None:
        if self._chunks:
            texts = (record for record in records if isinstance(record, bytes))
            markers = sum(record.count(pre_ledger.MARKER) for record in texts)
            with self._counting:
                self._markers[key] += markers
        super()._take(key, count, records)

    def _finish(self, key: bytes) -> None:
        """Scans the joined records; each was counted with the row that stands for it."""
        if not self._markers[key] or key in self.offered:
            return
        for body in self._pre_ledger.bodies(key, self._markers[key]):
            if body is None or self._scanner.first([body]) is not None:
                self.offered.add(key)
                return

    def _forget(self, key: bytes) -> None:
        super()._forget(key)
        del self._markers[key]
