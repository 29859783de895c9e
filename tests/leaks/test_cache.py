"""The leak check on what is kept on disk: packs, manifest, side files, and what is told of them."""

from __future__ import annotations

import os
import shutil
from pathlib import Path

import pytest
from click.testing import CliRunner

from harkback import Recall
from harkback.cache import SegmentCache
from harkback.cli.command import command
from harkback.engine import Engine
from support.capture import Files, listening
from support.leaks import assert_silent
from support.planting import WORD, Garden


def content(cache: Path) -> dict[str, bytes]:
    return {path.name: path.read_bytes() for path in sorted(cache.iterdir())}


def test_nothing_planted_is_kept(
    engine: Engine, garden: Garden, files: Files, tmp_path: Path
) -> None:
    cache = tmp_path / "cache"
    with (
        listening() as heard,
        Recall(garden.path, engine=engine.name, cache=SegmentCache(cache)) as recall,
    ):
        kept = recall.persist()
        assert kept.stored > 10
    found = content(cache)
    assert any(WORD.encode() in data for data in found.values())
    assert_silent({**found, "elsewhere": heard.text()} | files.changed(), garden)


def test_answers_from_what_was_kept(engine: Engine, garden: Garden, tmp_path: Path) -> None:
    cache = SegmentCache(tmp_path / "cache")
    with Recall(garden.path, engine=engine.name, cache=cache) as recall:
        recall.persist()
        expected = recall.search([WORD], limit=None).to_json()
    with Recall(garden.path, engine=engine.name, cache=cache) as recall:
        answer = recall.search([WORD], limit=None)
        assert answer.to_json() == expected
    assert_silent(answer.text() + answer.to_json() + repr(answer), garden)


def test_what_the_commands_tell_of_it(
    garden: Garden, files: Files, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    cache = tmp_path / "cache"
    monkeypatch.setenv("HARKBACK_CACHE", str(cache))
    shown = {}
    for harm in (False, True):
        if harm:
            for path in cache.iterdir():
                path.write_bytes(b"\xa5" * path.stat().st_size)
        for arguments in (
            ("search", WORD),
            ("cache", "build"),
            ("cache", "status"),
            ("cache", "status", "--json"),
            ("doctor",),
            ("cache", "clear") if harm else ("search", WORD),
        ):
            result = CliRunner().invoke(command, [*arguments, *of(garden, arguments)])
            shown[f"{arguments} {harm}"] = result.output
    assert_silent(shown | files.changed(), garden)


def of(garden: Garden, arguments: tuple[str, ...]) -> tuple[str, ...]:
    return () if "clear" in arguments else ("--store", os.fspath(garden.path))


def test_the_check_would_see_it(engine: Engine, garden: Garden, tmp_path: Path) -> None:
    """Without rules the same files show what was planted."""
    from harkback import Policy

    cache = tmp_path / "cache"
    with Recall(
        garden.path, engine=engine.name, policy=Policy(()), cache=SegmentCache(cache)
    ) as recall:
        recall.persist()
    with pytest.raises(AssertionError, match="leaks"):
        assert_silent(content(cache), garden)
    shutil.rmtree(cache)
