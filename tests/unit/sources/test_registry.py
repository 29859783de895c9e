"""What a path is taken for."""

from __future__ import annotations

from pathlib import Path

import pytest

from harkback.errors import SourceError
from harkback.sources.registry import open_source
from harkback.sources.sqlite.source import SqliteSource


def test_a_database_and_a_folder_with_one(tmp_path: Path) -> None:
    file = tmp_path / "runtime.sqlite"
    file.touch()
    for path in (file, tmp_path):
        source = open_source(path)
        assert isinstance(source, SqliteSource)
        assert source.name == str(file)
    assert open_source(file, name="work").name == "work"


def test_nothing_there(tmp_path: Path) -> None:
    for path, reason in ((tmp_path, "source_not_a_store"), (tmp_path / "x", "source_missing")):
        with pytest.raises(SourceError) as caught:
            open_source(path)
        assert caught.value.reason == reason
