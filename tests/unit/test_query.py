"""A Query that exists is askable: distinct folded terms, none a credential, every bound sane."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta, timezone
from typing import Any

import pytest

from harkback import QueryError, terms_from_query
from harkback.engine import Engine
from harkback.query import Query, build
from harkback.redaction import DEFAULT


def ask(engine: Engine, terms: list[str], **options: Any) -> Query:
    full: dict[str, Any] = {
        "question": None,
        "limit": 8,
        "order": "relevance",
        "within": None,
        "kinds": None,
        "since": None,
        "until": None,
        "include_archived": False,
        "include_abandoned": False,
        "projects": (),
        "active": None,
        "explain": False,
        "deadline": None,
        **options,
    }
    return build(engine, DEFAULT.bind(engine), terms, **full)


def test_terms_are_trimmed_and_told_apart_by_their_fold(engine: Engine) -> None:
    asked = ask(engine, [" Straße ", "STRASSE", "模型", "ΟΔΟΣ", "οδός", "ｓｔｒａｓｓｅ"])
    assert asked.terms == ("Straße", "模型", "ΟΔΟΣ", "οδός")
    assert asked.folded == ("strasse", "模型", "οδοσ", "οδόσ")


def test_what_cannot_be_stored_cannot_be_asked_otherwise(engine: Engine) -> None:
    assert ask(engine, ["a\0b", "\ud83d"]).folded == ("a\ufffdb", "\ufffd")


def test_a_term_of_five_hundred_characters(engine: Engine) -> None:
    assert ask(engine, [" " + "z" * 500 + "\n"]).folded == ("z" * 500,)
    with pytest.raises(QueryError, match="501"):
        ask(engine, ["z" * 501])


def test_a_question_gives_the_terms_only_when_there_are_none(engine: Engine) -> None:
    assert ask(engine, [], question="what about Cats").terms == (
        "what about Cats",
        "what",
        "about",
        "Cats",
    )
    assert ask(engine, ["one"], question="what about Cats").terms == ("one",)
    with pytest.raises(QueryError):
        ask(engine, [], question="key AK" + "IA" + "Q3EGPJ2MTZ5RLK7B")


def test_times(engine: Engine) -> None:
    naive, east = datetime(2026, 1, 1), timezone(timedelta(hours=8))
    asked = ask(engine, ["x"], since=naive, until=datetime(2026, 1, 1, 8, 0, 1, tzinfo=east))
    assert asked.since == datetime(2026, 1, 1, tzinfo=UTC).timestamp() * 1000
    assert asked.until == asked.since + 1000
    assert ask(engine, ["x"], since=7, until=7).since == 7


@pytest.mark.parametrize(
    ("line", "terms"),
    [
        ("", []),
        ("  \n\t ", []),
        ("''", []),
        ("context", ["context"]),
        (
            '"context window"  of it',
            ['context window"  of it'.replace("  ", " "), "context", "window"],
        ),
        ("模型 的 窗口", ["模型 的 窗口", "模型", "窗口"]),
        ("「模型」 up", ["模型」 up", "模型"]),
        ("a bb ccc", ["a bb ccc", "ccc"]),
        ("one one two", ["one one two", "one", "two"]),
    ],
)
def test_terms_from_a_line(line: str, terms: list[str]) -> None:
    assert terms_from_query(line) == terms


def test_terms_from_a_long_line_are_few_and_short() -> None:
    found = terms_from_query(" ".join(f"word{n}" for n in range(200)))
    assert found == [f"word{n}" for n in range(8)]  # the phrase is too long to be a term
