"""From a fact to the Message it was taken from, and never to one that may not be read."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from harkback import Recall
from harkback.engine import Engine
from harkback.facts.base import Evidence
from harkback.sources.sqlite.source import SqliteSource
from support.memory import MemoryBuilder, ask
from support.stores import StoreBuilder


def read(engine: Engine, builder: StoreBuilder, memory: MemoryBuilder, **options) -> list[str]:
    """What stands at the anchors of the one fact about zebras."""
    with Recall(builder.path, engine=engine.name, facts=[memory.path]) as recall:
        (fact,) = recall.search(["zebra"], **options).facts
        found = []
        for anchor in fact.anchors:
            messages = recall.more(anchor).passage.messages
            found += [message.text for message in messages if message.is_anchor]
        return found


def test_events_messages_and_rows_from_before(
    engine: Engine, builder: StoreBuilder, memory: MemoryBuilder
) -> None:
    builder.session("s")
    plain = builder.text("s", "said as it stands")
    builder.text("s", "stored", refs={"storedMessageId": "stored-id"}, id="event-a")
    builder.text("s", "by provider", refs={"providerEventId": "provider-id"}, id="event-b")
    builder.session("old", ledger=False)
    builder.message("old", 0, "user", {"text": "of before"}, id="row-id")
    for source, text in (
        (("s", "turn-1", plain), "said as it stands"),
        (("s", "turn-1", "event-a"), "stored"),
        (("s", "turn-1", "stored-id"), "stored"),
        (("s", "turn-1", "event-b"), "by provider"),
        (("old", "turn-1", "row-id"), "of before"),
    ):
        memory.db.execute("DELETE FROM memory_items")
        memory.db.execute("DELETE FROM memory_item_sources")
        memory.fact("zebra", sources=[source])
        assert read(engine, builder, memory) == [text]


def test_a_doubled_id_means_the_first(
    engine: Engine, builder: StoreBuilder, memory: MemoryBuilder
) -> None:
    builder.session("s")
    builder.text("s", "first", refs={"storedMessageId": "twice"})
    builder.text("s", "second", refs={"storedMessageId": "twice"})
    memory.fact("zebra", sources=[("s", "turn-1", "twice")])
    assert read(engine, builder, memory) == ["first"]
    builder.db.execute("UPDATE runtime_events SET turn_id = 'turn-2' WHERE event_seq = 2")
    assert read(engine, builder, memory, active=("s", "turn-2")) == ["first"]
    assert read(engine, builder, memory, active=("s", "turn-1")) == []


def test_a_message_that_only_speaks_of_an_id_is_not_meant(
    engine: Engine, builder: StoreBuilder, memory: MemoryBuilder
) -> None:
    builder.session("s")
    builder.text("s", "look at wanted-id")
    builder.text("s", "this", refs={"storedMessageId": "wanted-id"})
    memory.fact("zebra", sources=[("s", "turn-1", "wanted-id")])
    assert read(engine, builder, memory) == ["this"]


def test_what_may_not_be_read_has_no_anchor(
    engine: Engine, builder: StoreBuilder, memory: MemoryBuilder
) -> None:
    builder.session("s")
    builder.run("s", "parent")
    builder.run("s", "child", parentRunId="parent", agentId="a")
    child = builder.text("s", "of a child run", run="child")
    hidden = builder.text("s", "hidden", modelVisibility="hidden")
    empty = builder.text("s", "")
    thinking = builder.event("s", {"kind": "thinking", "text": "hm"})
    torn = builder.event("s", None, kind="text", payload='{"torn')
    builder.session("other")
    elsewhere = builder.text("other", "elsewhere")
    names = [child, hidden, empty, thinking, torn, elsewhere, "nobody", "sto%"]
    memory.fact("zebra", sources=[("s", "turn-1", name) for name in names])
    memory.fact("zebra", sources=[("gone", "turn-1", elsewhere)])
    answer = ask(engine, "zebra", facts=[memory.path], sources=[builder.path])
    assert [fact.anchors for fact in answer.facts] == [(), ()]


def test_the_turn_under_way_has_no_anchor(
    engine: Engine, builder: StoreBuilder, memory: MemoryBuilder
) -> None:
    builder.session("s")
    event = builder.text("s", "just now")
    memory.fact("zebra", sources=[("s", "turn-1", event)])
    assert read(engine, builder, memory, active=("s", "turn-1")) == []
    assert read(engine, builder, memory, active=("s", "turn-2")) == ["just now"]


def test_archived_sessions_can_be_read(
    engine: Engine, builder: StoreBuilder, memory: MemoryBuilder
) -> None:
    builder.session("s", header={"isArchived": True}, columns={"is_archived": 1})
    memory.fact("zebra", sources=[("s", "turn-1", builder.text("s", "long ago"))])
    assert read(engine, builder, memory) == ["long ago"]


def test_facts_from_sessions_that_are_shut_out_are_not_shown(
    engine: Engine, builder: StoreBuilder, memory: MemoryBuilder
) -> None:
    builder.session("open")
    builder.session("shut", header={"cwd": "/home/lin/private/diary"})
    mine = ("open", "turn-1", builder.text("open", "a"))
    theirs = ("shut", "turn-1", builder.text("shut", "b"))
    memory.fact("zebra of both", sources=[mine, theirs], keys=["quagga"])
    memory.fact("zebra of one", sources=[mine])
    memory.fact("okapi", sources=[theirs])
    options = {"facts": [memory.path], "sources": [builder.path]}
    assert len(ask(engine, "zebra", **options).facts) == 2
    for shut in (
        {"exclude_projects": ["private"]},
        {"eligible": lambda session: session.id != "shut"},
    ):
        answer = ask(engine, "zebra", "quagga", **options, **shut)
        (fact,) = answer.facts
        assert fact.content == "zebra of one"
        assert len(fact.anchors) == 1
        (told,) = (gap.count for gap in answer.gaps if "Facts of excluded" in gap.message)
        assert told == 2  # whether they match or not: else it would tell what is in them
        # Nor does a term that only such a fact holds pass for one that was found.
        assert "No match for: quagga." in [gap.message for gap in answer.gaps]


def test_what_nobody_can_tell_of_is_shut_out(
    engine: Engine, builder: StoreBuilder, memory: MemoryBuilder
) -> None:
    """A Session that is not listed may be of a Source that could not be read."""
    builder.session("s")
    memory.fact("zebra", sources=[("elsewhere", "t", "e")])
    lost = builder.path.with_name("lost.sqlite")
    lost.write_bytes(b"no database " * 500)
    options = {"facts": [memory.path], "exclude_projects": ["private"]}
    assert ask(engine, "zebra", sources=[builder.path], **options).facts
    assert not ask(engine, "zebra", sources=[builder.path, lost], **options).facts
    options["exclude_projects"] = []
    assert ask(engine, "zebra", sources=[builder.path, lost], **options).facts


def test_at_most_three(engine: Engine, builder: StoreBuilder, memory: MemoryBuilder) -> None:
    builder.session("s")
    events = [builder.text("s", f"said {n}") for n in range(9)]
    memory.fact("zebra", sources=[("s", "turn-1", event) for event in events])
    assert len(read(engine, builder, memory)) == 3


def test_damaged_pages_cost_the_anchor_only(
    engine: Engine, builder: StoreBuilder, memory: MemoryBuilder, monkeypatch
) -> None:
    import sqlite3

    builder.session("s")
    memory.fact("zebra", sources=[("s", "turn-1", builder.text("s", "said"))])

    def torn(*_: object) -> None:
        error = sqlite3.DatabaseError("malformed")
        error.sqlite_errorname = "SQLITE_CORRUPT"
        raise error

    monkeypatch.setattr("harkback.sources.sqlite.ledger.Ledger.named", torn)
    (fact,) = ask(engine, "zebra", facts=[memory.path], sources=[builder.path]).facts
    assert fact.anchors == ()


class Plain:
    """A Source whose Views find nothing by name: their Sessions are read."""

    def __init__(self, path: Path) -> None:
        self._source = SqliteSource(path)
        self.name = self._source.name

    @contextmanager
    def view(self, engine: Engine) -> Iterator[object]:
        with self._source.view(engine) as view:
            yield type(
                "View",
                (),
                {n: getattr(view, n) for n in dir(view) if n != "named" and n[:1] != "_"},
            )

    def close(self) -> None:
        self._source.close()


def test_a_source_without_names(
    engine: Engine, builder: StoreBuilder, memory: MemoryBuilder
) -> None:
    builder.session("s")
    memory.fact("zebra", sources=[("s", "turn-1", builder.text("s", "said"))])
    options = {"facts": [memory.path]}
    (fact,) = ask(engine, "zebra", sources=[Plain(builder.path)], **options).facts
    (other,) = ask(engine, "zebra", sources=[builder.path], **options).facts
    assert fact.anchors == other.anchors != ()


def test_evidence_is_a_value() -> None:
    assert dataclasses.asdict(Evidence("s", "t", "e")) == {
        "session": "s",
        "turn": "t",
        "event": "e",
        "run": "",
    }
