"""A Session of the ledger that only grew: what was added is read, and makes it what it is."""

from __future__ import annotations

import threading
from collections.abc import Callable

import pytest

from harkback import Recall
from harkback.candidates import Candidate
from harkback.engine import Engine
from harkback.model import KINDS, Scope
from harkback.redaction import DEFAULT
from harkback.sources.sqlite.host import KEPT_TAILS, HostReader
from harkback.sources.sqlite.source import SqliteSource, SqliteView
from support.stores import BASE_MS, StoreBuilder, texts

EVERY = Scope(tuple(range(len(KINDS))), None, None, True)

Make = Callable[..., SqliteSource]
Change = Callable[[StoreBuilder], object]

ADDED: dict[str, Change] = {
    "a message": lambda b: b.text("led", "gamma"),
    "several": lambda b: [b.text("led", word, role="user") for word in ("gamma", "delta")],
    "of a new run": lambda b: [b.run("led", "next"), b.text("led", "gamma", run="next")],
    "of a child": lambda b: [b.run("led", "c", parentRunId="x"), b.text("led", "no", run="c")],
    "a doubled id": lambda b: b.text("led", "gamma", refs={"storedMessageId": "event-1"}),
    "what is no message": lambda b: b.event("led", {"kind": "x"}, kind="fact"),
    "damage": lambda b: b.event("led", None, kind="text", payload="{"),
    "an archived result": lambda b: b.result("led", {"kind": "archived_tool_result"}),
    "to another": lambda b: b.text("other", "gamma"),
    "nothing of it": lambda b: b.session("new"),
}
OTHERWISE: dict[str, Change] = {
    "in front": lambda b: b.text("led", "gamma", ts=BASE_MS),
    "placed in front": lambda b: b.event(
        "led",
        None,
        kind="text",
        payload='{"ts": 1, "role": "user", "content": {"kind": "text", "text": "gamma"}}',
    ),
    "retracted": lambda b: [
        b.text("led", "gamma"),
        b.db.execute("DELETE FROM runtime_events WHERE event_id = 'event-1'"),
    ],
    "its last retracted": lambda b: [
        b.db.execute("DELETE FROM runtime_events WHERE event_id = 'event-2'"),
        b.text("led", "gamma"),
        b.text("led", "delta"),
    ],
    "a stream": lambda b: b.stream("led", "key", ["gam"]),
    "a run becomes a child": lambda b: [
        b.text("led", "gamma"),
        b.db.execute('UPDATE core_agent_runs SET record_json = \'{"parentRunId": "x"}\''),
    ],
    "runs in another order": lambda b: [b.run("led", "first", at=1), b.text("led", "gamma")],
    "a title": lambda b: b.db.execute("UPDATE session_metadata SET name = 'other'"),
    "an owner": lambda b: b.db.execute(
        "UPDATE session_metadata SET payload_json = json_remove(payload_json,"
        " '$.transcriptLedgerVersion')"
    ),
}


@pytest.fixture
def titled(history: StoreBuilder) -> StoreBuilder:
    history.db.execute("UPDATE session_metadata SET name = 'a title'")
    history.run("led", "run-1")
    return history


@pytest.mark.parametrize("name", ADDED)
def test_what_was_added_is_what_makes_it_whole(
    titled: StoreBuilder, source_of: Make, chosen: Engine, name: str
) -> None:
    source = source_of(titled.path)
    with source.view(chosen) as view:
        before = view.read("led")
    for _ in range(2):  # what was added once can be added to
        ADDED[name](titled)
        with source.view(chosen) as view:
            grown = view.grown("led", before.fingerprint)
            assert grown is not None
        with source_of(titled.path).view(chosen) as view:
            whole = view.read("led")
        kept = [m for m in before.messages if m.id not in grown.retracted]
        assert (*kept, *grown.transcript.messages) == whole.messages
        assert grown.transcript.fingerprint == whole.fingerprint
        assert grown.transcript.gaps == whole.gaps
        assert grown.transcript.damage == whole.damage
        before = whole
        if name in ("of a new run", "of a child", "nothing of it"):
            return  # their names are taken


@pytest.mark.usefixtures("never_rechecked")
@pytest.mark.parametrize("name", ADDED)
def test_what_was_added_is_counted_without_counting_again(
    titled: StoreBuilder,
    source_of: Make,
    chosen: Engine,
    name: str,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    source = source_of(titled.path)
    with source.view(chosen) as view:
        before = view.read("led")
        view.record_count("led")
    ADDED[name](titled)
    with source_of(titled.path).view(chosen) as view:
        count = view.record_count("led")
    monkeypatch.delattr(HostReader, "count")
    with source.view(chosen) as view:
        assert view.grown("led", before.fingerprint) is not None
        assert view.record_count("led") == count


@pytest.mark.parametrize("name", OTHERWISE)
def test_whatever_else_happens_is_read_as_a_whole(
    titled: StoreBuilder, source_of: Make, chosen: Engine, name: str
) -> None:
    source = source_of(titled.path)
    with source.view(chosen) as view:
        before = view.read("led")
    OTHERWISE[name](titled)
    with source.view(chosen) as view:
        assert view.grown("led", before.fingerprint) is None
        assert view.grown("pre", before.fingerprint) is None


def test_those_of_newest_activity_can_be_added_to_however_many_were_read(
    titled: StoreBuilder, source_of: Make, chosen: Engine
) -> None:
    for number in range(KEPT_TAILS):
        titled.session(f"newer {number}")
        titled.text(f"newer {number}", "alpha")
    source = source_of(titled.path)
    with source.view(chosen) as view:
        read = {s.id: view.read(s.id).fingerprint for s in view.sessions().sessions}
    oldest = list(read)[-1]
    for name in ("newer 0", "other", oldest):
        titled.text(name, "gamma")
    with source.view(chosen) as view:
        assert view.grown("newer 0", read["newer 0"]) is not None
        assert view.grown("other", read["other"]) is None
        assert view.grown(oldest, read[oldest]) is not None  # read last


def test_streams_are_read_as_a_whole(titled: StoreBuilder, source_of: Make, chosen: Engine) -> None:
    titled.stream("led", "key", ["gam"], refs={"storedMessageId": "event-1"})  # no Message of it
    source = source_of(titled.path)
    with source.view(chosen) as view:
        before = view.read("led")
    titled.text("led", "gamma")
    with source.view(chosen) as view:
        assert view.grown("led", before.fingerprint) is None


def test_of_another_fingerprint_nothing_is_told(
    titled: StoreBuilder, source_of: Make, chosen: Engine
) -> None:
    source = source_of(titled.path)
    with source.view(chosen) as view:
        first = view.read("led").fingerprint
        assert view.grown("other", first) is None  # it was never read
    titled.text("led", "gamma")
    with source.view(chosen) as view:
        view.read("led")
        assert view.grown("led", first) is None


def test_a_search_reads_only_what_was_added(
    titled: StoreBuilder, engine: Engine, monkeypatch: pytest.MonkeyPatch
) -> None:
    with Recall(titled.path, engine=engine.name) as recall:
        recall.search(["alpha"])
        read: list[str] = []
        read_ = SqliteView.read

        def watched(view: SqliteView, session: str) -> object:
            read.append(session)
            return read_(view, session)

        monkeypatch.setattr(SqliteView, "read", watched)
        for number in range(3):
            titled.text("led", f"alpha gamma {number}")
            found = recall.search([f"gamma {number}", "beta"]).passages
            assert found[0].messages[-1].text.endswith(f"alpha gamma {number}")
        assert read == []
        with recall._group.sources[0].view(engine) as view:
            assert len(texts(view.read("led").messages)) == 6
        assert len(recall._corpus.held._known) == 3
        assert recall._corpus.held.bytes == sum(
            s.bytes for s in recall._corpus.held._known.values()
        )


def test_what_is_held_stays_as_it_is(titled: StoreBuilder, engine: Engine) -> None:
    """A search on the state of before goes on with what it holds; the later one has its own."""
    with Recall(titled.path, engine=engine.name) as recall:
        recall.search(["alpha"])
        with recall._group.sources[0].view(engine) as view:
            (session,) = (s for s in view.sessions().sessions if s.id == "led")
            with recall._corpus.hold(Candidate(view, session)) as held:
                titled.text("led", "alpha gamma")
                thread = threading.Thread(target=lambda: recall.search(["gamma"]))
                thread.start()
                thread.join()
                assert recall._corpus.search(["gamma"], [held], EVERY).row == []
                assert len(recall._corpus.rows(held, 0, 99)) == 3
        found = recall.search(["gamma"]).passages
        assert [passage.session.id for passage in found] == ["led"]
        assert held.key not in recall._corpus.held._known


def test_two_that_add_to_one_segment_at_once(
    titled: StoreBuilder, engine: Engine, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The slower one finds the same key, and under it a segment that is not the one it meant."""
    grown = SqliteView.grown
    faster: list[threading.Thread] = []

    def overtaken(view: SqliteView, session: str, fingerprint: bytes) -> object:
        notes = recall._group.sources[0].database.place.notes
        before = dict(notes)
        found = grown(view, session, fingerprint)
        if found is not None and not faster:
            notes.update(before)  # as the faster one saw them
            faster.append(threading.Thread(target=hold))
            faster[0].start()
            assert held.wait(10)
        return found

    def hold() -> None:
        recall.search(["gamma"])
        held.set()

    held = threading.Event()
    with Recall(titled.path, engine=engine.name) as recall:
        recall.search(["alpha"])
        titled.text("led", "alpha gamma")
        monkeypatch.setattr(SqliteView, "grown", overtaken)
        assert [p.session.id for p in recall.search(["gamma"]).passages] == ["led"]
        faster[0].join()
        assert [p.session.id for p in recall.search(["gamma"]).passages] == ["led"]
        assert recall._corpus.held.bytes == sum(
            s.bytes for s in recall._corpus.held._known.values()
        )


def test_leaves_that_a_finder_failed_on_add_up(titled: StoreBuilder, engine: Engine) -> None:
    class Failing:
        id = "failing"
        version = "1"

        def __call__(self, text: str) -> list[tuple[int, int]]:
            if "fail" in text:
                raise ValueError
            return []

    policy = DEFAULT.add(Failing())
    titled.text("led", "fail")
    with Recall(titled.path, engine=engine.name, policy=policy) as recall:
        recall.search(["alpha"])
        for number in (2, 3):
            titled.text("led", "fail")
            gaps = recall.search(["alpha"], within="led").gaps
            assert [gap.count for gap in gaps if gap.code == "finder_failed"] == [number]
