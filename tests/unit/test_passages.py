"""Anchors first, then neighbours by distance; only of the same Turn, only what is visible."""

from __future__ import annotations

from pathlib import Path

from harkback import Passage, Recall, Store
from harkback.engine import Engine
from harkback.showing import anchor_home, anchor_id
from support.asking import WORD


def only(engine: Engine, folder: Path) -> Passage:
    with Recall(folder, engine=engine.name) as recall:
        (passage,) = recall.search([WORD]).passages
    return passage


def shown(passage: Passage) -> list[str]:
    return [message.text for message in passage.messages]


def test_four_neighbours_on_each_side_in_order(engine: Engine, tmp_path: Path) -> None:
    with Store.create(tmp_path / "runtime.sqlite") as store:
        turn = store.session("s", id="s").turn()
        for number in range(13):
            turn.assistant(WORD if number == 6 else f"line {number}", at=number)
        passage = only(engine, tmp_path)
    assert shown(passage) == [*(f"line {n}" for n in (2, 3, 4, 5)), WORD] + [
        f"line {n}" for n in (7, 8, 9, 10)
    ]
    assert (passage.has_more_before, passage.has_more_after) == (True, True)
    assert [message.is_anchor for message in passage.messages].index(True) == 4
    assert passage.sequence == 6


def test_the_turn_is_the_border_and_tool_results_are_no_neighbours(
    engine: Engine, tmp_path: Path
) -> None:
    with Store.create(tmp_path / "runtime.sqlite") as store:
        session = store.session("s", id="s")
        session.turn().user("another Turn", at=1)
        turn = session.turn()
        turn.user(f"{WORD}?", at=2)
        call = turn.tool_call("Grep", {"pattern": "seeds"}, at=3)
        turn.tool_result(call, "a long listing", at=4)
        turn.assistant("", at=5)
        turn.assistant("an answer", at=6)
        session.turn().user("the next Turn", at=7)
        passage = only(engine, tmp_path)
    assert shown(passage) == [f"{WORD}?", "Grep\nseeds", "an answer"]
    assert (passage.has_more_before, passage.has_more_after) == (False, False)


def test_a_tool_result_is_shown_as_the_anchor(engine: Engine, tmp_path: Path) -> None:
    with Store.create(tmp_path / "runtime.sqlite") as store:
        turn = store.session("s", id="s").turn()
        call = turn.tool_call("Read", {"path": "list"}, at=1)
        turn.tool_result(call, {"kind": "terminal", "output": {"stdout": f"{WORD} 3"}}, at=2)
        passage = only(engine, tmp_path)
    assert shown(passage) == ["Read\nlist", f"{WORD} 3"]


def test_an_anchor_is_short_durable_and_of_one_message() -> None:
    anchor = anchor_id(anchor_home("source", "session"), "message")
    assert anchor == "dbcae2c8e99df2e8b3b57616d0ae71e4"  # handed out: it may never change
    others = [("source", "session", "other"), ("source", "other", "message"), ("x", "y", "z")]
    ids = (anchor_id(anchor_home(source, session), message) for source, session, message in others)
    assert len({anchor, *ids}) == 4
