"""Packs: appended to, whatever a writer that was stopped left behind the known end."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from harkback.cache.folder import Folder
from harkback.cache.packs import Appender, Pack, copy, new_name


def content(folder: Path, name: str) -> bytes:
    return (folder / name).read_bytes()


def test_what_lies_behind_the_known_end_is_written_over(tmp_path: Path) -> None:
    folder, name = Folder(tmp_path), new_name()
    with Appender(folder, name, 0, create=True) as pack:
        assert (pack.append(b"one"), pack.append(b"three"), pack.end) == (0, 3, 8)
    with Appender(folder, name, 3, create=False) as pack:
        assert pack.append(b"two") == 3
    assert content(tmp_path, name)[:6] == b"onetwo"


def test_a_system_that_writes_little_at_a_time(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    write = os.write
    monkeypatch.setattr(os, "write", lambda file, data: write(file, data[:3]))
    name = new_name()
    with Appender(Folder(tmp_path), name, 0, create=True) as pack:
        pack.append(b"0123456789")
    assert content(tmp_path, name) == b"0123456789"


def test_copying_what_is_there_and_what_is_not(tmp_path: Path) -> None:
    folder, old, new = Folder(tmp_path), new_name(), new_name()
    with Appender(folder, old, 0, create=True) as pack:
        pack.append(b"head" + b"x" * (3 << 20) + b"tail")
    with Appender(folder, new, 0, create=True) as pack:
        pack.append(b"-")
        assert copy(folder, old, 4, (3 << 20) + 4, pack) == 1
        assert copy(folder, old, 4, 4 << 20, pack) is None
        assert copy(folder, new_name(), 0, 4, pack) is None
        assert pack.append(b"end") == 1 + (3 << 20) + 4
    assert content(tmp_path, new)[: 1 + (3 << 20) + 7] == b"-" + b"x" * (3 << 20) + b"tailend"


def test_names_are_never_the_same_and_no_paths() -> None:
    names = {new_name() for _ in range(100)}
    assert len(names) == 100
    assert all(Pack(1, name, 0, 0, False).is_sound() for name in names)
    for name in ("../../etc/x.pack", "x", "", 5):
        assert not Pack(1, name, 0, 0, False).is_sound()  # type: ignore[arg-type]
    assert not Pack(1, new_name(), -1, 0, False).is_sound()


def test_when_it_is_time_to_copy_out_what_counts() -> None:
    assert not Pack(1, "", 90, 30, False).wasteful()
    assert Pack(1, "", 90, 31, False).wasteful()
    assert Pack(1, "", 90, 0, True).wasteful()
