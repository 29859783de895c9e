"""Whole outputs beside the database: found, followed by name alone, never out of their folder."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from harkback import Recall
from harkback.engine import Engine
from harkback.errors import SourceError
from harkback.sources.opencode import spills
from harkback.sources.sqlite.source import SqliteSource, SqliteView
from support.opencode import OpenCodeBuilder
from support.stores import texts

Make = Callable[..., SqliteSource]


@pytest.fixture
def built(tmp_path: Path) -> Iterator[OpenCodeBuilder]:
    builder = OpenCodeBuilder(tmp_path / "opencode")
    builder.session("s")
    builder.session("other")
    builder.say("other", "nothing of it")
    yield builder
    builder.close()


def cut(built: OpenCodeBuilder, path: str) -> None:
    metadata = {"truncated": True, "outputPath": path}
    built.tool(built.message("s", "assistant"), metadata=metadata, output="cut off")


def results(view: SqliteView) -> list[str]:
    return texts(m for m in view.read("s").messages if m.kind == "tool_result")


@pytest.mark.parametrize("name", ["tool_1", "tool ü\u0301 模"])
def test_a_whole_output_is_found_and_read(
    built: OpenCodeBuilder, engine: Engine, source_of: Make, name: str
) -> None:
    cut(built, built.spill(name, "much more than\nthat: NEEDLE"))
    with source_of(built.path).view(engine) as view:
        assert results(view) == ["cut offmuch more than\nthat: NEEDLE"]
        for asked in (["s", "other"], ["s"]):
            assert view.scan([engine.fold("than\nthat: needle")], asked).offered == {"s"}
        assert view.scan(["elsewhere entirely"], ["s", "other"]).offered == set()
    with Recall(built.path, engine=engine.name) as recall:
        (passage,) = recall.search(["NEEDLE"]).passages
        assert "NEEDLE" in passage.messages[-1].text


def test_nothing_outside_of_the_folder_is_read(
    built: OpenCodeBuilder, source_of: Make, chosen: Engine
) -> None:
    home = built.path.parent
    (home / "auth.json").write_text("SECRET")
    folder = home / "tool-output"
    folder.mkdir()
    (folder / "folder").mkdir()
    for path in ("/x/auth.json", "../auth.json", "tool-output/..", "tool-output/folder", "", "/"):
        cut(built, path)
    try:
        (folder / "link").symlink_to(home / "auth.json")
        os.mkfifo(folder / "pipe")
    except (OSError, AttributeError):
        pass  # Windows
    cut(built, "tool-output/link")
    cut(built, "tool-output/pipe")
    with source_of(built.path).view(chosen) as view:
        assert set(results(view)) == {"cut off"}
        assert view.scan([chosen.fold("SECRET")], ["s"]).offered == set()


@pytest.mark.skipif(os.name == "nt", reason="links need rights there")
def test_a_folder_that_is_a_link_is_none(
    built: OpenCodeBuilder, source_of: Make, chosen: Engine, tmp_path: Path
) -> None:
    (tmp_path / "tool_1").write_text("elsewhere")
    (built.path.parent / "tool-output").symlink_to(tmp_path)
    cut(built, "tool-output/tool_1")
    with source_of(built.path).view(chosen) as view:
        assert results(view) == ["cut off"]


def test_files_that_come_change_and_go(
    built: OpenCodeBuilder, source_of: Make, chosen: Engine
) -> None:
    cut(built, "tool-output/tool_1")
    source = source_of(built.path)
    seen: list[tuple[object, bytes, bytes]] = []

    def look(shown: str) -> None:
        with source.view(chosen) as view:
            assert results(view) == [shown]
            assert view.read("s").fingerprint == view.fingerprint("s")
            seen.append((view.epoch, view.fingerprint("s"), view.fingerprint("other")))
        fresh = source_of(built.path)
        with fresh.view(chosen) as view:  # of one that has not read it yet
            assert view.fingerprint("s") == seen[-1][1]

    look("cut off")
    built.spill("unrelated", "x")
    look("cut off")
    built.spill("tool_1", "whole")
    look("cut offwhole")
    built.spill("tool_1", "another whole")
    look("cut offanother whole")
    (built.path.parent / "tool-output" / "tool_1").unlink()
    look("cut off")
    epochs, own, others = zip(*seen, strict=True)
    assert len(set(epochs)) == 5
    assert own[0] == own[1] == own[4]
    assert len(set(own)) == 3
    assert len(set(others)) == 1


def test_a_file_that_changes_under_a_view(
    built: OpenCodeBuilder, source_of: Make, chosen: Engine
) -> None:
    cut(built, built.spill("tool_1", "whole"))
    with source_of(built.path).view(chosen) as view:
        built.spill("tool_1", "replaced")
        with pytest.raises(SourceError) as caught:
            view.read("s")
        assert caught.value.reason == "source_unsettled"


def test_one_that_is_too_long_is_told(
    built: OpenCodeBuilder, source_of: Make, chosen: Engine, monkeypatch: pytest.MonkeyPatch
) -> None:
    cut(built, built.spill("tool_1", "x" * 100))
    monkeypatch.setattr(spills, "LIMIT_BYTES", 99)
    with source_of(built.path).view(chosen) as view:
        assert results(view) == ["cut off"]
        (gap,) = view.read("s").damage
        assert (gap.code, gap.count) == ("record_damaged", 1)
