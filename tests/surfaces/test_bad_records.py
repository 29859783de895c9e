"""Bad records of every sort: each costs itself, is counted in a Gap, and nothing else is lost."""

from __future__ import annotations

import json
from typing import Any

import pytest

from harkback import Recall
from harkback.engine import Engine
from support.asking import WORD, good, search
from support.stores import BASE_MS, StoreBuilder


def test_a_missing_chunk_costs_its_record(engine: Engine, builder: StoreBuilder) -> None:
    builder.session("torn", ledger=False)
    builder.message("torn", 0, "user", {"text": f"{WORD} " + "x" * 70_000})
    builder.message("torn", 1, "user", {"text": f"{WORD} after"})
    builder.db.execute("DELETE FROM session_message_chunks WHERE chunk_index = 1")
    good(builder)
    assert search(engine, builder.path) == (["good", "torn"], {"record_damaged": 1})


def test_a_changed_chunk_costs_its_record(engine: Engine, builder: StoreBuilder) -> None:
    builder.session("torn", ledger=False)
    builder.message("torn", 0, "user", {"text": f"{WORD} " + "x" * 70_000})
    builder.db.execute(
        "UPDATE session_message_chunks SET data = CAST(replace(CAST(data AS TEXT), 'xxx', 'yyy')"
        " AS BLOB) WHERE chunk_index = 0"
    )
    good(builder)
    assert search(engine, builder.path) == (["good"], {"record_damaged": 1})


def test_bytes_that_are_no_utf8(engine: Engine, builder: StoreBuilder) -> None:
    record = json.dumps({"id": "e", "role": "user", "content": {"kind": "text", "text": "A?B"}})
    for number, damage in enumerate((b"\xff\xfe", b"\xe6\xa8", b"\xf0\x9f\x98", b"\xc0\xaf")):
        raw = record.encode().replace(b"?", f" {WORD}".encode() + damage)
        builder.session(f"bad{number}")
        builder.event(f"bad{number}", None, kind="text", payload="")
        builder.db.execute(
            "UPDATE runtime_events SET payload_json = CAST(? AS TEXT) WHERE session_id = ?",
            (raw, f"bad{number}"),
        )
    good(builder)
    found, gaps = search(engine, builder.path)
    assert found == ["bad0", "bad1", "bad2", "bad3", "good"]
    assert gaps == {}


def test_a_name_that_is_no_utf8(engine: Engine, builder: StoreBuilder) -> None:
    good(builder)
    good(builder, "second")
    builder.db.execute(
        "UPDATE session_metadata SET name = CAST(? AS TEXT) WHERE session_id = 'good'",
        (b"t\xff\xfe\x00itle",),
    )
    assert search(engine, builder.path)[0] == ["good", "second"]


def test_lone_surrogates(engine: Engine, builder: StoreBuilder) -> None:
    for number, escape in enumerate(("\\ud83d", "\\ude00", "\\ud83d\\ud83d", "\\uD83Dx")):
        text = f"a {WORD} {escape}"
        payload = f'{{"id":"e{number}","role":"user","content":{{"kind":"text","text":"{text}"}}}}'
        builder.session(f"lone{number}")
        builder.event(f"lone{number}", None, kind="text", payload=payload)
    good(builder)
    found, gaps = search(engine, builder.path)
    assert found == ["good", "lone0", "lone1", "lone2", "lone3"]
    assert gaps == {}
    with Recall(builder.path, engine=engine.name) as recall:
        answer = recall.search(["\ufffd"])
        assert len(answer.passages) == 4
        answer.to_json().encode()
        answer.text().encode()
        assert len(recall.search(["\ud83d"]).passages) == 4  # a caller's lone half is one too


@pytest.mark.parametrize(
    "raw",
    [
        "",
        "{",
        "null",
        "[1]",
        '"pomegranate"',
        '{"content": {"kind": "text", "text": "pomegranate}}',
        '{"content": {"kind": "text", "text": "pomegranate"}',
        "[" * 100_000,
        '{"a":' * 100_000,
        '{"content": {"kind": "text", "text": "pomegranate\\x"}}',
    ],
    ids=range(10),
)
def test_a_row_that_does_not_parse(engine: Engine, builder: StoreBuilder, raw: str) -> None:
    for ledger in (True, False):
        name = "led" if ledger else "pre"
        builder.session(name, ledger=ledger)
        for number, record in enumerate((raw, None)):
            text = {"text": f"{WORD} beside it"}
            if ledger:
                content = {"kind": "text", **text}
                builder.event(name, content, kind="text", payload=record)
            else:
                builder.message(name, number, "user", text, raw=record)
    found, gaps = search(engine, builder.path)
    assert found == ["led", "pre"]
    assert gaps == {"record_damaged": 2}


def test_a_session_header_that_does_not_parse(engine: Engine, builder: StoreBuilder) -> None:
    builder.session("odd", payload="{not json")
    builder.text("odd", f"{WORD} anyway")
    good(builder)
    assert search(engine, builder.path) == (["good", "odd"], {"record_damaged": 1})


def test_values_of_other_types(engine: Engine, builder: StoreBuilder) -> None:
    """Numbers, lists and nulls where a host writes strings cost nothing but themselves."""
    builder.session("odd", header={"cwd": 5, "name": None, "parentSessionId": ["x"]})
    odd: tuple[Any, ...] = (5, None, [], {}, [WORD], True, 1e308)
    for value in odd:
        builder.event("odd", {"kind": "text", "text": value}, role="user")
        builder.event("odd", {"kind": "function_call", "id": value, "name": value, "args": value})
        builder.result("odd", value)
    builder.event("odd", {"kind": "text", "text": f"{WORD} it is"}, role="user", ts=BASE_MS)
    good(builder)
    with Recall(builder.path, engine=engine.name) as recall:
        answer = recall.search([WORD], limit=25)
        assert {passage.session.id for passage in answer.passages} == {"good", "odd"}
        answer.text()
        json.loads(answer.to_json())


@pytest.mark.parametrize("time", [2**63, 2**64 - 1, 2**70, 1e300])
def test_a_time_beyond_64_bits_is_the_one_of_its_row(
    engine: Engine, builder: StoreBuilder, time: float
) -> None:
    builder.session("odd")
    record = {"ts": time, "role": "user", "content": {"kind": "text", "text": WORD}}
    builder.event("odd", None, kind="text", payload=json.dumps(record), ts=BASE_MS)
    with Recall(builder.path, engine=engine.name) as recall:
        (passage,) = recall.search([WORD]).passages
    assert passage.messages[0].timestamp == BASE_MS


@pytest.mark.parametrize("time", ["soon", b"\x00", 1e300])
@pytest.mark.parametrize("table", ["snapshots", "segments"])
def test_a_time_of_a_stream_that_is_no_number(
    engine: Engine, builder: StoreBuilder, table: str, time: object
) -> None:
    builder.session("odd")
    builder.stream("odd", "key", [f"the {WORD}", " goes on"])
    builder.db.execute(f"UPDATE runtime_partial_{table} SET updated_at = ?", (time,))
    assert search(engine, builder.path) == (["odd"], {"stream_in_flight": 1})


def test_a_sequence_that_is_no_number_costs_its_record(
    engine: Engine, builder: StoreBuilder
) -> None:
    builder.session("odd", ledger=False)
    builder.message("odd", 0, "user", {"text": WORD})
    builder.db.execute("PRAGMA ignore_check_constraints=1")
    builder.db.execute("UPDATE session_messages SET sequence = 'first'")
    builder.message("odd", 1, "user", {"text": f"the {WORD}"})
    assert search(engine, builder.path) == (["odd"], {"record_damaged": 1})


def test_sessions_whose_ids_read_alike_are_both_searched(
    engine: Engine, builder: StoreBuilder
) -> None:
    for name in ("odd\0", "odd\ufffd"):
        builder.session(name)
        builder.text(name, f"the {WORD} of its own, {len(name.encode())}")
    assert search(engine, builder.path) == (["odd\ufffd", "odd\ufffd#2"], {})
