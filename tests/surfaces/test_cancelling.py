"""Cancellation: looked at between steps, tells nothing, and leaves the Recall as it was."""

from __future__ import annotations

import threading
from collections.abc import Callable
from typing import Any

import pytest

from harkback import QueryError, Recall, entries
from harkback.config import SCAN_SLICE_SESSIONS
from harkback.engine import Engine
from support.asking import WORD
from support.capture import told
from support.speaking import Speaking, said

TALKS = {
    f"s{n:03}": [said(f"m{n}", f"{WORD} by the lighthouse {n}")]
    for n in range(SCAN_SLICE_SESSIONS + 40)
}


def grep(recall: Recall, **options: Any) -> list[Any]:
    with recall.grep([WORD], **options) as found:
        return list(found.matches())


def search(recall: Recall, **options: Any) -> Any:
    return recall.search([WORD], **options).passages


def refused(ask: Callable[..., Any], cancel: threading.Event) -> QueryError:
    with pytest.raises(QueryError) as caught:
        ask(cancel=cancel)
    assert caught.value.reason == "cancelled"
    return caught.value


def test_what_was_cancelled_before_it_began_touches_nothing(engine: Engine) -> None:
    cancel = threading.Event()
    cancel.set()
    source = Speaking(TALKS)
    with Recall(source, engine=engine.name) as recall:
        for ask in (
            lambda **options: search(recall, **options),
            lambda **options: grep(recall, **options),
            lambda **options: recall.more("0" * 32, **options),
            lambda **options: recall.compaction_pointer("s001", **options),
        ):
            refused(ask, cancel)
        assert source.touched == []


@pytest.mark.parametrize("ask", [search, grep])
@pytest.mark.parametrize("call", ["sessions", "scan", "read"])
def test_between_any_two_steps(engine: Engine, ask: Callable[..., Any], call: str) -> None:
    cancel = threading.Event()
    source = Speaking(TALKS, before=lambda name: cancel.set() if name == call else None)
    with Recall(source, engine=engine.name) as recall:
        error = refused(lambda **options: ask(recall, **options), cancel)
        assert "lighthouse" not in told(error)
        assert source.touched.count(call) == 1  # nothing more was begun
        assert source.touched[-1] == call
        found = len(ask(recall))
        assert found == (8 if ask is search else len(TALKS))  # and it goes on


def test_while_passages_are_made(engine: Engine) -> None:
    cancel = threading.Event()
    source = Speaking(TALKS, before=lambda name: cancel.set() if name == "read_around" else None)
    with Recall(source, engine=engine.name) as recall:
        refused(lambda **options: search(recall, **options), cancel)
        assert source.touched.count("read_around") == 1
        assert len(search(recall)) == 8


def test_reading_on_and_pointing(engine: Engine) -> None:
    for ask in ("more", "compaction_pointer"):
        cancel = threading.Event()
        source = Speaking(TALKS)
        with Recall(source, engine=engine.name, memory_bytes=0) as recall:
            anchor = recall.search([WORD]).passages[0].anchor
            named = anchor if ask == "more" else "s000"
            source._before = lambda name, at=cancel: at.set() if name == "read" else None
            refused(lambda ask=ask, named=named, **o: getattr(recall, ask)(named, **o), cancel)
            assert getattr(recall, ask)(named) is not None


def test_a_long_session_is_given_up_before_it_is_folded(engine: Engine) -> None:
    """Between reading a Session and folding it there is a look, and more of them in between."""
    looks = 0

    class Counting(threading.Event):
        def is_set(self) -> bool:
            nonlocal looks
            looks += 1
            return super().is_set()

    cancel = Counting()
    source = Speaking({"long": [said(f"m{n}", f"line {n}") for n in range(5000)]})
    with Recall(source, engine=engine.name) as recall:
        search(recall, cancel=cancel)
    assert looks > 8


@pytest.mark.parametrize("size", [1, 30])
def test_a_session_put_in_pieces_is_the_same(
    engine: Engine, monkeypatch: pytest.MonkeyPatch, size: int
) -> None:
    """Whatever the pieces; and one that was given up between two of them leaves nothing behind."""
    talk = [said(f"m{n}", f"{WORD} {n} " + "x" * (n % 7) * 20, turn=f"t{n}") for n in range(9)]
    with Recall(Speaking({"s": talk}), engine=engine.name) as recall:
        expected = recall.search([WORD], limit=25)
    monkeypatch.setattr(entries, "PIECE_CODE_POINTS", size)
    monkeypatch.setattr(entries, "PIECES", 1000)

    class After(threading.Event):
        looks = 10**6

        def is_set(self) -> bool:
            self.looks -= 1
            return self.looks < 0

    cancel = After()
    with Recall(Speaking({"s": talk}), engine=engine.name) as recall:
        assert recall.search([WORD], limit=25, cancel=cancel) == expected
    given_up = 0
    for looks in range(0, 10**6 - cancel.looks, 3):
        cancel.looks = looks
        with Recall(Speaking({"s": talk}), engine=engine.name) as recall:
            with pytest.raises(QueryError):
                recall.search([WORD], limit=25, cancel=cancel)
            for key in map(str, range(3)):
                if key not in recall._corpus.held._known:
                    given_up += 1
                    with pytest.raises(KeyError):
                        recall._corpus._segments.size(key)
            assert recall.search([WORD], limit=25) == expected
    assert given_up


@pytest.mark.parametrize("cancel", [True, 5, "now", object()])
def test_what_is_no_event(engine: Engine, cancel: Any) -> None:
    source = Speaking(TALKS)
    with Recall(source, engine=engine.name) as recall:
        for ask in (
            lambda: recall.search([WORD], cancel=cancel),
            lambda: recall.more("0" * 32, cancel=cancel),
            lambda: recall.compaction_pointer("s001", cancel=cancel),
            lambda: grep(recall, cancel=cancel),
        ):
            with pytest.raises(QueryError) as caught:
                ask()
            assert caught.value.reason == "cancel_invalid"
    assert source.touched == ["close"]


def test_an_event_that_is_never_set_changes_no_answer(engine: Engine) -> None:
    with Recall(Speaking(TALKS), engine=engine.name) as recall:
        expected = recall.search([WORD], limit=25)
        for _ in range(3):
            assert recall.search([WORD], limit=25, cancel=threading.Event()) == expected
