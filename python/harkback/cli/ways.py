"""How a person goes back to a Session: the agent's own command, or the file.

Invariant: a command is shown only for an id that needs no quoting, so that pasting it runs nothing
else. Proof: tests/surfaces/test_cli_people.py.
"""

from __future__ import annotations

import re
from typing import Final

from harkback.model import SessionCard

_RESUME: Final = {
    "claude-code": "claude --resume {}",
    "codex": "codex resume {}",
    "copilot-cli": "copilot --resume {}",
    "opencode": "opencode --session {}",
}
_PLAIN: Final = re.compile(r"[A-Za-z0-9][A-Za-z0-9_-]{0,127}", re.ASCII)


def how_to_open(session: SessionCard) -> str:
    """One line, "" if nothing is known. A Session started by another has no way of its own."""
    command = _RESUME.get(session.agent, "")
    if command and session.parent is None and _PLAIN.fullmatch(session.id):
        return command.format(session.id)
    return session.place
