"""The shelf and its cache: found, refused, measured, cleared; never an error to a reader."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from harkback.cache import SegmentCache, digest
from harkback.errors import CacheError
from support.stored import packs
from unit.cache.test_writing import place


@pytest.fixture
def cache(tmp_path: Path) -> SegmentCache:
    made = SegmentCache(tmp_path / "cache")
    with made.shelf("v").writing() as writing:
        writing.add(place("a"), b"first")
    return made


def test_what_another_process_stored_is_found_once_it_is_looked_for(cache: SegmentCache) -> None:
    shelf = cache.shelf("v")
    assert shelf.find("s", "a") is not None
    assert shelf.find("s", "b") is None
    with cache.shelf("v").writing() as writing:
        writing.add(place("b"), b"second")
    assert shelf.find("s", "b") is None
    shelf.renew()
    assert shelf.find("s", "b") is not None


def test_names_are_not_written_down(tmp_path: Path) -> None:
    cache = SegmentCache(tmp_path / "cache")
    with cache.shelf("v").writing() as writing:
        writing.add(place("name of a session", source="/home/ada/.agent"), b"text")
    for file in cache.folder.path.iterdir():
        assert b"name of a" not in file.read_bytes()
        assert b"ada" not in file.read_bytes()


@pytest.mark.parametrize("change", ["shorter", "gone"])
def test_a_pack_that_lost_its_end_is_not_given_out(cache: SegmentCache, change: str) -> None:
    (pack,) = packs(cache.folder.path)
    if change == "gone":
        pack.unlink()
    else:
        os.truncate(pack, 4)
    assert cache.shelf("v").find("s", "a") is None


@pytest.mark.parametrize("change", ["mode", "link", "file", "manifest link"])
def test_an_unsafe_folder_holds_nothing_and_takes_nothing(cache: SegmentCache, change: str) -> None:
    path = cache.folder.path
    if change == "mode":
        path.chmod(0o777)
    elif change == "manifest link":
        (path / "manifest.sqlite").rename(path / "real")
        (path / "manifest.sqlite").symlink_to(path / "real")
    else:
        path.rename(path.with_name("real"))
        if change == "link":
            path.symlink_to(path.with_name("real"))
        else:
            path.write_bytes(b"")
    shelf = cache.shelf("v")
    assert shelf.find("s", "a") is None
    assert shelf.trouble is not None
    with pytest.raises(CacheError) as caught, shelf.writing():
        pass
    assert caught.value.reason == "cache_unsafe"
    for use in (cache.bytes, cache.counts, cache.check, cache.clear):
        if (change, use) != ("file", cache.clear):
            with pytest.raises(CacheError):
                use()


def test_what_is_not_there_is_empty(tmp_path: Path) -> None:
    cache = SegmentCache(tmp_path / "none")
    assert (cache.bytes(), cache.counts(), cache.clear()) == (0, {}, 0)
    assert cache.shelf("v").find("s", "a") is None
    assert not cache.folder.path.exists()


def test_clearing_removes_its_own_files_only(cache: SegmentCache) -> None:
    mine = cache.folder.path / "notes.txt"
    mine.write_bytes(b"mine")
    assert cache.clear() > 5
    assert list(cache.folder.path.iterdir()) == [mine]
    mine.unlink()
    with cache.shelf("v").writing() as writing:
        writing.add(place("a"), b"first")
    cache.clear()
    assert not cache.folder.path.exists()


def test_a_cache_that_is_being_written_is_not_cleared(cache: SegmentCache) -> None:
    with cache.shelf("v").writing(), pytest.raises(CacheError) as caught:
        cache.clear()
    assert caught.value.reason == "cache_busy"
    assert cache.shelf("v").find("s", "a") is not None


@pytest.mark.skipif(os.name != "posix" or os.geteuid() == 0, reason="root may write anywhere")
def test_a_folder_that_may_only_be_read_is_read(cache: SegmentCache) -> None:
    cache.folder.path.chmod(0o500)
    try:
        assert cache.shelf("v").find("s", "a") is not None
        for use in (cache.check, cache.clear):
            with pytest.raises(CacheError) as caught:
                use()
            assert caught.value.reason == "cache_unusable"
    finally:
        cache.folder.path.chmod(0o700)


def test_a_child_reads_and_writes_on_its_own(cache: SegmentCache) -> None:
    shelf = cache.shelf("v")
    shelf.find("s", "a")
    child = os.fork() if hasattr(os, "fork") else pytest.skip("no fork")
    if not child:
        with shelf.writing() as writing:
            writing.add(place("b"), b"of the child")
        os._exit(0 if shelf.find("s", "a") else 1)
    assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 0
    shelf.renew()
    assert set(shelf.stored("s")) == {digest("a"), digest("b")}
