"""Which Sessions are listed, how they descend, and what a missing table does."""

from __future__ import annotations

import time
from collections.abc import Callable

import pytest

from harkback.engine import Engine
from harkback.errors import SourceError
from harkback.sources.sqlite.schema import NEEDED
from harkback.sources.sqlite.source import SqliteSource
from support.stores import StoreBuilder, texts

Make = Callable[..., SqliteSource]


def test_hidden_and_deleted_sessions_are_not_listed(
    builder: StoreBuilder, source_of: Make, chosen: Engine
) -> None:
    builder.session("shown")
    builder.session("pre-ledger", ledger=False)
    builder.session("staging", header={"transcriptLedgerVersion": 0})
    builder.session("preparing", header={"revisionState": "preparing"})
    builder.session("committed", header={"revisionState": "committed"})
    builder.session("fake header", header={"backend": "fake"})
    builder.session("fake column", columns={"backend": "fake"})
    builder.session("deleted")
    builder.db.execute("INSERT INTO session_metadata_tombstones VALUES ('deleted', 1, NULL, 0)")
    with source_of(builder.path).view(chosen) as view:
        listed = view.sessions()
        assert [s.id for s in listed.sessions] == ["committed", "pre-ledger", "shown"]
        assert listed.gaps == ()


def test_newest_activity_first_then_id(
    builder: StoreBuilder, source_of: Make, chosen: Engine
) -> None:
    for name, at in (("b", 5), ("a", 5), ("c", 9), ("d", None)):
        builder.session(name, columns={"last_message_at": at, "last_used_at": 7, "created_at": 1})
    with source_of(builder.path, name="store").view(chosen) as view:
        listed = [(s.id, s.last_activity_at, s.source) for s in view.sessions().sessions]
    assert listed == [("c", 9, "store"), ("d", 7, "store"), ("a", 5, "store"), ("b", 5, "store")]


def test_what_a_session_is_called_and_whether_it_is_archived(
    builder: StoreBuilder, source_of: Make, chosen: Engine
) -> None:
    builder.session("payload", name="标题", header={"isArchived": True})
    builder.session("column", header={"isArchived": None, "cwd": ""}, columns={"is_archived": 1})
    builder.session("neither", columns={"is_archived": 1})
    with source_of(builder.path).view(chosen) as view:
        found = {s.id: s for s in view.sessions().sessions}
    assert found["payload"].title == "标题"
    assert found["payload"].project == "/home/dev/shop"
    assert found["column"].project is None
    archived = {name: found[name].archived for name in ("payload", "column", "neither")}
    assert archived == {"payload": True, "column": True, "neither": False}


def test_lineage_follows_parents_past_the_deleted_and_around_rings(
    builder: StoreBuilder, source_of: Make, chosen: Engine
) -> None:
    builder.session("root")
    builder.session("branch", header={"parentSessionId": "root"})
    builder.session("child", columns={"subagent_parent_session_id": "branch"})
    builder.session("revision", columns={"revision_root_session_id": "gone"})
    builder.session("sibling", header={"revisionParentSessionId": "gone"})
    builder.session("ring-a", header={"parentSessionId": "ring-b"})
    builder.session("ring-b", header={"parentSessionId": "ring-a"})
    builder.session("self", header={"parentSessionId": "self"})
    with source_of(builder.path).view(chosen) as view:
        found = {s.id: s for s in view.sessions().sessions}
    assert {name: (s.lineage, s.generation, s.parent_kind) for name, s in found.items()} == {
        "root": ("root", 0, None),
        "branch": ("root", 1, "branch"),
        "child": ("root", 2, "subagent"),
        "revision": ("gone", 1, "revision"),
        "sibling": ("gone", 1, "revision"),
        "ring-a": ("ring-a", 0, "branch"),
        "ring-b": ("ring-a", 1, "branch"),
        "self": ("self", 0, None),
    }
    assert {s.id for s in found.values() if s.copied} == {
        "branch",
        "revision",
        "sibling",
        "ring-a",
        "ring-b",
    }


def test_a_header_that_does_not_parse_keeps_its_session(
    builder: StoreBuilder, source_of: Make, chosen: Engine
) -> None:
    builder.session("ledger", payload="{broken")
    builder.text("ledger", "from the ledger")
    builder.session("messages", payload="{broken")
    builder.message("messages", 0, "user", {"text": "from the rows"})
    with source_of(builder.path).view(chosen) as view:
        listed = view.sessions()
        assert [(gap.code, gap.count) for gap in listed.gaps] == [("record_damaged", 2)]
        assert texts(view.read("ledger").messages) == ["from the ledger"]
        assert texts(view.read("messages").messages) == ["from the rows"]


@pytest.mark.parametrize("table", NEEDED)
def test_a_missing_table_is_named_and_declines_the_fast_path(
    builder: StoreBuilder, source_of: Make, chosen: Engine, table: str
) -> None:
    for name, ledger in (("led", True), ("pre", False)):
        builder.session(name, ledger=ledger)
        builder.text("led", "event") if ledger else builder.message("pre", 0, "user", {"text": "x"})
    builder.db.execute("PRAGMA foreign_keys=OFF")
    builder.db.execute(f"DROP TABLE {table}")
    with source_of(builder.path).view(chosen) as view:
        listed = view.sessions()
        assert [gap.code for gap in listed.gaps] == ["source_incomplete"]
        assert table in listed.gaps[0].message
        everything = [s.id for s in listed.sessions]
        assert sorted(everything) == ["led", "pre"]
        scanned = view.scan(["nothing"], everything)
        assert scanned.offered == set(everything)
        assert scanned.declined is not None
        assert scanned.declined.code == "fast_path_declined"
        lost = {"runtime_events": "led", "session_messages": "pre"}.get(table)
        for name in everything:
            assert len(view.read(name).messages) == (name != lost)
            assert view.record_count(name) == (name != lost)


def test_a_missing_column_counts_as_a_missing_table(
    builder: StoreBuilder, source_of: Make, chosen: Engine
) -> None:
    builder.session("s")
    builder.db.execute("ALTER TABLE core_agent_runs RENAME COLUMN record_json TO header_json")
    with source_of(builder.path).view(chosen) as view:
        assert "core_agent_runs" in view.sessions().gaps[0].message


def test_a_newer_schema_is_read(builder: StoreBuilder, source_of: Make, chosen: Engine) -> None:
    builder.session("s")
    builder.text("s", "hello")
    builder.db.execute("ALTER TABLE runtime_events ADD COLUMN novelty TEXT DEFAULT 'x'")
    builder.db.execute("CREATE TABLE tomorrow (x)")
    builder.db.execute("PRAGMA user_version=99")
    with source_of(builder.path).view(chosen) as view:
        (gap,) = view.sessions().gaps
        assert (gap.code, gap.count) == ("format_drift", None)
        assert texts(view.read("s").messages) == ["hello"]


def test_an_empty_store_is_a_store(builder: StoreBuilder, source_of: Make, chosen: Engine) -> None:
    with source_of(builder.path).view(chosen) as view:
        assert view.sessions().sessions == ()
        assert view.scan(["x"], []).offered == frozenset()


def test_a_database_without_session_tables_is_no_store(
    builder: StoreBuilder, source_of: Make, chosen: Engine
) -> None:
    for table in ("session_messages", "runtime_events", "session_metadata"):
        builder.db.execute(f"DROP TABLE {table}")
    with pytest.raises(SourceError) as caught, source_of(builder.path).view(chosen):
        pass
    assert caught.value.reason == "source_not_a_store"


def test_a_chain_of_thousands_has_one_root(
    builder: StoreBuilder, source_of: Make, chosen: Engine
) -> None:
    builder.db.execute("BEGIN")
    for number in range(5000):
        parent = {"parentSessionId": f"s{number - 1}"} if number else {}
        builder.session(f"s{number}", header=parent)
    builder.db.execute("COMMIT")
    started = time.monotonic()
    with source_of(builder.path).view(chosen) as view:
        sessions = {session.id: session for session in view.sessions().sessions}
    assert {session.lineage for session in sessions.values()} == {"s0"}
    assert [sessions[f"s{n}"].generation for n in range(5000)] == list(range(5000))
    assert time.monotonic() - started < 10  # a walk to the root for each takes minutes
