"""Message rows, chunked bodies and every way in which a chunk set can be torn."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from harkback.engine import Engine
from harkback.model import JsonPart, TextPart
from harkback.sources.base import Transcript
from harkback.sources.sqlite.schema import CHUNK_MARKER
from harkback.sources.sqlite.source import SqliteSource
from support.stores import StoreBuilder, texts

Make = Callable[..., SqliteSource]
LONG = "字" * 60_000  # cut inside a character


def read(builder: StoreBuilder, source_of: Make, engine: Engine) -> Transcript:
    with source_of(builder.path).view(engine) as view:
        transcript = view.read("s")
        locators = [message.locator for message in transcript.messages]
        assert view.read_around("s", locators) == list(transcript.messages)
        assert view.fingerprint("s") == transcript.fingerprint
        return transcript


def test_the_four_types(builder: StoreBuilder, source_of: Make, chosen: Engine) -> None:
    builder.session("s", ledger=False)
    builder.message("s", 4, "tool_result", {"content": {"kind": "json", "value": {"a": "b"}}})
    builder.message("s", 0, "user", {"text": "model", "displayText": "typed"})
    builder.message("s", 1, "assistant", {"text": "answer", "thinking": {"text": "thought"}})
    builder.message("s", 2, "tool_call", {"toolName": "Bash", "args": ["ls"], "intent": ""})
    builder.message("s", 3, "permission_decision", {"rationale": "no"})
    builder.message("s", 5, "assistant", {"text": "hidden", "modelVisible": False})
    builder.text("s", "the ledger does not own this Session")
    messages = read(builder, source_of, chosen).messages
    assert [(m.id, m.kind, m.parts) for m in messages] == [
        ("message-0", "user", (TextPart("text", "typed"),)),
        ("message-1", "assistant", (TextPart("text", "answer"),)),
        ("message-2", "tool_call", (TextPart("tool", "Bash"), JsonPart("args", ["ls"]))),
        ("message-4", "tool_result", (JsonPart("content.value", {"a": "b"}),)),
    ]


def test_a_chunked_body_is_read_to_its_end(
    builder: StoreBuilder, source_of: Make, chosen: Engine
) -> None:
    builder.session("s", ledger=False)
    builder.message("s", 0, "assistant", {"text": LONG + "end"})
    transcript = read(builder, source_of, chosen)
    assert texts(transcript.messages) == [LONG + "end"]
    assert transcript.gaps == ()


TEARS = {
    "missing chunk": "DELETE FROM session_message_chunks WHERE chunk_index = 1",
    "missing last chunk": "DELETE FROM session_message_chunks WHERE chunk_index = 2",
    "no chunks": "DELETE FROM session_message_chunks",
    "no payload": "DELETE FROM session_message_payloads",
    "other length": "UPDATE session_message_payloads SET record_bytes = record_bytes + 1",
    "other digest": "UPDATE session_message_payloads SET sha256 = replace(hex(zeroblob(32)),'','')",
    "other chunk": "UPDATE session_message_chunks SET data = zeroblob(length(data)) "
    "WHERE chunk_index = 1",
}


@pytest.mark.parametrize("tear", TEARS)
def test_a_torn_chunk_set_costs_its_record_and_offers_its_session(
    builder: StoreBuilder, source_of: Make, chosen: Engine, tear: str
) -> None:
    builder.session("s", ledger=False)
    builder.message("s", 0, "assistant", {"text": LONG})
    builder.message("s", 1, "user", {"text": "whole"})
    builder.db.execute(TEARS[tear])
    transcript = read(builder, source_of, chosen)
    assert texts(transcript.messages) == ["whole"]
    assert [(gap.code, gap.count) for gap in transcript.gaps] == [("record_damaged", 1)]
    with source_of(builder.path).view(chosen) as view:
        assert view.scan(["nothing"], ["s"]).offered == {"s"}
        assert view.record_count("s") == 2


def test_a_marker_without_anything_behind_it(
    builder: StoreBuilder, source_of: Make, chosen: Engine
) -> None:
    builder.session("s", ledger=False)
    builder.message("s", 0, "assistant", raw=CHUNK_MARKER)
    assert read(builder, source_of, chosen).messages == ()


def test_rows_that_do_not_parse_and_doubled_ids(
    builder: StoreBuilder, source_of: Make, chosen: Engine
) -> None:
    builder.session("s", ledger=False)
    builder.message("s", 0, "user", raw="{broken")
    builder.message("s", 1, "user", {"text": "one"}, id="same")
    builder.message("s", 2, "user", {"text": "two"}, id="same")
    builder.message("s", 3, "user", raw=7)
    transcript = read(builder, source_of, chosen)
    assert [(m.id, m.locator) for m in transcript.messages] == [("same", "m1"), ("same#2", "n2")]
    both = (*transcript.gaps, *transcript.damage)
    assert [(gap.code, gap.count) for gap in both] == [("record_damaged", 2)]
