"""Which store of facts a path is."""

from __future__ import annotations

from pathlib import Path

from harkback.facts.registry import beside, open_facts
from harkback.sources.registry import open_source
from support.memory import MemoryBuilder
from support.stores import StoreBuilder


def test_a_path_and_its_folder_are_one_store(tmp_path: Path) -> None:
    MemoryBuilder(tmp_path / "memory.sqlite").close()
    names = {open_facts(path).name for path in (tmp_path, tmp_path / "memory.sqlite")}
    assert names == {str(tmp_path / "memory.sqlite")}


def test_what_lies_beside_a_host_store(tmp_path: Path) -> None:
    for name in ("runtime.sqlite", "other.sqlite"):
        StoreBuilder(tmp_path / name).close()
    sources = [open_source(tmp_path), open_source(tmp_path / "other.sqlite")]
    assert list(beside(sources)) == []
    MemoryBuilder(tmp_path / "memory.sqlite").close()
    (found,) = beside(sources)
    assert found.name == str(tmp_path / "memory.sqlite")
