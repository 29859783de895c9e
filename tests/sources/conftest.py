"""Fixtures of the source tests."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from harkback import engine as engines
from harkback.engine import Engine
from harkback.sources.sqlite import memory
from harkback.sources.sqlite.source import SqliteSource, SqliteView
from support.stores import StoreBuilder

_opened: list[str] = []
_watching = False


def _audit(event: str, arguments: tuple[object, ...]) -> None:
    if _watching and event == "open" and isinstance(arguments[0], str | bytes | os.PathLike):
        _opened.append(os.fsdecode(arguments[0]))


sys.addaudithook(_audit)


@pytest.fixture
def opens() -> Iterator[list[str]]:
    """What this process opens through Python while the test runs."""
    global _watching
    _opened.clear()
    _watching = True
    yield _opened
    _watching = False


@pytest.fixture
def chosen() -> Engine:
    """The engine that HARKBACK_ENGINE names: reading does not depend on which it is."""
    return engines.load()


@pytest.fixture
def builder(tmp_path: Path) -> Iterator[StoreBuilder]:
    built = StoreBuilder(tmp_path / "runtime.sqlite")
    yield built
    built.close()


@pytest.fixture
def source_of() -> Iterator[Callable[..., SqliteSource]]:
    opened: list[SqliteSource] = []

    def make(path: Path, **options: object) -> SqliteSource:
        opened.append(SqliteSource(path, **options))  # type: ignore[arg-type]
        return opened[-1]

    yield make
    for source in opened:
        source.close()


@pytest.fixture
def history(builder: StoreBuilder) -> StoreBuilder:
    """Two Sessions of the ledger and one from before it, ``led``, ``other`` and ``pre``."""
    builder.db.execute("PRAGMA journal_mode=WAL")
    for name in ("led", "other"):
        builder.session(name)
        builder.run(name, f"run of {name}")
        builder.text(name, "alpha")
        builder.text(name, "beta")
    builder.session("pre", ledger=False)
    builder.message("pre", 0, "user", {"text": "alpha"})
    builder.message("pre", 1, "user", {"text": "beta " + "x" * 70_000})
    return builder


@pytest.fixture
def never_rechecked(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(memory, "RECHECK_BYTES", 0)


@pytest.fixture
def hashed(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """The Sessions whose rows are read for a fingerprint."""
    found: list[str] = []
    hash_ = SqliteView._hash  # what every reading of rows for a fingerprint goes through

    def watched(view: SqliteView, session: str) -> tuple[bytes, int]:
        found.append(session)
        return hash_(view, session)

    monkeypatch.setattr(SqliteView, "_hash", watched)
    return found
