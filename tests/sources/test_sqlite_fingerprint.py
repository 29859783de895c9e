"""Any change of what a transcript is made of changes its fingerprint, and nothing else does."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from harkback.engine import Engine
from harkback.sources.sqlite.source import SqliteSource
from support.stores import StoreBuilder, texts

Make = Callable[..., SqliteSource]

LEDGER_CHANGES = [
    "UPDATE runtime_events SET payload_json = replace(payload_json, 'alpha', 'alphb')",
    "UPDATE runtime_events SET event_id = 'other' WHERE event_id = 'event-1'",
    "UPDATE runtime_events SET run_id = 'other' WHERE event_id = 'event-1'",
    "UPDATE runtime_events SET turn_id = 'other' WHERE event_id = 'event-1'",
    "UPDATE runtime_events SET committed_at = committed_at + 1",
    "UPDATE runtime_events SET event_kind = 'thinking' WHERE event_id = 'event-1'",
    "UPDATE runtime_events SET rowid = 99 WHERE event_id = 'event-1'",
    "DELETE FROM runtime_events WHERE event_id = 'event-2'",
    'UPDATE core_agent_runs SET record_json = \'{"parentRunId":"x"}\'',
    "UPDATE core_agent_runs SET created_at = 1",
    "UPDATE runtime_partial_snapshots SET text_content = 'x'",
    "UPDATE runtime_partial_segments SET text_content = 'x'",
    "DELETE FROM runtime_partial_segments",
    "UPDATE runtime_partial_snapshots SET after_event_id = 'event-1'",
    "UPDATE session_metadata SET payload_json = json_remove(payload_json,"
    " '$.transcriptLedgerVersion') WHERE session_id = 'led'",
]
ROW_CHANGES = [
    "UPDATE session_messages SET record_json = replace(record_json, 'alpha', 'alphb')",
    "UPDATE session_messages SET message_id = 'other' WHERE sequence = 0",
    "UPDATE session_messages SET message_type = 'assistant' WHERE sequence = 0",
    "UPDATE session_messages SET message_ts = message_ts + 1",
    "UPDATE session_messages SET sequence = 9 WHERE sequence = 0",
    "UPDATE session_message_payloads SET sha256 = replace(sha256, substr(sha256, 1, 1), 'x')",
    "UPDATE session_message_chunks SET data = CAST(replace(CAST(data AS BLOB), x'78', x'79')"
    " AS BLOB) WHERE chunk_index = 1",
]


@pytest.fixture
def filled(builder: StoreBuilder) -> StoreBuilder:
    builder.db.execute("PRAGMA foreign_keys=OFF")
    builder.session("led")
    builder.run("led", "run-1")
    builder.text("led", "alpha")
    builder.text("led", "beta")
    builder.stream("led", "k", ["gamma"])
    builder.session("pre", ledger=False)
    builder.message("pre", 0, "user", {"text": "alpha"})
    builder.message("pre", 1, "user", {"text": "x" * 70_000})
    builder.session("other")
    return builder


def both(builder: StoreBuilder, make: Make, engine: Engine, session: str) -> bytes:
    source = make(builder.path)
    with source.view(engine) as view:
        hashed = view.fingerprint(session)
    other = make(builder.path)
    with other.view(engine) as view:
        assert view.read(session).fingerprint == hashed
    return hashed


@pytest.mark.parametrize("change", LEDGER_CHANGES)
def test_a_ledger_change_is_seen(
    filled: StoreBuilder, source_of: Make, chosen: Engine, change: str
) -> None:
    before = both(filled, source_of, chosen, "led")
    assert filled.db.execute(change).rowcount > 0
    assert both(filled, source_of, chosen, "led") != before


@pytest.mark.parametrize("change", ROW_CHANGES)
def test_a_row_change_is_seen(
    filled: StoreBuilder, source_of: Make, chosen: Engine, change: str
) -> None:
    before = both(filled, source_of, chosen, "pre")
    assert filled.db.execute(change).rowcount > 0
    assert both(filled, source_of, chosen, "pre") != before


def test_another_session_or_activity_changes_nothing(
    filled: StoreBuilder, source_of: Make, chosen: Engine
) -> None:
    before = both(filled, source_of, chosen, "led"), both(filled, source_of, chosen, "pre")
    filled.text("other", "more")
    filled.message("other", 0, "user", {"text": "more"})
    filled.db.execute("UPDATE session_metadata SET last_used_at = 5")
    after = both(filled, source_of, chosen, "led"), both(filled, source_of, chosen, "pre")
    assert after == before


def test_a_new_title_is_a_new_message(
    filled: StoreBuilder, source_of: Make, chosen: Engine
) -> None:
    before = both(filled, source_of, chosen, "led"), both(filled, source_of, chosen, "pre")
    filled.db.execute("UPDATE session_metadata SET name = 'renamed'")
    after = both(filled, source_of, chosen, "led"), both(filled, source_of, chosen, "pre")
    assert not set(after) & set(before)
    with source_of(filled.path).view(chosen) as view:
        for name in ("led", "pre"):
            title = view.read(name).messages[-1]
            assert (title.id, title.kind) == (f"title:{name}", "title")
            assert texts([title]) == ["renamed"]
            assert view.read_around(name, [title.locator]) == [title]
            assert view.scan(["name"], [name]).offered == {name}


def test_equal_texts_in_other_places_differ(
    builder: StoreBuilder, source_of: Make, chosen: Engine
) -> None:
    for name in ("a", "b", "c"):
        builder.session(name)
        builder.text(name, name)
    with source_of(builder.path).view(chosen) as view:
        assert len({view.fingerprint(name) for name in ("a", "b", "c")}) == 3
