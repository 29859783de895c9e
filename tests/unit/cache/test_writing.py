"""Writing: what is told of, what is taken out, what is copied, and what is swept away."""

from __future__ import annotations

import time
from pathlib import Path

import pytest

from harkback.cache import Place, SegmentCache, digest
from harkback.cache import manifest as manifests
from harkback.cache import writing as writings
from harkback.errors import CacheError
from support.stored import packs


def place(session: str, fingerprint: bytes = b"f", source: str = "s") -> Place:
    return Place(digest(source), digest(session), fingerprint, b"t", "", 0, 0, 1, "[[],[]]")


def blocks(cache: SegmentCache, source: str = "s") -> dict[bytes, bytes]:
    """What is stored, by Session, as another process finds it."""
    shelf = SegmentCache(cache.folder.path).shelf("v")
    return {
        session: Path(shelf.path(at)).read_bytes()[at.start : at.start + at.length]
        for session, at in shelf.stored(source).items()
    }


@pytest.fixture
def cache(tmp_path: Path) -> SegmentCache:
    return SegmentCache(tmp_path / "cache")


def test_what_is_added_is_known_once_it_is_told(cache: SegmentCache) -> None:
    with cache.shelf("v").writing() as writing:
        writing.add(place("a"), b"first")
        writing.add(place("b"), b"second")
        assert blocks(cache) == {}
        writing.commit()
        assert blocks(cache) == {digest("a"): b"first", digest("b"): b"second"}
        writing.add(place("a", b"g"), b"anew")
    assert blocks(cache) == {digest("a"): b"anew", digest("b"): b"second"}
    assert len(packs(cache.folder.path)) == 1


def test_a_writer_that_fails_leaves_what_was_told(cache: SegmentCache) -> None:
    shelf = cache.shelf("v")
    with shelf.writing() as writing:
        writing.add(place("a"), b"first")

    def fail() -> None:
        with shelf.writing() as writing:
            writing.add(place("a"), b"never")
            raise RuntimeError

    with pytest.raises(RuntimeError):
        fail()
    assert blocks(cache) == {digest("a"): b"first"}
    with shelf.writing() as writing:
        writing.add(place("b"), b"second")
    assert blocks(cache) == {digest("a"): b"first", digest("b"): b"second"}
    assert packs(cache.folder.path)[0].read_bytes()[:11] == b"firstsecond"


def test_a_full_pack_is_followed_by_another(
    cache: SegmentCache, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(writings, "FULL_BYTES", 10)
    said = {digest(str(n)): bytes([n]) * 7 for n in range(9)}
    for half in range(2):
        with cache.shelf("v").writing() as writing:
            for n in range(half * 5, min(9, half * 5 + 5)):
                writing.add(place(str(n)), bytes([n]) * 7)
    assert blocks(cache) == said
    assert len(packs(cache.folder.path)) == 5


def test_another_version_deletes_what_was_stored(cache: SegmentCache) -> None:
    with cache.shelf("v").writing() as writing:
        writing.add(place("a"), b"first")
    (old,) = packs(cache.folder.path)
    other = cache.shelf("w")
    assert other.find("s", "a") is None
    assert old.exists()
    with other.writing() as writing:
        writing.add(place("b"), b"second")
    assert not old.exists()
    assert blocks(cache) == {}
    assert set(other.stored("s")) == set() or other.find("s", "b")
    other.renew()
    assert set(other.stored("s")) == {digest("b")}


def test_dead_bytes_are_copied_around(cache: SegmentCache) -> None:
    shelf = cache.shelf("v")
    with shelf.writing() as writing:
        for n in range(6):
            writing.add(place(str(n)), bytes([n]) * 100)
    before = packs(cache.folder.path)
    with shelf.writing() as writing:
        for n in range(3):
            writing.add(place(str(n), b"g"), bytes([n + 50]) * 10)
        writing.clear_out(until=time.monotonic() - 1)
        assert packs(cache.folder.path) == before  # no time left for it
        writing.clear_out(None)
    expected = {digest(str(n)): bytes([n + 50]) * 10 for n in range(3)}
    expected |= {digest(str(n)): bytes([n]) * 100 for n in range(3, 6)}
    assert blocks(cache) == expected
    after = packs(cache.folder.path)
    assert not {*before} & {*after}
    assert sum(path.stat().st_size for path in after) == 330


def test_text_that_has_to_go_leaves_the_disk(cache: SegmentCache) -> None:
    shelf = cache.shelf("v")
    with shelf.writing() as writing:
        writing.add(place("a"), b"to be kept " * 100)
        writing.add(place("b"), b"a regret")
    shelf.renew()
    gone = shelf.find("s", "b")
    assert gone is not None
    with shelf.writing() as writing:
        writing.forget(gone)
        writing.clear_out(None)
    assert list(blocks(cache)) == [digest("a")]
    assert b"regret" not in b"".join(p.read_bytes() for p in packs(cache.folder.path))


def test_a_segment_that_is_not_whole_is_taken_out_and_told_of(cache: SegmentCache) -> None:
    shelf = cache.shelf("v")
    with shelf.writing() as writing:
        writing.add(place("a"), b"first")
        writing.add(place("b"), b"second")
    shelf.renew()
    for session in ("a", "b"):
        found = shelf.find("s", session)
        assert found is not None
        shelf.reject(found)
        assert shelf.find("s", session) is None
    with shelf.writing() as writing:
        writing.add(place("a"), b"anew")
    assert blocks(cache) == {digest("a"): b"anew"}
    assert cache.counts() == {"segments": 2}
    shelf.renew()
    assert shelf.find("s", "a") is not None


def test_packs_that_nobody_knows_are_swept_away(cache: SegmentCache) -> None:
    with cache.shelf("v").writing() as writing:
        writing.add(place("a"), b"first")
    stray = cache.folder.path / "00.pack"
    stray.write_bytes(b"left")
    other = cache.folder.path / "notes.txt"
    other.write_bytes(b"mine")
    with cache.shelf("v").writing():
        pass
    assert not stray.exists()
    assert other.exists()


def test_a_source_that_nobody_speaks_of_is_forgotten(
    cache: SegmentCache, monkeypatch: pytest.MonkeyPatch
) -> None:
    now = time.time()

    def visit(*sources: str, at: float) -> None:
        monkeypatch.setattr(time, "time", lambda: at)
        with cache.shelf("v").writing() as writing:
            for source in sources:
                writing.use(digest(source))
                writing.add(place("a", source=source), source.encode())
            writing.clear_out(None)

    visit("s", "t", at=now)
    visit("s", at=now + writings.FORGOTTEN_SECONDS / 2)
    assert set(blocks(cache, "t")) == {digest("a")}
    visit("s", at=now + writings.FORGOTTEN_SECONDS + 90_000)
    assert not blocks(cache, "t")
    assert set(blocks(cache)) == {digest("a")}
    # A clock that was set back: what was used in the future counts from now.
    visit("t", at=now - 10 * writings.FORGOTTEN_SECONDS)
    assert set(blocks(cache)) == {digest("a")}
    visit("t", at=now - 8.5 * writings.FORGOTTEN_SECONDS)
    assert not blocks(cache)


def test_one_writes_and_the_other_is_told(cache: SegmentCache) -> None:
    with cache.shelf("v").writing() as writing:
        writing.add(place("a"), b"first")
        other = cache.shelf("v")
        with pytest.raises(CacheError) as caught, other.writing():
            pass
        assert caught.value.reason == "cache_busy"
    assert set(blocks(cache)) == {digest("a")}


def test_a_damaged_manifest_is_made_anew(cache: SegmentCache) -> None:
    with cache.shelf("v").writing() as writing:
        writing.add(place("a"), b"first")
    (cache.folder.path / manifests.NAME).write_bytes(b"no database" * 99)
    shelf = cache.shelf("v")
    assert shelf.find("s", "a") is None
    with shelf.writing() as writing:
        writing.add(place("b"), b"second")
    assert blocks(cache) == {digest("b"): b"second"}
    assert cache.counts() == {"manifest": 1}
    assert len(packs(cache.folder.path)) == 1
