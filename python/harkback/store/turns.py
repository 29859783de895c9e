"""Sessions, Turns and Streams to write to: each call becomes the rows that the host would write.

Invariant: an event gets the next sequence of its run and the next ordinal of its Session in the
transaction that inserts it. Proof: tests/unit/test_store.py.
"""

from __future__ import annotations

import json
import time
import uuid
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, Final

import orjson

from harkback.errors import StoreError
from harkback.model import AttachmentPart, JsonValue

if TYPE_CHECKING:
    from harkback.store.database import Store

STREAM_SEGMENT_BYTES: Final = 4096  # a segment grows to this size, then the next one begins


def now() -> int:
    return time.time_ns() // 1_000_000


def new_id() -> str:
    return str(uuid.uuid4())


def to_json(value: object) -> str:
    """Compact JSON; lone surrogates as escapes, the way a JavaScript host writes them."""
    try:
        return orjson.dumps(value).decode()
    except TypeError:
        try:
            return json.dumps(value, separators=(",", ":"), allow_nan=False)
        except (TypeError, ValueError, RecursionError):
            raise StoreError("store_invalid", "A value cannot be written as JSON.") from None


def storable(text: str) -> str:
    """Text that SQLite takes: it has no form for a lone surrogate."""
    return text.encode("utf-16", "surrogatepass").decode("utf-16", "replace")


class SessionWriter:
    """Writes one Session.

    Attributes:
        id: the Session's id.
    """

    def __init__(self, store: Store, id: str, header: dict[str, Any]) -> None:
        self.id = id
        self._store = store
        self._header = header

    def turn(self) -> Turn:
        """Begins a Turn, which is one run of the host."""
        return Turn(self._store, self.id, self._header)


class Turn:
    """Writes the Messages of one Turn.

    Attributes:
        id: the Turn's id.
    """

    def __init__(self, store: Store, session: str, header: dict[str, Any]) -> None:
        self.id = new_id()
        self._store = store
        self._session = session
        self._header = header
        self._run = new_id()
        self._invocation = "inv-" + self._run
        self._sequence = 0
        self._last_event: str | None = None
        self._tools: dict[str, str] = {}
        run: dict[str, JsonValue] = {
            "runId": self._run,
            "invocationId": self._invocation,
            "sessionId": session,
            "turnId": self.id,
        }
        with store.transaction() as connection:
            # Of events of one time a reader goes by the creation of their runs: never two alike.
            (last,) = connection.execute(
                "SELECT MAX(created_at) FROM core_agent_runs WHERE session_id = ?", (session,)
            ).fetchone()
            run["createdAt"] = at = max(now(), (last or 0) + 1)
            connection.execute(
                "INSERT INTO core_agent_runs (session_id, run_id, created_at, record_json)"
                " VALUES (?, ?, ?, ?)",
                (session, self._run, at, to_json(run)),
            )

    def user(
        self,
        text: str,
        display_text: str | None = None,
        attachments: Sequence[AttachmentPart] = (),
        at: int | None = None,
    ) -> str:
        """What a person asked; gives the Message's id.

        Args:
            text: as the model gets it.
            display_text: as the person typed it, when that differs.
            at: milliseconds since the epoch; now when not given.
        """
        content: dict[str, Any] = {"kind": "text", "text": text}
        if display_text is not None:
            content["displayText"] = display_text
        if attachments:
            content["attachments"] = [_attachment(each, self._session) for each in attachments]
        return self._message("user", "user", content, "storedMessageId", at)

    def assistant(self, text: str, at: int | None = None) -> str:
        """What the model answered; gives the Message's id."""
        content = {"kind": "text", "text": text}
        return self._message("model", "agent", content, "providerEventId", at)

    def tool_call(
        self,
        tool: str,
        arguments: JsonValue,
        intent: str | None = None,
        at: int | None = None,
    ) -> str:
        """A call of a tool; gives the call's id, which is the Message's."""
        call = "call_" + uuid.uuid4().hex
        self._tools[call] = tool
        content = {"kind": "function_call", "id": call, "name": tool, "args": arguments}
        more: dict[str, Any] = {"refs": {"toolCallId": call}}
        if intent is not None:
            more["actions"] = {"stateDelta": {"intent": intent}}
        self._event(new_id(), "model", "agent", content, more, at)
        return call

    def tool_result(
        self,
        call_id: str,
        content: str | Mapping[str, JsonValue],
        is_error: bool = False,
        at: int | None = None,
    ) -> str:
        """What a tool gave back; gives the Message's id.

        Args:
            content: a text, or a host's content as it stands: ``{"kind": ..., ...}``.
        """
        result = {"kind": "text", "text": content} if isinstance(content, str) else dict(content)
        body = {
            "kind": "function_response",
            "id": call_id,
            "name": self._tools.get(call_id, ""),
            "result": result,
            "isError": is_error,
        }
        message = new_id()
        refs = {"toolCallId": call_id, "storedMessageId": message}
        self._event(new_id(), "tool", "tool", body, {"refs": refs}, at)
        return message

    def stream(self, at: int | None = None) -> Stream:
        """An answer that is written as it comes."""
        return Stream(self, at)

    def _message(
        self, role: str, author: str, content: dict[str, Any], ref: str, at: int | None
    ) -> str:
        message = new_id()
        self._event(new_id(), role, author, content, {"refs": {ref: message}}, at)
        return message

    def _event(
        self,
        event: str,
        role: str,
        author: str,
        content: dict[str, Any],
        more: dict[str, Any],
        at: int | None,
    ) -> None:
        time_ms = now() if at is None else at
        payload = to_json(
            {
                "id": event,
                "invocationId": self._invocation,
                "runId": self._run,
                "sessionId": self._session,
                "turnId": self.id,
                "ts": time_ms,
                "partial": False,
                "role": role,
                "author": author,
                "content": content,
                **more,
            }
        )
        header = dict(self._header)
        header["lastUsedAt"] = max(header["lastUsedAt"], time_ms)
        header["lastMessageAt"] = max(header.get("lastMessageAt", time_ms), time_ms)
        with self._store.transaction() as connection:
            connection.execute(
                "INSERT INTO runtime_events VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)",
                (
                    event,
                    self._session,
                    self._invocation,
                    self._run,
                    self.id,
                    self._sequence + 1,
                    content["kind"],
                    payload,
                    time_ms,
                ),
            )
            connection.execute(
                "INSERT INTO runtime_session_event_ordinals SELECT ?, COALESCE(MAX(ordinal), 0)"
                " + 1, ? FROM runtime_session_event_ordinals WHERE session_id = ?",
                (self._session, event, self._session),
            )
            connection.execute(
                "UPDATE session_metadata SET payload_json = ?, last_used_at = ?,"
                " last_message_at = ?, metadata_version = metadata_version + 1, committed_at = ?"
                " WHERE session_id = ?",
                (
                    to_json(header),
                    header["lastUsedAt"],
                    header["lastMessageAt"],
                    now(),
                    self._session,
                ),
            )
        self._header.update(header)
        self._sequence += 1
        self._last_event = event


class Stream:
    """An answer in flight: readers see it as far as it is, until ``finish`` settles it.

    Attributes:
        id: the Message's id, before and after it settles.
    """

    def __init__(self, turn: Turn, at: int | None) -> None:
        self.id = new_id()
        self._turn = turn
        self._at = now() if at is None else at
        self._event = new_id()
        self._key = f"{turn._run}:{self.id}"
        self._pieces: list[str] = []
        self._segment = 0
        self._room = 0  # bytes until the segment is full
        payload = {
            "id": self._event,
            "ts": self._at,
            "partial": True,
            "role": "model",
            "author": "agent",
            "content": {"kind": "text", "text": ""},
            "refs": {"providerEventId": self.id},
        }
        with turn._store.transaction() as connection:
            connection.execute(
                "INSERT INTO runtime_partial_snapshots VALUES (?, ?, ?, ?, ?, ?, ?, '', ?)",
                (
                    self._key,
                    turn._session,
                    turn._invocation,
                    turn._run,
                    turn.id,
                    turn._last_event,
                    to_json(payload),
                    self._at,
                ),
            )

    def append(self, delta: str) -> None:
        """Adds text. A delta is never cut, so a segment may pass its size by one delta."""
        text = storable(delta)
        grown = (text, self._at, self._key)
        with self._turn._store.transaction() as connection:
            if self._room > 0:
                connection.execute(
                    "UPDATE runtime_partial_segments SET text_content = text_content || ?,"
                    " updated_at = ? WHERE stream_key = ? AND segment_seq = ?",
                    (*grown, self._segment),
                )
            else:
                connection.execute(
                    "INSERT INTO runtime_partial_segments (text_content, updated_at, stream_key,"
                    " segment_seq) VALUES (?, ?, ?, ?)",
                    (*grown, self._segment + 1),
                )
        if self._room <= 0:
            self._segment, self._room = self._segment + 1, STREAM_SEGMENT_BYTES
        self._room -= len(text.encode())
        self._pieces.append(delta)

    def finish(self) -> str:
        """Settles the answer as one Message; gives its id."""
        content = {"kind": "text", "text": "".join(self._pieces)}
        store, refs = self._turn._store, {"refs": {"providerEventId": self.id}}
        with store.transaction() as connection:
            self._turn._event(self._event, "model", "agent", content, refs, self._at)
            connection.execute(
                "DELETE FROM runtime_partial_snapshots WHERE stream_key = ?", (self._key,)
            )
        return self.id


def _attachment(part: AttachmentPart, session: str) -> dict[str, Any]:
    if part.bytes is None:
        raise StoreError("store_invalid", "An attachment needs its size.")
    return {
        "kind": part.kind,
        "name": part.name,
        "mimeType": part.mime,
        "bytes": part.bytes,
        "ref": {
            "kind": "session_file",
            "sessionId": session,
            "relativePath": f"attachments/{part.name}",
        },
    }
