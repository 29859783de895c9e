"""What the writer of facts writes the reader reads back; what is not its own it leaves alone."""

from __future__ import annotations

import contextlib
import sqlite3
import stat
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from harkback import Evidence, FactStore, Recall, SourceError, Store, StoreError
from harkback.engine import Engine
from support import writers
from support.memory import MemoryBuilder, ask, contents
from support.stores import tree

SECRET = "gh" + "p_" + "Q7zK9mB2xV4nL8pR1tW6yC3dF5gH0jS2aE4u"


@pytest.fixture
def store(engine: Engine, tmp_path: Path) -> Iterator[FactStore]:
    with FactStore.create(tmp_path / "memory.sqlite", engine=engine.name) as made:
        yield made


def rows(tmp_path: Path, statement: str) -> list[tuple]:
    with contextlib.closing(sqlite3.connect(tmp_path / "memory.sqlite")) as db:
        return db.execute(statement).fetchall()


def found(engine: Engine, tmp_path: Path, *terms: str, **options) -> list[str]:
    """What a search finds; by another process's rules, since the writer is open in this one."""
    return contents(ask(engine, *terms, facts=[tmp_path], **options))


def test_from_a_conversation_to_a_fact_and_back(engine: Engine, tmp_path: Path) -> None:
    with Store.create(tmp_path / "runtime.sqlite") as host:
        session = host.session("Packages")
        turn = session.turn()
        said = turn.user("We use uv here, never pip.")
        turn.assistant("Noted.")
    before = time.time_ns() // 1_000_000
    with FactStore.create(tmp_path / "memory.sqlite", engine=engine.name) as store:
        item = store.remember(
            "The project uses uv.",
            kind="preference",
            keys=["Package  Manager"],
            sources=[Evidence(session.id, turn.id, said)],
        )
    with Recall(tmp_path, engine=engine.name, facts=[tmp_path]) as recall:
        (fact,) = recall.search(["package man"]).facts
        assert (fact.id, fact.kind, fact.scope) == (item, "preference", "global")
        assert before <= fact.observed_at <= fact.updated_at <= time.time_ns() // 1_000_000
        (anchor,) = fact.anchors
        shown = recall.more(anchor).passage.messages
    assert [each.text for each in shown if each.is_anchor] == ["We use uv here, never pip."]


def test_only_its_owner_may_read_it(store: FactStore, tmp_path: Path) -> None:
    store.remember("zebra", kind="note")
    for file in tmp_path.glob("memory.sqlite*"):
        assert stat.S_IMODE(file.stat().st_mode) == 0o600
    assert rows(tmp_path, "PRAGMA journal_mode") == [("wal",)]


def test_what_is_known_is_not_kept_twice(engine: Engine, store: FactStore, tmp_path: Path) -> None:
    first = store.remember("zebra", kind="note", keys=["a"], observed_at=5)
    assert store.remember(" zebra\n", kind="note", keys=["b"], observed_at=3) == first
    assert store.remember("zebra", kind="note", keys=["B"], observed_at=9) == first
    assert store.remember("zebra", kind="note", workspace="/w") != first
    assert rows(tmp_path, "SELECT version, observed_at FROM memory_items ORDER BY observed_at")[
        :1
    ] == [(3, 9)]
    assert rows(tmp_path, "SELECT DISTINCT normalized_key FROM memory_item_keys") == [
        ("a",),
        ("b",),
    ]
    assert len(found(engine, tmp_path, "zebra")) == 1
    assert len(found(engine, tmp_path, "zebra", workspace="/w")) == 2


def test_update_archive_and_restore(engine: Engine, store: FactStore, tmp_path: Path) -> None:
    item = store.remember("zebra", kind="note", keys=["horse"], observed_at=5)
    other = store.remember("quagga", kind="note")
    store.update(item, content="okapi", kind="knowledge", keys=["giraffe"], observed_at=7)
    assert found(engine, tmp_path, "zebra", "horse") == []
    assert found(engine, tmp_path, "giraffe") == ["okapi"]
    store.update(item)
    assert rows(
        tmp_path,
        f"SELECT version, kind, observed_at FROM memory_items WHERE item_id = '{item}'",
    ) == [(3, "knowledge", 7)]
    with pytest.raises(StoreError) as caught:
        store.update(item, content="quagga")
    assert caught.value.reason == "fact_invalid"
    store.archive(item)
    store.archive(item)
    assert found(engine, tmp_path, "okapi") == []
    store.restore(item)
    assert found(engine, tmp_path, "okapi") == ["okapi"]
    store.archive(other)
    assert store.remember("quagga", kind="note") == other
    assert found(engine, tmp_path, "quagga") == ["quagga"]
    for change in (store.update, store.archive, store.restore):
        for unknown in ("nobody", "", "\ud800", None):
            with pytest.raises(StoreError) as caught:
                change(unknown)
            assert caught.value.reason == "fact_unknown"


def test_an_operation_happens_once(engine: Engine, store: FactStore, tmp_path: Path) -> None:
    item = store.remember("zebra", kind="note", operation="op-1")
    store.archive(item, operation="op-2")
    assert store.remember("zebra", kind="note", operation="op-1") == item
    store.archive(item, operation="op-2")
    assert found(engine, tmp_path, "zebra") == []  # the first one did not bring it back
    for again in (
        lambda: store.remember("zebra", kind="context", operation="op-1"),
        lambda: store.restore(item, operation="op-1"),
        lambda: store.restore(item, operation="op-2"),
    ):
        with pytest.raises(StoreError) as caught:
            again()
        assert caught.value.reason == "operation_conflict"
    done = "SELECT operation_id, operation_type FROM memory_write_operations ORDER BY committed_at"
    assert rows(tmp_path, done) == [("op-1", "create"), ("op-2", "archive")]


def test_every_change_says_what_it_was(store: FactStore, tmp_path: Path) -> None:
    item = store.remember("zebra", kind="note", origin="user_requested", keys=["k"])
    store.update(item, kind="context")
    store.archive(item)
    store.restore(item)
    kinds = rows(tmp_path, "SELECT operation_type FROM memory_write_operations ORDER BY rowid")
    assert [kind for (kind,) in kinds] == ["create", "update", "archive", "restore"]
    assert rows(tmp_path, "SELECT origin FROM memory_items") == [("user_requested",)]
    assert rows(tmp_path, "SELECT key_origin FROM memory_item_keys") == [("user",)]


def test_no_secret_reaches_the_disk(engine: Engine, store: FactStore, tmp_path: Path) -> None:
    item = store.remember(
        f"zebra with {SECRET} in it",
        kind="note",
        keys=[f"key {SECRET}", SECRET, "plain"],
        operation="op",
    )
    store.update(item, content=f"okapi with {SECRET}", keys=[f"other {SECRET}"])
    for files in (tmp_path.glob("memory.sqlite*"),):
        for file in files:
            assert SECRET[8:20].encode() not in file.read_bytes()
    assert found(engine, tmp_path, "okapi") == ["okapi with [redacted]"]
    assert len(rows(tmp_path, "SELECT * FROM memory_item_keys")) == 1
    for bad in (
        lambda: store.remember("zebra", kind="note", workspace=SECRET),
        lambda: store.remember("zebra", kind="note", operation=SECRET),
        lambda: store.remember("zebra", kind="note", sources=[Evidence(SECRET, "t", "e")]),
        lambda: store.remember("zebra", kind="note", sources=[Evidence("s", "t", SECRET)]),
        lambda: store.remember(SECRET, kind="note"),
    ):
        with pytest.raises(StoreError) as caught:
            bad()
        assert caught.value.reason == "fact_invalid"
        assert SECRET not in str(caught.value)


FUTURE = 2**52


@pytest.mark.parametrize(
    "wrong",
    [
        {"content": ""},
        {"content": " \n\u3000"},
        {"content": 7},
        {"content": "x" * 2001},
        {"kind": "gossip"},
        {"origin": "dream"},
        {"keys": "text"},
        {"keys": [7]},
        {"keys": ["a\nb"]},
        {"keys": ["x" * 257]},
        {"keys": [f"k{number}" for number in range(33)]},
        {"workspace": ""},
        {"workspace": "x" * 513},
        {"workspace": "\ud800"},
        {"sources": [("s", "t", "e")]},
        {"sources": [Evidence("", "t", "e")]},
        {"sources": [Evidence("s", "t", "x" * 513)]},
        {"sources": [Evidence("s", "t", f"e{number}") for number in range(257)]},
        {"observed_at": -1},
        {"observed_at": FUTURE},
        {"observed_at": 1.5},
        {"operation": ""},
    ],
    ids=str,
)
def test_what_is_no_fact(store: FactStore, tmp_path: Path, wrong: dict) -> None:
    with pytest.raises(StoreError) as caught:
        store.remember(**{"content": "zebra", "kind": "note", **wrong})
    assert caught.value.reason == "fact_invalid"
    assert rows(tmp_path, "SELECT * FROM memory_items") == []
    assert rows(tmp_path, "SELECT * FROM memory_write_operations") == []


def test_the_limits_themselves_fit(engine: Engine, store: FactStore, tmp_path: Path) -> None:
    store.remember(
        "模" * 2000,
        kind="note",
        keys=["x" * 256, *(f"k{number}" for number in range(31))],
        workspace="w" * 512,
        sources=[Evidence("s", "t", f"e{number}") for number in range(256)],
    )
    assert found(engine, tmp_path, "模", workspace="w" * 512)
    item = store.remember("lone \ud800 half", kind="note")
    assert rows(tmp_path, f"SELECT content FROM memory_items WHERE item_id = '{item}'") == [
        ("lone \ufffd half",)
    ]


def test_what_is_not_its_own(engine: Engine, tmp_path: Path) -> None:
    host = MemoryBuilder(tmp_path / "memory.sqlite")
    host.fact("zebra")
    host.close()
    Store.create(tmp_path / "runtime.sqlite").close()
    before = tree(tmp_path)
    for name in ("memory.sqlite", "runtime.sqlite"):
        with pytest.raises(StoreError) as caught:
            FactStore.open(tmp_path / name)
        assert caught.value.reason == "store_foreign"
        with pytest.raises(StoreError) as caught:
            FactStore.create(tmp_path / name)
        assert caught.value.reason == "store_exists"
    with pytest.raises(SourceError):
        FactStore.open(tmp_path / "nothing.sqlite")
    with pytest.raises(StoreError) as caught:
        FactStore.create(tmp_path / "no" / "folder.sqlite")
    assert caught.value.reason == "store_invalid"
    assert tree(tmp_path) == before


def test_opened_again(engine: Engine, tmp_path: Path) -> None:
    path = tmp_path / "memory.sqlite"
    with FactStore.create(path) as store:
        store.remember("zebra", kind="note")
    assert [file.name for file in tmp_path.iterdir()] == ["memory.sqlite"]
    with pytest.raises(StoreError):
        Store.open(path)
    with FactStore.open(path, engine=engine.name) as store:
        store.remember("okapi", kind="note")
    assert len(found(engine, tmp_path, "zebra", "okapi")) == 2


def test_a_store_that_another_process_writes(tmp_path: Path, monkeypatch) -> None:
    monkeypatch.setattr("harkback.store.database.BUSY_SECONDS", 0.05)
    path = tmp_path / "memory.sqlite"
    FactStore.create(path).close()
    with FactStore.open(path) as store, writers.live(path) as writer:
        writer.execute("BEGIN IMMEDIATE")
        with pytest.raises(SourceError) as caught:
            store.remember("zebra", kind="note")
        assert caught.value.reason == "source_locked"
        writer.execute("ROLLBACK")
        store.remember("zebra", kind="note")
