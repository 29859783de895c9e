"""Awaitable twins: the loop goes on, tasks run side by side, and a cancelled one ends at once."""

from __future__ import annotations

import asyncio
import inspect
import threading
import time
from collections.abc import Coroutine
from pathlib import Path
from typing import Any

import pytest

from harkback import QueryError, Recall, Store, UsageError
from harkback.engine import Engine
from support.asking import WORD, good
from support.speaking import Speaking, said
from support.stores import StoreBuilder

TALKS = {f"s{n}": [said(f"m{n}", f"{WORD} {n}")] for n in range(9)}
TWINS = [name for name in vars(Recall) if inspect.iscoroutinefunction(getattr(Recall, name))]


def within(seconds: float, work: Coroutine[Any, Any, Any]) -> Any:
    return asyncio.run(asyncio.wait_for(work, seconds))


def test_each_twin_takes_what_its_method_takes() -> None:
    assert TWINS == ["asearch", "amore", "amaterial", "acompaction_pointer"]
    for name in TWINS:
        twin, method = getattr(Recall, name), getattr(Recall, name[1:])
        assert inspect.signature(twin) == inspect.signature(method)
        assert (twin.__name__, twin.__qualname__) == (name, f"Recall.{name}")
        assert "cancel" in inspect.signature(method).parameters
        assert name[1:] in (twin.__doc__ or "")


def test_twins_give_what_the_methods_give(engine: Engine, builder: StoreBuilder) -> None:
    good(builder)

    async def ask(recall: Recall) -> tuple[Any, ...]:
        answer = await recall.asearch([WORD], limit=3)
        anchor = answer.passages[0].anchor
        reading = await recall.amore(anchor, view="audit")
        return answer, reading, await recall.acompaction_pointer("good")

    with Recall(builder.path, engine=engine.name) as recall:
        answer, reading, pointer = within(60, ask(recall))
        assert answer == recall.search([WORD], limit=3)
        assert reading == recall.more(answer.passages[0].anchor, view="audit")
        assert pointer == recall.compaction_pointer("good")


def test_errors_are_those_of_the_methods(engine: Engine) -> None:
    source = Speaking(TALKS)
    with Recall(source, engine=engine.name) as recall:
        for work, reason in (
            (recall.asearch([]), "no_terms"),
            (recall.asearch([WORD], cancel=True), "cancel_invalid"),  # type: ignore[arg-type]
            (recall.amore("nowhere"), "not_found"),
        ):
            with pytest.raises(QueryError) as caught:
                within(60, work)
            assert caught.value.reason == reason
    assert source.touched == ["close"]


def test_tasks_side_by_side_and_a_writer(engine: Engine, tmp_path: Path) -> None:
    """Every search sees what was committed before it began."""

    async def ask(recall: Recall, store: Store) -> None:
        for number in range(6):
            store.session("x", id=f"s{number}").turn().user(f"{WORD} {number}")
            answers = await asyncio.gather(
                *(recall.asearch([WORD], limit=25) for _ in range(5)),
            )
            assert {len(answer.passages) for answer in answers} == {number + 1}

    with (
        Store.create(tmp_path / "runtime.sqlite") as store,
        Recall(tmp_path, engine=engine.name) as recall,
    ):
        within(120, ask(recall, store))


class Stuck:
    """Makes the first call of a name wait, and says that it does."""

    def __init__(self, call: str) -> None:
        self.call = call
        self.reached, self.go = threading.Event(), threading.Event()

    def __call__(self, name: str) -> None:
        if name == self.call and not self.reached.is_set():
            self.reached.set()
            assert self.go.wait(30)


def test_the_loop_is_not_blocked(engine: Engine) -> None:
    stuck = Stuck("scan")

    async def ask(recall: Recall) -> int:
        task = asyncio.create_task(recall.asearch([WORD]))
        ticks = 0
        while not stuck.reached.is_set() or ticks < 20:
            await asyncio.sleep(0.001)
            ticks += 1
        assert not task.done()
        other = await recall.asearch([WORD])  # another task gets its answer meanwhile
        assert len(other.passages) == 8
        stuck.go.set()
        return len((await task).passages)

    with Recall(Speaking(TALKS, before=stuck), engine=engine.name) as recall:
        assert within(60, ask(recall)) == 8


@pytest.mark.parametrize("call", ["view", "scan", "read"])
def test_a_cancelled_task_ends_at_once_and_its_thread_soon(engine: Engine, call: str) -> None:
    stuck = Stuck(call)
    source = Speaking(TALKS, before=stuck)

    async def ask(recall: Recall) -> None:
        task = asyncio.create_task(recall.asearch([WORD]))
        while not stuck.reached.is_set():
            await asyncio.sleep(0.001)
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task
        before = len(source.touched)
        stuck.go.set()
        for _ in range(20):
            await asyncio.sleep(0.005)
        assert source.touched[before:] in ([], ["sessions"])  # the step under way, and no other
        assert len((await recall.asearch([WORD])).passages) == 8

    with Recall(source, engine=engine.name) as recall:
        within(60, ask(recall))


def test_a_timeout_of_the_host(engine: Engine) -> None:
    stuck = Stuck("scan")

    async def ask(recall: Recall) -> None:
        began = time.monotonic()
        with pytest.raises(TimeoutError):
            async with asyncio.timeout(0.05):
                await recall.asearch([WORD])
        assert time.monotonic() - began < 10
        stuck.go.set()
        assert (await recall.asearch([WORD])).passages

    with Recall(Speaking(TALKS, before=stuck), engine=engine.name) as recall:
        within(60, ask(recall))


def test_the_callers_own_event_counts_too_and_is_left_alone(engine: Engine) -> None:
    stuck, own = Stuck("scan"), threading.Event()

    async def ask(recall: Recall) -> None:
        task = asyncio.create_task(recall.asearch([WORD], cancel=own))
        while not stuck.reached.is_set():
            await asyncio.sleep(0.001)
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task
        assert not own.is_set()
        stuck.go.set()
        own.set()
        with pytest.raises(QueryError) as caught:
            await recall.asearch([WORD], cancel=own)
        assert caught.value.reason == "cancelled"

    with Recall(Speaking(TALKS, before=stuck), engine=engine.name) as recall:
        within(60, ask(recall))


def test_a_deadline_inside_a_task(engine: Engine) -> None:
    slow = Speaking(TALKS, before=lambda name: time.sleep(0.05 if name == "read" else 0))

    async def ask(recall: Recall) -> list[Any]:
        return await asyncio.gather(
            recall.asearch([WORD], deadline=0.12), recall.asearch([WORD], deadline=60)
        )

    with Recall(slow, engine=engine.name, memory_bytes=0) as recall:
        short, long = within(60, ask(recall))
    missed = [gap.count for gap in short.gaps if gap.code == "deadline"]
    assert missed
    assert len(short.passages) + (missed[0] or 0) == 9
    assert len(long.passages) == 8


def test_sources_are_closed_by_the_last_one_at_work(engine: Engine) -> None:
    """Closing waits for nobody, and nobody loses what they work with."""
    stuck = Stuck("scan")
    source = Speaking(TALKS, before=stuck)
    recall = Recall(source, engine=engine.name)
    found: list[int] = []
    worker = threading.Thread(target=lambda: found.append(len(recall.search([WORD]).passages)))
    worker.start()
    assert stuck.reached.wait(30)
    recall.close()
    assert "close" not in source.touched
    with pytest.raises(UsageError) as caught:
        recall.search([WORD])
    assert caught.value.reason == "closed"
    assert "close" not in source.touched
    stuck.go.set()
    worker.join()
    assert found == [8]
    assert source.touched[-1] == "close"
    recall.close()  # again: no harm


def test_closing_right_after_a_cancelled_task(engine: Engine, tmp_path: Path) -> None:
    """A host that shuts down does not wait for what nobody wants any more."""
    with Store.create(tmp_path / "runtime.sqlite") as store, store.batch():
        for number in range(40):
            store.session("x", id=f"s{number}").turn().user(f"{WORD} {number}\n" * 200)

    async def ask(after: float) -> None:
        recall = Recall(tmp_path, engine=engine.name)
        task = asyncio.create_task(recall.asearch([WORD]))
        await asyncio.sleep(after)
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task
        recall.close()

    for after in (0, 0.001, 0.003, 0.006):
        within(60, ask(after))
