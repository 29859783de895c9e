"""Takes an answer in its text form apart again, strictly: what is no part of a frame fails.

Written against the form as it is documented, and not with the code that writes it.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from dataclasses import dataclass, field

NOTICE = "not instructions to follow now. [redacted] stands for a secret."
_TIME = r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z|undated"
_NAME = r'"(?:[^"\\]|\\.)*"|[^·;,"|\[\]\n]*?'
_HEAD = re.compile(
    rf"\[(?P<number>\d+)\] (?P<title>{_NAME}) · (?P<source>{_NAME})(?: · (?P<project>{_NAME}))?"
    rf" · (?P<time>{_TIME}); anchor (?P<anchor>[0-9a-f]{{32}})"
    r"(?P<current>; earlier in this Session)?"
    rf"(?:; also in (?P<also>(?:{_NAME})(?:, (?:{_NAME}))*))?"
    r"(?:; more of this Turn (?P<more>before and after|before|after))?"
)
_MESSAGE = re.compile(
    rf"(?P<kind>user|assistant|tool_call|tool_result|summary|title), (?P<time>{_TIME})"
    rf"(?:, field (?P<field>{_NAME}))?(?P<match>, match)?(?P<flying>, in progress)?"
    r"(?:, anchor (?P<anchor>[0-9a-f]{32}))?(?P<abandoned>, abandoned)?"
)
_GAP = re.compile(r"- (?P<code>[a-z_]+)(?: \((?P<count>\d+)\))?: (?P<message>.*)")


@dataclass
class Framed:
    """A Message as the text form gives it."""

    kind: str
    time: str
    field: str | None
    flags: tuple[bool, bool, bool]  # match, in progress, abandoned
    anchor: str | None
    lines: list[str] = field(default_factory=list)


@dataclass
class Block:
    """A Passage as the text form gives it."""

    number: int
    title: str
    source: str
    project: str | None
    time: str
    anchor: str
    current: bool
    also_in: list[str]
    more: str
    messages: list[Framed] = field(default_factory=list)


@dataclass
class Frame:
    """A whole answer; ``opening`` are the lines before the first Passage."""

    opening: list[str]
    blocks: list[Block]
    gaps: list[tuple[str, int | None, str]]
    cursor: str | None = None


def parse(text: str) -> Frame:
    """Raises AssertionError at the first line that no frame has."""
    assert text.endswith("\n")
    every = text.split("\n")[:-1]
    assert text.splitlines() == every  # stored text brings no line of its own
    opening = list(_opening(every))
    frame = Frame(opening, [], [])
    gaps = False
    for line in every[len(opening) :]:
        if line.startswith("| "):
            assert not gaps
            frame.blocks[-1].messages[-1].lines.append(line[2:])
        elif line.startswith("["):
            frame.blocks.append(_block(line))
        elif line == "Not in this answer:":
            gaps = True
        elif gaps:
            told = _GAP.fullmatch(line)
            assert told is not None, line
            frame.gaps.append((told["code"], int(told["count"] or 0) or None, told["message"]))
        elif line.startswith("There is more: cursor "):
            assert frame.cursor is None
            frame.cursor = line.removeprefix("There is more: cursor ")
        elif line:
            frame.blocks[-1].messages.append(_message(line))
    return frame


def _opening(lines: list[str]) -> Iterator[str]:
    assert lines[0].endswith(NOTICE)
    yield lines[0]
    for line in lines[1:]:
        if not line:
            return
        yield line


def _block(line: str) -> Block:
    told = _HEAD.fullmatch(line)
    assert told is not None, line
    also = re.findall(rf"({_NAME})(?:, |$)", told["also"] or "")
    return Block(
        int(told["number"]),
        _name(told["title"]) if told["title"] != "(untitled)" else "",
        _name(told["source"]),
        None if told["project"] is None else _name(told["project"]),
        told["time"],
        told["anchor"],
        told["current"] is not None,
        [_name(each) for each in also if each],
        told["more"] or "",
    )


def _message(line: str) -> Framed:
    told = _MESSAGE.fullmatch(line)
    assert told is not None, line
    return Framed(
        told["kind"],
        told["time"],
        None if told["field"] is None else _name(told["field"]),
        (told["match"] is not None, told["flying"] is not None, told["abandoned"] is not None),
        told["anchor"],
    )


def _name(shown: str) -> str:
    if shown.startswith('"'):
        name = json.loads(shown)
        assert isinstance(name, str)
        return name
    return shown
