"""What a path is taken for."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from harkback.errors import SourceError
from harkback.sources.registry import open_source
from harkback.sources.sqlite.source import SqliteSource
from harkback.sources.transcripts.known import Known, formats
from harkback.sources.transcripts.source import TranscriptSource


def test_a_database_and_a_folder_with_one(tmp_path: Path) -> None:
    file = tmp_path / "runtime.sqlite"
    file.touch()
    for path in (file, tmp_path):
        source = open_source(path)
        assert isinstance(source, SqliteSource)
        assert source.name == str(file)
    assert open_source(file, name="work").name == "work"


MARKS = {
    "claude-code": "projects/-home-ada/x.jsonl",
    "codex": "archived_sessions/rollout-x.jsonl",
    "gemini-cli": "tmp/app/chats/session-x.jsonl",
    "copilot-cli": "session-state/x/events.jsonl",
}
VARIABLES = {
    "claude-code": "CLAUDE_CONFIG_DIR",
    "codex": "CODEX_HOME",
    "gemini-cli": "GEMINI_CLI_HOME",
    "copilot-cli": "COPILOT_HOME",
}


@pytest.mark.parametrize("known", formats(), ids=lambda known: known.agent)
def test_a_folder_of_an_agent(tmp_path: Path, known: Known) -> None:
    mark = tmp_path / MARKS[known.agent]
    mark.parent.mkdir(parents=True)
    mark.touch()
    source = open_source(tmp_path)
    assert isinstance(source, TranscriptSource)
    assert source.format.agent == known.agent
    assert source.name == f"{known.agent}:{tmp_path}"
    assert [other.agent for other in formats() if other.owns(tmp_path)] == [known.agent]


@pytest.mark.parametrize("known", formats(), ids=lambda known: known.agent)
def test_an_agent_says_where_it_keeps_its_history(tmp_path: Path, known: Known) -> None:
    home, moved = tmp_path / "home", tmp_path / "moved"
    assert all(root.is_relative_to(home) for root in known.roots({}, home))
    roots = known.roots({VARIABLES[known.agent]: str(moved)}, home)
    assert any(root.is_relative_to(moved) for root in roots)
    assert known.format().agent == known.agent


def test_asking_what_is_known_imports_no_format() -> None:
    script = (
        "import sys; from harkback.sources.transcripts.known import formats; formats();"
        "print([m for m in sys.modules if 'claude' in m or 'codex' in m or 'sqlite' in m])"
    )
    run = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True)
    assert run.stdout == "[]\n"


def test_nothing_there(tmp_path: Path) -> None:
    for path, reason in ((tmp_path, "source_not_a_store"), (tmp_path / "x", "source_missing")):
        with pytest.raises(SourceError) as caught:
            open_source(path)
        assert caught.value.reason == reason
