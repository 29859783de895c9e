"""Fixtures of the source tests."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from harkback import engine as engines
from harkback.engine import Engine
from harkback.sources.sqlite.source import SqliteSource
from support.stores import StoreBuilder


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
