"""Sessions from before the ledger: message rows, long ones cut into chunks.

Invariant: a chunked record is read only when all its chunks are there and their digests hold;
otherwise it costs itself, is counted by reason, and its Session is offered by every scan.
Locators: ``m<sequence>``, ``n<sequence>`` (its id was taken: the sequence makes another).
Proof: tests/sources/test_sqlite_pre_ledger.py.
"""

from __future__ import annotations

import contextlib
import sqlite3
from collections.abc import Iterator, Sequence

from harkback import decoding
from harkback.engine import Engine
from harkback.model import Part, StoredMessage
from harkback.sources.sqlite import decode
from harkback.sources.sqlite.records import (
    Findings,
    Fingerprint,
    NoFingerprint,
    Reader,
    Row,
    in_order,
    placeholders,
    unique,
)
from harkback.sources.sqlite.schema import CHUNK_MARKER, MESSAGE_TYPES
from harkback.sources.sqlite.sweep import Sweep

MARKER = CHUNK_MARKER.encode()
_VISIBLE = "message_type IN ({})".format(",".join(f"'{name}'" for name in MESSAGE_TYPES))
_MESSAGE = "sequence, message_id, message_type, message_ts, record_json"
_MESSAGES = (
    f"SELECT {_MESSAGE} FROM session_messages WHERE session_id = CAST(? AS TEXT) AND {_VISIBLE}"
)
_ORDER = " ORDER BY sequence"
SCAN = f"SELECT record_json FROM session_messages WHERE session_id = CAST(? AS TEXT) AND {_VISIBLE}"
SWEEP = Sweep("session_messages", "record_json", _VISIBLE)
COUNT = f"SELECT COUNT(*) FROM session_messages WHERE session_id = CAST(? AS TEXT) AND {_VISIBLE}"
_STAMP = (
    "SELECT COUNT(*), MAX(rowid), TOTAL(rowid), TOTAL(sequence * rowid), TOTAL(message_ts) "
    "FROM session_messages WHERE session_id = CAST(? AS TEXT)"
)
_PAYLOADS_STAMP = (
    "SELECT sequence, record_bytes, sha256 FROM session_message_payloads "
    "WHERE session_id = CAST(? AS TEXT) ORDER BY sequence"
)
_CHUNKS_STAMP = (
    "SELECT COUNT(*), TOTAL(sequence), TOTAL(chunk_index) FROM session_message_chunks "
    "WHERE session_id = CAST(? AS TEXT)"
)
# From the payload table on (CROSS JOIN keeps the order): the marker itself could only be found by
# reading every record again.
_CHUNKED = (
    "SELECT sequence FROM session_message_payloads CROSS JOIN session_messages "
    f"USING (session_id, sequence) WHERE session_id = CAST(? AS TEXT) AND {_VISIBLE}"
)
_PAYLOAD = (
    "SELECT record_bytes, sha256 FROM session_message_payloads "
    "WHERE session_id = CAST(? AS TEXT) AND sequence = ?"
)
_CHUNKS = (
    "SELECT chunk_index, sha256, data FROM session_message_chunks "
    "WHERE session_id = CAST(? AS TEXT) AND sequence = ? ORDER BY chunk_index"
)


class PreLedger(Reader):
    """Reads message rows."""

    def __init__(
        self, connection: sqlite3.Connection, tables: frozenset[str], engine: Engine
    ) -> None:
        super().__init__(connection, tables)
        self._engine = engine

    def read(
        self, session: bytes, fingerprint: Fingerprint, findings: Findings
    ) -> list[StoredMessage]:
        taken: set[str] = set()
        messages: list[StoredMessage] = []
        for row in self._rows("session_messages", _MESSAGES + _ORDER, session):
            fingerprint.feed(row)
            try:
                message = self._message(session, row, taken, fingerprint, findings)
            except decoding.Damaged as damage:
                if damage.args:
                    findings.add(str(damage))
                else:
                    findings.add_record(row[-1])
                continue
            if message is not None:
                messages.append(message)
        return messages

    def hash(self, session: bytes, fingerprint: Fingerprint) -> None:
        """Feeds what ``read`` would feed, without decoding."""
        for row in self._rows("session_messages", _MESSAGES + _ORDER, session):
            fingerprint.feed(row)
            if row[-1] == MARKER:
                self._chunks(session, row[0], fingerprint)

    def stamp(self, session: bytes, fingerprint: Fingerprint) -> None:
        """Feeds what indexes tell of the rows, and what is recorded of long records."""
        for table, statement in (
            ("session_messages", _STAMP),
            ("session_message_payloads", _PAYLOADS_STAMP),
            ("session_message_chunks", _CHUNKS_STAMP),
        ):
            fingerprint.mark(table.encode())
            for row in self._rows(table, statement, session):
                fingerprint.feed(row)

    def around(self, session: bytes, locators: Sequence[str]) -> list[StoredMessage]:
        sequences = {int(name[1:]): name[0] for name in locators if name[0] in "mn"}
        statement = f"{_MESSAGES} AND sequence IN ({placeholders(len(sequences))})"
        found: list[StoredMessage] = []
        for row in self._rows("session_messages", statement, session, *sequences):
            taken = {decode.text_of(row[1])} if sequences[row[0]] == "n" else set()
            try:
                message = self._message(session, row, taken, NoFingerprint(), Findings())
            except decoding.Damaged:
                continue
            if message is not None:
                found.append(message)
        return in_order(found, locators)

    def named(self, session: bytes, names: Sequence[str]) -> dict[str, StoredMessage]:
        """The Message of each id; of rows that share one the first has it."""
        messages = ((name, self._named(session, name)) for name in names)
        return {name: message for name, message in messages if message is not None}

    def _named(self, session: bytes, name: str) -> StoredMessage | None:
        rows = self._rows(
            "session_messages", f"{_MESSAGES} AND message_id = ?{_ORDER}", session, name
        )
        for row in rows:
            with contextlib.suppress(decoding.Damaged):
                message = self._message(session, row, set(), NoFingerprint(), Findings())
                if message is not None:
                    return message
        return None

    def bodies(self, session: bytes, markers: int) -> Iterator[bytes | None]:
        """The chunked records of a Session, joined; None for one that cannot be trusted.

        Args:
            markers: how often the marker stands in its rows.
        """
        sequences = [
            sequence for (sequence,) in self._rows("session_message_payloads", _CHUNKED, session)
        ]
        if len(sequences) < markers:
            yield None
        for sequence in sequences:
            yield self._body(session, sequence, NoFingerprint())[0]

    def _chunks(
        self, session: bytes, sequence: int, fingerprint: Fingerprint
    ) -> tuple[Row | None, list[Row]]:
        fingerprint.mark(b"payload")
        payload = next(self._rows("session_message_payloads", _PAYLOAD, session, sequence), None)
        if payload is not None:
            fingerprint.feed(payload)
        fingerprint.mark(b"chunks")
        rows = self._rows("session_message_chunks", _CHUNKS, session, sequence)
        return payload, list(fingerprint.through(rows))

    def _body(
        self, session: bytes, sequence: int, fingerprint: Fingerprint
    ) -> tuple[bytes | None, str]:
        payload, rows = self._chunks(session, sequence, fingerprint)
        if payload is None or not isinstance(payload[0], int):
            return None, "chunk_gap"
        if not all(isinstance(row[0], int) and isinstance(row[2], bytes) for row in rows):
            return None, "chunk_digest"
        chunks = [(index, data, decode.text_of(digest)) for index, digest, data in rows]
        body, damage = self._engine.reassemble(chunks, payload[0], decode.text_of(payload[1]))
        return body, damage or ""

    def _message(
        self,
        session: bytes,
        row: Row,
        taken: set[str],
        fingerprint: Fingerprint,
        findings: Findings,
    ) -> StoredMessage | None:
        sequence, name, kind, time, raw = row
        if raw == MARKER:
            raw, damage = self._body(session, sequence, fingerprint)
            if raw is None:
                raise decoding.Damaged(damage)
        if not isinstance(sequence, int):
            raise decoding.Damaged  # it could not be found again
        record = decoding.parse(raw)
        if decode.hidden(record):
            return None
        archived = False
        parts: tuple[Part, ...]
        match kind:
            case b"user":
                parts = decode.user_parts(record, decode.text_of(session))
            case b"assistant":
                parts = decode.assistant_parts(record)
            case b"tool_call":
                parts = decode.call_parts(
                    record.get("toolName"), record.get("intent"), record.get("args")
                )
            case _:
                parts, archived = decode.result_parts(
                    record.get("content"), decode.text_of(session)
                )
        if archived:
            findings.add_archived()
        first = unique(taken, decode.text_of(name))
        turn = record.get("turnId")
        return StoredMessage(
            id=first or f"{decode.text_of(name)}#{sequence}",
            kind=kind.decode(),
            turn=turn if isinstance(turn, str) else None,
            timestamp=decode.milliseconds(record.get("ts"), time),
            parts=parts,
            locator=("m" if first else "n") + str(sequence),
        )
