"""The comparison holds every row against answers that plain Python counted from the text."""

from __future__ import annotations

from contextlib import closing
from pathlib import Path

import pytest

import compare
import compare_text
from compare_text import QUESTIONS, SIZES, Text, text_of
from corpus import SHAPES


@pytest.fixture
def text(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Text:
    monkeypatch.setattr("corpus.DATA", tmp_path)
    monkeypatch.setattr(compare_text, "DATA", tmp_path)
    return text_of("small")


def test_40_questions_are_asked_and_every_size_has_a_shape() -> None:
    assert len(QUESTIONS) == len({q.terms for q in QUESTIONS}) == 40
    assert set(SIZES.values()) <= set(SHAPES)


def test_the_text_has_a_line_for_each_message(text: Text) -> None:
    lines = [len(text.lines(n)) for n in range(len(text.sessions))]
    assert lines == [len(ids) for ids in text.ids]
    assert sum(lines) == 1265


def test_an_answer_is_every_line_that_holds_a_term_in_any_case(text: Text) -> None:
    found = text.answer(("Context WINDOW", "zzzznotfound"))
    expected = {
        (number, line)
        for number in range(len(text.sessions))
        for line, shown in enumerate(text.lines(number))
        if "context window" in shown
    }
    assert found == expected
    assert found


@pytest.mark.parametrize("key", ["narrowed", "resident", "fts5"])
def test_a_row_that_is_timed_answers_as_the_text_does(text: Text, key: str) -> None:
    with closing(compare.ROWS[key](text, "small")) as row:
        for question in QUESTIONS[:9]:
            assert row.matches(question.terms) in (text.answer(question.terms), None)


def test_what_was_appended_is_found(text: Text) -> None:
    with closing(compare.ROWS["resident"](text, "small")) as row:
        assert not row.ask(("freshterm7",)).passages
        assert row.append("a line with freshterm7 in it")
        assert row.ask(("freshterm7",)).passages
