"""Fixtures of the tests that go through the whole product."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from support.stores import StoreBuilder


@pytest.fixture
def builder(tmp_path: Path) -> Iterator[StoreBuilder]:
    built = StoreBuilder(tmp_path / "runtime.sqlite")
    yield built
    built.close()
