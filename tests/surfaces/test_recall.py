"""The whole product through its one object: what is found, what is left out, and what it costs."""

from __future__ import annotations

import os
import threading
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from harkback import Envelope, Recall, Session, Store
from harkback.engine import Engine
from support.asking import WORD, good
from support.stores import BASE_MS, StoreBuilder, tree


def codes(answer: Envelope) -> dict[str, int | None]:
    return {gap.code: gap.count for gap in answer.gaps if gap.code != "not_searched"}


def found(answer: Envelope) -> list[tuple[str, int]]:
    return [(passage.session.id, passage.sequence) for passage in answer.passages]


@pytest.fixture
def story(tmp_path: Path) -> Path:
    """One Session says a word 29 times, one 4 times, and one says once what is looked for."""
    path = tmp_path / "runtime.sqlite"
    with Store.create(path) as store, store.batch():
        says = (
            ("chatter", 29, "换一个模型再试一次,第 {} 轮"),
            ("training", 4, "模型训练的第 {} 步"),
            ("windows", 1, "这个模型的上下文窗口有多大?"),
        )
        for at, (name, times, text) in enumerate(says):
            session = store.session(name, id=name, started_at=BASE_MS)
            for number in range(times):
                turn, time_ms = session.turn(), BASE_MS + at * 100_000 + number * 100
                turn.user(text.format(number), at=time_ms)
                turn.assistant("好的。", at=time_ms + 1)
    return path


@pytest.mark.parametrize("terms", [["模型"], ["模型", "上下文窗口"]])
def test_one_talkative_session_does_not_hide_the_others(
    engine: Engine, story: Path, terms: list[str]
) -> None:
    with Recall(story, engine=engine.name) as recall:
        answer = recall.search(terms, limit=5)
    assert len(answer.passages) == 5
    assert {passage.session.id for passage in answer.passages} == {"chatter", "training", "windows"}
    text = [message.text for passage in answer.passages for message in passage.messages]
    assert "这个模型的上下文窗口有多大?" in text
    assert codes(answer) == {"hits_not_shown": 29}
    if len(terms) == 2:
        assert answer.passages[0].session.id == "windows"
        assert answer.passages[0].matched_terms == ("模型", "上下文窗口")


def test_the_turn_under_way_is_left_out(engine: Engine, tmp_path: Path) -> None:
    with Store.create(tmp_path / "runtime.sqlite") as store:
        session = store.session("mine", id="mine")
        before, now = session.turn(), session.turn()
        before.user(f"{WORD} before", at=1000)
        now.user(f"{WORD} right now", at=2000)
        other = store.session("other", id="other").turn()
        other.user(f"{WORD} elsewhere", at=3000)
        with Recall(tmp_path, engine=engine.name) as recall:
            for _ in range(3):  # narrowed, then resident
                answer = recall.search([WORD], active=("mine", now.id))
                shown = {p.session.id: p.is_current_session for p in answer.passages}
                assert shown == {"mine": True, "other": False}
                assert "right now" not in answer.text() + answer.to_json()
                assert "active_turn_excluded" in codes(answer)
            assert len(recall.search([WORD], active=("mine", "another")).passages) == 3


def test_a_host_that_says_no_or_raises(engine: Engine, builder: StoreBuilder) -> None:
    for name in ("yes", "no", "raises"):
        good(builder, name)

    def eligible(session: Session) -> bool:
        if session.id == "raises":
            raise RuntimeError("on purpose")
        return session.id == "yes"

    with Recall(builder.path, engine=engine.name, eligible=eligible) as recall:
        for _ in range(3):
            answer = recall.search([WORD])
            assert found(answer) == [("yes", 0)]
            assert codes(answer) == {"host_excluded": 2}
            assert not answer.searched.every_session
            assert answer.searched.sessions == answer.searched.records == 1


def test_a_deadline_that_nothing_can_meet(engine: Engine, story: Path) -> None:
    with Recall(story, engine=engine.name) as recall:
        for _ in range(3):
            answer = recall.search(["模型"], deadline=1e-6)
            assert found(answer) == []
            assert codes(answer)["deadline"] == 3
            assert answer.searched.sessions == 0
            assert not answer.searched.every_session
        assert len(recall.search(["模型"], limit=5, deadline=60).passages) == 5


def test_a_deadline_reaches_the_newest_sessions(
    engine: Engine, builder: StoreBuilder, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Whenever time runs out, what was reached is answered and the rest is counted."""
    for number in range(6):
        good(builder, f"s{number}")
    clock = iter(range(10**6))
    monkeypatch.setattr(time, "monotonic", lambda: float(next(clock)))
    seen = set()
    with Recall(builder.path, engine=engine.name, memory_bytes=0) as recall:
        for deadline in range(1, 20):
            answer = recall.search([WORD], limit=25, deadline=float(deadline))
            reached = sorted(passage.session.id for passage in answer.passages)
            assert reached == [f"s{number}" for number in range(6 - len(reached), 6)]
            assert codes(answer).get("deadline", 0) == 6 - len(reached)
            seen.add(len(reached))
    assert {0, 6} < seen


def test_history_is_left_as_it_was(engine: Engine, tmp_path: Path) -> None:
    """Not a byte, not a time, not a side file; whatever state the store is in."""
    for state in ("closed", "open"):
        folder = tmp_path / state
        folder.mkdir()
        store = Store.create(folder / "runtime.sqlite")
        store.session("s", id="s").turn().user(f"{WORD} one")
        if state == "closed":
            store.close()
        before = tree(folder)
        with Recall(folder, engine=engine.name) as recall:
            for _ in range(3):
                assert len(recall.search([WORD]).passages) == 1
        after = tree(folder)
        for side in [name for name in before if name.endswith("-shm")]:
            # Readers mark their place in the memory that the host shares out; it is no history.
            assert before.pop(side)[1] == after.pop(side)[1]
        assert before == after
        store.close()


@pytest.mark.parametrize("memory", [0, 1, 400, 3000, 1 << 30])
def test_memory_changes_no_answer(engine: Engine, story: Path, memory: int) -> None:
    with Recall(story, engine=engine.name) as plenty:
        expected = plenty.search(["模型", "好的"], limit=25)
    with Recall(story, engine=engine.name, memory_bytes=memory) as recall:
        for _ in range(4):
            assert recall.search(["模型", "好的"], limit=25) == expected


def test_what_is_written_is_found_by_the_next_search(engine: Engine, tmp_path: Path) -> None:
    with Store.create(tmp_path / "runtime.sqlite") as store:
        turn = store.session("s", id="s").turn()
        with Recall(tmp_path, engine=engine.name) as recall:
            for number in range(12):
                turn.assistant(f"{WORD} {number}", at=number)
                if number == 6:
                    store.session("t", id="t").turn().user(f"{WORD} in another", at=100)
                answer = recall.search([WORD], limit=25)
                hits = len(answer.passages) + (codes(answer).get("hits_not_shown") or 0)
                assert hits == number + 1 + (number >= 6)


def in_threads(count: int, work: Callable[[int], None]) -> None:
    errors: list[BaseException] = []

    def guarded(number: int) -> None:
        try:
            work(number)
        except BaseException as error:
            errors.append(error)

    threads = [threading.Thread(target=guarded, args=(number,)) for number in range(count)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert errors == []


def test_eight_threads_and_a_writer(engine: Engine, tmp_path: Path) -> None:
    """Every search sees all that was committed before it began; nothing is lost or torn."""
    path = tmp_path / "runtime.sqlite"
    said: list[int] = []
    Store.create(path).close()

    def write() -> None:
        with Store.open(path) as store:
            for number in range(30):
                store.session("x", id=f"s{number % 5}").turn().user(f"{WORD} {number}", at=number)
                said.append(number)

    writer = threading.Thread(target=write)
    with Recall(path, engine=engine.name, memory_bytes=2500) as recall:

        def search(_: int) -> None:
            for _ in range(12):
                at_least = len(said)
                answer = recall.search([WORD], limit=None)
                assert len(answer.passages) >= at_least
                assert len(set(found(answer))) == len(answer.passages)

        writer.start()
        in_threads(8, search)
        writer.join()
        final = recall.search([WORD], limit=None)
    assert len(final.passages) == 30
    with Recall(path, engine=engine.name) as fresh:
        assert fresh.search([WORD], limit=None) == final


@pytest.mark.skipif(not hasattr(os, "fork"), reason="no fork")
@pytest.mark.filterwarnings("ignore:.*fork.*:DeprecationWarning")
def test_a_forked_child_searches_by_itself(engine: Engine, tmp_path: Path) -> None:
    with Store.create(tmp_path / "runtime.sqlite") as store:
        turn = store.session("s", id="s").turn()
        turn.user(f"{WORD} before", at=1)
        with Recall(tmp_path, engine=engine.name) as recall:
            for _ in range(2):
                recall.search([WORD], limit=None)
            parent = recall._corpus
            child = os.fork()
            if child == 0:
                try:
                    answer = recall.search([WORD], limit=None)
                    right = len(answer.passages) == 1 and recall._corpus is not parent
                    os._exit(0 if right else 1)
                except BaseException:
                    os._exit(2)
            assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 0
            turn.user(f"{WORD} after", at=2)  # the host's locks and ours still stand
            assert len(recall.search([WORD], limit=25).passages) == 1
            assert codes(recall.search([WORD], limit=25))["hits_not_shown"] == 1


def test_a_title_is_found_when_asked_for(engine: Engine, builder: StoreBuilder) -> None:
    builder.session("s", name=f"About the {WORD}")
    builder.text("s", "said without it", role="user", turn=None)
    with Recall(builder.path, engine=engine.name) as recall:
        assert recall.search([WORD]).passages == ()
        (passage,) = recall.search([WORD], kinds=["title"]).passages
    (message,) = passage.messages
    assert (message.kind, message.text, message.is_anchor) == ("title", f"About the {WORD}", True)
    assert passage.turn_id is None


def test_scope(engine: Engine, builder: StoreBuilder) -> None:
    for name, header in (
        ("plain", {}),
        ("kept away", {"isArchived": True}),
        ("child", {"subagentParent": {"parentSessionId": "plain"}}),
    ):
        builder.session(name, header=header)
        builder.text(name, WORD, role="user", ts=BASE_MS)
        builder.result(name, {"kind": "text", "text": WORD}, ts=BASE_MS + 500)

    def search(**options: Any) -> tuple[set[str], dict[str, int | None]]:
        with Recall(builder.path, engine=engine.name) as recall:
            answer = recall.search([WORD], limit=None, **options)
        return {passage.session.id for passage in answer.passages}, codes(answer)

    everything = {"plain", "kept away", "child"}
    assert search() == ({"plain", "child"}, {"archived_excluded": 1, "hits_not_shown": 2})
    assert search(include_archived=True)[0] == everything
    assert search(within="plain") == (
        {"plain", "child"},
        {"outside_scope": 1, "hits_not_shown": 2},
    )
    assert search(within="child")[0] == {"child"}
    assert search(since=BASE_MS + 501)[0] == set()
    assert search(since=BASE_MS + 500)[0] == {"plain", "child"}
    assert search(until=BASE_MS)[1] == {"archived_excluded": 1, "outside_time": 2}
    assert search(kinds=["tool_result"])[1] == {"archived_excluded": 1}
    assert search(kinds=["assistant"])[0] == set()
