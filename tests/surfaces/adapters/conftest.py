"""Fixtures of the adapters' tests: a history, and Toolsets over it."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator
from pathlib import Path

import pytest

from harkback import Recall
from harkback.tools import Toolset
from support.recalls import Pictured, write_history


@pytest.fixture(autouse=True)
def loop() -> Iterator[None]:
    """What a library that waits for its own coroutines finds, and would leave open."""
    made = asyncio.new_event_loop()
    asyncio.set_event_loop(made)
    yield
    asyncio.set_event_loop(None)
    made.close()


@pytest.fixture
def recall(tmp_path: Path) -> Iterator[Recall]:
    write_history(tmp_path / "runtime.sqlite")
    with Recall(tmp_path / "runtime.sqlite") as opened:
        yield opened


@pytest.fixture
def toolset(recall: Recall) -> Toolset:
    return Toolset(Pictured(recall), vision=True)
