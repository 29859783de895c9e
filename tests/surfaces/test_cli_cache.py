"""``harkback cache``, and what every other command does with the cache once it has answered."""

from __future__ import annotations

import json
import os
import time
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner, Result

from harkback.cache import SegmentCache
from harkback.cli.command import command
from harkback.recall import Recall
from support import homes
from support.stored import packs


@pytest.fixture
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    place = homes.settle(tmp_path / "home", monkeypatch)
    paths = [
        homes.claude(place, homes.FIRST, "Why is the zebra slow?", "and the heron?"),
        homes.claude(place, homes.SECOND, "a zebra in the garden", cwd="/home/ada/garden"),
        homes.codex(place, "teach the zebra to read"),
    ]
    for age, path in enumerate(paths):
        os.utime(path, (time.time() - 86400 * (age + 1),) * 2)
    return place


@pytest.fixture
def cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("HARKBACK_CACHE", str(tmp_path / "cache"))
    return tmp_path / "cache"


def run(*arguments: str) -> Result:
    return CliRunner().invoke(command, arguments)


def status(*arguments: str) -> dict[str, Any]:
    result = run("cache", "status", "--json", *arguments)
    assert result.exit_code == 0, result.output
    found: dict[str, Any] = json.loads(result.stdout)
    return found


def test_build_status_clear(home: Path, cache: Path) -> None:
    assert status()["coverage"] == {"sessions": 3, "current": 0, "stale": 0}
    result = run("cache", "build")
    assert (result.exit_code, result.stdout) == (0, "3 sessions kept\n")
    state = status()
    assert state["coverage"] == {"sessions": 3, "current": 3, "stale": 0}
    assert state["folder"] == str(cache)
    assert state["bytes"] == sum(path.stat().st_size for path in cache.iterdir())
    assert run("cache", "build").stdout == "0 sessions kept\n"
    shown = run("cache", "status").stdout
    assert "3 of 3 sessions" in shown
    result = run("cache", "clear")
    assert result.exit_code == 0
    assert result.stdout.endswith(" freed\n")
    assert not cache.exists()


def test_part_of_it_is_built_and_what_changed_is_stale(home: Path, cache: Path) -> None:
    assert run("cache", "build", "--source", "codex").stdout == "1 session kept\n"
    assert status()["coverage"]["current"] == 1
    run("cache", "build")
    path = homes.claude(home, homes.FIRST, "another zebra")
    os.utime(path, (time.time() - 60,) * 2)
    assert status()["coverage"] == {"sessions": 3, "current": 2, "stale": 1}
    assert "1 stale" in run("cache", "status").stdout


@pytest.mark.parametrize(
    "asked", [("search", "zebra", "--json"), ("grep", "zebra"), ("grep", "-c", "zebra")]
)
def test_a_command_keeps_what_it_read_once_it_has_answered(
    home: Path, cache: Path, asked: tuple[str, ...], monkeypatch: pytest.MonkeyPatch
) -> None:
    before = run(*asked)
    assert before.exit_code == 0
    assert status()["coverage"]["current"] == 3
    monkeypatch.setattr(Recall, "persist", lambda *_: pytest.fail("see below"))
    kept: list[str] = []

    def persist(self: Recall, seconds: float) -> None:
        kept.append("persist")
        assert seconds <= 0.5

    monkeypatch.setattr(Recall, "persist", persist)
    after = run(*asked)
    assert kept == ["persist"]
    assert after.stdout == before.stdout


def test_answers_come_out_before_anything_is_kept(
    home: Path, cache: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def persist(self: Recall, seconds: float) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(Recall, "persist", persist)
    result = run("search", "zebra")
    assert "zebra" in result.stdout


def test_switched_off(home: Path, cache: Path, tmp_path: Path, monkeypatch) -> None:
    config = tmp_path / "config.toml"
    config.write_text("[cache]\nenabled = false\n", "utf-8")
    monkeypatch.setenv("HARKBACK_CONFIG", str(config))
    assert run("search", "zebra").exit_code == 0
    assert not cache.exists()
    assert status() == {**status(), "folder": None}
    assert "switched off" in run("cache", "status").stdout
    assert run("cache", "build").exit_code == 2
    assert not cache.exists()


def test_another_folder(home: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("HARKBACK_CACHE")
    config, folder = tmp_path / "config.toml", tmp_path / "elsewhere"
    config.write_text(f'[cache]\nfolder = "{folder.as_posix()}"\n', "utf-8")
    monkeypatch.setenv("HARKBACK_CONFIG", str(config))
    assert run("cache", "build").exit_code == 0
    assert len(packs(folder)) == 1


def test_excluded_projects_are_not_kept(
    home: Path, cache: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    run("cache", "build")
    config = tmp_path / "config.toml"
    config.write_text('[projects]\nexclude = ["garden"]\n', "utf-8")
    monkeypatch.setenv("HARKBACK_CONFIG", str(config))
    assert status()["coverage"] == {"sessions": 2, "current": 2, "stale": 1}
    run("search", "zebra")
    assert status()["coverage"] == {"sessions": 2, "current": 2, "stale": 0}
    assert b"in the garden" not in b"".join(path.read_bytes() for path in packs(cache))


def test_an_unsafe_folder_is_not_used_and_doctor_says_so(home: Path, cache: Path) -> None:
    cache.mkdir()
    cache.chmod(0o777)
    assert run("search", "zebra").exit_code == 0
    assert list(cache.iterdir()) == []
    assert "cache_unsafe" in run("cache", "status").stdout
    build = run("cache", "build")
    assert build.exit_code == 2
    assert "cache_unsafe" in build.stderr
    doctor = run("doctor")
    assert doctor.exit_code == 0  # everything was read
    assert "cache_unsafe" in doctor.stdout


def test_doctor_tells_of_damage(home: Path, cache: Path) -> None:
    run("cache", "build")
    assert run("doctor").exit_code == 0
    (pack,) = packs(cache)
    pack.write_bytes(bytes(pack.stat().st_size))
    assert run("search", "zebra").exit_code == 0
    assert status()["rebuilt"] == 3
    assert "damaged segments were made anew (3)" in run("doctor").stdout
    (cache / "manifest.sqlite").write_bytes(b"nothing of the kind" * 99)
    assert "made anew" in run("doctor").stdout
    assert run("search", "zebra").exit_code == 0
    assert status()["manifest_rebuilt"] == 1
    assert status()["coverage"]["current"] == 3


def test_while_another_process_builds(home: Path, cache: Path) -> None:
    run("cache", "build")
    homes.claude(home, homes.FIRST, "another zebra")
    with SegmentCache(cache).folder.locked():
        assert run("search", "zebra").exit_code == 0
        for sub in ("build", "clear"):
            result = run("cache", sub)
            assert (result.exit_code, result.stdout) == (2, "")
            assert "cache_busy" in result.stderr
    assert run("cache", "clear").exit_code == 0
