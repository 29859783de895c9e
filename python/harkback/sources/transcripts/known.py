"""The transcript formats that Harkback reads: whose they are, where they lie, how to tell them.

Invariant: asking what is known imports no format; a folder is told by names alone.
Proof: tests/unit/sources/test_registry.py.
"""

from __future__ import annotations

from collections.abc import Mapping
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, Final, NamedTuple, cast

if TYPE_CHECKING:
    from harkback.sources.transcripts.base import Format


class Known(NamedTuple):
    """One format, before its module is imported.

    Attributes:
        marks: globs, one of which only a folder of this agent has.
    """

    agent: str
    marks: tuple[str, ...]
    module: str
    name: str

    def format(self) -> Format:
        """A new reader of it."""
        return cast("Format", getattr(import_module(self.module), self.name)())

    def roots(self, environ: Mapping[str, str], home: Path) -> list[Path]:
        """Folders where its history may lie, whether or not they exist."""
        return cast("list[Path]", import_module(self.module).roots(environ, home))

    def owns(self, folder: Path) -> bool:
        """Whether a folder is one of this agent's. Raises OSError."""
        return any(next(folder.glob(mark), None) is not None for mark in self.marks)


_HOME: Final = "harkback.sources.transcripts"
_KNOWN: Final = (
    Known(
        "claude-code",
        ("projects/*/*.jsonl", "local_*/.claude", "*/local_*/.claude", "*/*/local_*/.claude"),
        f"{_HOME}.claude_code",
        "ClaudeCode",
    ),
    Known(
        "codex",
        ("sessions/rollout-*", "sessions/*/*/*/rollout-*", "archived_sessions/rollout-*"),
        f"{_HOME}.codex",
        "Codex",
    ),
    Known(
        "gemini-cli",
        ("tmp/*/chats/session-*",),
        f"{_HOME}.gemini_cli",
        "GeminiCli",
    ),
    Known(
        "copilot-cli",
        ("session-state/*", "history-session-state/*"),
        f"{_HOME}.copilot_cli",
        "CopilotCli",
    ),
)


def formats() -> tuple[Known, ...]:
    """All of them; of the marks, those of one agent fit no other's folder."""
    return _KNOWN
