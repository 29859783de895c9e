"""Fixtures of the attack: one planted store for all, a home and a temporary folder under watch."""

from __future__ import annotations

from pathlib import Path

import pytest

from support.capture import Files
from support.planting import Garden, plant


@pytest.fixture(scope="session")
def garden(tmp_path_factory: pytest.TempPathFactory) -> Garden:
    return plant(tmp_path_factory.mktemp("garden") / "runtime.sqlite")


@pytest.fixture
def files(garden: Garden, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Files:
    """Wherever a program that knows no better would write."""
    for variable in ("HOME", "TMPDIR", "XDG_CACHE_HOME", "XDG_DATA_HOME", "XDG_STATE_HOME"):
        folder = tmp_path / variable
        folder.mkdir()
        monkeypatch.setenv(variable, str(folder))
    monkeypatch.setattr("tempfile.tempdir", None)
    return Files((tmp_path, garden.path.parent))
