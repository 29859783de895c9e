"""OpenCode's records become Messages: one decoder for the database and for the tree of before.

A message is a header and parts. Its text parts are one Message, in the place of the first of them;
each call of a tool is one, its outcome another. Never visible: parts that the program wrote itself
(``synthetic``) or takes out (``ignored``), reasoning, snapshots, the metadata of a tool, which
repeats its output. Invariant: what one record says never changes what another one does, but for
the revert mark of the Session. Proof: tests/sources/test_opencode.py.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any, Final, NamedTuple

from harkback.decoding import Record
from harkback.model import AttachmentPart, JsonPart, Kind, Part, StoredMessage, TextPart
from harkback.sources import attachments
from harkback.sources.opencode.spills import name_of
from harkback.sources.sqlite.decode import milliseconds


class PartRow(NamedTuple):
    """One part, parsed; ``place`` names it in a locator."""

    id: str
    place: str
    record: Record


@dataclass(frozen=True, slots=True)
class MessageRow:
    """The header of one message, parsed; ``alias`` is the id that it has in answers."""

    id: str
    place: str
    record: Record
    created: int
    alias: str


@dataclass(frozen=True, slots=True)
class Revert:
    """What was undone: everything from a message on, or from a part of it on."""

    message: str
    part: str | None = None


#: Gives the text of a cut output from the path that its record tells, if it is still there.
Follow = Callable[[str], "str | None"]

_PLACEHOLDER: Final = re.compile(r"(?:New|Child) session - \d{4}-\d\d-\d\dT[\d:.]+Z")
_ROLES: Final[dict[str, Kind]] = {"user": "user", "assistant": "assistant"}


def own_title(title: str) -> str:
    """A title, unless it is the one that a Session has until it is given another."""
    return "" if _PLACEHOLDER.fullmatch(title) else title


def revert_of(value: object) -> Revert | None:
    """The revert mark of a Session, if it is one."""
    message = value.get("messageID") if isinstance(value, dict) else None
    if not isinstance(value, dict) or not isinstance(message, str):
        return None
    part = value.get("partID")
    return Revert(message, part if isinstance(part, str) else None)


def created(record: Record, otherwise: object) -> int:
    """When a message was made: what its record says, else what stands beside it."""
    time = record.get("time")
    return milliseconds(time.get("created") if isinstance(time, dict) else None, otherwise)


def turns(headers: Iterable[MessageRow]) -> dict[str, str | None]:
    """The Turn of every message: the prompt that it answers; before that was kept, the last one."""
    found: dict[str, str | None] = {}
    last: str | None = None
    for header in headers:
        parent = header.record.get("parentID")
        if header.record.get("role") == "user":
            last = header.id
            found[header.id] = last
        else:
            found[header.id] = parent if isinstance(parent, str) and parent else last
    return found


class Decoder:
    """Decodes the messages of one Session, in order.

    Args:
        headers: all of them, in order.
        taken: places of parts whose call id an earlier part has.

    Attributes:
        in_flight: whether the last of them is still being written, as far as its header tells.
    """

    def __init__(
        self,
        headers: Sequence[MessageRow],
        revert: Revert | None,
        follow: Follow,
        doubled: frozenset[str] = frozenset(),
    ) -> None:
        self.in_flight = bool(headers) and _in_flight(headers[-1].record)
        self._headers = headers
        self._turns = turns(headers)
        self._follow = follow
        self._doubled = doubled
        self._taken = {header.alias for header in headers}
        order = {header.id: index for index, header in enumerate(headers)}
        self._order = order
        self._undone = order.get(revert.message, len(order)) if revert else len(order)
        self._undone_part = revert.part if revert else None

    def decode(self, header: MessageRow, parts: Sequence[PartRow]) -> list[StoredMessage]:
        """The Messages that a message is."""
        kind = _kind(header.record)
        if kind is None:
            return []
        found: list[StoredMessage] = []
        texts: dict[bool, list[Part]] = {False: [], True: []}  # by whether they were undone
        places: dict[bool, int] = {}
        for undone, part in self._marked(header, parts):
            type_ = part.record.get("type")
            if type_ == "tool" and kind != "user":
                found += self._tool(header, part, undone)
                continue
            visible = _visible(part.record, kind)
            if visible is not None:
                places.setdefault(undone, len(found))
                texts[undone].append(visible)
        for undone in sorted(places, reverse=True):
            found.insert(
                places[undone], self._said(header, kind, tuple(texts[undone]), undone, places)
            )
        return found

    def _marked(
        self, header: MessageRow, parts: Sequence[PartRow]
    ) -> Iterator[tuple[bool, PartRow]]:
        """Parts with whether they were undone."""
        index = self._order[header.id]
        whole = index > self._undone or (index == self._undone and self._undone_part is None)
        if index != self._undone or whole:
            for part in parts:
                yield whole, part
            return
        undone = self._undone_part not in {part.id for part in parts}  # its part is gone: all of it
        for part in parts:
            undone = undone or part.id == self._undone_part
            yield undone, part

    def _said(
        self,
        header: MessageRow,
        kind: Kind,
        parts: tuple[Part, ...],
        undone: bool,
        halves: dict[bool, int],
    ) -> StoredMessage:
        half = undone and len(halves) > 1
        return StoredMessage(
            id=header.alias + ("#reverted" if half else ""),
            kind=kind,
            turn=self._turns[header.id],
            timestamp=header.created,
            parts=parts,
            locator=("h" if half else "m") + header.place,
            in_progress=header is self._headers[-1] and self.in_flight,
            abandoned=undone,
        )

    def _tool(self, header: MessageRow, part: PartRow, undone: bool) -> Iterator[StoredMessage]:
        """The call, and its outcome once there is one."""
        record = part.record
        call = record.get("callID")
        doubled = part.place in self._doubled or call in self._taken
        if isinstance(call, str) and call and not doubled:
            self._taken.add(call)
            name, mark = call, ""
        else:
            name, mark = part.id, "d" if isinstance(call, str) and call else ""
        state = record.get("state")
        state = state if isinstance(state, dict) else {}
        turn, at = self._turns[header.id], header.created
        call_parts = _call(record.get("tool"), state.get("input"))
        locator = f"{mark}c{part.place}"
        yield StoredMessage(name, "tool_call", turn, at, call_parts, locator, abandoned=undone)
        outcome = self._outcome(state)
        if outcome is not None:
            name, locator = f"{name}#result", f"{mark}r{part.place}"
            yield StoredMessage(name, "tool_result", turn, at, outcome, locator, abandoned=undone)

    def _outcome(self, state: Record) -> tuple[Part, ...] | None:
        status = state.get("status")
        if status == "error":
            return _value("content.error", state.get("error"))
        if status != "completed":
            return None
        parts = list(_value("content.output", state.get("output")))
        spilled = spill_path(state)
        whole = self._follow(spilled) if spilled else None
        if whole:
            parts.append(TextPart("content.whole", whole))
        if spilled:
            parts.append(attachments.spilled(name_of(spilled), whole))
        files = state.get("attachments")
        listed = files if isinstance(files, list) else ()
        parts += [_file(file) for file in listed if isinstance(file, dict)]
        return tuple(parts)


def spill_path(state: Record) -> str | None:
    """Where the whole of a cut output was put, as the record tells it."""
    metadata = state.get("metadata")
    path = metadata.get("outputPath") if isinstance(metadata, dict) else None
    return path if isinstance(path, str) and path else None


def _kind(record: Record) -> Kind | None:
    role = record.get("role")
    kind = _ROLES.get(role) if isinstance(role, str) else None
    # Of a user message ``summary`` is a title for it, an object; of an answer it is a mark.
    return "summary" if kind == "assistant" and record.get("summary") is True else kind


def _visible(record: Record, kind: Kind) -> Part | None:
    if record.get("synthetic") is True or record.get("ignored") is True:
        return None
    match record.get("type"):
        case "text":
            text = record.get("text", record.get("content"))  # the older name
            return TextPart("text", text) if isinstance(text, str) and text else None
        case "file" if kind == "user":
            return _file(record)
    return None


def _file(record: Record) -> AttachmentPart:
    mime, name, url = (record.get(key) for key in ("mime", "filename", "url"))
    return attachments.linked(
        url,
        name if isinstance(name, str) else "",
        mime if isinstance(mime, str) else "",
        otherwise="other",
    )


def _in_flight(record: Record) -> bool:
    """Whether an answer is still being written, as far as its header tells."""
    time = record.get("time")
    done = isinstance(time, dict) and time.get("completed") is not None
    return record.get("role") == "assistant" and not done and record.get("error") is None


def _call(tool: object, arguments: Any) -> tuple[Part, ...]:
    return (
        *((TextPart("tool", tool),) if isinstance(tool, str) and tool else ()),
        *(() if arguments is None else (JsonPart("args", arguments),)),
    )


def _value(field: str, value: Any) -> tuple[Part, ...]:
    if isinstance(value, str):
        return (TextPart(field, value),) if value else ()
    return () if value is None else (JsonPart(field, value),)
