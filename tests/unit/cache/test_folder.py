"""The folder of the cache: whose it is, who may read it, who may write to it now."""

from __future__ import annotations

import os
import stat
from pathlib import Path

import pytest

from harkback.cache.folder import Folder, default_folder
from harkback.errors import CacheError

posix = pytest.mark.skipif(os.name != "posix", reason="permissions of POSIX")


def refused(folder: Folder) -> str:
    with pytest.raises(CacheError) as caught:
        folder.make()
    assert str(folder.path) not in caught.value.message
    return caught.value.reason


def test_where_it_lies(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("HARKBACK_CACHE", str(tmp_path / "named"))
    assert default_folder(tmp_path / "configured") == tmp_path / "named"
    monkeypatch.delenv("HARKBACK_CACHE")
    assert default_folder(tmp_path / "configured") == tmp_path / "configured"
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    assert default_folder().name == "harkback"


@posix
def test_it_and_its_files_are_the_owners_alone(tmp_path: Path) -> None:
    os.umask(0)
    try:
        folder = Folder(tmp_path / "a" / "cache")
        folder.make()
        os.close(folder.open("file", create=True))
    finally:
        os.umask(0o022)
    assert stat.S_IMODE(folder.path.stat().st_mode) == 0o700
    assert stat.S_IMODE((folder.path / "file").stat().st_mode) == 0o600


@posix
@pytest.mark.parametrize("mode", [0o720, 0o702, 0o777])
def test_one_that_others_may_write_to_is_refused(tmp_path: Path, mode: int) -> None:
    tmp_path.chmod(mode)
    assert refused(Folder(tmp_path)) == "cache_unsafe"


@posix
def test_links_are_refused(tmp_path: Path) -> None:
    real = tmp_path / "real"
    real.mkdir(mode=0o700)
    (tmp_path / "link").symlink_to(real)
    assert refused(Folder(tmp_path / "link")) == "cache_unsafe"
    (real / "target").write_bytes(b"other")
    (real / "name").symlink_to(real / "target")
    folder = Folder(real)
    with pytest.raises(OSError, match="symbolic link"):
        folder.open("name", create=True)
    with pytest.raises(CacheError):
        folder.size_of("name")
    folder.remove("name")
    assert (real / "target").read_bytes() == b"other"


@posix
def test_what_somebody_else_owns_is_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = Folder(tmp_path / "cache")
    folder.make()
    os.close(folder.open("file", create=True))
    me = os.geteuid()
    monkeypatch.setattr(os, "geteuid", lambda: me + 1)
    assert refused(folder) == "cache_unsafe"
    for use in (lambda: folder.open("file", create=False), lambda: folder.size_of("file")):
        with pytest.raises(CacheError):
            use()


def test_what_is_no_folder_is_refused(tmp_path: Path) -> None:
    (tmp_path / "file").write_bytes(b"")
    assert refused(Folder(tmp_path / "file")) == "cache_unsafe"
    assert refused(Folder(tmp_path / "file" / "below")) == "cache_unusable"


def test_one_writes_at_a_time(tmp_path: Path) -> None:
    folder, other = Folder(tmp_path), Folder(tmp_path)
    with folder.locked(), pytest.raises(CacheError) as caught, other.locked():
        pass
    assert caught.value.reason == "cache_busy"
    with other.locked():
        pass


def test_a_lock_that_was_removed_guards_nothing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = Folder(tmp_path)
    opening = folder.open

    def opened_before_it_was_removed(name: str, *, create: bool) -> int:
        held = opening(name, create=create)
        folder.remove(name)
        return held

    monkeypatch.setattr(folder, "open", opened_before_it_was_removed)
    with pytest.raises(CacheError), folder.locked():
        pass
