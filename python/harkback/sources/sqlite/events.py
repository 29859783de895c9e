"""One event of the ledger becomes at most one Message, with its place among the others.

Invariant: partial events, those of child runs and control facts become none.
Proof: tests/sources/test_sqlite_ledger.py.
"""

from __future__ import annotations

from typing import NamedTuple, TypeAlias

from harkback import decoding
from harkback.model import Kind, Part, StoredMessage
from harkback.sources.sqlite import decode
from harkback.sources.sqlite.records import Row, unique

#: Time, run, sequence, event id; then 0 for the event itself, 1 for a stream anchored to it.
Place: TypeAlias = tuple[int, int, int, str, int, int, str]


class Runs(NamedTuple):
    """The runs of one Session: their order of creation, and which are children of another."""

    order: dict[bytes, int]
    children: frozenset[bytes]

    def follow(self, then: Runs) -> bool:
        """Whether all that there were then have the order they had, and are what they were."""
        return all(self.order.get(run) == at for run, at in then.order.items()) and (
            then.children == self.children & then.order.keys()
        )


class Visible(NamedTuple):
    """One event that is a Message, before its id is settled."""

    place: Place
    first: str  # the id it has unless an earlier one took it
    kind: Kind
    turn: object
    parts: tuple[Part, ...]
    rowid: int
    archived: bool


def object_in(record: decoding.Record, key: str) -> decoding.Record:
    value = record.get(key)
    return value if isinstance(value, dict) else {}


def place_of(time: int, run: bytes, sequence: int, event: bytes, runs: Runs) -> Place:
    index = runs.order.get(run, len(runs.order))
    return (time, index, decode.milliseconds(sequence, 0), decode.text_of(event), 0, 0, "")


def visible(row: Row, session: bytes, runs: Runs) -> Visible | None:
    """Raises Damaged when the payload does not parse."""
    rowid, event, run, turn, sequence, committed, payload = row
    if run in runs.children:
        return None
    record = decoding.parse(payload)
    if record.get("partial") is True or decode.hidden(record):
        return None
    content = object_in(record, "content")
    if decode.hidden(content):
        return None
    refs = object_in(record, "refs")
    kind: Kind
    parts: tuple[Part, ...]
    ids: tuple[object, ...] = (refs.get("storedMessageId"), refs.get("providerEventId"))
    archived = False
    form, role = content.get("kind"), record.get("role")
    if form == "text" and role == "user":
        kind, parts = "user", decode.user_parts(content, decode.text_of(session))
    elif form == "text" and role == "model":
        kind, parts = "assistant", decode.assistant_parts(content)
    elif form == "function_call":
        intent = object_in(object_in(record, "actions"), "stateDelta").get("intent")
        parts = decode.call_parts(content.get("name"), intent, content.get("args"))
        kind, ids = "tool_call", (refs.get("toolCallId") or content.get("id"),)
    elif form == "function_response":
        kind = "tool_result"
        parts, archived = decode.result_parts(content.get("result"), decode.text_of(session))
    else:
        return None
    place = place_of(decode.milliseconds(record.get("ts"), committed), run, sequence, event, runs)
    return Visible(place, _first(*ids, place[3]), kind, turn, parts, rowid, archived)


def _first(*names: object) -> str:
    """The first name that can be an id, else an empty one."""
    for name in names:
        if isinstance(name, str) and name:
            return name
    return ""


def message(event: Visible, taken: set[str]) -> StoredMessage:
    name = unique(taken, event.first)
    return StoredMessage(
        id=name or event.place[3],
        kind=event.kind,
        turn=decode.text_of(event.turn),
        timestamp=event.place[0],
        parts=event.parts,
        locator=f"{'e' if name else 'd'}{event.rowid}",
    )
