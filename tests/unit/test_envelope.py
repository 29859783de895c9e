"""What an Envelope says in its two forms, and that Gaps of one reason are one Gap."""

from __future__ import annotations

import json

from harkback.config import JSON_GAPS_BUDGET, TEXT_GAPS_BUDGET
from harkback.envelope import Envelope, _merged
from harkback.model import Gap, Passage, PassageMessage, Searched, SessionCard
from harkback.rendering import gap_text

CARD = SessionCard("s", "title", "source", "/home/dev", 0, 86_400_000)
MESSAGE = PassageMessage("m", "user", 1000, "what was\nsaid", spans=((0, 4),), is_anchor=True)
PASSAGE = Passage("a" * 32, CARD, "t", 3, False, ("what",), 1.23456, False, True, (MESSAGE,))
SEARCHED = Searched(2, 9, 1000, True)


def test_the_json_form() -> None:
    shown = json.loads(Envelope((PASSAGE,), (Gap("deadline", "m", 3),), SEARCHED).to_json())
    assert (shown["version"], shown["kind"]) == (1, "recall")
    assert shown["gaps"] == [{"code": "deadline", "count": 3, "message": "m"}]
    assert shown["searched"] == {
        "sessions": 2,
        "records": 9,
        "oldest_activity": "1970-01-01T00:00:01.000Z",
        "every_session": True,
    }
    (passage,) = shown["passages"]
    assert passage["score"] == 1.2346
    assert passage["messages"] == [
        {
            "id": "m",
            "kind": "user",
            "timestamp": "1970-01-01T00:00:01.000Z",
            "text": "what was\nsaid",
            "spans": [[0, 4]],
            "is_anchor": True,
        }
    ]
    assert "left_out" not in shown


def test_the_text_form_quotes_every_line_of_history() -> None:
    lines = Envelope((PASSAGE,), (), SEARCHED).text().splitlines()
    assert lines[0].startswith("Recall: 1 passages.")
    assert [line for line in lines if line.startswith("| ")] == ["| what was", "| said"]
    assert not any("Not in this answer" in line for line in lines)


def test_equal_reasons_are_added_up() -> None:
    gaps = [Gap("deadline", "m", 1), Gap("deadline", "n", 1), Gap("deadline", "m", 2)]
    assert _merged([*gaps, Gap("not_searched", "x"), Gap("not_searched", "x")]) == (
        Gap("deadline", "m", 3),
        Gap("deadline", "n", 1),
        Gap("not_searched", "x"),
    )


def test_gaps_that_just_fit_are_all_shown_and_one_more_is_counted() -> None:
    size = 100
    gap = Gap("deadline", "m" * (size - len(gap_text(Gap("deadline", "")))))
    assert len(gap_text(gap)) == size
    fitting = TEXT_GAPS_BUDGET // size
    for count, shown in ((fitting, fitting), (fitting + 1, fitting - 1)):
        lines = Envelope((), (gap,) * count, SEARCHED).text().splitlines()
        assert sum(line.startswith("- deadline") for line in lines) == shown
        told = [line for line in lines if line.startswith("- text_shortened")]
        assert [f"({count - shown})" in line for line in told] == [True] * (count > shown)
    many = Envelope((), (gap,) * 1000, SEARCHED).to_dict()["gaps"]
    assert len(json.dumps(many, separators=(",", ":"))) <= JSON_GAPS_BUDGET
    assert many[-1]["count"] == 1000 - len(many) + 1
