"""What Codex puts into user messages beside what the user wrote.

Invariant: an item is taken out only if it is injected text from end to end; a prompt that mentions
one of these tags stays whole. What is kept is a contiguous piece of the item.
Proof: tests/unit/sources/transcripts/test_codex_injected.py.
"""

from __future__ import annotations

import re
from typing import Final

_AGENTS_MD: Final = "# AGENTS.md instructions for"
_OPENING: Final = re.compile(
    r"\s*<(environment_context|user_instructions|skill|turn_aborted|subagent_notification"
    r"|user_shell_command|codex_internal_context|goal_context|recommended_plugins|hook_prompt"
    r"|user_action|INSTRUCTIONS)(?:\s[^<>]*)?>"
)
_IDE_PREFACES: Final = ("# Context from my IDE setup:", "# Files mentioned by the user:")
_IDE_REQUEST: Final = "## My request for Codex:"
_IMAGE_OPENING: Final = re.compile(r"<image(?:\s[^<>]*)?>", re.DOTALL)
_IMAGE_CLOSING: Final = "</image>"
#: How the message opens in which a compaction hands over to the model that goes on.
_SUMMARIES: Final = (
    "Another language model started to solve this problem",
    "You were originally given instructions from a user over one or more turns.",
)
_WORKING_FOLDER: Final = re.compile(
    r"<cwd>([^<\n]+)</cwd>|Current working directory: ([^\n]+)", re.ASCII
)


def is_injected(text: str) -> bool:
    """Whether ``text`` is nothing but injected blocks, one after the other."""
    position = 0
    if text.startswith(_AGENTS_MD):
        position = text.find("<INSTRUCTIONS>")
        if position < 0:
            return False
    while opening := _OPENING.match(text, position):
        closing = f"</{opening[1]}>"
        if text.endswith(closing) or text.rstrip().endswith(closing):
            return True
        end = text.find(closing, opening.end())
        if end < 0:
            return False
        position = end + len(closing)
    return position > 0 and not text[position:].strip()


def request(text: str) -> str:
    """What the user asked, without the preface that an editor sends before it."""
    if text.startswith(_IDE_PREFACES):
        at = text.find(_IDE_REQUEST)
        if at >= 0:
            return text[at + len(_IDE_REQUEST) :].strip()
    return text


def is_image_wrapper(text: str, before_image: bool, after_image: bool) -> bool:
    """Whether an item only names, or closes, the image that stands next to it."""
    stripped = text.strip()
    return (before_image and _IMAGE_OPENING.fullmatch(stripped) is not None) or (
        after_image and stripped == _IMAGE_CLOSING
    )


def is_summary(text: str) -> bool:
    return text.startswith(_SUMMARIES)


def working_folder(text: str) -> str | None:
    """The project, from the context block in which old versions alone name it."""
    if "<environment_context>" not in text:
        return None
    found = _WORKING_FOLDER.search(text)
    return (found[1] or found[2]).strip() if found else None
