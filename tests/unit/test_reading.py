"""Reading on: the Turn, the whole Message, the Session; within the Budget, and only what may be."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from harkback import Recall, Store
from harkback.config import JSON_BUDGET, TEXT_BUDGET
from harkback.engine import Engine
from harkback.errors import QueryError
from harkback.model import Passage
from harkback.reading import Reading

WORD = "zebra"
KEY = "gh" + "p_" + "a1B2c3D4" * 5


def history(path: Path, *, said: str = f"about a {WORD}", files: int = 20) -> tuple[str, str]:
    with Store.create(path / "runtime.sqlite") as store:
        session = store.session("The zoo", id="s")
        first = session.turn()
        first.user("what is here?", at=1)
        first.assistant(said, at=2)
        for number in range(files):
            call = first.tool_call("Read", {"path": f"file {number}"}, at=3 + number)
            first.tool_result(call, {"kind": "text", "text": f"content {number}"}, at=3 + number)
        second = session.turn()
        second.user("and then?", at=100)
        second.assistant("nothing", at=101)
    return first.id, second.id


def anchor_of(recall: Recall, term: str = WORD) -> Passage:
    (passage,) = recall.search([term]).passages
    return passage


def texts(reading: Reading) -> list[str]:
    return [message.text for message in reading.passage.messages]


def refused(recall: Recall, anchor: str, **options: object) -> str:
    with pytest.raises(QueryError) as caught:
        recall.more(anchor, **options)  # type: ignore[arg-type]
    return caught.value.reason


def test_a_turn_is_read_to_its_end_by_cursors(engine: Engine, tmp_path: Path) -> None:
    history(tmp_path)
    with Recall(tmp_path, engine=engine.name) as recall:
        anchor = anchor_of(recall).anchor
        reading = recall.more(anchor)
        assert reading.passage.anchor == anchor
        assert not reading.passage.has_more_before
        seen = texts(reading)
        assert seen[:3] == ["what is here?", f"about a {WORD}", "Read\nfile 0"]
        assert len(seen) == 1 + 1 + 8
        while reading.cursor is not None:
            reading = recall.more(anchor, cursor=reading.cursor)
            seen += texts(reading)
        assert seen[2:] == [f"Read\nfile {number}" for number in range(20)]
        assert texts(recall.more(anchor, before=0, after=0)) == [f"about a {WORD}"]


def test_scroll_walks_the_session_whatever_the_kind(engine: Engine, tmp_path: Path) -> None:
    history(tmp_path, files=2)
    with Recall(tmp_path, engine=engine.name) as recall:
        anchor = anchor_of(recall).anchor
        reading = recall.more(anchor, view="scroll", after=3)
        assert [m.kind for m in reading.passage.messages] == [
            "user",
            "assistant",
            "tool_call",
            "tool_result",
            "tool_call",
        ]
        reading = recall.more(anchor, view="scroll", after=3, cursor=reading.cursor)
        assert texts(reading) == ["content 1", "and then?", "nothing"]
        assert reading.cursor is None
        (last,) = [m.anchor for m in reading.passage.messages if m.text == "nothing"]
        assert last is not None
        assert texts(recall.more(last))[-1] == "nothing"


def test_audit_pages_through_a_whole_message(engine: Engine, tmp_path: Path) -> None:
    said = "".join(f"{number} {WORD} {KEY}\n" for number in range(2000)) + "the end 😀"
    history(tmp_path, said=said)
    with Recall(tmp_path, engine=engine.name) as recall:
        anchor = anchor_of(recall).anchor
        pages, cursor = [], None
        while not pages or cursor is not None:
            reading = recall.more(anchor, view="audit", cursor=cursor)
            assert len(reading.text()) <= TEXT_BUDGET
            assert len(reading.to_json()) <= JSON_BUDGET
            (message,) = reading.passage.messages
            assert message.truncated
            pages.append(message.text)
            cursor = reading.cursor
        assert "".join(pages) == said.replace(KEY, "[redacted]")
        assert all(page.count("[") == page.count("redacted]") for page in pages)
        (message,) = recall.more(anchor, view="audit", unbounded=True).passage.messages
        assert message.text == "".join(pages)


def test_audit_names_every_leaf_of_a_call(engine: Engine, tmp_path: Path) -> None:
    with Store.create(tmp_path / "runtime.sqlite") as store:
        turn = store.session("s").turn()
        turn.tool_call("Run", {"command": WORD, "password": "x" * 9}, intent="look", at=1)
    with Recall(tmp_path, engine=engine.name) as recall:
        anchor = anchor_of(recall).anchor
        (message,) = recall.more(anchor, view="audit").passage.messages
    assert message.text.split("\n") == [
        "tool: Run",
        "intent: look",
        f"args.command: {WORD}",
        "args.password: [redacted]",
    ]


def test_what_may_not_be_read_is_not_found_and_tells_no_cause(
    engine: Engine, tmp_path: Path
) -> None:
    first, second = history(tmp_path)
    with Recall(tmp_path, engine=engine.name) as recall:
        anchor = anchor_of(recall).anchor
        assert refused(recall, anchor[:16] + "0" * 16) == "not_found"
        assert refused(recall, "0" * 16 + anchor[16:]) == "not_found"
        assert refused(recall, "../../etc") == "not_found"
        assert refused(recall, anchor, active=("s", first)) == "not_found"
        assert recall.more(anchor, active=("s", second)).passage.is_current_session
        scrolled = recall.more(anchor, view="scroll", before=0, active=("s", second))
        while scrolled.cursor is not None:
            scrolled = recall.more(
                anchor, view="scroll", cursor=scrolled.cursor, active=("s", second)
            )
        assert "and then?" not in texts(scrolled)
    with Recall(tmp_path, engine=engine.name, eligible=lambda session: False) as recall:
        assert refused(recall, anchor) == "not_found"


def test_what_cannot_be_asked(engine: Engine, tmp_path: Path) -> None:
    history(tmp_path)
    with Recall(tmp_path, engine=engine.name) as recall:
        anchor = anchor_of(recall).anchor
        assert refused(recall, anchor, view="all") == "unknown_view"
        assert refused(recall, anchor, before=9) == "neighbours_out_of_range"
        assert refused(recall, anchor, after=-1) == "neighbours_out_of_range"
        assert refused(recall, anchor, cursor="12") == "cursor_invalid"
        assert refused(recall, anchor, view="audit", cursor=anchor) == "cursor_invalid"
        assert refused(recall, anchor, view="audit", cursor="999999") == "cursor_invalid"


def test_both_forms_are_within_the_budget_and_say_the_same(engine: Engine, tmp_path: Path) -> None:
    history(tmp_path, said=f"{WORD} " + "\x01\n" * 20_000)
    with Recall(tmp_path, engine=engine.name) as recall:
        anchor = anchor_of(recall).anchor
        for view in ("turn", "audit", "scroll"):
            reading = recall.more(anchor, view=view)  # type: ignore[arg-type]
            assert len(reading.text()) <= TEXT_BUDGET
            assert len(reading.to_json()) <= JSON_BUDGET
            shown = json.loads(reading.to_json())
            assert (shown["kind"], shown["view"]) == ("recall_more", view)
            assert shown.get("cursor") == reading.cursor
            for line in reading.text().splitlines():
                assert line.startswith("| ") or "\x01" not in line


def test_an_audit_opens_where_a_window_does(engine: Engine, tmp_path: Path) -> None:
    log = [f"{number} {KEY}\n" for number in range(5000)]
    log[4000] = f"{WORD} at last\n"
    history(tmp_path, said="".join(log), files=0)
    with Recall(tmp_path, engine=engine.name) as recall:
        answer = recall.search([WORD])
        (passage,) = answer.passages
        (hit,) = [message for message in passage.messages if message.is_anchor]
        assert f", match, audit cursor {hit.cursor}\n" in answer.text()
        assert answer.to_dict()["passages"][0]["messages"][1]["cursor"] == hit.cursor
        assert all(message.cursor is None for message in passage.messages if message is not hit)
        reading = recall.more(passage.anchor, view="audit", cursor=hit.cursor)
        (page,) = reading.passage.messages
        assert page.cursor is None
        shown = hit.text.split("\n", 1)[1].rsplit("\n[", 1)[0]  # without the notes of the cut
        assert page.text.startswith(shown)
        assert page.text.index(WORD) < 300
        assert reading.passage.has_more_before
        beginning = recall.more(passage.anchor, view="audit", unbounded=True).passage.messages[0]
        assert beginning.text[int(hit.cursor or 0) :].startswith(page.text)
        for view in ("turn", "scroll"):
            around = recall.more(passage.anchor, view=view).passage.messages
            assert all(message.cursor is None for message in around)


def test_no_cursor_where_an_audit_begins_there_anyway(engine: Engine, tmp_path: Path) -> None:
    history(tmp_path, said=f"{WORD} {'x' * 2000}", files=0)
    with Recall(tmp_path, engine=engine.name) as recall:
        answer = recall.search([WORD])
        (hit,) = [m for m in answer.passages[0].messages if m.is_anchor]
        assert hit.truncated
        assert hit.cursor is None
        assert "audit cursor" not in answer.text()
        assert '"cursor"' not in answer.to_json()


def test_an_audit_opens_at_the_name_of_a_leaf(engine: Engine, tmp_path: Path) -> None:
    with Store.create(tmp_path / "runtime.sqlite") as store:
        turn = store.session("s").turn()
        turn.tool_call("Run", {"first": f"{KEY} " * 90, "second": WORD}, intent="look", at=1)
    with Recall(tmp_path, engine=engine.name) as recall:
        passage = anchor_of(recall)
        (hit,) = passage.messages
        reading = recall.more(passage.anchor, view="audit", cursor=hit.cursor)
    assert texts(reading) == [f"args.second: {WORD}"]
