"""A host's memory.sqlite is read as it is: tolerant of rows, honest of stores, without a trace."""

from __future__ import annotations

import sqlite3
import sys
from pathlib import Path

import pytest

from harkback import Recall
from harkback.engine import Engine
from harkback.facts.base import Evidence
from harkback.facts.memory import MemoryStore
from harkback.facts.schema import SCHEMA
from support import writers
from support.memory import MemoryBuilder, ask, contents, gaps
from support.stores import BASE_MS, tree


def unavailable(answer) -> str:
    (gap,) = (gap for gap in answer.gaps if gap.code == "facts_unavailable")
    assert gap.count == 1
    assert answer.facts == ()
    return gap.message


def test_everything_of_a_fact(engine: Engine, memory: MemoryBuilder) -> None:
    memory.fact(
        "Deploys go out on Tuesday.",
        keys=["deploy day", "Release"],
        sources=[("s", "t", "b"), ("s", "t", "a")],
        scope_key="/srv/shop",
        kind="context",
    )
    store = MemoryStore(memory.path.parent)
    with store.view(engine) as view:
        (fact,) = view.facts().facts
    store.close()
    assert fact.document[fact.start : fact.end] == "Deploys go out on Tuesday."
    assert (fact.id, fact.kind, fact.scope, fact.workspace) == (
        "item-0001",
        "context",
        "workspace",
        "/srv/shop",
    )
    assert fact.observed_at == fact.updated_at == BASE_MS + 1000
    assert fact.keys == ("Release", "deploy day")
    assert fact.evidence == (Evidence("s", "t", "a"), Evidence("s", "t", "b"))


LOOSE = "\n".join(
    line.split(" CHECK")[0].replace(" NOT NULL", "") + ("," if " CHECK" in line else "")
    for line in """
CREATE TABLE memory_items (item_id PRIMARY KEY, version, content, kind, statement_type,
  temporal_type, scope_type, scope_key, observed_at, lifecycle_state, origin, content_hash,
  created_at, updated_at, flavour);
CREATE TABLE memory_item_keys (item_id, key_text, normalized_key, key_type, key_origin);
CREATE TABLE memory_item_sources (item_id, session_id, run_id, turn_id, event_id);
""".splitlines()
)


def test_a_newer_schema_and_rows_that_are_no_facts(engine: Engine, tmp_path: Path) -> None:
    memory = MemoryBuilder(tmp_path / "memory.sqlite", LOOSE)
    memory.fact("a good zebra", kind="hunch", flavour="mint", keys=["fine", 7, None])
    memory.fact(None)
    memory.fact(12)
    memory.fact(" \n ")
    memory.fact("zebra", item_id=None)
    memory.fact("zebra", kind=3)
    memory.fact("zebra", observed_at="soon")
    memory.fact("zebra", updated_at=1.5)
    memory.fact("zebra", scope_type="galaxy")
    memory.fact("zebra", scope_type="workspace", scope_key=None)
    memory.fact("zebra", scope_type="global", scope_key="/x")
    memory.fact("zebra", lifecycle_state="archived")
    memory.fact("zebra", lifecycle_state="dreaming")
    memory.db.execute("INSERT INTO memory_item_sources VALUES ('item-0001', 's', 'r', 't', 5)")
    memory.close()
    answer = ask(engine, "zebra", facts=[memory.path])
    assert contents(answer) == ["a good zebra"]
    assert answer.facts[0].kind == "hunch"
    assert gaps(answer) == {"record_damaged": 13, "archived_excluded": 2}
    assert contents(ask(engine, "fin", facts=[memory.path])) == ["a good zebra"]


def test_text_that_is_no_utf8(engine: Engine, memory: MemoryBuilder) -> None:
    memory.db.execute("PRAGMA ignore_check_constraints=1")
    memory.fact("zebra")
    memory.db.execute("UPDATE memory_items SET content = CAST(x'7a6562726120ff00' AS TEXT)")
    (shown,) = contents(ask(engine, "zebra", facts=[memory.path]))
    assert shown.startswith("zebra \ufffd")


@pytest.mark.parametrize("lost", ["content", "observed_at", "key_text", "event_id"])
def test_a_schema_without_a_needed_column(engine: Engine, tmp_path: Path, lost: str) -> None:
    memory = MemoryBuilder(tmp_path / "memory.sqlite", LOOSE.replace(lost, lost + "_2", 1))
    memory.close()
    assert "lacks memory_item" in unavailable(ask(engine, "zebra", facts=[memory.path]))


def test_no_store_of_facts_at_all(engine: Engine, tmp_path: Path) -> None:
    assert "no database" in unavailable(ask(engine, "zebra", facts=[tmp_path / "memory.sqlite"]))
    assert "no database" in unavailable(ask(engine, "zebra", facts=[tmp_path]))
    assert list(tmp_path.iterdir()) == []
    other = tmp_path / "other.sqlite"
    db = sqlite3.connect(other)
    db.execute("CREATE TABLE t (x)")
    db.close()
    assert "lacks" in unavailable(ask(engine, "zebra", facts=[other]))
    other.write_bytes(b"no database" * 500)
    assert "not a whole" in unavailable(ask(engine, "zebra", facts=[other]))
    (tmp_path / "folder" / "memory.sqlite").mkdir(parents=True)
    assert unavailable(ask(engine, "zebra", facts=[tmp_path / "folder"]))


def test_a_damaged_store(engine: Engine, memory: MemoryBuilder) -> None:
    for _ in range(200):
        memory.fact("zebra " * 20)
    memory.close()
    whole = memory.path.read_bytes()
    memory.path.write_bytes(whole[: 4096 * 4] + b"\xa5" * 4096 * 8 + whole[4096 * 12 :])
    assert unavailable(ask(engine, "zebra", facts=[memory.path]))


def test_a_locked_store(engine: Engine, memory: MemoryBuilder) -> None:
    memory.fact("zebra")
    memory.close()
    store = MemoryStore(memory.path, connect=lambda: sqlite3.connect(memory.path, timeout=0.1))
    with Recall(engine=engine.name, facts=[store]) as recall:
        with writers.rollback(memory.path) as writer:
            writer.execute("BEGIN EXCLUSIVE")
            assert "locked" in unavailable(recall.search(["zebra"]))
        assert contents(recall.search(["zebra"])) == ["zebra"]


def test_one_store_of_two_fails(engine: Engine, memory: MemoryBuilder, tmp_path: Path) -> None:
    memory.fact("zebra")
    answer = ask(engine, "zebra", facts=[tmp_path / "gone.sqlite", memory.path])
    assert contents(answer) == ["zebra"]
    assert gaps(answer) == {"facts_unavailable": 1}


def test_a_live_writer_is_followed_and_nothing_is_touched(engine: Engine, tmp_path: Path) -> None:
    home = tmp_path / "home"
    home.mkdir()
    memory = MemoryBuilder(home / "memory.sqlite")
    memory.fact("first zebra")
    memory.close()
    with (
        Recall(engine=engine.name, facts=[home]) as recall,
        writers.live(memory.path) as writer,
    ):
        for said in ("a zebra", "zebra", "zebras"):
            writer.execute(f"UPDATE memory_items SET content = '{said}'")
            before = tree(home)
            assert len(before) == 4
            assert contents(recall.search(["zebra"])) == [said]
            assert tree(home) == before


_opened: list[str] = []


def _audit(event: str, arguments: tuple[object, ...]) -> None:
    if event == "open":
        _opened.append(str(arguments[0]))


def test_no_file_of_it_is_opened(engine: Engine, memory: MemoryBuilder) -> None:
    memory.fact("zebra")
    memory.close()
    sys.addaudithook(_audit)
    before = tree(memory.path.parent)
    _opened.clear()
    assert contents(ask(engine, "zebra", facts=[memory.path])) == ["zebra"]
    assert not [name for name in _opened if "memory.sqlite" in name]
    assert tree(memory.path.parent) == before


def test_the_schema_is_that_of_the_host() -> None:
    with sqlite3.connect(":memory:") as db:
        db.executescript(SCHEMA)
        names = {row[0] for row in db.execute("SELECT name FROM sqlite_master WHERE type='table'")}
    db.close()
    assert len(names) == 8
