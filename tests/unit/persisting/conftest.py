"""A store of three Sessions, and a folder for a cache of them."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import pytest

from support.stored import settle
from support.stores import StoreBuilder


@pytest.fixture
def builder(tmp_path: Path) -> Iterator[StoreBuilder]:
    with closing(StoreBuilder(tmp_path / "runtime.sqlite")) as made:
        for name in ("old", "middle", "new"):
            made.session(name)
            made.text(name, f"the {name} apple")
        settle(made.path)
        yield made


@pytest.fixture
def cache(tmp_path: Path) -> Path:
    return tmp_path / "cache"
