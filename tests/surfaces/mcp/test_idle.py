"""The cache that a server completes between calls: when, of what, and how it gives way."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import pytest

from harkback import Store
from support.mcp import PATIENCE_SECONDS, raw

SESSIONS = 12
#: A Session that takes long to be read for the cache, and is let go of when that is asked for.
LONG = """
import sys
from contextlib import contextmanager
from harkback.errors import QueryError
import harkback.corpus as corpus
whole = corpus.Corpus.hold
@contextmanager
def hold(self, candidate, cancel=None):
    if sys._getframe(2).f_globals["__name__"] == "harkback.persisting":
        print("building", file=sys.stderr, flush=True)
        WAIT
    with whole(self, candidate, cancel) as segment:
        yield segment
corpus.Corpus.hold = hold
"""
HEEDING = LONG.replace("WAIT", "cancel.wait(60)")
DEAF = LONG.replace("WAIT", "__import__('time').sleep(60)")


@pytest.fixture
def cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("HARKBACK_CACHE", str(tmp_path / "cache"))
    return tmp_path / "cache"


@pytest.fixture
def store(tmp_path: Path) -> Path:
    path = tmp_path / "runtime.sqlite"
    with Store.create(path) as written, written.batch():
        for number in range(SESSIONS):
            project = "/srv/zoo" if number % 2 else "/srv/farm"
            turn = written.session(f"{number}", project).turn()
            turn.user(f"zebra{number} sleeps in the north stable")
    return path


def status(store: Path) -> dict[str, Any]:
    command = [sys.executable, "-m", "harkback", "cache", "status", "--json", "--store", store]
    told = subprocess.run(command, capture_output=True, check=True, timeout=PATIENCE_SECONDS)
    found: dict[str, Any] = json.loads(told.stdout)
    return found


def whole(store: Path) -> bool:
    end = time.monotonic() + PATIENCE_SECONDS
    while time.monotonic() < end:
        coverage = status(store)["coverage"]
        if coverage["current"] == coverage["sessions"] == SESSIONS:
            return True
        time.sleep(0.1)
    return False


def test_it_is_completed_after_the_first_call_and_again_after_a_change(
    store: Path, cache: Path
) -> None:
    with raw("--store", store) as server:
        server.ask("tools/list")
        time.sleep(0.8)
        assert not cache.exists()  # nobody has asked for anything
        server.ask("tools/call", {"name": "Recall", "arguments": {"terms": ["zebra3"]}})
        assert whole(store)
        with Store.open(store) as written:
            turn = written.session("another").turn()
            turn.user("An okapi came.")
        assert status(store)["coverage"]["sessions"] == SESSIONS + 1
        server.ask("tools/call", {"name": "Recall", "arguments": {"terms": ["okapi"]}})
        end = time.monotonic() + PATIENCE_SECONDS
        while status(store)["coverage"]["current"] <= SESSIONS:
            assert time.monotonic() < end
            time.sleep(0.1)
        assert server.leave()[0] == 0
    assert server.err == []


def test_a_call_is_answered_while_it_is_built(store: Path, cache: Path) -> None:
    with raw("--store", store, patch=HEEDING) as server:
        asked = {"name": "Recall", "arguments": {"terms": ["zebra3"]}}
        server.ask("tools/call", asked)
        server.said(b"building")
        began = time.monotonic()
        assert "north stable" in str(server.ask("tools/call", asked))
        assert time.monotonic() - began < 1
        assert server.leave()[0] == 0


@pytest.mark.parametrize("patch", [HEEDING, DEAF], ids=["heeding", "deaf"])
def test_the_client_leaves_in_the_midst_of_it(store: Path, cache: Path, patch: str) -> None:
    with raw("--store", store, patch=patch) as server:
        server.ask("tools/call", {"name": "Recall", "arguments": {"terms": ["zebra3"]}})
        server.said(b"building")
        code, seconds = server.leave()
        assert code == 0
        assert seconds < 1
    build = [sys.executable, "-m", "harkback", "cache", "build", "--store", os.fspath(store)]
    subprocess.run(build, check=True, timeout=PATIENCE_SECONDS, capture_output=True)
    assert whole(store)  # what was begun is in nobody's way


def test_not_if_the_cache_is_switched_off(
    store: Path, cache: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    config = tmp_path / "config.toml"
    config.write_text("[cache]\nenabled = false\n", encoding="utf-8")
    monkeypatch.setenv("HARKBACK_CONFIG", str(config))
    nothing_is_written(store, cache)


@pytest.mark.parametrize("option", ["--project", "--exclude"])
def test_not_if_it_serves_some_projects_alone(store: Path, cache: Path, option: str) -> None:
    nothing_is_written(store, cache, option, "zoo")


def nothing_is_written(store: Path, cache: Path, *options: str) -> None:
    with raw("--store", store, *options) as server:
        server.ask("tools/call", {"name": "Recall", "arguments": {"terms": ["zebra3"]}})
        time.sleep(1.2)
        assert server.leave()[0] == 0
    assert not cache.exists()


def test_of_memory_files_too(store: Path, cache: Path, tmp_path: Path) -> None:
    (tmp_path / "CLAUDE.md").write_text("- The giraffe is fed at noon.\n", encoding="utf-8")
    with raw("--store", store, "--memory-files", tmp_path) as server:
        found = server.ask("tools/call", {"name": "Recall", "arguments": {"terms": ["giraffe"]}})
        assert "fed at noon" in str(found)
        assert server.leave()[0] == 0
