"""Sessions whose transcript the event ledger owns: events and streams in flight.

Invariant: an event becomes at most one Message, in (time, run in order of creation, sequence, id)
order; partial events, child runs and control facts become none; nothing is lost to a doubled id.
Locators: ``e<rowid>``, ``d<rowid>`` (its id was taken: the event's own id is used), ``s<key>``.
Proof: tests/sources/test_sqlite_ledger.py.
"""

from __future__ import annotations

import contextlib
from collections.abc import Iterable, Iterator, Sequence
from operator import itemgetter
from typing import NamedTuple

from harkback import decoding
from harkback.model import StoredMessage
from harkback.sources.sqlite import decode, events
from harkback.sources.sqlite.events import Place, Runs, Visible, object_in, place_of
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
from harkback.sources.sqlite.schema import EVENT_KINDS
from harkback.sources.sqlite.sweep import Sweep

_VISIBLE = "event_kind IN ({})".format(",".join(f"'{kind}'" for kind in EVENT_KINDS))
_EVENT = "rowid, event_id, run_id, turn_id, event_seq, committed_at, payload_json"
_EVENTS = (
    f"SELECT {_EVENT} FROM runtime_events WHERE session_id = CAST(? AS TEXT) AND {_VISIBLE} "
    "ORDER BY committed_at, event_id"
)
_BY_EVENT = (
    f"SELECT {_EVENT} FROM runtime_events WHERE session_id = CAST(? AS TEXT) AND event_id = ? "
    f"AND {_VISIBLE}"
)
_BY_MESSAGE = (
    f"SELECT {_EVENT} FROM runtime_events WHERE session_id = CAST(? AS TEXT) "
    f"AND instr(payload_json, ?) AND {_VISIBLE}"
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
_EDGE = "SELECT COUNT(*), MAX(rowid) FROM runtime_events WHERE session_id = CAST(? AS TEXT)"
_AT = "SELECT event_id FROM runtime_events WHERE rowid = ? AND session_id = CAST(? AS TEXT)"
_BEHIND = "SELECT COUNT(*) FROM runtime_events WHERE session_id = CAST(? AS TEXT) AND rowid > ?"
_START: Place = (-(2**63), 0, 0, "", 0, 0, "")
_END: Place = (2**63, 0, 0, "", 0, 0, "")
_PLACE = itemgetter(0)  # of a Visible, or of a pair that starts with it


class Edge(NamedTuple):
    """How many events a Session has, the highest rowid among them, and the id there."""

    number: int
    rowid: int
    event: bytes


class Tail(NamedTuple):
    """What reading a Session left off with; ``hashed`` is the hash of all of its events."""

    edge: Edge | None
    last: Row | None
    runs: Runs
    place: Place
    taken: frozenset[str]
    hashed: Fingerprint
    findings: Findings


class Ledger(Reader):
    """Reads the ledger."""

    tail: Tail | None = None  # of the Session that was read last

    def _events(self, session: bytes) -> Iterator[Row]:
        return self._rows("runtime_events", _EVENTS, session)

    def streaming(self) -> set[bytes]:
        """Sessions with a stream in flight."""
        return {key for (key,) in self._rows("runtime_partial_snapshots", STREAMING)}

    def read(
        self, session: bytes, fingerprint: Fingerprint, findings: Findings
    ) -> list[StoredMessage]:
        """Leaves in ``tail`` what ``grown`` can go on from, if anything can."""
        runs = self._runs(session, fingerprint)
        hashed = Fingerprint("events")
        edge = self._edge(session)
        visible, last = self._decoded(
            session, hashed.through(self._events(session)), runs, findings
        )
        taken: set[str] = set()
        messages = [events.message(event, taken) for event in visible]
        place = visible[-1].place if visible else _START
        tail = Tail(edge, last, runs, place, frozenset(taken), hashed, findings.copy())
        taken.update(event.place[3] for event in visible)
        fingerprint.feed((hashed.digest(),))
        fingerprint.mark(b"streams")
        streams = list(self._streams(session, runs, taken, fingerprint, findings))
        self.tail = None if self._is_streaming(session) else tail
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
        hashed = Fingerprint("events")
        for row in self._events(session):
            hashed.feed(row)
        fingerprint.bytes += hashed.bytes
        fingerprint.feed((hashed.digest(),))
        self._feed_streams(session, fingerprint)

    def grown(
        self, session: bytes, tail: Tail, fingerprint: Fingerprint, findings: Findings
    ) -> tuple[list[StoredMessage], int] | None:
        """The Messages of events that were added behind all others since ``tail`` was left, and how
        many records these are.

        None: something else happened too. Like ``read``, but that it feeds and counts what was
        there already without looking at it.
        """
        runs, edge = self._runs(session, fingerprint), self._edge(session)
        if (
            edge is None
            or tail.edge is None
            or not runs.follow(tail.runs)
            or self._is_streaming(session)
            or not self._only_added(session, tail.edge, edge)
        ):
            return None
        statement = _EVENTS.replace(_VISIBLE, f"{_VISIBLE} AND rowid > {tail.edge.rowid}")
        hashed = tail.hashed.copy()
        rows = list(hashed.through(self._rows("runtime_events", statement, session)))
        findings.take(tail.findings)
        visible, last = self._decoded(session, rows, runs, findings)
        if not (
            _follows(rows[0] if rows else None, tail.last)
            and (not visible or visible[0].place > tail.place)
        ):
            return None
        taken = set(tail.taken)
        messages = [events.message(event, taken) for event in visible]
        place = visible[-1].place if visible else tail.place
        last = last if rows else tail.last
        self.tail = Tail(edge, last, runs, place, frozenset(taken), hashed, findings.copy())
        fingerprint.feed((hashed.digest(),))
        fingerprint.mark(b"streams")
        return messages, len(rows)

    def _decoded(
        self, session: bytes, rows: Iterable[Row], runs: Runs, findings: Findings
    ) -> tuple[list[Visible], Row | None]:
        """The events that are Messages, in reading order, and the last of the rows."""
        visible: list[Visible] = []
        row: Row | None = None
        for row in rows:
            try:
                event = events.visible(row, session, runs)
            except decoding.Damaged:
                findings.add_record(row[-1])
                continue
            if event is not None:
                visible.append(event)
                if event.archived:
                    findings.add_archived()
        visible.sort(key=_PLACE)
        return visible, row and row[:-1]

    def _edge(self, session: bytes) -> Edge | None:
        """None for a Session without events."""
        for number, rowid in self._rows("runtime_events", _EDGE, session):
            for (event,) in self._rows("runtime_events", _AT, rowid, session):
                return Edge(number, rowid, event)
        return None

    def _only_added(self, session: bytes, then: Edge, now: Edge) -> bool:
        """Whether the events up to an edge are those that were there."""
        added = next(self._rows("runtime_events", _BEHIND, session, then.rowid))[0]
        same = next(self._rows("runtime_events", _AT, then.rowid, session), None)
        return same == (then.event,) and then.number + added == now.number

    def _is_streaming(self, session: bytes) -> bool:
        rows = self._rows("runtime_partial_snapshots", _STREAMS, session)
        return next(rows, None) is not None

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
        statement = (  # the plus: by rowid, not through an index of all events of the Session
            f"SELECT {_EVENT} FROM runtime_events WHERE +session_id = CAST(? AS TEXT) "
            f"AND rowid IN ({placeholders(len(rowids))})"
        )
        for row in self._rows("runtime_events", statement, session, *rowids):
            try:
                event = events.visible(row, session, runs)
            except decoding.Damaged:
                continue
            if event is not None:
                taken = {event.first} if rowids[event.rowid] == "d" else set()
                found.append(events.message(event, taken))
        if any(locator[0] == "s" for locator in locators):
            runs = self._runs(session, NoFingerprint())  # of a child's stream the id is not taken
            unseen = self._streams(session, runs, set(), NoFingerprint(), Findings())
            found += [message for _, message in unseen]
        return in_order(found, locators)

    def named(self, session: bytes, names: Sequence[str]) -> dict[str, StoredMessage]:
        """What the event of each id became; else the Message of that id, which is costlier to find.

        Of events that share the id of a Message the first one has it; that is the one meant.
        """
        runs = self._runs(session, NoFingerprint())
        found: dict[str, StoredMessage] = {}
        for name in names:
            for statement in (_BY_EVENT, _BY_MESSAGE):
                visible: list[Visible] = []
                for row in self._rows("runtime_events", statement, session, name):
                    with contextlib.suppress(decoding.Damaged):
                        event = events.visible(row, session, runs)
                        if event is not None and (statement is _BY_EVENT or event.first == name):
                            visible.append(event)
                if visible:
                    found[name] = events.message(min(visible, key=_PLACE), set())
                    break
        return found

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
            refs = object_in(record, "refs")
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
            return place_of(time, run, sequence, name, runs)
        return _END


def _is_answer(record: decoding.Record) -> bool:
    """Whether a stream carries answer text: of the model, and not its thinking."""
    kind = object_in(record, "content").get("kind", "text")
    return record.get("role", "model") == "model" and kind == "text" and not decode.hidden(record)


def _follows(row: Row | None, last: Row | None) -> bool:
    """Whether a row stands behind another in the order in which they are hashed."""
    if row is None or last is None:
        return True
    place, before = (row[5], row[1]), (last[5], last[1])
    plain = all(isinstance(at, int) and isinstance(id_, bytes) for at, id_ in (place, before))
    return plain and place > before
