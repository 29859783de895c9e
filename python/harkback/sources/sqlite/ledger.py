"""Sessions whose transcript the event ledger owns: events and streams in flight.

Invariant: an event becomes at most one Message, in (time, run in order of creation, sequence, id)
order; partial events, child runs and control facts become none; nothing is lost to a doubled id.
Locators: ``e<rowid>``, ``d<rowid>`` (its id was taken: the event's own id is used), ``s<key>``.
Proof: tests/sources/test_sqlite_ledger.py.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from operator import itemgetter
from typing import NamedTuple, TypeAlias

from harkback import decoding
from harkback.model import Kind, Part, StoredMessage
from harkback.sources.sqlite import decode
from harkback.sources.sqlite.records import (
    Findings,
    Fingerprint,
    Reader,
    Row,
    in_order,
    placeholders,
    unique,
)
from harkback.sources.sqlite.schema import EVENT_KINDS
from harkback.sources.sqlite.sweep import Sweep

#: Time, run, sequence, event id; then 0 for the event itself, 1 for a stream anchored to it.
Place: TypeAlias = tuple[int, int, int, str, int, int, str]

_VISIBLE = "event_kind IN ({})".format(",".join(f"'{kind}'" for kind in EVENT_KINDS))
_EVENT = "rowid, event_id, run_id, turn_id, event_seq, committed_at, payload_json"
_EVENTS = (
    f"SELECT {_EVENT} FROM runtime_events WHERE session_id = CAST(? AS TEXT) AND {_VISIBLE} "
    "ORDER BY committed_at, event_id"
)
SCAN = f"SELECT payload_json FROM runtime_events WHERE session_id = CAST(? AS TEXT) AND {_VISIBLE}"
SWEEP = Sweep("runtime_events", "payload_json", _VISIBLE)
COUNT = f"SELECT COUNT(*) FROM runtime_events WHERE session_id = CAST(? AS TEXT) AND {_VISIBLE}"
# The columns of an index, so that no row is looked at.
_EVENTS_STAMP = (
    "SELECT COUNT(*), MAX(rowid), TOTAL(rowid), MAX(committed_at), TOTAL(committed_at) "
    "FROM runtime_events WHERE session_id = CAST(? AS TEXT)"
)
_RUNS_STAMP = (
    "SELECT COUNT(*), MAX(rowid), TOTAL(rowid) "
    "FROM core_agent_runs WHERE session_id = CAST(? AS TEXT)"
)
_RUNS = (
    "SELECT run_id, created_at, record_json FROM core_agent_runs "
    "WHERE session_id = CAST(? AS TEXT) ORDER BY created_at, run_id"
)
_STREAMS = (
    "SELECT stream_key, run_id, turn_id, after_event_id, updated_at, payload_json, text_content "
    "FROM runtime_partial_snapshots WHERE session_id = CAST(? AS TEXT) "
    "ORDER BY updated_at, stream_key"
)
_SEGMENTS = (
    "SELECT segment_seq, updated_at, text_content FROM runtime_partial_segments "
    "WHERE stream_key = CAST(? AS TEXT) ORDER BY segment_seq"
)
_ANCHOR = (
    "SELECT event_id, run_id, event_seq, committed_at, payload_json FROM runtime_events "
    "WHERE event_id = CAST(? AS TEXT)"
)
STREAMING = "SELECT DISTINCT session_id FROM runtime_partial_snapshots"
_END: Place = (2**63, 0, 0, "", 0, 0, "")
_PLACE = itemgetter(0)  # of a Visible, or of a pair that starts with it


class Runs(NamedTuple):
    """The runs of one Session: their order of creation, and which are children of another."""

    order: dict[bytes, int]
    children: frozenset[bytes]


class Visible(NamedTuple):
    """One event that is a Message, before its id is settled."""

    place: Place
    first: str  # the id it has unless an earlier one took it
    kind: Kind
    turn: object
    parts: tuple[Part, ...]
    rowid: int
    archived: bool


class Ledger(Reader):
    """Reads the ledger."""

    def _events(self, session: bytes) -> Iterator[Row]:
        return self._rows("runtime_events", _EVENTS, session)

    def streaming(self) -> set[bytes]:
        """Sessions with a stream in flight."""
        return {key for (key,) in self._rows("runtime_partial_snapshots", STREAMING)}

    def read(
        self, session: bytes, fingerprint: Fingerprint, findings: Findings
    ) -> list[StoredMessage]:
        runs = self._runs(session, fingerprint)
        visible: list[Visible] = []
        fingerprint.mark(b"events")
        for row in self._events(session):
            fingerprint.feed(row)
            try:
                event = _visible(row, runs)
            except decoding.Damaged:
                findings.add_record(row[-1])
                continue
            if event is not None:
                visible.append(event)
                if event.archived:
                    findings.add_archived()
        visible.sort(key=_PLACE)
        taken: set[str] = set()
        messages = [_message(event, taken) for event in visible]
        taken.update(event.place[3] for event in visible)
        fingerprint.mark(b"streams")
        streams = list(self._streams(session, runs, taken, fingerprint, findings))
        if not streams:
            return messages
        places = [event.place for event in visible]
        placed = [*zip(places, messages, strict=True), *streams]
        placed.sort(key=_PLACE)
        return [message for _, message in placed]

    def hash(self, session: bytes, fingerprint: Fingerprint) -> None:
        """Feeds what ``read`` would feed, without decoding."""
        for row in self._rows("core_agent_runs", _RUNS, session):
            fingerprint.feed(row)
        fingerprint.mark(b"events")
        for row in self._events(session):
            fingerprint.feed(row)
        self._feed_streams(session, fingerprint)

    def _feed_streams(self, session: bytes, fingerprint: Fingerprint) -> None:
        fingerprint.mark(b"streams")
        for row in self._rows("runtime_partial_snapshots", _STREAMS, session):
            fingerprint.feed(row)
            for segment in self._rows("runtime_partial_segments", _SEGMENTS, row[0]):
                fingerprint.feed(segment)

    def stamp(self, session: bytes, fingerprint: Fingerprint) -> None:
        """Feeds what indexes tell of events and runs, and streams in flight, which are short."""
        for row in self._rows("core_agent_runs", _RUNS_STAMP, session):
            fingerprint.feed(row)
        for row in self._rows("runtime_events", _EVENTS_STAMP, session):
            fingerprint.feed(row)
        self._feed_streams(session, fingerprint)

    def around(self, session: bytes, locators: Sequence[str]) -> list[StoredMessage]:
        rowids = {int(locator[1:]): locator[0] for locator in locators if locator[0] in "ed"}
        runs = Runs({}, frozenset())  # what a locator names is no child's, and has its place
        found: list[StoredMessage] = []
        statement = (
            f"SELECT {_EVENT} FROM runtime_events WHERE session_id = CAST(? AS TEXT) "
            f"AND rowid IN ({placeholders(len(rowids))})"
        )
        for row in self._rows("runtime_events", statement, session, *rowids):
            try:
                event = _visible(row, runs)
            except decoding.Damaged:
                continue
            if event is not None:
                taken = {event.first} if rowids[event.rowid] == "d" else set()
                found.append(_message(event, taken))
        if any(locator[0] == "s" for locator in locators):
            runs = self._runs(session, Fingerprint(""))  # of a child's stream the id is not taken
            unseen = self._streams(session, runs, set(), Fingerprint(""), Findings())
            found += [message for _, message in unseen]
        return in_order(found, locators)

    def _runs(self, session: bytes, fingerprint: Fingerprint) -> Runs:
        order: dict[bytes, int] = {}
        children: set[bytes] = set()
        for row in fingerprint.through(self._rows("core_agent_runs", _RUNS, session)):
            order[row[0]] = len(order)
            try:
                header = decoding.parse(row[2])
            except decoding.Damaged:
                continue
            parent, agent = header.get("parentRunId"), header.get("agentId")
            if parent and (agent or not header.get("continuationSource")):
                children.add(row[0])
        return Runs(order, frozenset(children))

    def _streams(
        self,
        session: bytes,
        runs: Runs,
        taken: set[str],
        fingerprint: Fingerprint,
        findings: Findings,
    ) -> Iterator[tuple[Place, StoredMessage]]:
        settled = frozenset(taken)
        rows = self._rows("runtime_partial_snapshots", _STREAMS, session)
        for number, row in enumerate(list(rows)):
            fingerprint.feed(row)
            key, run, turn, anchor, updated, payload, base = row
            pieces, newest = [decode.text_of(base)], decode.milliseconds(updated, 0)
            segments = self._rows("runtime_partial_segments", _SEGMENTS, key)
            for _, at, piece in fingerprint.through(segments):
                pieces.append(decode.text_of(piece))
                newest = max(newest, decode.milliseconds(at, newest))
            try:
                record = decoding.parse(payload)
            except decoding.Damaged:
                record = {}
            if run in runs.children or not _is_answer(record):
                continue
            refs = _object(record, "refs")
            ids = (refs.get("storedMessageId"), refs.get("providerEventId"), record.get("id"))
            if any(isinstance(name, str) and name in settled for name in ids):
                continue  # its event is there
            name = unique(taken, *ids, decode.text_of(key))
            place = (*self._anchor(anchor, runs)[:4], 1, number, "")
            findings.add("stream")
            yield (
                place,
                StoredMessage(
                    id=name or decode.text_of(key),
                    kind="assistant",
                    turn=decode.text_of(turn),
                    timestamp=newest,
                    parts=decode.assistant_parts({"text": "".join(pieces)}),
                    locator="s" + decode.text_of(key),
                    in_progress=True,
                ),
            )

    def _anchor(self, event: object, runs: Runs) -> Place:
        """Where the event that a stream follows stands; the end when it names none."""
        if event is None:
            return _END
        for name, run, sequence, committed, payload in self._rows("runtime_events", _ANCHOR, event):
            try:
                record = decoding.parse(payload)
            except decoding.Damaged:
                record = {}
            time = decode.milliseconds(record.get("ts"), committed)
            return _place(time, run, sequence, name, runs)
        return _END


def _object(record: decoding.Record, key: str) -> decoding.Record:
    value = record.get(key)
    return value if isinstance(value, dict) else {}


def _is_answer(record: decoding.Record) -> bool:
    """Whether a stream carries answer text: of the model, and not its thinking."""
    kind = _object(record, "content").get("kind", "text")
    return record.get("role", "model") == "model" and kind == "text" and not decode.hidden(record)


def _place(time: int, run: bytes, sequence: int, event: bytes, runs: Runs) -> Place:
    index = runs.order.get(run, len(runs.order))
    return (time, index, decode.milliseconds(sequence, 0), decode.text_of(event), 0, 0, "")


def _visible(row: Row, runs: Runs) -> Visible | None:
    """Raises Damaged when the payload does not parse."""
    rowid, event, run, turn, sequence, committed, payload = row
    if run in runs.children:
        return None
    record = decoding.parse(payload)
    if record.get("partial") is True or decode.hidden(record):
        return None
    content = _object(record, "content")
    if decode.hidden(content):
        return None
    refs = _object(record, "refs")
    kind: Kind
    parts: tuple[Part, ...]
    ids: tuple[object, ...] = (refs.get("storedMessageId"), refs.get("providerEventId"))
    archived = False
    form, role = content.get("kind"), record.get("role")
    if form == "text" and role == "user":
        kind, parts = "user", decode.user_parts(content)
    elif form == "text" and role == "model":
        kind, parts = "assistant", decode.assistant_parts(content)
    elif form == "function_call":
        intent = _object(_object(record, "actions"), "stateDelta").get("intent")
        parts = decode.call_parts(content.get("name"), intent, content.get("args"))
        kind, ids = "tool_call", (refs.get("toolCallId") or content.get("id"),)
    elif form == "function_response":
        kind = "tool_result"
        parts, archived = decode.result_parts(content.get("result"))
    else:
        return None
    place = _place(decode.milliseconds(record.get("ts"), committed), run, sequence, event, runs)
    return Visible(place, _first(*ids, place[3]), kind, turn, parts, rowid, archived)


def _first(*names: object) -> str:
    """The first name that can be an id, else an empty one."""
    for name in names:
        if isinstance(name, str) and name:
            return name
    return ""


def _message(event: Visible, taken: set[str]) -> StoredMessage:
    name = unique(taken, event.first)
    return StoredMessage(
        id=name or event.place[3],
        kind=event.kind,
        turn=decode.text_of(event.turn),
        timestamp=event.place[0],
        parts=event.parts,
        locator=f"{'e' if name else 'd'}{event.rowid}",
    )
