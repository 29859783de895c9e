"""Grep: every verified Message once, newest first, as the lines that match."""

from __future__ import annotations

from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

from harkback import Recall, Store
from harkback.engine import Engine
from harkback.errors import QueryError
from harkback.grep import Line, Match, lines
from harkback.windows import redacted
from support.stores import StoreBuilder

WORD = "zebra"
KEY = "gh" + "p_" + "a1B2c3D4" * 5


def matches(recall: Recall, *terms: str, **options: Any) -> list[Match]:
    with recall.grep(terms or [WORD], **options) as found:
        return list(found.matches())


def shown(match: Match) -> list[tuple[int, str] | None]:
    return [None if line is None else (line.number, line.text) for line in match.lines]


def test_every_message_of_every_session_newest_first(engine: Engine, tmp_path: Path) -> None:
    with Store.create(tmp_path / "runtime.sqlite") as store:
        turns = [store.session(f"s{n}", id=f"s{n}").turn() for n in range(3)]
        for at in range(90):  # interleaved: no Session is newer than the others as a whole
            turns[at % 3].assistant(f"{at} {WORD} {WORD}", at=at)
    with Recall(tmp_path, engine=engine.name) as recall:
        for _ in range(3):  # from the raw scan, then from memory
            found = matches(recall)
            assert [match.timestamp for match in found] == list(range(89, -1, -1))
            assert {match.occurrences for match in found} == {2}
        assert [m.timestamp for m in matches(recall, since=80, until=82)] == [82, 81, 80]
        assert {m.session.id for m in matches(recall, within="s1")} == {"s1"}
        assert matches(recall, kinds=["user"]) == []
        newest = recall.search([WORD], order="newest", limit=1).passages[0]
        assert newest.anchor == matches(recall)[0].anchor


def test_a_replay_is_told_once_of_the_original(engine: Engine, tmp_path: Path) -> None:
    path = tmp_path / "runtime.sqlite"
    with closing(StoreBuilder(path)) as builder:
        builder.session("original")
        builder.session("copy", header={"conversationCopy": True})
        for name in ("copy", "original"):
            builder.text(name, WORD, ts=9, refs={"storedMessageId": "same"})
    with Recall(path, engine=engine.name) as recall:
        assert [match.session.id for match in matches(recall)] == ["original"]


def test_what_is_left_out_is_told_at_the_end(engine: Engine, tmp_path: Path) -> None:
    with Store.create(tmp_path / "runtime.sqlite") as store:
        store.session("a", archived=True).turn().user(WORD, at=1)
        store.session("b").turn().user(WORD, at=2)
    with Recall(tmp_path, engine=engine.name) as recall:
        with recall.grep([WORD]) as found:
            assert len(list(found.matches())) == 1
            assert [(gap.code, gap.count) for gap in found.gaps()] == [("archived_excluded", 1)]
        assert len(matches(recall, include_archived=True)) == 2
        with pytest.raises(QueryError), recall.grep([KEY]):
            pass


def test_lines_and_their_context(engine: Engine, tmp_path: Path) -> None:
    text = "\n".join(f"line {n}{f' {WORD}' * (n in (3, 4, 9))}" for n in range(1, 12))
    with Store.create(tmp_path / "runtime.sqlite") as store:
        turn = store.session("a").turn()
        turn.tool_call("Run", {"a": WORD, "b": "no", "c": text}, at=1)
    with Recall(tmp_path, engine=engine.name) as recall:
        (match,) = matches(recall)
        tail = [(3, f"line 3 {WORD}"), (4, f"line 4 {WORD}"), None, (9, f"line 9 {WORD}")]
        assert shown(match) == [(1, WORD), None, *tail]
        (match,) = matches(recall, context=1)
        assert [n for n, _ in filter(None, shown(match)[2:])] == [2, 3, 4, 5, 8, 9, 10]
        assert matches(recall, context=None)[0].lines == ()


def test_spans_mark_the_matches_and_no_cut_opens_a_secret(engine: Engine) -> None:
    def found(text: str, cuts: list[tuple[int, int]], term: str) -> list[Line | None]:
        return list(lines(redacted(engine, [term], text, cuts), 0))

    (line,) = found("x zebra y ZEBRA", [], "zebra")
    assert line is not None
    assert [line.text[a:b] for a, b in line.spans] == ["zebra", "ZEBRA"]
    first, second = found("a zeb\nra b", [], "zeb\nra")
    assert first is not None
    assert second is not None
    assert (first.spans, second.spans) == (((2, 5),), ((0, 2),))
    for before in range(60, 140):
        secret = (before, before + 30)
        text = "s" * before + "S" * 30 + "f" * (160 - before) + WORD + "e" * 600
        (line,) = found(text, [secret], WORD)
        assert line is not None
        shown = line.text
        assert "S" not in shown
        assert shown.count("[") == shown.count("[redacted]") == shown.count("]")
        assert [shown[a:b] for a, b in line.spans] == [WORD]
        assert len(shown) <= 402 + len("[redacted]")
