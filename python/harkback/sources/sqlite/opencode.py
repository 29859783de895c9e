"""The schema of OpenCode's database: a row per Session, per message, and per part of a message.

Rows are updated in place, and ids do not sort: order is by time, then id. Invariant: what is
scanned is what is read: the parts that a Session's rows name, and the whole outputs beside the
database. Locators: those of ``harkback.sources.opencode.messages`` over rowids.
Proof: tests/sources/test_opencode.py, tests/sources/test_samples_opencode.py.
"""

from __future__ import annotations

import sqlite3
from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from typing import Final, NamedTuple

import orjson

from harkback.decoding import Damaged, parse
from harkback.engine import Engine
from harkback.model import Gap, StoredMessage
from harkback.sources import attachments
from harkback.sources.base import Transcript, first_prompt
from harkback.sources.opencode import spills
from harkback.sources.opencode.messages import Decoder, MessageRow, PartRow, created
from harkback.sources.opencode.spills import Spills
from harkback.sources.sqlite.base import Marks, Narrowed, Place, columns_of
from harkback.sources.sqlite.decode import milliseconds, text_of
from harkback.sources.sqlite.narrow import Narrowing
from harkback.sources.sqlite.opencode_catalog import NEEDED, Listing, read_listing
from harkback.sources.sqlite.records import Findings, Fingerprint, Row, in_order
from harkback.sources.sqlite.sweep import Sweep

#: Of one record. A longer one is left out, unread.
LIMIT_BYTES: Final = 64 << 20

_OCTETS: Final = (
    "octet_length(data)"
    if sqlite3.sqlite_version_info >= (3, 43)
    else "length(CAST(data AS BLOB))"  # the length of a text would be counted in characters
)
_DATA: Final = f"CASE WHEN {_OCTETS} <= {LIMIT_BYTES} THEN data END, data IS NULL"
_OWN: Final = "session_id = CAST(? AS TEXT)"
_ORDER: Final = "ORDER BY time_created, id"
_HEADERS: Final = f"SELECT rowid, id, time_created, {_DATA} FROM message WHERE {_OWN} {_ORDER}"
_PARTS: Final = f"SELECT rowid, id, message_id, {_DATA} FROM part WHERE {_OWN}"
_SCAN: Final = f"SELECT data FROM part WHERE {_OWN}"
_COUNT: Final = f"SELECT COUNT(*) FROM part WHERE {_OWN}"
_TIMES: Final = f"SELECT id, time_created FROM message WHERE {_OWN} {_ORDER}"
_SWEEP: Final = Sweep("part", "data", "1")
_STAMP: Final = (
    "SELECT MAX(time_updated), TOTAL(time_updated), COUNT(*), TOTAL(rowid) "
    f"FROM {{table}} WHERE {_OWN}"
)
_NEWEST: Final = (
    f"SELECT rowid, data FROM {{table}} WHERE {_OWN} AND time_updated = ? ORDER BY rowid"
)


class _Told(NamedTuple):
    """Which outputs a Session tells of, at one digest and one stamp of its rows."""

    rows: bytes
    stamp: bytes | None
    names: tuple[str, ...]


class OpenCode:
    """See ``harkback.sources.sqlite.base.Schema``."""

    agent: Final = "opencode"
    version: Final = "opencode-1"

    def recognises(self, connection: sqlite3.Connection) -> bool:
        """Its table of Sessions has columns of its own; the other two have names that any may."""
        if {"id", "project_id", "directory"} <= set(columns_of(connection, "session")):
            return True
        return all(
            set(columns_of(connection, table)).issuperset(NEEDED[table])
            for table in ("message", "part")
        )

    def outside(self, place: Place) -> Spills:
        return spills.look(place.path)

    def listing(self, connection: sqlite3.Connection, place: Place, outside: Spills) -> Listing:
        return read_listing(connection, place.source, outside)

    def reader(
        self, connection: sqlite3.Connection, listing: Listing, place: Place, engine: Engine
    ) -> OpenCodeReader:
        return OpenCodeReader(connection, listing, place, engine)


class OpenCodeReader:
    """See ``harkback.sources.sqlite.base.Reader``."""

    def __init__(
        self, connection: sqlite3.Connection, listing: Listing, place: Place, engine: Engine
    ) -> None:
        self._connection = connection
        self._listing = listing
        self._place = place
        self._engine = engine

    def count(self, session: str) -> int:
        if "part" in self._listing.missing:
            return 0
        (count,) = self._connection.execute(_COUNT, (self._listing.keys[session],)).fetchone()
        return int(count)

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
        keys = {self._listing.keys[name]: name for name in sessions}
        # Who names a file that may match may match; the scan decodes the name as reading does.
        names = [self._engine.fold(name) for name in self._matching_files(terms)]
        scan = Narrowing(connections, self._engine.scanner([*terms, *names]))
        scan.table(_SWEEP, _SCAN, set(keys), len(self._listing.keys))
        counts = {name: scan.counts[key] for key, name in keys.items() if key not in scan.offered}
        return Narrowed(frozenset(keys[key] for key in scan.offered), counts)

    def _matching_files(self, terms: Sequence[str]) -> Iterator[str]:
        scanner = self._engine.scanner(terms)
        for name, _ in self._listing.spills.files:
            text = self._listing.spills.text(name)
            if text and scanner.first([orjson.dumps(text)]) is not None:
                yield name

    def hash(self, session: str) -> tuple[bytes, int]:
        rows, size = self._digest_of_rows(session)
        return self._hash(session, rows), size

    def _hash(self, session: str, rows: bytes) -> bytes:
        if not self._listing.spills.files:
            return self._fingerprint(rows, ())
        known = self._place.notes.get(session)
        if known is None or known.rows != rows:
            told: set[str] = set()
            for _ in self._messages(session, Findings(), told):
                pass
            known = self._note(session, rows, told)
        return self._fingerprint(rows, known.names)

    def read(self, session: str) -> Transcript:
        findings = Findings(self._engine)
        rows, _ = self._digest_of_rows(session)
        told: set[str] = set()
        messages = tuple(self._messages(session, findings, told))
        fingerprint = self._fingerprint(rows, self._note(session, rows, told).names)
        return Transcript(messages, fingerprint, findings.gaps(), findings.damage())

    def grown(self, session: str) -> None:
        """None: rows may have been changed anywhere."""

    def around(self, session: str, locators: Sequence[str]) -> list[StoredMessage]:
        places = {int(name[1:]) for name in locators if name[0] in "mh"}
        parts = {name.lstrip("dcr"): name[0] == "d" for name in locators if name[0] in "dcr"}
        marks = ",".join("?" * len(parts))
        statement = f"SELECT message_id FROM part WHERE rowid IN ({marks})"
        holders = {key for (key,) in self._connection.execute(statement, [int(p) for p in parts])}
        doubled = frozenset(part for part, is_doubled in parts.items() if is_doubled)
        findings = Findings()
        found = self._messages(session, findings, set(), doubled, (places, holders))
        return in_order(found, locators)

    def material(self, session: str, ref: str, limit: int) -> bytes | None:
        if ref.startswith(attachments.FILE):
            name = ref.removeprefix(attachments.FILE)
            known = self._listing.spills.state(name) is not None
            return self._listing.spills.content(name) if known else None
        for *_, data, absent in self._part_rows(self._listing.keys[session], None):
            record = self._record(data, absent, Findings())
            found = None if record is None else attachments.find(record, ref)
            if found is not None:
                return found
        return None

    def first_prompt(self, session: str) -> str:
        if not {"message", "part"}.isdisjoint(self._listing.missing):
            return ""
        key, findings = self._listing.keys[session], Findings()
        headers = dict(self._headers(session, key, findings))
        decoder = Decoder(list(headers.values()), None, lambda _: None)
        return first_prompt(
            message
            for name, header in headers.items()
            if header.record.get("role") == "user"
            for message in decoder.decode(header, self._parts(key, {name}, True, findings)[name])
        )

    # --- rows -------------------------------------------------------------------------------

    def _messages(
        self,
        session: str,
        findings: Findings,
        told: set[str],
        doubled: frozenset[str] = frozenset(),
        only: tuple[set[int], set[bytes]] | None = None,
    ) -> Iterator[StoredMessage]:
        """The Messages of a Session; ``only`` those of these rows or with these ids.

        Args:
            told: takes the names of the outputs that records tell of.
        """
        if not {"message", "part"}.isdisjoint(self._listing.missing):
            return
        key = self._listing.keys[session]
        headers = dict(self._headers(session, key, findings))

        def follow(path: str) -> str | None:
            name = spills.name_of(path)
            told.add(name)
            if self._listing.spills.state(name) is None:
                return None
            text = self._listing.spills.text(name)
            if text is None:
                findings.add_read("beside")
            return text

        decoder = Decoder(
            list(headers.values()), self._listing.reverts.get(session), follow, doubled
        )
        if decoder.in_flight:
            findings.add_read("stream")
        wanted = {
            name
            for name, header in headers.items()
            if only is None or int(header.place) in only[0] or name in only[1]
        }
        parts = self._parts(key, wanted, only is not None, findings)
        for name, header in headers.items():
            if name in wanted:
                yield from decoder.decode(header, parts.pop(name, ()))

    def _headers(
        self, session: str, key: bytes, findings: Findings
    ) -> Iterator[tuple[bytes, MessageRow]]:
        aliases = self._aliases(session, key)
        for number, id_, at, data, absent in self._connection.execute(_HEADERS, (key,)):
            record = self._record(data, absent, findings)
            if record is not None and isinstance(id_, bytes):
                name, time = text_of(id_), created(record, milliseconds(at, 0))
                yield id_, MessageRow(name, str(number), record, time, aliases.get(name, name))

    def _parts(
        self, key: bytes, wanted: set[bytes], few: bool, findings: Findings
    ) -> defaultdict[bytes, list[PartRow]]:
        found: defaultdict[bytes, list[PartRow]] = defaultdict(list)
        for number, id_, message, data, absent in self._part_rows(key, wanted if few else None):
            if message in wanted:
                record = self._record(data, absent, findings)
                if record is not None:
                    found[message].append(PartRow(text_of(id_), str(number), record))
        return found

    def _part_rows(self, key: bytes, wanted: Iterable[bytes] | None) -> Iterator[Row]:
        if wanted is None:
            yield from self._connection.execute(f"{_PARTS} {_ORDER}", (key,))
            return
        statement = f"{_PARTS} AND message_id = CAST(? AS TEXT) {_ORDER}"
        for name in wanted:
            yield from self._connection.execute(statement, (key, name))

    def _record(self, data: object, absent: object, findings: Findings) -> dict[str, object] | None:
        if data is None and not absent:
            findings.add_read("long")
            return None
        try:
            return parse(data)
        except Damaged:
            findings.add_record(data)
            return None

    def _aliases(self, session: str, key: bytes) -> dict[str, str]:
        """Of a fork: its messages under the ids of those that they are copies of.

        A fork starts with copies of all messages up to a point, at their times, under new ids.
        """
        origin = self._listing.keys.get(self._listing.origins.get(session, ""))
        if origin is None:
            return {}
        found: dict[str, str] = {}
        pairs = zip(
            self._connection.execute(_TIMES, (key,)).fetchall(),
            self._connection.execute(_TIMES, (origin,)).fetchall(),
            strict=False,
        )
        for (own, at), (other, then) in pairs:
            if at != then:
                break
            found[text_of(own)] = text_of(other)
        return found

    # --- fingerprints -----------------------------------------------------------------------

    def _digest_of_rows(self, session: str) -> tuple[bytes, int]:
        """Of which rows there are, when they were changed, and how long they are; and its size."""
        fingerprint = Fingerprint("opencode-1")
        listing, key = self._listing, self._listing.keys[session]
        fingerprint.feed((repr(listing.reverts.get(session)),))
        for table in ("message", "part"):
            fingerprint.mark(table.encode())
            if table in listing.missing:
                continue
            owner = ", message_id" if table == "part" else ""
            # Without a time of change the record itself tells.
            changed = "time_updated" if "time_updated" in listing.columns[table] else "data"
            statement = (
                f"SELECT rowid, id{owner}, time_created, {changed}, {_OCTETS} "
                f"FROM {table} WHERE {_OWN} {_ORDER}"
            )
            for row in self._connection.execute(statement, (key,)):
                fingerprint.feed(row)
        fingerprint.mark(b"aliases")
        fingerprint.feed(tuple(self._aliases(session, key).values()))
        return fingerprint.digest(), fingerprint.bytes

    def stamp(self, session: str) -> bytes | None:
        """Also of the times of change, which every update sets; None where there are none, and
        while it is not known which outputs beside the database a Session tells of.
        """
        rows = self._stamp_of_rows(session)
        if rows is None:
            return None
        if not self._listing.spills.files:
            return self._fingerprint(rows, ())
        known = self._place.notes.get(session)
        return self._fingerprint(rows, known.names) if known and known.stamp == rows else None

    def touched(self, since: Marks) -> tuple[Marks, None]:
        """Any Session: rows are changed in place all the time."""
        return None, None

    def _stamp_of_rows(self, session: str) -> bytes | None:
        listing = self._listing
        if any("time_updated" not in listing.columns[table] for table in ("message", "part")):
            return None
        fingerprint = Fingerprint(f"opencode-1 {listing.reverts.get(session)!r}")
        origin = listing.origins.get(session, "")  # of whose rows those of a fork are copies
        for name in (session, origin) if origin in listing.keys else (session,):
            key = listing.keys[name]
            for table in ("message", "part"):
                row = self._connection.execute(_STAMP.format(table=table), (key,)).fetchone()
                fingerprint.feed(row)
                # A clock of milliseconds: the row that it stands at may change once more in it.
                for newest in self._connection.execute(_NEWEST.format(table=table), (key, row[0])):
                    fingerprint.feed(newest)
        return fingerprint.digest()

    def _note(self, session: str, rows: bytes, told: set[str]) -> _Told:
        known = _Told(rows, self._stamp_of_rows(session), tuple(sorted(told)))
        self._place.notes[session] = known
        return known

    def _fingerprint(self, rows: bytes, names: Iterable[str]) -> bytes:
        """Of the rows, and of those of the outputs they name that are there."""
        fingerprint = Fingerprint("opencode-1")
        fingerprint.feed((rows,))
        for name in names:
            state = self._listing.spills.state(name)
            if state is not None:
                fingerprint.feed((name, state))
        return fingerprint.digest()
