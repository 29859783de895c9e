"""Which events become Messages, with which id, in which order, and what of streams is shown."""

from __future__ import annotations

import sqlite3
from collections.abc import Callable

from harkback.engine import Engine
from harkback.model import AttachmentPart, JsonPart, TextPart
from harkback.sources.base import Transcript
from harkback.sources.sqlite.source import SqliteSource
from support.stores import BASE_MS, StoreBuilder, texts

Make = Callable[..., SqliteSource]


def read(builder: StoreBuilder, source_of: Make, engine: Engine, session: str = "s") -> Transcript:
    with source_of(builder.path).view(engine) as view:
        transcript = view.read(session)
        locators = [message.locator for message in transcript.messages]
        assert view.read_around(session, locators) == list(transcript.messages)
        assert view.read_around(session, locators[::-1]) == list(transcript.messages)[::-1]
        assert view.fingerprint(session) == transcript.fingerprint
        return transcript


def test_each_kind_of_event(builder: StoreBuilder, source_of: Make, chosen: Engine) -> None:
    builder.session("s")
    attachment = {"kind": "image", "name": "a.png", "mimeType": "image/png", "bytes": 3, "ref": {}}
    user = {
        "kind": "text",
        "text": "envelope",
        "displayText": "typed",
        "attachments": [attachment, {"name": "no shape"}, None],
        "quotes": [{"text": "quoted"}],
    }
    builder.event("s", user, role="user", refs={"storedMessageId": "u"})
    builder.event("s", {"kind": "thinking", "text": "thought"})
    builder.text("s", "answer", refs={"providerEventId": "a"})
    call = {"kind": "function_call", "id": "c", "name": "Bash", "args": {"command": "ls"}}
    builder.event("s", call, actions={"stateDelta": {"intent": "look"}})
    builder.result("s", {"kind": "text", "text": "files"}, id="event-r")
    builder.event("s", None, role="system", kind="completed", status="completed")
    messages = read(builder, source_of, chosen).messages
    assert [(m.id, m.kind, m.parts) for m in messages] == [
        (
            "u",
            "user",
            (TextPart("text", "typed"), AttachmentPart("a.png", "image", "image/png", 3)),
        ),
        ("a", "assistant", (TextPart("text", "answer"),)),
        (
            "c",
            "tool_call",
            (
                TextPart("tool", "Bash"),
                TextPart("intent", "look"),
                JsonPart("args", {"command": "ls"}),
            ),
        ),
        ("event-r", "tool_result", (TextPart("content.text", "files"),)),
    ]
    assert {m.turn for m in messages} == {"turn-1"}
    assert messages[0].timestamp > BASE_MS


def test_partial_hidden_and_superseded_events_are_none(
    builder: StoreBuilder, source_of: Make, chosen: Engine
) -> None:
    builder.session("s")
    builder.text("s", "partial", partial=True)
    builder.text("s", "hidden", modelVisibility="hidden")
    builder.text("s", "invisible", modelVisible=False)
    builder.text("s", "superseded", superseded=True)
    builder.text("s", "system", role="system")
    builder.text("s", "shown", modelVisibility="visible")
    assert texts(read(builder, source_of, chosen).messages) == ["shown"]


def test_child_runs_are_left_out_and_continuations_kept(
    builder: StoreBuilder, source_of: Make, chosen: Engine
) -> None:
    builder.session("s")
    builder.run("s", "root")
    builder.run("s", "child", parentRunId="root")
    builder.run("s", "next", parentRunId="root", continuationSource={"kind": "resume"})
    builder.run("s", "agent", parentRunId="root", continuationSource={}, agentId="explore")
    for run in ("root", "child", "next", "agent", "unknown"):
        builder.text("s", run, run=run)
    assert texts(read(builder, source_of, chosen).messages) == ["root", "next", "unknown"]


def test_order_is_time_then_run_then_sequence(
    builder: StoreBuilder, source_of: Make, chosen: Engine
) -> None:
    builder.session("s")
    builder.run("s", "z-first", at=1)
    builder.run("s", "a-second", at=2)
    builder.text("s", "late", ts=BASE_MS + 9, run="z-first", seq=1)
    builder.text("s", "second run", ts=BASE_MS, run="a-second", seq=1)
    builder.text("s", "first run 2", ts=BASE_MS, run="z-first", seq=3)
    builder.text("s", "first run 1", ts=BASE_MS, run="z-first", seq=2)
    expected = ["first run 1", "first run 2", "second run", "late"]
    assert texts(read(builder, source_of, chosen).messages) == expected


def test_a_doubled_id_loses_nothing(builder: StoreBuilder, source_of: Make, chosen: Engine) -> None:
    builder.session("s")
    builder.text("s", "one", id="e1", refs={"providerEventId": "same"})
    builder.text("s", "two", id="e2", refs={"providerEventId": "same"})
    messages = read(builder, source_of, chosen).messages
    assert [(m.id, m.locator[0]) for m in messages] == [("same", "e"), ("e2", "d")]


def test_a_stream_stands_after_its_anchor(
    builder: StoreBuilder, source_of: Make, chosen: Engine
) -> None:
    builder.session("s")
    builder.run("s", "child", parentRunId="run-1")
    first = builder.text("s", "first")
    builder.text("s", "second")
    builder.stream("s", "k1", [" mid", "dle"], base="the", after=first)
    builder.stream("s", "k2", ["end"], after=None)
    builder.stream("s", "k3", ["thought"], content={"kind": "thinking", "text": ""})
    builder.stream("s", "k4", ["child"], run="child")
    transcript = read(builder, source_of, chosen)
    assert texts(transcript.messages) == ["first", "the middle", "second", "end"]
    assert [m.in_progress for m in transcript.messages] == [False, True, False, True]
    assert [(gap.code, gap.count) for gap in transcript.gaps] == [("stream_in_flight", 2)]
    with source_of(builder.path).view(chosen) as view:
        assert view.scan(["nothing"], ["s"]).offered == {"s"}


def test_a_settled_stream_is_not_shown_twice(
    builder: StoreBuilder, source_of: Make, chosen: Engine
) -> None:
    builder.session("s")
    builder.text("s", "settled", refs={"providerEventId": "p"})
    builder.text("s", "by event", id="of-k2")
    builder.stream("s", "k1", ["settl"], refs={"providerEventId": "p"})
    builder.stream("s", "k2", ["by ev"])
    transcript = read(builder, source_of, chosen)
    assert texts(transcript.messages) == ["settled", "by event"]
    assert transcript.gaps == ()


def test_a_bad_record_costs_itself(builder: StoreBuilder, source_of: Make, chosen: Engine) -> None:
    builder.session("s")
    for payload in ("{broken", "[]", 5, b"\x00", "[" * 100_000):
        builder.event("s", None, kind="text", payload=payload)
    builder.event(
        "s",
        None,
        kind="text",
        payload=b'{"role":"model","content":{"kind":"text","text":"blob \xf0\x9f, \\ud83d"}}',
    )
    builder.text("s", "good")
    transcript = read(builder, source_of, chosen)
    assert texts(transcript.messages) == ["blob \ufffd, \ufffd", "good"]
    gaps = (*transcript.gaps, *transcript.damage)
    assert {gap.code for gap in gaps} == {"record_damaged"}
    assert sum(gap.count or 0 for gap in gaps) == 5


def test_invalid_utf8_in_a_text_value(
    builder: StoreBuilder, source_of: Make, chosen: Engine
) -> None:
    builder.session("s")
    builder.text("s", "AAAA")
    builder.db.create_function("broken", 1, lambda t: t)
    builder.db.execute(
        "UPDATE runtime_events SET payload_json = "
        "CAST(replace(CAST(payload_json AS BLOB), x'41414141', x'41ff41e3') AS TEXT)"
    )
    assert texts(read(builder, source_of, chosen).messages) == ["A\ufffdA\ufffd"]


def test_archived_bodies_are_counted(
    builder: StoreBuilder, source_of: Make, chosen: Engine
) -> None:
    builder.session("s")
    builder.result("s", {"kind": "maka.archived_tool_result", "readInstructions": "hidden"})
    builder.result("s", {"kind": "archived_tool_result", "artifactId": "hidden"})
    transcript = read(builder, source_of, chosen)
    moved = AttachmentPart("", "output", "", None)  # no text, but its name may lead to the body
    assert [m.parts for m in transcript.messages] == [(), (moved,)]
    assert [(gap.code, gap.count) for gap in transcript.damage] == [("body_archived", 2)]


def test_counted_by_type_whatever_can_be_read(
    builder: StoreBuilder, source_of: Make, chosen: Engine
) -> None:
    builder.session("s")
    builder.text("s", "partial", partial=True)
    builder.event("s", None, kind="text", payload="{broken")
    builder.event("s", {"kind": "thinking", "text": "no"})
    builder.text("s", "yes")
    with source_of(builder.path).view(chosen) as view:
        assert view.record_count("s") == 3


def test_the_session_index_serves_the_scan(builder: StoreBuilder) -> None:
    from harkback.sources.sqlite import ledger, pre_ledger

    for statement in (ledger.SCAN, ledger.COUNT, pre_ledger.SCAN, pre_ledger.COUNT):
        plan = builder.db.execute("EXPLAIN QUERY PLAN " + statement, ("s",)).fetchall()
        assert all("USING INDEX" in row[3] and "session_id=?" in row[3] for row in plan), plan
    assert isinstance(builder.db, sqlite3.Connection)


def test_streams_that_share_an_id_are_told_apart(
    builder: StoreBuilder, source_of: Make, chosen: Engine
) -> None:
    builder.session("s")
    builder.run("s", "run-1")
    builder.run("s", "child", parentRunId="run-1", agentId="helper")
    builder.stream("s", "k0", ["child"], run="child", id="same")
    builder.stream("s", "k1", ["one"], id="same")
    builder.stream("s", "k2", ["two"], id="same")
    messages = read(builder, source_of, chosen).messages
    assert texts(messages) == ["one", "two"]
    assert [message.id for message in messages] == ["same", "k2"]
