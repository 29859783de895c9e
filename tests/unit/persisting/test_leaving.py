"""What is not stored, or no more: text that may not be read, of another version, or of secrets."""

from __future__ import annotations

from pathlib import Path

import pytest

from harkback import DEFAULT_POLICY
from harkback.engine import Engine
from harkback.sources.transcripts.source import TranscriptSource
from support import plain
from support.stored import packs, recall, settle, stored
from support.stores import StoreBuilder

SECRET = "gh" + "p_" + "Q7" * 18


def test_sessions_that_may_not_be_read_are_not_stored_and_leave_the_disk(
    builder: StoreBuilder, cache: Path, engine: Engine
) -> None:
    with recall(engine, cache, builder.path) as found:
        found.persist()
        assert stored(found) == {"old", "middle", "new"}
    with recall(engine, cache, builder.path, eligible=lambda s: s.id != "middle") as found:
        assert found.coverage().stale == 1
        found.persist()
        assert stored(found) == {"old", "new"}
    builder.db.execute(
        "INSERT INTO session_metadata_tombstones (session_id, deleted_at) VALUES ('old', 1)"
    )
    settle(builder.path)
    with recall(engine, cache, builder.path, eligible=lambda s: s.id != "middle") as found:
        found.persist()
        assert stored(found) == {"new"}
    text = b"".join(path.read_bytes() for path in packs(cache))
    assert b"the new apple" in text
    assert b"the old" not in text
    assert b"the middle" not in text


def test_excluded_projects_are_not_stored(
    builder: StoreBuilder, cache: Path, engine: Engine
) -> None:
    with recall(engine, cache, builder.path, exclude_projects=["/home/dev/*"]) as found:
        kept = found.persist()
        assert (kept.stored, kept.left) == (0, 0)
    assert not packs(cache)


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


def test_archived_sessions_are_stored_and_stay_out_of_answers(
    builder: StoreBuilder, cache: Path, engine: Engine
) -> None:
    """What a catalog says is asked each time; only text is stored."""
    builder.db.execute(
        "UPDATE session_metadata SET payload_json = json_set(payload_json, '$.isArchived',"
        " json('true')) WHERE session_id = 'old'"
    )
    settle(builder.path)
    with recall(engine, cache, builder.path) as found:
        assert found.persist().stored == 3
    with recall(engine, cache, builder.path) as found:
        assert len(found.search(["apple"]).passages) == 2
        assert len(found.search(["apple"], include_archived=True).passages) == 3


def test_a_policy_of_another_version_starts_over(
    builder: StoreBuilder, cache: Path, engine: Engine
) -> None:
    with recall(engine, cache, builder.path) as found:
        found.persist()
    before = packs(cache)
    policy = DEFAULT_POLICY.add_names("apple")
    with recall(engine, cache, builder.path, policy=policy) as found:
        assert found.coverage().current == 0
        found.search(["apple"])
        found.persist()
        assert found.coverage().current == 3
    assert not {*before} & {*packs(cache)}


@pytest.mark.parametrize("made_by", ["FORMAT", "FOLD_VERSION"])
def test_what_another_release_folded_or_wrote_is_none(
    builder: StoreBuilder,
    cache: Path,
    engine: Engine,
    made_by: str,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    with recall(engine, cache, builder.path) as found:
        found.persist()
    monkeypatch.setattr(engine, made_by, "another")
    with recall(engine, cache, builder.path) as found:
        assert found.coverage().current == 0


def test_what_a_finder_failed_on_is_not_stored(
    builder: StoreBuilder, cache: Path, engine: Engine
) -> None:
    class Finder:
        id = "mine"
        version = "1"

        def __call__(self, text: str) -> list[tuple[int, int]]:
            if "middle" in text:
                raise ValueError
            return []

    policy = DEFAULT_POLICY.add(Finder())
    with recall(engine, cache, builder.path, policy=policy) as found:
        kept = found.persist()
        assert (kept.stored, kept.left) == (2, 1)
        assert stored(found) == {"old", "new"}


def test_ids_that_look_like_secrets_are_not_stored(
    builder: StoreBuilder, cache: Path, engine: Engine
) -> None:
    builder.session("more")
    builder.text("more", "an apple", id=f"event {SECRET}")
    settle(builder.path)
    with recall(engine, cache, builder.path) as found:
        assert found.persist().left == 1
        assert stored(found) == {"old", "middle", "new"}
    assert not any(SECRET.encode() in path.read_bytes() for path in cache.iterdir())
