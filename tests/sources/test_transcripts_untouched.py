"""Reading transcripts leaves no trace, and opens nothing that was not asked for by name."""

from __future__ import annotations

from pathlib import Path

import pytest

from harkback import Recall
from harkback.engine import Engine
from harkback.sources.transcripts.source import TranscriptSource
from support.plain import Plain, line, write
from support.stores import tree


@pytest.fixture
def home(tmp_path: Path) -> Path:
    """A root with what is read, and beside it what must not be."""
    for name in ("a", "b"):
        path = write(tmp_path, name, line("needle"), b"{torn\n", b'{"t":"tail"}')
        path.with_suffix(".json").write_text('{"k":"needle"}')
        path.with_suffix(".txt").write_text("needle")
    (tmp_path / "auth.json").write_text('{"t":"needle"}')
    (tmp_path / "p" / "a.jsonl.lock").touch()
    (tmp_path / "p" / "deeper").mkdir()
    write(tmp_path, "c", line("needle"), folder="p/deeper")
    (tmp_path / "p" / "out.jsonl").symlink_to(tmp_path / "auth.json")
    return tmp_path


def use_all(root: Path, engine: Engine) -> int:
    source = TranscriptSource(Plain(), root)
    with source.view(engine) as view:
        sessions = [session.id for session in view.sessions().sessions]
        view.scan(["needle"], sessions)
        for session in sessions:
            view.record_count(session)
            view.describe(session)
            read = view.read(session)
            view.read_around(session, [message.locator for message in read.messages])
    with Recall(source, engine=engine.name) as recall:
        return len(recall.search(["needle"], limit=25).passages)


def test_nothing_is_created_or_changed(engine: Engine, home: Path) -> None:
    before = tree(home)
    assert use_all(home, engine) > 0
    assert tree(home) == before


def test_only_transcripts_are_opened(home: Path, opens: list[str]) -> None:
    """On the engine whose every open can be seen from Python."""
    from harkback import engine as engines

    use_all(home, engines.load("reference"))
    inside = {Path(place) for place in opens if Path(place).is_relative_to(home)}
    allowed = {home / "p" / f"{name}.{end}" for name in "ab" for end in ("jsonl", "json", "txt")}
    assert inside == allowed
