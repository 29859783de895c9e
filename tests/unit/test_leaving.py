"""What may not be kept leaves the cache, whatever else there is to do."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import pytest

from harkback.engine import Engine
from harkback.sources.transcripts.source import TranscriptSource
from support import plain
from support.stored import packs, recall, settle
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


def kept_text(cache: Path) -> bytes:
    return b"".join(path.read_bytes() for path in packs(cache))


@pytest.mark.parametrize("seconds", [0.25, None])
def test_the_last_text_of_a_source_leaves_the_disk(
    builder: StoreBuilder, cache: Path, engine: Engine, seconds: float | None
) -> None:
    """Whether all Sessions are refused, or none is listed any more."""
    for change in ("refused", "deleted"):
        with recall(engine, cache, builder.path) as found:
            found.persist()
        assert b"apple" in kept_text(cache)
        if change == "deleted":
            builder.db.execute(
                "INSERT INTO session_metadata_tombstones (session_id, deleted_at)"
                " SELECT session_id, 1 FROM session_metadata"
            )
            settle(builder.path)
        refused = change == "refused"
        with recall(engine, cache, builder.path, eligible=lambda _, no=refused: not no) as found:
            found.search(["apple"])
            found.persist(seconds)
        assert b"apple" not in kept_text(cache)


def test_text_that_has_to_go_goes_before_more_is_stored(
    builder: StoreBuilder, cache: Path, engine: Engine
) -> None:
    with recall(engine, cache, builder.path) as found:
        found.persist()
    builder.session("more")
    builder.text("more", "a pear")
    settle(builder.path)
    with recall(engine, cache, builder.path, eligible=lambda s: s.id != "middle") as found:
        assert found.persist(0.0).stored == 0
    assert b"the middle" not in kept_text(cache)
    assert b"the new" in kept_text(cache)


def test_what_may_not_be_read_leaves_the_disk_though_the_source_lists_not_all(
    cache: Path, tmp_path: Path, engine: Engine
) -> None:
    root = tmp_path / "plain"
    for name in ("old", "new"):
        plain.write(root, name, plain.line(f"the {name} apple"))
    (root / "p" / "gone.jsonl").symlink_to(tmp_path / "elsewhere.jsonl")
    source = TranscriptSource(plain.Plain(), root)
    with recall(engine, cache, source) as found:
        found.persist()
    assert b"the old" in kept_text(cache)
    source = TranscriptSource(plain.Plain(), root)
    with recall(engine, cache, source, eligible=lambda s: s.id != "old") as found:
        assert "source_incomplete" in {gap.code for gap in found.search(["apple"]).gaps}
        found.persist(0.25)
    assert b"the old" not in kept_text(cache)
    assert b"the new" in kept_text(cache)
