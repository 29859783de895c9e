"""The manifest: sealed rows, and what each failure of SQLite means."""

from __future__ import annotations

import os
import sqlite3
import stat
from pathlib import Path

import pytest

from harkback.cache import manifest
from harkback.cache.folder import Folder
from harkback.cache.manifest import NAME, ManifestDamaged, Place
from harkback.errors import CacheError

PLACE = Place(b"source", b"session", b"print", b"token", "a" * 16 + ".pack", 3, 9, 2, "[[],[]]")


@pytest.fixture
def folder(tmp_path: Path) -> Folder:
    with manifest.opened(Folder(tmp_path), create=True) as connection:
        connection.execute("INSERT INTO packs VALUES (1, ?, 12, 0, 0)", (PLACE.pack,))
        manifest.put(connection, [PLACE])
    return Folder(tmp_path)


@pytest.mark.parametrize("column", PLACE._fields)
def test_a_row_of_which_anything_was_changed_is_no_row(folder: Folder, column: str) -> None:
    for value in (b"other", 7, "other", 1.5, b"", "\x00"):
        with manifest.opened(folder) as connection:
            connection.execute(f"UPDATE segments SET {column} = ?", (value,))
            found = manifest.places_of(connection, b"source")
            assert not found, value
            manifest.put(connection, [PLACE])
            connection.execute("DELETE FROM segments WHERE source != ?", (b"source",))
            connection.execute("DELETE FROM segments WHERE session != ?", (b"session",))
            manifest.put(connection, [PLACE])
            assert manifest.places_of(connection, b"source") == {b"session": PLACE}


def test_bytes_that_nothing_stands_for_are_counted(folder: Folder) -> None:
    def pack() -> tuple[int, bool]:
        (found,) = manifest.packs_of(connection)
        return found.dead, found.buried

    with manifest.opened(folder) as connection:
        manifest.put(connection, [PLACE._replace(token=b"later")])
        assert pack() == (0, False)  # it stayed where it was
        manifest.put(connection, [PLACE._replace(start=20, length=4)])
        assert pack() == (9, False)
        manifest.forget(connection, b"source", b"session", bury=True)
        assert pack() == (13, True)
        assert manifest.places_of(connection, b"source") == {}


def test_a_pack_with_an_impossible_name_is_damage(folder: Folder) -> None:
    with manifest.opened(folder) as connection:
        connection.execute("UPDATE packs SET name = '../other.pack'")
        with pytest.raises(ManifestDamaged):
            manifest.packs_of(connection)


@pytest.mark.parametrize("content", [b"no database" * 500, b"SQLite format 3\0" + bytes(9000)])
def test_what_is_no_manifest(tmp_path: Path, content: bytes) -> None:
    (tmp_path / NAME).write_bytes(content)
    with pytest.raises(ManifestDamaged), manifest.opened(Folder(tmp_path)) as connection:
        manifest.places_of(connection, b"source")


def test_readers_do_not_wait_for_a_writer_and_writers_give_up(folder: Folder) -> None:
    with manifest.opened(folder) as writer, manifest.opened(folder) as reader:
        writer.execute("BEGIN IMMEDIATE")
        manifest.count(writer, "segments", 1)
        assert manifest.places_of(reader, b"source") == {b"session": PLACE}
        with pytest.raises(CacheError) as caught, manifest.opened(folder) as other:
            other.execute("BEGIN IMMEDIATE")
        assert caught.value.reason == "cache_busy"
        writer.execute("COMMIT")
        assert manifest.counts_of(reader) == {"segments": 1}


@pytest.mark.skipif(os.name != "posix", reason="permissions of POSIX")
def test_it_and_its_side_files_are_the_owners_alone(folder: Folder) -> None:
    with manifest.opened(folder) as connection:
        connection.execute("BEGIN IMMEDIATE")
        manifest.count(connection, "segments", 1)
        connection.execute("PRAGMA cache_spill=1")
        modes = {path.name: stat.S_IMODE(path.stat().st_mode) for path in folder.path.iterdir()}
        connection.execute("COMMIT")
    assert NAME + "-journal" in modes
    assert set(modes.values()) == {0o600}


@pytest.mark.parametrize(
    ("error", "reason"),
    [
        (sqlite3.SQLITE_FULL, "cache_unusable"),
        (sqlite3.SQLITE_IOERR, "cache_unusable"),
        (sqlite3.SQLITE_IOERR | (3 << 8), "cache_unusable"),
        (sqlite3.SQLITE_READONLY, "cache_unusable"),
        (sqlite3.SQLITE_CANTOPEN, "cache_unusable"),
        (sqlite3.SQLITE_BUSY, "cache_busy"),
        (sqlite3.SQLITE_CORRUPT, None),
        (sqlite3.SQLITE_NOTADB, None),
    ],
)
def test_what_each_failure_means(error: int, reason: str | None) -> None:
    raised = sqlite3.OperationalError("with words of the manifest")
    raised.sqlite_errorcode = error
    told = manifest.translated(raised)
    if reason is None:
        assert isinstance(told, ManifestDamaged)
    else:
        assert isinstance(told, CacheError)
        assert told.reason == reason
        assert "words" not in told.message
