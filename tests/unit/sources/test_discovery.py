"""Discovery: what is there is found, by agent, where the environment says."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from harkback.sources import discovery
from harkback.sources.discovery import discover
from support import homes


def found(home: Path, **environment: str) -> list[tuple[str, str]]:
    return [(place.agent, str(place.path)) for place in discover(environment, home)]


def test_an_empty_home_holds_nothing(tmp_path: Path) -> None:
    assert found(tmp_path) == []
    assert found(tmp_path / "missing") == []


@pytest.mark.skipif(sys.platform in ("darwin", "win32"), reason="where applications keep data")
def test_each_agent_where_it_keeps_its_history(tmp_path: Path) -> None:
    homes.claude(tmp_path, homes.FIRST, "x")
    homes.codex(tmp_path, "x")
    store = homes.maka(tmp_path, "x")
    for name in (".gemini", ".copilot", ".hermes"):
        (tmp_path / name).mkdir()
    (tmp_path / ".hermes/state.db").touch()
    (tmp_path / ".local/share/opencode").mkdir(parents=True)
    (tmp_path / ".local/share/opencode/opencode.db").touch()
    assert found(tmp_path) == [
        ("claude-code", str(tmp_path / ".claude")),
        ("codex", str(tmp_path / ".codex")),
        ("copilot-cli", str(tmp_path / ".copilot")),
        ("gemini-cli", str(tmp_path / ".gemini")),
        ("hermes", str(tmp_path / ".hermes/state.db")),
        ("maka", str(store)),
        ("opencode", str(tmp_path / ".local/share/opencode")),
    ]
    names = [place.open().name for place in discover({}, tmp_path)]
    assert len(set(names)) == len(names)


def test_the_environment_moves_them(tmp_path: Path) -> None:
    elsewhere = tmp_path / "elsewhere"
    homes.claude(elsewhere, homes.FIRST, "x")
    homes.codex(elsewhere, "x")
    (elsewhere / "opencode").mkdir()
    (elsewhere / "opencode/opencode.db").touch()
    (elsewhere / "state.db").touch()
    assert found(
        tmp_path,
        CLAUDE_CONFIG_DIR=str(elsewhere / ".claude"),
        CODEX_HOME=str(elsewhere / ".codex"),
        XDG_DATA_HOME=str(elsewhere),
        HERMES_HOME=str(elsewhere),
    ) == [
        ("claude-code", str(elsewhere / ".claude")),
        ("codex", str(elsewhere / ".codex")),
        ("hermes", str(elsewhere / "state.db")),
        ("opencode", str(elsewhere / "opencode")),
    ]


def test_a_database_that_the_environment_names(tmp_path: Path) -> None:
    (tmp_path / "one.db").touch()
    assert found(tmp_path, OPENCODE_DB=str(tmp_path / "one.db")) == [
        ("opencode", str(tmp_path / ".local/share/opencode"))
    ]
    assert found(tmp_path, OPENCODE_DB=":memory:") == []


def test_what_may_not_be_looked_at_is_not_there(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def denied(_: Path) -> bool:
        raise PermissionError

    homes.claude(tmp_path, homes.FIRST, "x")
    monkeypatch.setattr(Path, "is_dir", denied)
    monkeypatch.setattr(Path, "is_file", denied)
    assert not discovery._is_there((tmp_path / ".claude").is_dir)
    assert found(tmp_path) == []
