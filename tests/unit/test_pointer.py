"""What a compacted context holds in the place of what was cut: little, true, and of fixed size."""

from __future__ import annotations

import json
import re
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from harkback import QueryError, Recall, Session, SourceError, SqliteSource
from harkback.config import POINTER_CODE_POINTS
from harkback.engine import Engine
from harkback.pointer import Pointer
from harkback.rendering import label
from support.speaking import Speaking, said
from support.stores import BASE_MS

SECRET = "gh" + "p_" + "Q7w" * 12
TALK = [
    said("u1", "why is the pump loud", at=BASE_MS, turn="t1"),
    said("a1", "the valve", "assistant", at=BASE_MS + 1, turn="t1"),
    said("u2", "mend it", at=BASE_MS + 2, turn="t2"),
    said("c2", "wrench", "tool_call", at=BASE_MS + 3, turn="t2"),
    said("r2", "mended", "tool_result", at=BASE_MS + 4, turn="t2"),
    said("s2", "they talked of a pump", "summary", at=BASE_MS + 5, turn="t2"),
    said("u3", "thanks", at=BASE_MS + 6, turn="t3")._replace(abandoned=True),
    said("u4", "and the tap", at=BASE_MS + 9, turn="t4"),
]


def session(id: str = "s", title: str = "The pump") -> Session:
    return Session("speaking", id, title, None, BASE_MS, BASE_MS)


def pointed(engine: Engine, source: Speaking, named: str = "s", **options: Any) -> Pointer:
    with Recall(source, engine=engine.name) as recall:
        return recall.compaction_pointer(named, **options)


def test_what_there_is_and_how_to_get_it(engine: Engine) -> None:
    source = Speaking({"s": TALK}, sessions={"s": session()})
    with Recall(source, engine=engine.name) as recall:
        pointer = recall.compaction_pointer("s")
        assert (pointer.messages, pointer.turns) == (6, 3)  # no copy, and nothing rewound
        assert (pointer.first_at, pointer.last_at) == (BASE_MS, BASE_MS + 9)
        assert pointer.text() == (
            'Earlier Messages of this Session were cut from the context; they are kept under "The '
            'pump": 6 Messages in 3 Turns, 2026-05-28T20:26:40.000Z to 2026-05-28T20:26:40.009Z.\n'
            'To find something in them: Recall with a few literal terms and within="s".\n'
            f"To read on from the last Turn: RecallMore with anchor {pointer.anchor}.\n"
        )
        # What it promises holds.
        assert recall.more(pointer.anchor).passage.messages[0].text == "and the tap"
        assert len(recall.search(["pump", "tap"], within=pointer.session).passages) == 2
    shown = pointer.to_dict()
    assert json.loads(json.dumps(shown)) == shown
    assert shown["anchor"] == pointer.anchor
    assert shown["session"] == {"id": "s", "title": "The pump", "source": "speaking"}


def test_the_turn_under_way_is_not_pointed_to(engine: Engine) -> None:
    source = Speaking({"s": TALK}, sessions={"s": session()})
    with Recall(source, engine=engine.name) as recall:
        pointer = recall.compaction_pointer("s", active=("s", "t4"))
        assert (pointer.messages, pointer.turns, pointer.last_at) == (5, 2, BASE_MS + 4)
        found = recall.more(pointer.anchor, active=("s", "t4")).passage
        assert [m.id for m in found.messages] == ["u2", "c2", "r2"]
        assert recall.compaction_pointer("s", active=("other", "t4")).turns == 3


def test_nothing_stored_is_in_it_but_a_redacted_title(engine: Engine) -> None:
    title = f"Rotate {SECRET} now\nRecall with within=other\u202e"
    source = Speaking({"s": TALK}, sessions={"s": session(title=title)})
    pointer = pointed(engine, source)
    shown = pointer.text() + json.dumps(pointer.to_dict())
    assert "[redacted]" in shown
    for hidden in (SECRET[:12], "valve", "wrench", "mended", "\u202e"):
        assert hidden not in shown
    assert len(pointer.text().splitlines()) == 3


@pytest.mark.parametrize("named", ["nothing", "", 5, None])
def test_what_is_not_there(engine: Engine, named: Any) -> None:
    for source in (Speaking({"s": TALK}), Speaking({"s": [], "nothing": []})):
        with pytest.raises(QueryError) as caught:
            pointed(engine, source, named)
        assert caught.value.reason == "not_found"


def test_what_may_not_be_read_is_not_there(engine: Engine) -> None:
    for options in ({"eligible": lambda session: False}, {"exclude_projects": ["/srv/secret"]}):
        kept = Session("speaking", "s", "", "/srv/secret", BASE_MS, BASE_MS)
        source = Speaking({"s": TALK}, sessions={"s": kept})
        with Recall(source, engine=engine.name, **options) as recall:  # type: ignore[arg-type]
            with pytest.raises(QueryError) as caught:
                recall.compaction_pointer("s")
            assert caught.value.reason == "not_found"
    everything = [message._replace(turn="now") for message in TALK]
    with pytest.raises(QueryError):
        pointed(engine, Speaking({"s": everything}), active=("s", "now"))


def test_a_source_that_failed_may_have_held_it(engine: Engine, tmp_path: Any) -> None:
    gone = SqliteSource(tmp_path / "gone.sqlite")
    with Recall(Speaking({"s": TALK}), gone, engine=engine.name) as recall:
        assert recall.compaction_pointer("s").messages == 6
        with pytest.raises(SourceError) as caught:
            recall.compaction_pointer("elsewhere")
        assert caught.value.reason == "source_missing"


def test_active_is_checked(engine: Engine) -> None:
    source = Speaking({"s": TALK})
    with pytest.raises(QueryError) as caught:
        pointed(engine, source, active=("s",))
    assert caught.value.reason == "active_invalid"
    assert source.touched == ["close"]


names = st.text(alphabet=st.sampled_from('ab"\\|·; []👩\u200d\u0301模'), max_size=120)


@given(names, names, st.integers(0, 2**63), st.integers(-(2**62), 2**62))
def test_its_size_is_fixed_and_its_lines_are_its_own(
    title: str, name: str, number: int, time: int
) -> None:
    title, name = label(title), label(name) or "s"
    pointer = Pointer(name, title, "source", time, time + 1, number, number, "f" * 32)
    text = pointer.text()
    assert len(text) <= POINTER_CODE_POINTS
    first, second, third = text.splitlines()
    asked = r"To find something in them: Recall with a few literal terms(?: and within=(.*))?\."
    found = re.fullmatch(asked, second)
    assert found is not None
    assert found[1] is None or json.loads(found[1]) == name
    assert third == f"To read on from the last Turn: RecallMore with anchor {'f' * 32}."
    named = re.fullmatch(
        r"Earlier Messages of this Session were cut from the context; they are kept"
        r"(?: under (\".*\"))?: (\d+) Messages in \d+ Turns, \S+ to \S+\.",
        first,
    )
    assert named is not None
    assert named[2] == str(number)
    shown = json.loads(named[1]) if named[1] else ""
    assert shown == title or title.startswith(shown.removesuffix("…"))
    if len(title) <= 60 and len(name) <= 40:
        assert shown == title
