"""A Toolset answers whatever a model sends, within the Budget, and says no more than it may."""

from __future__ import annotations

import asyncio
import json
import logging
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from harkback import QueryError, Recall, SourceError, Store, UsageError
from harkback.config import JSON_BUDGET, TEXT_BUDGET
from harkback.engine import Engine
from harkback.tools import TOOLS, ToolAnswer, Toolset
from support.recalls import Fake, material

NAMES = [spec.name for spec in TOOLS]
ANCHOR = "ab" * 16


def refused(answer: ToolAnswer) -> str:
    """The reason of an error; its two forms say the same."""
    assert answer.is_error
    assert answer.image is None
    form = answer.to_dict()
    assert list(form) == ["kind", "reason", "message"]
    assert form["kind"] == "error"
    assert answer.text == f"error {form['reason']}: {form['message']}\n"
    assert answer.text.count("\n") == 1
    return form["reason"]


@pytest.fixture
def recall(engine: Engine, tmp_path: Path) -> Iterator[Recall]:
    with Store.create(tmp_path / "runtime.sqlite") as store:
        turn = store.session("Flaky arm64 build", project="/srv/atlas").turn()
        turn.user("Why did the arm64 job fail?")
        turn.assistant("The retry limit was 0. " + "zebra " * 4000)
    with Recall(tmp_path / "runtime.sqlite", engine=engine.name) as opened:
        yield opened


def test_a_search_and_reading_on(recall: Recall) -> None:
    tools = Toolset(recall)
    found = tools.call("Recall", {"terms": ["retry limit"], "limit": 3})
    assert not found.is_error
    assert "| The retry limit was 0." in found.text
    passage = found.to_dict()["passages"][0]
    assert found.to_dict()["kind"] == "recall"
    asked = {"anchor": passage["anchor"], "view": "audit"}
    pages = []
    while True:
        page = tools.call("RecallMore", asked)
        assert len(page.text) <= TEXT_BUDGET
        assert len(json.dumps(page.to_dict(), ensure_ascii=False)) <= JSON_BUDGET
        pages.append(page.to_dict()["passage"]["messages"][0]["text"])
        if "cursor" not in page.to_dict():
            break
        assert f"cursor {page.to_dict()['cursor']}\n" in page.text
        asked = {"anchor": passage["anchor"], "cursor": page.to_dict()["cursor"]}
    assert len(pages) > 2
    assert "".join(pages).count("zebra") == 4000


def test_question_gives_the_terms(recall: Recall) -> None:
    assert "retry limit" in Toolset(recall).call("Recall", {"question": "arm64 retry"}).text


@pytest.mark.parametrize(
    ("name", "given", "reason"),
    [
        ("Recall", {}, "no_terms"),
        ("Recall", {"terms": [" "]}, "no_terms"),
        ("Recall", {"terms": ["a"], "limit": 26}, "limit_out_of_range"),
        ("Recall", {"terms": ["a"], "limit": "3"}, "arguments_invalid"),
        ("Recall", {"terms": list("abcdefghi")}, "too_many_terms"),
        ("Recall", {"terms": ["a" * 501]}, "term_too_long"),
        ("Recall", {"terms": ["gh" + "p_" + "x1Y" * 12]}, "term_credential"),
        ("Recall", {"terms": ["a"], "since": "2026-12-01", "until": "2026-11-30"}, "time_range"),
        ("RecallMore", {"anchor": ANCHOR}, "not_found"),
        ("RecallMore", {"anchor": "first"}, "not_found"),
        ("RecallMore", {"anchor": ANCHOR, "view": "all"}, "unknown_view"),
        ("RecallMore", {"anchor": ANCHOR, "before": 9}, "neighbours_out_of_range"),
        ("RecallMore", {"anchor": ANCHOR, "cursor": "next"}, "cursor_invalid"),
        ("recall", {"terms": ["a"]}, "tool_unknown"),
        (None, {}, "tool_unknown"),
        ([], {}, "tool_unknown"),
    ],
)
def test_errors_are_values(recall: Recall, name: Any, given: Any, reason: str) -> None:
    assert refused(Toolset(recall).call(name, given)) == reason


def test_a_day_reaches_to_its_end(recall: Recall) -> None:
    (message,) = recall.search(["retry limit"]).passages[0].messages[1:]
    day = Toolset(recall).call("Recall", {"terms": ["retry limit"]}).to_dict()["passages"][0]
    said = day["messages"][1]["timestamp"][:10]
    within = {"terms": ["retry limit"], "since": said, "until": said}
    assert len(Toolset(recall).call("Recall", within).to_dict()["passages"]) == 1
    assert message.is_anchor


@pytest.mark.parametrize("name", NAMES)
def test_a_tool_that_is_not_granted_is_as_one_that_does_not_exist(name: str) -> None:
    fake = Fake()
    tools = Toolset(fake, grants=[each for each in NAMES if each != name])
    assert name not in [spec.name for spec in tools.specs]
    assert len(tools.specs) == 2
    told = [tools.call(each, {"terms": ["a"]}).to_dict() for each in (name, "NoSuchTool")]
    assert told[0] == told[1]
    assert told[0]["reason"] == "tool_unknown"
    assert fake.asked == []


def test_grants() -> None:
    assert Toolset(Fake()).specs == TOOLS
    assert Toolset(Fake(), grants=()).specs == ()
    assert refused(Toolset(Fake(), grants=()).call("Recall", {"terms": ["a"]})) == "tool_unknown"
    assert [spec.name for spec in Toolset(Fake(), grants="Recall").specs] == ["Recall"]
    with pytest.raises(UsageError) as caught:
        Toolset(Fake(), grants=("Recall", "Write"))
    assert caught.value.reason == "grants_invalid"


def test_what_the_host_says_goes_with_every_call() -> None:
    fake = Fake(material("text"))
    cancel = threading.Event()
    turns = iter([("s", "1"), ["s", "2"], None])
    tools = Toolset(fake, active=lambda: next(turns), workspace="/srv/atlas", vision=True)
    tools.call("Recall", {"terms": ["a"], "limit": 3}, cancel=cancel)
    tools.call("RecallMore", {"anchor": ANCHOR, "view": "scroll"}, cancel=cancel)
    tools.call("RecallMaterial", {"id": ANCHOR, "cursor": "9"})
    workspace = {"workspace": "/srv/atlas"}
    assert fake.asked == [
        ("search", (["a"],), {"limit": 3, "active": ("s", "1"), "cancel": cancel, **workspace}),
        ("more", (ANCHOR,), {"view": "scroll", "active": ("s", "2"), "cancel": cancel}),
        (
            "material",
            (ANCHOR,),
            {"cursor": "9", "active": None, "cancel": None, "vision": True},
        ),
    ]


@pytest.mark.parametrize(
    "active",
    [
        *("ab", 7, (), ("s",), ("s", "t", "u"), ("s", None), {"s": "t"}),
        *(lambda: "ab", lambda: ("s", 1), lambda: 1 / 0, lambda x: None),
    ],
)
@pytest.mark.parametrize("name", NAMES)
def test_without_certainty_about_the_turn_nothing_is_searched(name: str, active: Any) -> None:
    fake = Fake()
    given = {"Recall": {"terms": ["a"]}, "RecallMore": {"anchor": ANCHOR}}
    tools = Toolset(fake, active=active)
    assert refused(tools.call(name, given.get(name, {"id": ANCHOR}))) == "active_invalid"
    assert fake.asked == []


def test_the_turn_under_way_is_left_out(recall: Recall) -> None:
    passage = recall.search(["retry limit"]).passages[0]
    tools = Toolset(recall, active=(passage.session.id, passage.turn_id or ""))
    assert tools.call("Recall", {"terms": ["retry limit"]}).to_dict()["passages"] == []
    assert refused(tools.call("RecallMore", {"anchor": passage.anchor})) == "not_found"


def test_an_image_stands_beside_the_text() -> None:
    tools = Toolset(Fake(material("image", b"\x89PNG")), vision=True)
    answer = tools.call("RecallMaterial", {"id": ANCHOR})
    assert answer.image == ("image/png", b"\x89PNG")
    assert answer.text == "RecallMaterial, an image.\n"
    assert answer.to_dict() == {"kind": "recall_material"}
    assert answer.encoded_image() == ("image/png", "iVBORw==")
    for each in (material("unsupported"), material("text", b"no image")):
        assert Toolset(Fake(each)).call("RecallMaterial", {"id": ANCHOR}).image is None


@pytest.mark.parametrize(
    "error", [QueryError("not_found", "Gone."), SourceError("source_locked", "Ask again.")]
)
def test_what_is_raised_on_purpose_becomes_a_value(error: Any) -> None:
    answer = Toolset(Fake(error)).call("Recall", {"terms": ["a"]})
    assert answer.text == f"error {error.reason}: {error.message}\n"


def test_what_nobody_foresaw_is_logged_without_its_words(
    caplog: pytest.LogCaptureFixture,
) -> None:
    tools = Toolset(Fake(KeyError("stored text")))
    with caplog.at_level(logging.DEBUG):
        answer = tools.call("Recall", {"terms": ["spoken"]})
    assert refused(answer) == "internal"
    (record,) = caplog.records
    assert (record.name, record.levelname, record.exc_info) == ("harkback.tools", "ERROR", None)
    assert "KeyError at " in record.getMessage()
    assert "recalls.py:" in record.getMessage()
    assert "stored" not in record.getMessage() + answer.text
    assert "spoken" not in record.getMessage() + answer.text


def test_an_interrupt_is_not_swallowed() -> None:
    with pytest.raises(KeyboardInterrupt):
        Toolset(Fake(KeyboardInterrupt())).call("Recall", {"terms": ["a"]})


def test_the_awaitable_twin(recall: Recall) -> None:
    tools = Toolset(recall)
    given = {"terms": ["retry limit"]}

    async def several() -> list[ToolAnswer]:
        return await asyncio.gather(*(tools.acall("Recall", given) for _ in range(4)))

    texts = {answer.text for answer in asyncio.run(several())}
    assert texts == {tools.call("Recall", given).text}
    assert refused(asyncio.run(tools.acall("Nothing", {}))) == "tool_unknown"


def test_cancelling_is_handed_on(recall: Recall) -> None:
    cancel = threading.Event()
    cancel.set()
    tools = Toolset(recall)
    assert refused(tools.call("Recall", {"terms": ["a"]}, cancel=cancel)) == "cancelled"


def test_a_task_that_is_cancelled_stops_the_work() -> None:
    begun, stopped = threading.Event(), threading.Event()

    class Slow(Fake):
        def search(self, *args: Any, cancel: threading.Event, **kwargs: Any) -> Any:
            begun.set()
            while not cancel.is_set():
                stopped.wait(0.001)
            stopped.set()
            raise QueryError("cancelled", "It was cancelled.")

    async def leave() -> None:
        task = asyncio.create_task(Toolset(Slow()).acall("Recall", {"terms": ["a"]}))
        await asyncio.to_thread(begun.wait, 10)
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task

    asyncio.run(leave())
    assert stopped.wait(10)


def test_incognito_is_a_value_too(tmp_path: Path) -> None:
    Store.create(tmp_path / "runtime.sqlite").close()
    with Recall(tmp_path / "runtime.sqlite", incognito=lambda: True) as recall:
        tools = Toolset(recall)
        assert refused(tools.call("Recall", {"terms": ["a"]})) == "incognito_active"
        assert refused(tools.call("RecallMore", {"anchor": ANCHOR})) == "incognito_active"


@given(
    st.sampled_from(NAMES) | st.text(max_size=9),
    st.none()
    | st.text(max_size=40)
    | st.dictionaries(
        st.sampled_from(["terms", "question", "anchor", "id", "limit", "since", "cursor", "view"]),
        st.none() | st.text(max_size=40) | st.integers() | st.lists(st.text(max_size=9)),
    ),
)
def test_a_call_gives_an_answer_whatever_is_sent(name: str, sent: Any) -> None:
    with Recall(engine="native") as recall:
        answer = Toolset(recall).call(name, sent)
    assert len(answer.text) <= TEXT_BUDGET
    assert answer.is_error == (answer.to_dict()["kind"] == "error")
    if name != "RecallMaterial":
        assert not answer.text.startswith("error internal")
