"""Fixtures of the source tests."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from harkback import engine as engines
from harkback.engine import Engine
from harkback.sources.sqlite.source import SqliteSource
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
