"""What a Recall keeps between searches and what one search costs, in calls rather than seconds."""

from __future__ import annotations

from typing import Any

import pytest

from harkback import Recall
from harkback.engine import Engine
from harkback.model import Leaf
from harkback.redaction import DEFAULT
from harkback.sources.sqlite.source import SqliteView
from harkback.verification import Path
from support.stores import StoreBuilder


def counted(monkeypatch: Any, owner: type, name: str) -> list[Any]:
    calls: list[Any] = []
    original = getattr(owner, name)

    def call(self: Any, *arguments: Any) -> Any:
        calls.append(arguments)
        return original(self, *arguments)

    monkeypatch.setattr(owner, name, call)
    return calls


def test_without_memory_a_session_is_read_once_to_verify_and_once_to_show(
    engine: Engine, builder: StoreBuilder, monkeypatch: Any
) -> None:
    for session in ("one", "two"):
        builder.session(session)
        for _ in range(6):
            builder.text(session, "apple")
    builder.db.execute("UPDATE runtime_events SET turn_id = event_id")
    reads = counted(monkeypatch, SqliteView, "read")
    with Recall(builder.path, engine=engine.name, memory_bytes=0) as recall:
        assert len(recall.search(["apple"], limit=None).passages) == 12
    assert len(reads) == 4


def test_nothing_is_kept_beyond_the_memory(engine: Engine, builder: StoreBuilder) -> None:
    for number in range(30):
        builder.session(f"s{number}")
        builder.text(f"s{number}", "apple")
    with Recall(builder.path, engine=engine.name, memory_bytes=0) as recall:
        recall.search(["apple"])
        assert recall._corpus.held.bytes == 0
        assert not recall._corpus.held._known
        assert not recall._corpus.held._idle


def test_a_search_that_fails_on_a_fingerprint_lets_go_of_the_segment(
    engine: Engine, builder: StoreBuilder, monkeypatch: Any
) -> None:
    builder.session("s")
    builder.text("s", "apple")
    with Recall(builder.path, engine=engine.name) as recall:
        recall.search(["apple"])
        builder.text("s", "another apple")

        def fail(self: Any, session: str, fingerprint: bytes) -> bool:
            raise KeyboardInterrupt

        with monkeypatch.context() as broken:
            broken.setattr(SqliteView, "unchanged", fail)
            recall._path = Path.RESIDENT  # where it is asked of a segment that is held already
            with pytest.raises(KeyboardInterrupt):
                recall.search(["apple"])
        held = [s for s in recall._corpus.held._known.values() if s.holders]
        assert held == []


def test_a_long_name_is_judged_once_a_message(engine: Engine, monkeypatch: Any) -> None:
    redaction = DEFAULT.bind(engine)
    judged = counted(monkeypatch, type(redaction), "sensitive")
    name = "n" * 1000
    assert redaction.prepare([Leaf((name,), "x")] * 50) == [("x", False)] * 50
    assert len(judged) == 1
