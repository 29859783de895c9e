"""What a history hides stays hidden: from search, from reading on in every view, from grep.

Every format, every class of text that is no part of what was said: text that only the host sees,
replaced, injected or machine-made text, thinking, copies, Sessions that are not listed.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest

from harkback import Recall
from harkback.engine import Engine
from harkback.model import KINDS
from support.hidden import HIDERS, SEEN

EVERYTHING: dict[str, Any] = {
    "kinds": KINDS,
    "include_archived": True,
    "include_abandoned": True,
}


@dataclass
class Hidden:
    """A history and the words that are nowhere to be seen in it, by the place they stand in."""

    path: Path
    words: dict[str, str] = field(default_factory=dict)

    def word(self, place: str) -> str:
        """Of letters alone, and in no other word."""
        assert place.isalnum()
        return self.words.setdefault(place, f"zyx{place}xyz")


@pytest.fixture(params=HIDERS)
def hidden(request: pytest.FixtureRequest, tmp_path: Path) -> Hidden:
    made = Hidden(tmp_path)
    made.path = HIDERS[request.param](tmp_path, made.word)
    return made


def readings(recall: Recall, anchor: str) -> Iterator[str]:
    """All that can be read from an anchor, on both sides, to the end."""
    for view in ("turn", "audit", "scroll"):
        cursor = None
        for _ in range(40):
            found = recall.more(anchor, view=view, cursor=cursor)
            yield found.text() + found.to_json()
            cursor = found.cursor
            if cursor is None:
                break
        else:
            raise AssertionError("the cursor leads nowhere")


def test_the_words_are_in_the_files(hidden: Hidden, tmp_path: Path) -> None:
    raw = b"".join(path.read_bytes() for path in tmp_path.rglob("*") if path.is_file())
    assert len(hidden.words) >= 8
    for word in hidden.words.values():
        assert word.encode() in raw, word


def test_no_question_finds_a_hidden_word(engine: Engine, hidden: Hidden) -> None:
    with Recall(hidden.path, engine=engine.name) as recall:
        for _ in range(2):  # narrowed, then resident
            words = list(hidden.words.values())
            for start in range(0, len(words), 8):
                terms = words[start : start + 8]
                answer = recall.search(terms, limit=None, **EVERYTHING)
                assert [p.matched_terms for p in answer.passages] == []
                assert [g.count for g in answer.gaps if g.code == "term_without_match"] == [
                    len(terms)
                ]
                with recall.grep(terms, **EVERYTHING) as found:
                    assert list(found.matches()) == []


def test_nothing_that_is_shown_shows_one(engine: Engine, hidden: Hidden) -> None:
    with Recall(hidden.path, engine=engine.name) as recall:
        answer = recall.search([SEEN], limit=None, explain=True, **EVERYTHING)
        assert len(answer.passages) >= 1
        bounded = recall.search([SEEN], limit=25, **EVERYTHING)
        shown = [form for a in (answer, bounded) for form in (a.text(), a.to_json(), repr(a))]
        with recall.grep([SEEN], context=1000, **EVERYTHING) as found:
            matches = list(found.matches())
            shown.append(repr(matches) + repr(found.gaps()))
        assert len(matches) > 2
        anchors = dict.fromkeys(match.anchor for match in matches)
        for anchor in anchors:
            shown += readings(recall, anchor)
        for match in matches:
            shown.append(recall.compaction_pointer(match.session.id).text())
    everything = "\n".join(shown)
    assert everything.count(SEEN) > len(anchors)
    for place, word in hidden.words.items():
        assert word not in everything, place


@pytest.mark.parametrize("view", ["turn", "audit", "scroll"])
def test_the_turn_under_way_is_in_no_view(engine: Engine, tmp_path: Path, view: Any) -> None:
    """Neither beside an anchor of another Turn, nor behind a cursor, nor at one of its own."""
    from harkback import QueryError, Store

    with Store.create(tmp_path / "runtime.sqlite") as store:
        session = store.session("s", id="s")
        turns = [session.turn() for _ in range(3)]
        for number in range(5):
            for turn in turns:
                turn.user(f"{SEEN} {turn.id} {number}", at=number)
    active = ("s", turns[1].id)
    with Recall(tmp_path, engine=engine.name) as recall:
        anchors = {
            message.text: passage.anchor
            for passage in recall.search([SEEN], limit=None).passages
            for message in passage.messages
            if message.is_anchor
        }
        with recall.grep([SEEN]) as found:
            every = {match.lines[0].text: match.anchor for match in found.matches()}  # type: ignore[union-attr]
        assert anchors.items() <= every.items()
        for text, anchor in every.items():
            for given in (active, list(active)):
                asked: dict[str, Any] = {"view": view, "active": given}
                if turns[1].id in text:
                    with pytest.raises(QueryError) as caught:
                        recall.more(anchor, **asked)
                    assert caught.value.reason == "not_found"
                    continue
                cursor = None
                for _ in range(20):
                    reading = recall.more(anchor, cursor=cursor, before=2, after=2, **asked)
                    assert turns[1].id not in reading.to_json()
                    cursor = reading.cursor
                    if cursor is None:
                        break
                for other, behind in every.items():
                    if turns[1].id in other and view != "audit":
                        with pytest.raises(QueryError) as caught:
                            recall.more(anchor, cursor=behind, **asked)
                        assert caught.value.reason == "cursor_invalid"
