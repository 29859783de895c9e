"""Text of a user row that nobody typed: told apart from prose, and cut off.

Invariant: what is left of a text is one contiguous substring of it, and prose that merely mentions
a tag is left whole. A block counts only at the very start or end of a text, or if blocks are all
there is; each search for a tag goes forward, so the time is linear in the text.
Proof: tests/unit/sources/transcripts/claude_code/test_injected.py.
"""

from __future__ import annotations

import re
from typing import Final, NamedTuple

#: Cut off at the start and at the end of a text; what is left was typed.
_EDGES: Final = (
    "system-reminder",
    "ide_opened_file",
    "ide_selection",
    "user-prompt-submit-hook",
    "session-start-hook",
)
#: Nothing was typed if the whole text is made of these.
_NOTICES: Final = (
    "local-command-stdout",
    "local-command-stderr",
    "local-command-caveat",
    "bash-input",
    "bash-stdout",
    "bash-stderr",
    "task-notification",
    "tick",
    "goal",
)
_COMMAND: Final = ("command-name", "command-message", "command-args", "command-contents")
_TEAM: Final = ("teammate-message",)


def _opening(names: tuple[str, ...]) -> re.Pattern[str]:
    return re.compile(f"<({'|'.join(names)})(?:\\s[^<>]*)?>")


_EDGE: Final = _opening(_EDGES)
_NOTICE: Final = _opening(_EDGES + _NOTICES)
_ENVELOPE: Final = _opening(_COMMAND)
_MAIL: Final = _opening(_TEAM)
_SPACE: Final = re.compile(r"\s*")


class Command(NamedTuple):
    """A slash command, as its envelope holds it: both are substrings of the text."""

    name: str
    arguments: str


def typed(text: str) -> str:
    """What a person typed of ``text``: all of it, a substring, or nothing."""
    if not text or text.isspace():
        return ""
    start = _space(text, 0)
    if text[start] not in "<[S" and not text.rstrip().endswith(">"):
        return text
    if _is_notice(text, start):
        return ""
    return _without_edges(text)


def result(text: str) -> str:
    """A tool's output without the reminder that the agent appends to it on lines of its own."""
    end = len(text)
    while (cut := _reminder_before(text, end, "system-reminder")) is not None:
        end = cut
    return text if end == len(text) else text[:end].rstrip()


def command(text: str) -> Command | None:
    """The slash command that is the whole of ``text``."""
    if "<command-name>" not in text:
        return None
    found = {name: text[start:end].strip() for name, start, end in _whole(text, _ENVELOPE)}
    name = found.get("command-name")
    return Command(name, found.get("command-args", "")) if name else None


def mail(text: str) -> list[str]:
    """What agents of a team say to each other, if that is the whole of ``text``."""
    if "<teammate-message" not in text:
        return []
    return [text[start:end].strip() for _, start, end in _whole(text, _MAIL)]


def _is_notice(text: str, start: int) -> bool:
    if text.startswith("[Request interrupted by user", start):
        return text.rstrip().endswith("]") and "\n" not in text.strip()
    return text.startswith("Stop hook feedback:", start) or bool(_whole(text, _NOTICE))


def _whole(text: str, opening: re.Pattern[str]) -> list[tuple[str, int, int]]:
    """The blocks (name, start and end of what they hold) that ``text`` is made of, else none."""
    blocks: list[tuple[str, int, int]] = []
    at = _space(text, 0)
    while at < len(text):
        tag = opening.match(text, at)
        if tag is None:
            return []
        closing = f"</{tag[1]}>"
        end = first = text.find(closing, tag.end())
        # What a block holds may mention its own closing tag: the one that ends it is followed by
        # another block, or by nothing.
        while end >= 0:
            behind = _space(text, end + len(closing))
            if behind == len(text) or opening.match(text, behind):
                break
            end = text.find(closing, behind)
        if end < 0 or text.find(f"<{tag[1]}", first, end) >= 0:
            return []  # not closed, or two blocks with prose between them
        blocks.append((tag[1], tag.end(), end))
        at = behind
    return blocks


def _without_edges(text: str) -> str:
    start = at = _space(text, 0)
    while (tag := _EDGE.match(text, at)) is not None:
        closing = f"</{tag[1]}>"
        end = text.find(closing, tag.end())
        if end < 0:
            break
        start = at = _space(text, end + len(closing))
    end = len(text)
    closed = True
    while closed:
        closed = False
        for name in _EDGES:
            cut = _reminder_before(text, end, name)
            if cut is not None and cut >= start:
                end, closed = cut, True
    if end == len(text):
        return text if start == _space(text, 0) else text[start:]
    return text[start:end].rstrip()


def _reminder_before(text: str, end: int, name: str) -> int | None:
    """Where the block that ends at ``end`` begins, if it begins a line; spaces do not count."""
    closing = f"</{name}>"
    stop = end
    while stop and text[stop - 1].isspace():
        stop -= 1
    if not text.endswith(closing, 0, stop):
        return None
    start = text.rfind(f"<{name}>", 0, stop)
    if start < 0 or text.find(closing, start, stop) != stop - len(closing):
        return None
    return start if start == 0 or text[start - 1] == "\n" else None


def _space(text: str, at: int) -> int:
    found = _SPACE.match(text, at)
    return found.end() if found else at
