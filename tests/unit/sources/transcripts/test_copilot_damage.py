"""Records that were written badly: what is read of them, and what they cost."""

from __future__ import annotations

import json
from collections import Counter
from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from harkback.sources.transcripts.copilot_cli import CopilotCli
from support.transcripts import MemoryFiles, found, lines, shown

EVENTS = "session-state/s/events.jsonl"


def user(name: str, content: str) -> dict[str, Any]:
    return {"type": "user.message", "id": name, "data": {"content": content}}


def read(data: bytes) -> tuple[list[tuple[str, ...]], Counter[str]]:
    files = MemoryFiles({EVENTS: data})
    (session,) = found(CopilotCli(), files).values()
    return shown(CopilotCli().decode(files, session).messages), files.problems


def split(content: str) -> bytes:
    """A record whose line breaks were left as they are."""
    return json.dumps(user("u2", content)).replace("\\n", "\n").encode() + b"\n"


def around(damaged: bytes) -> bytes:
    return lines(user("u1", "before")) + damaged + lines(user("u3", "after"))


def test_a_record_split_at_a_line_break_is_joined() -> None:
    for content in (
        "one\ntwo",
        "one\ntwo\nthree}\nfour",
        "one\n\n\ntwo",
        "one\n17\ntwo",
        "\none\n",
    ):
        said, problems = read(around(split(content)))
        assert said == [("user", "before"), ("user", content), ("user", "after")], content
        assert problems == {}


def test_two_split_records_one_after_the_other() -> None:
    said, problems = read(around(split("a\nb") + split("c\nd").replace(b'"u2"', b'"u4"')))
    assert [leaves[1] for leaves in said] == ["before", "a\nb", "c\nd", "after"]
    assert problems == {}


def test_a_whole_record_after_the_beginning_of_one() -> None:
    whole = json.dumps(user("u2", "whole")).encode()
    for cut in (5, 20, len(whole) - 3):
        said, problems = read(around(whole[:cut] + whole.replace(b": ", b":") + b"\n"))
        assert said == [("user", "before"), ("user", "whole"), ("user", "after")]
        assert problems == {}


def test_what_stays_broken_is_counted_once_and_costs_itself() -> None:
    whole = json.dumps(user("u2", "lost")).encode()
    for damaged, count in (
        (whole[:30] + b"\n", 1),
        (b"no record\n", 1),
        (b"[1, 2]\n", 1),
        (b'{"type":"a\nb\nc}\nd\n', 1),
        (b"x\ny\n", 2),
    ):
        said, problems = read(around(damaged))
        assert said == [("user", "before"), ("user", "after")]
        assert problems == {"damaged_record": count}
    assert read(lines(user("u1", "before")) + whole[:30] + b"\n")[1] == {"damaged_record": 1}


def test_a_whole_record_between_two_pieces_is_no_part_of_them() -> None:
    first, second = split("one\ntwo").splitlines(keepends=True)
    said, problems = read(around(first + lines(user("u4", "between")) + second))
    assert [leaves[1] for leaves in said] == ["before", "between", "after"]
    assert problems == {"damaged_record": 2}


def test_many_pieces_that_never_fit_cost_little() -> None:
    data = b'{"type":"x\n' + b'"}\n' * 30_000
    assert read(around(data))[0] == [("user", "before"), ("user", "after")]


@given(st.lists(st.binary(max_size=30), max_size=6))
def test_no_damage_raises_or_costs_a_whole_record(pieces: list[bytes]) -> None:
    damaged = b"".join(piece.replace(b"\n", b"") + b"\n" for piece in pieces)
    said, _ = read(around(damaged))
    assert said[0] == ("user", "before")
    assert said[-1] == ("user", "after")
