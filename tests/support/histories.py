"""Whole histories as values: what was said, how a host stores it, and what a search must find.

A History is written out in every form a host store has, and the oracle answers straight from the
definition: the leaves that were said, redacted by the reference, what survives of them, folded,
counted. It shares no code with reading, scanning or the corpus.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Literal

import harkback.engine
from harkback.model import AttachmentPart, JsonValue, Kind, Span
from harkback.redaction import DEFAULT
from harkback.sources.sqlite.schema import CHUNK_BYTES
from harkback.store import Store
from support.stores import BASE_MS, StoreBuilder

Form = Literal["written", "ledger", "messages"]
Style = Literal["plain", "ascii", "escaped"]
TALK = ("user", "assistant")
STYLES: tuple[Style, ...] = ("plain", "ascii", "escaped")

_REFERENCE = harkback.engine.load("reference")
_REDACTION = DEFAULT.bind(_REFERENCE)
_UNSTORABLE = re.compile("[\ud800-\udfff\x00]")


@dataclass(frozen=True)
class Said:
    """One Message: its kind and its strings by key path, nested where a key says so."""

    kind: Kind
    text: str = ""
    more: tuple[tuple[str, str], ...] = ()  # attachment names, arguments, JSON values, streams
    deep: bool = False  # the strings of ``more`` stand inside a list inside an object

    def leaves(self) -> Iterator[tuple[tuple[str, ...], str]]:
        if self.kind == "tool_call":
            yield ("tool",), "Run"
            yield ("intent",), self.text
            for key, value in self.values():
                yield ("args", *key), value
        elif self.kind == "tool_result" and self.more:
            for key, value in self.values():
                yield ("content", "value", *key), value
        else:
            yield ("text",), self.text
            if self.kind == "user":
                for _, name in self.more:
                    yield ("attachments", "name"), name

    def values(self) -> Iterator[tuple[tuple[str, ...], str]]:
        for key, value in dict(self.more).items():
            yield (("deep", key) if self.deep else (key,)), value

    def json(self) -> JsonValue:
        flat: dict[str, JsonValue] = dict(self.more)
        return {"deep": [{key: [value]} for key, value in flat.items()]} if self.deep else flat


@dataclass(frozen=True)
class Chat:
    """One Session."""

    form: Form
    said: tuple[Said, ...]
    stream: tuple[str, ...] = ()  # segments of an answer in flight
    chunk_border: int | None = None  # the first Message is made so long that a border lies so
    #                                  many bytes behind the beginning of its text


@dataclass(frozen=True)
class History:
    """What is stored where; Sessions are named by their place in it."""

    chats: tuple[Chat, ...]
    style: Style = "plain"
    live: bool = False  # the writer still holds the store, with its WAL


@dataclass(frozen=True)
class Found:
    """What the definition says of one Message."""

    frequency: tuple[int, ...]
    length: int


@dataclass
class Written:
    """A History on disk."""

    paths: list[Path]
    chats: list[tuple[Chat, tuple[Said, ...]]]  # with the filler that chunking asked for
    held: list[Store | StoreBuilder] = field(default_factory=list)

    def close(self) -> None:
        for store in self.held:
            store.close()


def encode(value: JsonValue, style: Style) -> str:
    """JSON as one host or another writes it."""
    if style == "ascii":
        return json.dumps(value, separators=(",", ":"))
    if style == "plain":
        text = json.dumps(value, ensure_ascii=False, separators=(",", ":"))
        return re.sub("[\ud800-\udfff]", lambda lone: f"\\u{ord(lone[0]):04x}", text)
    if isinstance(value, dict):
        inside = (f"{encode(key, style)} : {encode(item, style)}" for key, item in value.items())
        return "{ " + " , ".join(inside) + " }"
    if isinstance(value, list):
        return "[" + ",".join(encode(item, style) for item in value) + "]"
    if isinstance(value, str):
        return '"' + "".join(_escaped(char) for char in value) + '"'
    return json.dumps(value)


def _escaped(char: str) -> str:
    if char == "/":
        return "\\/"
    units = char.encode("utf-16-be", "surrogatepass").hex()
    pieces = [units[at : at + 4] for at in range(0, len(units), 4)]
    return "".join("\\u" + (piece.upper() if ord(char) % 2 else piece) for piece in pieces)


def write(history: History, folder: Path) -> Written:
    """Puts a History on disk, the Sessions that the Store writes in a store of their own."""
    by_store, by_hand = folder / "written.sqlite", folder / "by-hand.sqlite"
    written = Written([by_store, by_hand], [])
    store, builder = Store.create(by_store), StoreBuilder(by_hand)
    builder.db.execute("BEGIN")
    with store.batch():
        for number, chat in enumerate(history.chats):
            said = chat.said
            if chat.form == "written":
                _through_store(store, f"s{number}", chat)
            else:
                said = _by_hand(builder, f"s{number}", chat, history.style)
            written.chats.append((chat, said))
    builder.db.execute("COMMIT")
    written.held = [store, builder]
    if not history.live:
        written.close()
    return written


def _title(session: str) -> str:
    return f"title of {session.removeprefix('s')}"


def _through_store(store: Store, session: str, chat: Chat) -> None:
    turn = store.session(_title(session), id=session, started_at=BASE_MS).turn()
    for at, said in enumerate(chat.said, BASE_MS):
        if said.kind == "user":
            files = [AttachmentPart(name, "doc", "text/plain", 1) for _, name in said.more]
            turn.user(said.text, attachments=files, at=at)
        elif said.kind == "assistant":
            turn.assistant(said.text, at=at)
        elif said.kind == "tool_call":
            turn.tool_call("Run", said.json(), intent=said.text, at=at)
        else:
            turn.tool_result("call", _content(said), at=at)
    if chat.stream:
        stream = turn.stream(at=BASE_MS + 1000)
        for piece in chat.stream:
            stream.append(piece)


def _content(said: Said) -> dict[str, JsonValue]:
    if said.more:
        return {"kind": "json", "value": said.json()}
    return {"kind": "text", "text": said.text}


def _files(said: Said) -> list[JsonValue]:
    return [
        {"name": name, "kind": "doc", "mimeType": "text/plain", "bytes": 1} for _, name in said.more
    ]


def _by_hand(builder: StoreBuilder, session: str, chat: Chat, style: Style) -> tuple[Said, ...]:
    builder.session(session, ledger=chat.form == "ledger")
    said = list(chat.said)
    for row, message in enumerate(said):
        if chat.form == "ledger":
            _event(builder, session, row, message, style)
            continue
        if row == 0 and chat.chunk_border is not None and message.kind in TALK:
            said[0] = message = _padded(message, chat.chunk_border, style)
        raw = encode(_record(message, row), style)
        builder.message(session, row, message.kind, id=f"{session}-{row}", raw=raw)
    if chat.stream and chat.form == "ledger":
        builder.stream(session, f"key-{session}", [_storable(piece) for piece in chat.stream])
    return tuple(said)


def _event(builder: StoreBuilder, session: str, row: int, said: Said, style: Style) -> None:
    content: dict[str, JsonValue]
    more: dict[str, JsonValue] = {}
    role = {"user": "user", "assistant": "model", "tool_call": "model"}.get(said.kind, "tool")
    if said.kind in ("user", "assistant"):
        content = {"kind": "text", "text": said.text, "attachments": _files(said)}
    elif said.kind == "tool_call":
        content = {"kind": "function_call", "id": f"c{row}", "name": "Run", "args": said.json()}
        more["actions"] = {"stateDelta": {"intent": said.text}}
    else:
        content = {"kind": "function_response", "id": "c", "name": "Run", "result": _content(said)}
    at = builder.tick()
    name = f"{session}-{row}"
    payload = encode({"id": name, "ts": at, "role": role, "content": content, **more}, style)
    kind = str(content["kind"])
    builder.event(session, None, id=name, ts=at, kind=kind, payload=payload)


def _record(said: Said, row: int) -> dict[str, JsonValue]:
    record: dict[str, JsonValue] = {"type": said.kind, "turnId": "turn-1", "ts": BASE_MS + row}
    if said.kind == "tool_call":
        return {**record, "toolName": "Run", "intent": said.text, "args": said.json()}
    if said.kind == "tool_result":
        return {**record, "content": _content(said)}
    return {**record, "attachments": _files(said), "text": said.text}


def _padded(said: Said, border: int, style: Style) -> Said:
    """Filler before the text, so that a chunk ends ``border`` bytes into what was said."""
    body = encode(_record(Said(said.kind, "", said.more), 0), style).encode()
    width = len(encode("-", style)) - 2
    room = CHUNK_BYTES - (body.rindex(b'""') + 1) - border
    behind = "+" * 40  # the body is longer than a chunk, whatever the text is
    return Said(said.kind, "-" * (room // width) + said.text + behind, said.more)


def _storable(text: str) -> str:
    return re.sub("[\ud800-\udfff]", "\ufffd", text)


# --- the oracle -----------------------------------------------------------------------------


def oracle(written: Written, folded: Sequence[str]) -> dict[tuple[str, int], Found]:
    """Every Message that the definition finds, by (Session, row)."""
    found: dict[tuple[str, int], Found] = {}
    for number, (chat, said) in enumerate(written.chats):
        messages = [list(message.leaves()) for message in said]
        if chat.stream and chat.form != "messages":
            messages.append([(("text",), _joined(chat))])
        # The title stands behind them all, and is searched only if it is asked for.
        for row, leaves in enumerate(messages):
            frequency, length = [0] * len(folded), 0
            for path, text in leaves:
                for piece in surviving(path, text):
                    length += len(piece)
                    for index, term in enumerate(folded):
                        frequency[index] += _REFERENCE.fold(piece).count(term)
            if any(frequency):
                found[f"s{number}", row] = Found(tuple(frequency), length)
    return found


def _joined(chat: Chat) -> str:
    """A text column takes no lone surrogate, so halves that two segments hold do not meet."""
    if chat.form == "written":
        pieces = [
            piece.encode("utf-16", "surrogatepass").decode("utf-16", "replace")
            for piece in chat.stream
        ]
        return "".join(pieces)
    return "".join(map(_storable, chat.stream))


def surviving(path: tuple[str, ...], text: str) -> list[str]:
    """The stretches of one leaf that redaction leaves."""
    clean = _UNSTORABLE.sub("\ufffd", _paired(text))
    sensitive = any(_REDACTION.sensitive(name) for name in path)
    cuts: list[Span] = [
        (span.start, span.end) for span in _REDACTION.spans(clean, sensitive) if clean
    ]
    pieces, at = [], 0
    for start, end in [*cuts, (len(clean), len(clean))]:
        pieces.append(clean[at:start])
        at = end
    return [piece for piece in pieces if piece]


def _paired(text: str) -> str:
    """Two halves of a surrogate pair that stand side by side are one character, as in JSON."""
    return text.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "surrogatepass")
