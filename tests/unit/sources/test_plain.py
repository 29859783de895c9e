"""What a recorded path may lead to, and what it may not."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from harkback.sources.plain import read, read_within


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    inside = tmp_path / "store"
    (inside / "artifacts" / "s").mkdir(parents=True)
    (inside / "artifacts" / "s" / "a.txt").write_bytes(b"inside")
    (tmp_path / "secret.txt").write_bytes(b"outside")
    (inside / "beside.txt").write_bytes(b"beside")
    return inside.resolve()


def test_a_file_is_read_to_the_limit_and_one_more(folder: Path) -> None:
    path = "artifacts/s/a.txt"
    assert read_within(str(folder), path, 6, 100) == b"inside"
    assert read_within(str(folder), path, None, 6) == b"inside"
    assert read_within(str(folder), path, 6, 2) == b"ins"
    assert read_within(str(folder), path, 7, 100) is None


@pytest.mark.parametrize(
    "path",
    [
        "artifacts/../../secret.txt",
        "artifacts/../beside.txt",
        "../secret.txt",
        "artifacts/s/../s/a.txt",
        "artifacts/./s/a.txt",
        "artifacts//s/a.txt",
        "/etc/passwd",
        "artifacts/s/",
        "artifacts/s",
        "artifacts",
        "",
        ".",
        "..",
        "artifacts/s/a.txt\0.png",
        "artifacts\\s\\a.txt",
        "C:/secret.txt",
        "C:secret.txt",
        "artifacts/s/a.txt:stream",
        "artifacts/s/a.txt.",
        "artifacts/s/a.txt ",
        "artifacts/s/NUL",
        "artifacts/s/con.txt",
        "artifacts/s/Com1",
        "//server/share/a.txt",
        "\\\\?\\C:\\a.txt",
        "artifacts/s/missing.txt",
        "artifacts/s/a.txt/more",
        "x" * 5000,
        "\ud800",
    ],
)
def test_no_other_path_leads_anywhere(folder: Path, path: str) -> None:
    assert read_within(str(folder), path, None, 100) is None


def test_no_link_is_followed(folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(os, "open", lambda *_: pytest.fail("a file was opened"))
    (folder / "artifacts" / "link.txt").symlink_to(tmp_path / "secret.txt")
    (folder / "artifacts" / "near.txt").symlink_to(folder / "artifacts" / "s" / "a.txt")
    (folder / "artifacts" / "up").symlink_to(tmp_path, target_is_directory=True)
    for path in ("artifacts/link.txt", "artifacts/near.txt", "artifacts/up/secret.txt"):
        assert read_within(str(folder), path, None, 100) is None
    os.rename(folder / "artifacts", tmp_path / "moved")  # noqa: PTH104
    (folder / "artifacts").symlink_to(tmp_path / "moved", target_is_directory=True)
    assert read_within(str(folder), "artifacts/s/a.txt", None, 100) is None


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="there are no pipes by name here")
def test_a_pipe_is_no_file_and_nobody_waits_for_it(folder: Path) -> None:
    os.mkfifo(folder / "artifacts" / "pipe")
    assert read_within(str(folder), "artifacts/pipe", None, 100) is None
    with pytest.raises(OSError, match="not a regular file"):
        read(str(folder / "artifacts" / "pipe"), 0, 1)


def test_a_folder_that_becomes_a_link_while_it_is_read(
    folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    outside = tmp_path / "outside"
    outside.mkdir()
    (outside / "a.txt").write_bytes(b"outside")
    real = os.open

    def swap(path: str, *rest: int) -> int:
        os.rename(folder / "artifacts" / "s", tmp_path / "away")  # noqa: PTH104
        (folder / "artifacts" / "s").symlink_to(outside, target_is_directory=True)
        return real(path, *rest)

    monkeypatch.setattr(os, "open", swap)
    assert read_within(str(folder), "artifacts/s/a.txt", None, 100) is None
