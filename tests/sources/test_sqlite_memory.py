"""Stamps: what a host does to a Session is told at once, from indexes, and nothing else is."""

from __future__ import annotations

import sqlite3
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from harkback.engine import Engine
from harkback.sources.registry import open_source
from harkback.sources.sqlite.ledger import Ledger
from harkback.sources.sqlite.source import SqliteSource, SqliteView
from support.opencode import OpenCodeBuilder
from support.stores import StoreBuilder

Make = Callable[..., SqliteSource]
SESSIONS = ("led", "other", "pre")


Change = Callable[[StoreBuilder], object]


def sql(statement: str) -> Change:
    def change(builder: StoreBuilder) -> None:
        builder.db.execute("PRAGMA foreign_keys=ON")
        assert builder.db.execute(statement).rowcount > 0

    return change


def swap(table: str, where: str, insert: Change) -> Change:
    """The last row goes, and another takes its rowid."""

    def change(builder: StoreBuilder) -> None:
        (before,) = builder.db.execute(f"SELECT MAX(rowid) FROM {table}").fetchone()
        sql(f"DELETE FROM {table} WHERE rowid = {before} AND {where}")(builder)
        insert(builder)
        assert builder.db.execute(f"SELECT MAX(rowid) FROM {table}").fetchone() == (before,)

    return change


#: Everything that a host does to a transcript, by the Sessions that it concerns.
CHANGES: dict[str, tuple[Change, set[str]]] = {
    "event": (lambda b: b.text("led", "gamma"), {"led"}),
    "message": (lambda b: b.message("pre", 2, "user", {"text": "gamma"}), {"pre"}),
    "events of two": (
        lambda b: [b.text(name, "gamma") for name in ("led", "other")],
        {"led", "other"},
    ),
    "run": (lambda b: b.run("led", "another", agentId="x", parentRunId="y"), {"led"}),
    "retracted": (sql("DELETE FROM runtime_events WHERE event_id = 'event-1'"), {"led"}),
    "retracted and added": (
        lambda b: [
            sql("DELETE FROM runtime_events WHERE event_id = 'event-1'")(b),
            b.text("other", "x"),
        ],
        {"led", "other"},
    ),
    "last retracted": (sql("DELETE FROM runtime_events WHERE event_id = 'event-4'"), {"other"}),
    "last replaced": (
        swap("runtime_events", "session_id = 'other'", lambda b: b.text("other", "gamma")),
        {"other"},
    ),
    "replaced by another's": (
        swap("runtime_events", "session_id = 'other'", lambda b: b.text("led", "gamma")),
        {"led", "other"},
    ),
    "upserted": (
        sql(
            "INSERT OR REPLACE INTO runtime_events SELECT event_id, session_id, invocation_id,"
            " run_id, turn_id, event_seq, event_kind, replace(payload_json, 'alpha', 'omega'),"
            " committed_at FROM runtime_events WHERE event_id = 'event-1'"
        ),
        {"led"},
    ),
    "resequenced": (sql("UPDATE session_messages SET sequence = 7 WHERE sequence = 0"), {"pre"}),
    "swapped": (
        lambda b: [
            b.db.execute(f"UPDATE session_messages SET sequence = {at} WHERE message_id = '{id}'")
            for at, id in ((9, "message-0"), (0, "message-1"), (1, "message-0"))
        ],
        {"pre"},
    ),
    "stream": (lambda b: b.stream("led", "key", ["gam"]), {"led"}),
    "long record gone": (sql("DELETE FROM session_messages WHERE sequence = 1"), {"pre"}),
    "chunk gone": (sql("DELETE FROM session_message_chunks WHERE chunk_index = 1"), {"pre"}),
    "title": (sql("UPDATE session_metadata SET name = 'x' WHERE session_id = 'led'"), {"led"}),
    "owner": (
        sql(
            "UPDATE session_metadata SET payload_json = json_remove(payload_json,"
            " '$.transcriptLedgerVersion') WHERE session_id = 'led'"
        ),
        {"led"},
    ),
    "archived": (sql("UPDATE session_metadata SET is_archived = 1, last_used_at = 5"), set()),
    "ordinal": (
        sql("INSERT INTO runtime_session_event_ordinals VALUES ('led', 1, 'event-1')"),
        set(),
    ),
    "vacuum": (lambda b: b.db.execute("VACUUM"), set()),
}  # fmt: skip


@pytest.mark.usefixtures("never_rechecked")
@pytest.mark.parametrize("name", CHANGES)
def test_a_stamp_sees_what_a_host_does(
    history: StoreBuilder, source_of: Make, chosen: Engine, hashed: list[str], name: str
) -> None:
    change, concerned = CHANGES[name]
    source = source_of(history.path)
    with source.view(chosen) as view:
        before = {session: view.read(session).fingerprint for session in SESSIONS}
        assert all(view.unchanged(session, before[session]) for session in SESSIONS)
    history.session("busy")  # marks are taken at a change
    with source.view(chosen) as view:
        assert all(view.unchanged(session, before[session]) for session in SESSIONS)
    change(history)
    with source.view(chosen) as view:
        told = {s for s in SESSIONS if view.unchanged(s, before[s]) is False}
        assert hashed == []
        really = {s for s in SESSIONS if view.fingerprint(s) != before[s]}
    assert told == really == concerned
    with source_of(history.path).view(chosen) as view:  # one that starts with the fingerprints
        assert {s for s in SESSIONS if not view.unchanged(s, before[s])} == concerned
    assert hashed == list(SESSIONS)  # above, by their fingerprints


def test_a_stream_that_grows_in_place(
    history: StoreBuilder, source_of: Make, chosen: Engine
) -> None:
    history.stream("led", "key", ["gam"])
    source = source_of(history.path)
    for text in ("gamm", "gamma", "delta"):
        with source.view(chosen) as view:
            before = {session: view.fingerprint(session) for session in SESSIONS}
        history.db.execute("UPDATE runtime_partial_segments SET text_content = ?", (text,))
        with source.view(chosen) as view:
            told = {s for s in SESSIONS if not view.unchanged(s, before[s])}
        assert told == {"led"}
    history.db.execute("PRAGMA foreign_keys=ON")
    history.db.execute("DELETE FROM runtime_partial_snapshots")
    with source.view(chosen) as view:
        assert not view.unchanged("led", before["led"])


def test_a_small_change_costs_no_other_session(
    history: StoreBuilder, source_of: Make, chosen: Engine, monkeypatch: pytest.MonkeyPatch
) -> None:
    """From the second state on, no index of a Session without new rows is looked at."""
    source = source_of(history.path)
    stamped: list[bytes] = []
    stamp = Ledger.stamp

    def watched(reader: Ledger, session: bytes, fingerprint: Any) -> None:
        stamped.append(session)
        stamp(reader, session, fingerprint)

    monkeypatch.setattr(Ledger, "stamp", watched)
    for _ in range(2):
        with source.view(chosen) as view:
            before = {session: view.fingerprint(session) for session in SESSIONS}
        stamped.clear()
        history.text("led", "gamma")
    with source.view(chosen) as view:
        assert [view.unchanged(s, before[s]) for s in SESSIONS] == [False, True, True]
    assert stamped == [b"led"]


def test_counts_are_kept_under_their_stamp(
    history: StoreBuilder, source_of: Make, chosen: Engine, monkeypatch: pytest.MonkeyPatch
) -> None:
    source = source_of(history.path)
    asked: list[str] = []
    count = SqliteView._reader

    with source.view(chosen) as view:
        assert [view.record_count(s) for s in SESSIONS] == [2, 2, 2]
    history.text("led", "gamma")

    def watched(view: SqliteView) -> object:
        reader = count(view)
        counted = reader.count
        monkeypatch.setattr(
            reader,
            "count",
            lambda s: asked.append(s) or counted(s),
            raising=False,  # type: ignore[func-returns-value]
        )
        return reader

    monkeypatch.setattr(SqliteView, "_reader", watched)
    with source.view(chosen) as view:
        assert [view.record_count(s) for s in SESSIONS] == [3, 2, 2]
    assert asked == ["led"]
    history.db.execute("UPDATE runtime_events SET event_kind = 'fact' WHERE event_id = 'event-3'")
    with source.view(chosen) as view:
        view.read("other")
        assert [view.record_count(s) for s in SESSIONS] == [3, 1, 2]


def test_opencode(tmp_path: Path, source_of: Make, chosen: Engine, hashed: list[str]) -> None:
    built = OpenCodeBuilder(tmp_path)
    names = ("s", "t")
    for name in names:
        built.session(name)
        built.say(name, "alpha", "assistant")
    source = source_of(built.path)

    def told(change: Callable[[], object]) -> set[str]:
        with source.view(chosen) as view:
            before = {name: view.fingerprint(name) for name in names}
        hashed.clear()
        change()
        with source.view(chosen) as view:
            answers = {name: view.unchanged(name, before[name]) for name in names}
            assert None not in answers.values()
            really = {name for name in names if view.fingerprint(name) != before[name]}
        found = {name for name, answer in answers.items() if not answer}
        assert found == really
        return found

    assert told(lambda: built.say("s", "beta")) == {"s"}
    update = (
        "UPDATE part SET data = replace(data, 'beta', 'gamma'), time_updated = {} WHERE rowid = 3"
    )
    assert told(lambda: built.db.execute(update.format(built.tick()))) == {"s"}
    same = "UPDATE part SET data = replace(data, 'gamma', 'delta more') WHERE rowid = 3"
    assert told(lambda: built.db.execute(same)) == {"s"}  # within one tick of its clock
    assert told(lambda: built.db.execute("DELETE FROM part WHERE rowid = 1")) == {"s"}
    assert told(lambda: built.db.execute("UPDATE session SET title = 'x' WHERE id = 't'")) == {"t"}
    assert told(lambda: built.spill("tool_1", "whole")) == set()
    path = built.spill("tool_2", "whole")
    cut = {"output": "cut off", "metadata": {"truncated": True, "outputPath": path}}
    message = built.message("t", "assistant")
    assert told(lambda: built.tool(message, **cut)) == {"t"}
    assert told(lambda: built.spill("tool_2", "another whole")) == {"t"}
    built.close()


def test_a_mapping_has_no_stamps(tmp_path: Path, source_of: Make, chosen: Engine) -> None:
    path = tmp_path / "agents.db"
    db = sqlite3.connect(path)
    db.executescript(
        "CREATE TABLE agent_sessions (session_id TEXT, created_at TEXT, updated_at TEXT);"
        "CREATE TABLE agent_messages (id INTEGER PRIMARY KEY, session_id TEXT, message_data TEXT,"
        " created_at TEXT);"
        'INSERT INTO agent_messages VALUES (1, \'s\', \'{"role": "user", "content": "x"}\', \'\');'
    )
    source = open_source(path)
    with source.view(chosen) as view:
        before = view.fingerprint("s")
        assert view.unchanged("s", before)  # it was read in this state
    db.execute("UPDATE agent_messages SET message_data = replace(message_data, 'x', 'y')")
    db.commit()
    with source.view(chosen) as view:
        assert view.unchanged("s", before) is None
        assert view.fingerprint("s") != before
    db.close()
    source.close()
