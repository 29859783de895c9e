"""A machine's home with histories of several agents in their own places, small and by hand."""

from __future__ import annotations

from pathlib import Path

import pytest

from harkback import Store
from support.claude_rows import FOLDER, Chain
from support.transcripts import lines

FIRST = "5f0c2c1e-0000-4000-8000-000000000001"
SECOND = "5f0c2c1e-0000-4000-8000-000000000002"
ROLLOUT = "019eb93c-5740-7f74-b4a3-e0cdde5c33ad"
#: Whatever could name another place than the home.
VARIABLES = (
    "CLAUDE_CONFIG_DIR",
    "CODEX_HOME",
    "GEMINI_CLI_HOME",
    "COPILOT_HOME",
    "XDG_DATA_HOME",
    "XDG_CONFIG_HOME",
    "OPENCODE_DB",
    "HERMES_HOME",
    "APPDATA",
    "LOCALAPPDATA",
)


def settle(home: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Makes ``home`` the user's own, with nothing in it yet."""
    home.mkdir()
    for name in VARIABLES:
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("HOME", str(home))
    monkeypatch.setenv("USERPROFILE", str(home))
    return home


def claude(home: Path, session: str, *prompts: str, cwd: str = "/srv/shop") -> Path:
    """A Session of Claude Code: prompts, each with an answer."""
    chain = Chain(session, cwd=cwd)
    for number, prompt in enumerate(prompts):
        chain.user(prompt)
        chain.assistant({"type": "text", "text": f"answer {number}"})
    path = home / ".claude" / FOLDER / f"{session}.jsonl"
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(lines(*chain.rows))
    return path


def codex(home: Path, prompt: str) -> Path:
    """A rollout of Codex with one prompt."""
    when = "2026-06-12T00:30:00.000Z"
    head = {"id": ROLLOUT, "timestamp": when, "cwd": "/srv/tools"}
    content = [{"type": "input_text", "text": prompt}]
    said = {"type": "message", "role": "user", "content": content}
    name = f"rollout-2026-06-12T09-30-00-{ROLLOUT}.jsonl"
    path = home / ".codex/sessions/2026/06/12" / name
    path.parent.mkdir(parents=True, exist_ok=True)
    rows = (("session_meta", head), ("response_item", said))
    path.write_bytes(lines(*({"timestamp": when, "type": t, "payload": p} for t, p in rows)))
    return path


def maka(home: Path, prompt: str) -> Path:
    """A host's store where its desktop application keeps it on Linux."""
    path = home / ".config/Maka/workspaces/default/runtime.sqlite"
    path.parent.mkdir(parents=True)
    with Store.create(path) as store:
        store.session("Kept by the host", project="/srv/host").turn().user(prompt)
    return path
