"""The Budget and the cuts under torture: no history makes an answer longer, or tears a character.

Everything that could add up at once, then whatever hypothesis thinks of; in both forms, of search
and of reading on. Budgets do not depend on the engine: what is large runs on the native one.
"""

from __future__ import annotations

import json
import random
import re
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from harkback import Envelope, Gap, Recall, Session
from harkback.config import JSON_BUDGET, TEXT_BUDGET, WINDOW_CODE_POINTS
from harkback.engine import Engine, load
from harkback.model import KINDS, JsonPart, Kind, StoredMessage
from harkback.reading import Reading
from support.leaks import Planted, assert_silent
from support.planting import make
from support.speaking import Speaking, said
from support.stores import BASE_MS

FAMILY = "👩\u200d👩\u200d👧\u200d👦"
FLAG = "🇻🇳"
ACCENT = "e\u0301\u0323"
HANGUL = "\u1112\u1161\u11ab"
DEVANAGARI = "क्षि"
CLUSTERS = (FAMILY, FLAG, ACCENT, HANGUL, "👍🏽", "각")
MARKS = re.compile(r"\A\[… \d+ characters before\]\n|\n\[… \d+ characters after\]\Z")


def within_budget(answer: Envelope | Reading) -> str:
    text, sent = answer.text(), answer.to_json()
    assert len(text) <= TEXT_BUDGET
    assert len(sent) <= JSON_BUDGET
    assert json.loads(sent) == answer.to_dict()
    return text


def everything_within_budget(recall: Recall, terms: Sequence[str], anchors: int = 4) -> Envelope:
    """The answer, and all that can be read on from it in a few steps."""
    for options in ({}, {"explain": True}, {"order": "newest", "kinds": KINDS}):
        answer = recall.search(terms, limit=25, active=("s1", "now"), **options)  # type: ignore[arg-type]
        within_budget(answer)
    hidden = [gap for gap in answer.gaps if gap.code == "hits_not_shown"]
    for passage in answer.passages[:anchors]:
        for view in ("turn", "audit", "scroll"):
            cursor = None
            for _ in range(3):
                reading = recall.more(passage.anchor, view=view, cursor=cursor)
                within_budget(reading)
                cursor = reading.cursor
                if cursor is None:
                    break
    assert hidden == [] or (hidden[0].count or 0) > 0
    return answer


def test_everything_at_once() -> None:
    """Every kind, long names, many replays, many Gaps, unbroken runs, secrets, all in one."""
    dice = random.Random(4)
    secrets = [make("github", dice), make("pem", dice), make("json", dice)]
    talks: dict[str, list[StoredMessage]] = {}
    sessions: dict[str, Session] = {}
    long = FAMILY * 400 + '"\\\n\t' * 300
    for number in range(60):
        name = f"s{number}" + (long if number % 2 else "")
        talk = []
        for at in range(24):
            kind: Kind = KINDS[at % 5]
            body = f"a b c {CLUSTERS[at % 6] * 300} {secrets[at % 3].text} " + "match " * 200
            turn = "now" if at > 20 else f"turn {at // 6} {long}"
            # Every other Message is the same in all Sessions: a replay of the first of them.
            same = f"{at} {long}" if at % 2 else f"{number} {at} {long}"
            talk.append(said(same, body, kind, turn, BASE_MS + at, field=f"f {long}"))
        talks[name] = talk
        title = f"{secrets[0].secret} {long}"
        sessions[name] = Session("", name, title, f"/srv/{long}", BASE_MS, BASE_MS + number)
    reasons = [Gap("source_incomplete", f"Part {n} " + "is lacking " * 20, n) for n in range(500)]
    source = Speaking(talks, sessions=sessions, gaps=reasons, name=f"source {long}")
    with Recall(source, engine="native") as recall:
        for terms in (
            ["match"],
            list("abcmth\u0323ह"),
            [("match " * 84)[n : n + 499] for n in range(8)],
            ["absent" + '"\\' * 240 + str(n) for n in range(8)],
        ):
            answer = everything_within_budget(recall, terms)
            shown = within_budget(answer) + answer.to_json()
            assert_silent(shown, secrets)
        answer = recall.search(["match"], limit=25)
        assert answer.passages
        assert any(passage.also_in for passage in answer.passages)
        whole = len(answer.passages) + next(
            gap.count or 0 for gap in answer.gaps if gap.code == "hits_not_shown"
        )
        unlimited = recall.search(["match"], limit=None)
        assert whole == sum(1 for _ in unlimited.passages) + next(
            gap.count or 0 for gap in unlimited.gaps if gap.code == "hits_not_shown"
        )


@pytest.mark.parametrize("cluster", CLUSTERS, ids=range(len(CLUSTERS)))
def test_no_cut_tears_a_character(engine: Engine, cluster: str) -> None:
    """Windows, pages and names hold whole clusters only, and pages give back all of the text."""
    body = cluster * 4_000
    talk = [said("m", f"{body} match {body}", field=f"f{cluster * 200}")]
    session = Session("", "s", cluster * 300, cluster * 300, BASE_MS, BASE_MS)
    with Recall(Speaking({"s": talk}, sessions={"s": session}), engine=engine.name) as recall:
        (passage,) = recall.search(["match"]).passages
        (message,) = passage.messages
        assert message.truncated
        window = MARKS.sub("", message.text)
        assert 0.8 * WINDOW_CODE_POINTS < len(window) <= WINDOW_CODE_POINTS
        for piece in window.split(" match "):
            assert piece.replace(cluster, "") == ""
        for name in (passage.session.title, passage.session.project or ""):
            assert name.removesuffix("…").replace(cluster, "") == ""
            assert len(name) > 100
        pages, cursor = [], None
        while True:
            reading = recall.more(passage.anchor, view="audit", cursor=cursor)
            within_budget(reading)
            (page,) = reading.passage.messages
            pages.append(page.text)
            cursor = reading.cursor
            if cursor is None:
                break
        assert "".join(pages) == talk[0].parts[0].text  # type: ignore[union-attr]
        for page in pages:
            for piece in page.split(" match "):
                assert piece.strip("match ").replace(cluster, "") == ""


@pytest.mark.parametrize("distance", [-40, -1, 0, 1, 12, 40])
@pytest.mark.parametrize("shape", ["github", "pem", "json", "webhook"])
def test_no_cut_shows_part_of_a_secret(engine: Engine, shape: str, distance: int) -> None:
    """Where windows and pages are cut, around a secret that lies across the cut."""
    planted = make(shape, random.Random(5), f"{shape} {distance}")
    for at in (WINDOW_CODE_POINTS - 200 + distance, 7_900 + distance, 200 + distance):
        body = "match " + "x " * (at // 2) + planted.text + " behind " + "y " * 6_000
        talk = [said("m", body), said("n", f"{'z ' * (at // 2)}{planted.text} match", "assistant")]
        with Recall(Speaking({"s": talk}), engine=engine.name) as recall:
            answer = recall.search(["match"], limit=25)
            surfaces = {"text": answer.text(), "json": answer.to_json()}
            for passage in answer.passages:
                cursor = None
                for number in range(8):
                    reading = recall.more(passage.anchor, view="audit", cursor=cursor)
                    surfaces[f"page {number}"] = within_budget(reading) + reading.to_json()
                    cursor = reading.cursor
                    if cursor is None:
                        break
            assert_silent(surfaces, [planted])


def test_a_block_over_several_leaves_is_in_no_view(engine: Engine) -> None:
    """Lines of a key as strings of a list; a value whose name is another leaf."""
    dice = random.Random(6)
    key, value = make("pem", dice), make("flag", dice)
    lines = key.text.split("\n")
    parts = (
        JsonPart("content", {"source": [f"{line}\n" for line in lines], "match": "match"}),
        JsonPart("args", ["deploy", "--token", value.secret]),
    )
    talk = [said("m", "match"), said("n", "")._replace(kind="tool_result", parts=parts)]
    planted = [Planted("line", line) for line in lines[1:-1]] + [value]
    with Recall(Speaking({"s": talk}), engine=engine.name) as recall:
        answer = recall.search(["match"], limit=25, kinds=["tool_result"])
        surfaces = [answer.text() + answer.to_json()]
        for view in ("turn", "audit", "scroll"):
            reading = recall.more(answer.passages[0].anchor, view=view)
            surfaces.append(reading.text() + reading.to_json())
        assert "[redacted]" in surfaces[0]
        for line in lines[1:-1]:
            assert recall.search([line[5:20]]).passages == ()
    assert_silent("".join(surfaces), planted)


hostile = st.lists(
    st.sampled_from([*CLUSTERS, DEVANAGARI, '"', "\\", "\n", "\r\n", "\u2028", "| ", "\x00", "a"])
    | st.characters(exclude_categories=["Cs"]),
    max_size=8,
)


@st.composite
def histories(draw: st.DrawFn) -> tuple[dict[str, list[StoredMessage]], dict[str, Session]]:
    """A few Sessions whose parts are repeated to any length."""

    def long(most: int) -> str:
        return "".join(draw(hostile)) * draw(st.integers(1, most))

    talks: dict[str, list[StoredMessage]] = {}
    sessions: dict[str, Session] = {}
    field = f"f{long(50)}"
    for number in range(draw(st.integers(1, 6))):
        name = f"s{number}{long(60)}"
        talks[name] = [
            replace_text(draw, long(900), field, at) for at in range(draw(st.integers(1, 8)))
        ]
        sessions[name] = Session("", name, long(200), long(200), BASE_MS, BASE_MS + number)
    return talks, sessions


def replace_text(draw: st.DrawFn, text: str, field: str, at: int) -> StoredMessage:
    kind = draw(st.sampled_from(KINDS[:5]))
    turn = draw(st.sampled_from([None, "now", "t", f"t{field}"]))
    return said(f"{at}{field}", f"{text}match{text}", kind, turn, BASE_MS + at, field=field)


@settings(max_examples=40)
@given(histories(), st.integers(1, 40), st.booleans())
def test_whatever_the_history_holds(
    history: tuple[dict[str, list[StoredMessage]], dict[str, Session]], gaps: int, odd: bool
) -> None:
    talks, sessions = history
    reasons = [Gap("source_incomplete", f"Part {n} " * 9, n) for n in range(gaps)]
    if odd:  # times that no calendar has
        sessions = {
            id: replace(each, started_at=-(2**62), last_activity_at=2**62)
            for id, each in sessions.items()
        }
    with Recall(
        Speaking(talks, sessions=sessions, gaps=reasons), engine=load("native").name
    ) as recall:
        everything_within_budget(recall, ["match"], anchors=1)
        everything_within_budget(recall, ["a", '"', "m"], anchors=0)


@pytest.mark.parametrize("size", [1, 100, 795, 796, 8_000])
def test_what_is_left_out_is_counted(engine: Engine, size: int) -> None:
    """Hits and Messages that are not shown, characters before and after: the sum is the whole."""
    talk = [said(f"m{n}", "match" + "x" * size, turn=f"t{n}", at=BASE_MS + n) for n in range(40)]
    with Recall(Speaking({"s": talk}), engine=engine.name) as recall:
        answer = recall.search(["match"], limit=25)
        hidden = sum(gap.count or 0 for gap in answer.gaps if gap.code == "hits_not_shown")
        assert len(answer.passages) + hidden == 40
        for passage in answer.passages:
            (message,) = passage.messages
            numbers: list[Any] = re.findall(r"\[… (\d+) characters", message.text)
            shown = len(MARKS.sub("", message.text))
            assert sum(map(int, numbers)) + shown == size + 5
            assert message.truncated == bool(numbers)
        assert ("audit" in answer.text().split("[1]")[0]) == (size > 795)
