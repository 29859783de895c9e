"""What is done between calls, and when it is not."""

from __future__ import annotations

import threading
from collections.abc import Iterator

import pytest

from harkback.mcp import idle
from harkback.mcp.idle import Idle

PATIENCE = 10


class Work:
    """Pieces of work that the test lets begin and end."""

    def __init__(self, left: list[bool | Exception]) -> None:
        self.left = left
        self.begun = threading.Semaphore(0)
        self.go_on = threading.Semaphore(0)
        self.given_up: list[bool] = []

    def __call__(self, give_up: threading.Event) -> bool:
        self.begun.release()
        while not (give_up.is_set() or self.go_on.acquire(timeout=0.005)):
            pass
        self.given_up.append(give_up.is_set())
        left = self.left.pop(0)
        if isinstance(left, Exception):
            raise left
        return left


@pytest.fixture(autouse=True)
def _soon(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    monkeypatch.setattr(idle, "PAUSE_SECONDS", 0.05)
    return


def answered(between: Idle) -> None:
    between.begin()
    between.end()


def at_work(left: list[bool | Exception]) -> tuple[Work, Idle]:
    """In the midst of the first piece."""
    work = Work(left)
    between = Idle(work)
    answered(between)
    assert work.begun.acquire(timeout=PATIENCE)
    return work, between


def test_nothing_is_done_before_a_call_was_answered() -> None:
    work = Work([])
    between = Idle(work)
    between.begin()
    assert not work.begun.acquire(timeout=0.2)
    assert between.ended(0)
    between.stop()


def test_piece_after_piece_until_nothing_is_left_and_again_after_a_call() -> None:
    work = Work([True, True, False, False])
    between = Idle(work)
    for pieces in (3, 1):
        answered(between)
        for _ in range(pieces):
            assert work.begun.acquire(timeout=PATIENCE)
            work.go_on.release()
        assert between.ended(PATIENCE)
        assert not work.begun.acquire(timeout=0.2)
    assert work.given_up == [False] * 4
    between.stop()


def test_a_call_is_given_way_to() -> None:
    work, between = at_work([True, False])
    between.begin()
    assert between.ended(PATIENCE)
    assert work.given_up == [True]
    between.begin()
    between.end()
    assert not work.begun.acquire(timeout=0.2)  # another one is under way
    between.end()
    assert work.begun.acquire(timeout=PATIENCE)
    work.go_on.release()
    assert between.ended(PATIENCE)
    between.stop()


def test_what_fails_is_tried_again_after_another_call(caplog: pytest.LogCaptureFixture) -> None:
    work = Work([ValueError("stored text"), False])
    between = Idle(work)
    for _ in range(2):
        answered(between)
        assert work.begun.acquire(timeout=PATIENCE)
        work.go_on.release()
        assert between.ended(PATIENCE)
        assert not work.begun.acquire(timeout=0.2)
    assert [record.message for record in caplog.records] == ["work between calls failed"]
    between.stop()


def test_the_end() -> None:
    work, between = at_work([True])
    between.stop()
    assert between.ended(PATIENCE)
    assert work.given_up == [True]
    answered(between)
    assert not work.begun.acquire(timeout=0.2)
    assert not any(thread.name == "harkback-idle" for thread in threading.enumerate())
