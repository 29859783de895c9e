"""Fixtures of the tests of facts."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from support.memory import MemoryBuilder
from support.stores import StoreBuilder


@pytest.fixture
def memory(tmp_path: Path) -> Iterator[MemoryBuilder]:
    built = MemoryBuilder(tmp_path / "memory.sqlite")
    yield built
    built.close()


@pytest.fixture
def builder(tmp_path: Path) -> Iterator[StoreBuilder]:
    built = StoreBuilder(tmp_path / "runtime.sqlite")
    yield built
    built.close()
