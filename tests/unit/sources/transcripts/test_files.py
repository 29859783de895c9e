"""The hands of a format: what they list, follow, refuse, read, and what they say of the rest."""

from __future__ import annotations

import os
import shutil
import sqlite3
import tempfile
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

from harkback.engine import Engine
from harkback.sources.transcripts import files as module
from harkback.sources.transcripts.files import FolderFiles
from harkback.sources.transcripts.listing import Listing
from support.plain import line, settle, unprivileged, write


def opened(engine: Engine, root: Path) -> FolderFiles:
    return FolderFiles(engine, Listing(str(root)))


def names(files: FolderFiles, folder: str = "", pattern: str = "*") -> list[str]:
    return [entry.path for entry in files.listing(folder, pattern)]


def said(files: FolderFiles, path: str, limit: int | None = None) -> list[object]:
    return [record.value.get("t") for record in files.records(path, limit=limit)]


@pytest.fixture
def public() -> Iterator[Path]:
    """A folder that everybody may enter."""
    folder = Path(tempfile.mkdtemp())
    folder.chmod(0o755)
    yield folder
    shutil.rmtree(folder)


def test_a_listing_is_what_matches(engine: Engine, tmp_path: Path) -> None:
    write(tmp_path, "b", line("x"))
    write(tmp_path, "a", line("xy"))
    (tmp_path / "p" / "[a].jsonl").touch()
    (tmp_path / "p" / "other").mkdir()
    files = opened(engine, tmp_path)
    assert names(files) == ["p"]
    assert names(files, "p", "*.jsonl") == ["p/[a].jsonl", "p/a.jsonl", "p/b.jsonl"]
    assert names(files, "p", "?.jsonl") == ["p/a.jsonl", "p/b.jsonl"]
    entry = next(files.listing("p", "a.jsonl"))
    assert (entry.is_folder, entry.size) == (False, 12)
    assert entry.modified == (tmp_path / "p" / "a.jsonl").stat().st_mtime_ns // 1_000_000
    for absent in ("none", "p/a.jsonl", "p/none/deeper", "..", "p/.."):
        assert names(files, absent) == []
    assert not files.problems
    assert said(files, "p/[a].jsonl") == []
    assert not files.problems


def test_links_to_folders_are_followed_once(engine: Engine, tmp_path: Path) -> None:
    root, elsewhere = tmp_path / "root", tmp_path / "elsewhere"
    write(root, "a", line("here"))
    write(elsewhere, "b", line("there"), folder="project")
    write(elsewhere, "c", line("deep"), folder="other")
    (root / "linked").symlink_to(elsewhere / "project")
    (root / "again").symlink_to(root / "p")
    (root / "loop").symlink_to(root)
    (root / "above").symlink_to(tmp_path)
    (root / "self").symlink_to("self")
    (elsewhere / "project" / "second").symlink_to(elsewhere / "other")
    (elsewhere / "project" / "real").mkdir()
    files = opened(engine, root)
    assert names(files) == ["p", "linked"]
    assert names(files, "linked") == ["linked/b.jsonl", "linked/real"]
    assert names(files, "linked/second") == []
    assert names(files, "loop/p") == names(files, "above/root/p") == []
    assert said(files, "linked/b.jsonl") == ["there"]


def test_links_to_files_stay_inside(engine: Engine, tmp_path: Path) -> None:
    root = tmp_path / "root"
    write(root, "a", line("inside"))
    outside = write(tmp_path, "secret", line("outside"), folder="elsewhere")
    (root / "p" / "in.jsonl").symlink_to(root / "p" / "a.jsonl")
    (root / "p" / "out.jsonl").symlink_to(outside)
    (root / "p" / "gone.jsonl").symlink_to(root / "none")
    os.mkfifo(root / "p" / "pipe.jsonl")
    (root / "auth.json").write_bytes(line("not a name that is asked for"))
    (root / "p" / "auth.jsonl").symlink_to(root / "auth.json")
    (tmp_path / "elsewhere" / "up.jsonl").symlink_to(outside)
    (root / "linked").symlink_to(tmp_path / "elsewhere")
    files = opened(engine, root)
    assert names(files, "p", "*.jsonl") == ["p/a.jsonl", "p/in.jsonl"]
    assert files.problems == {"not_followed": 3, "vanished": 1}
    assert said(files, "p/in.jsonl") == ["inside"]
    assert said(files, "p/out.jsonl") == []
    assert names(files, "linked") == ["linked/secret.jsonl"]
    assert said(files, "p/auth.jsonl") == []


def test_a_name_that_is_no_text(engine: Engine, tmp_path: Path) -> None:
    write(tmp_path, "a", line("x"))
    (tmp_path / "p" / os.fsdecode(b"\xff.jsonl")).touch()
    files = opened(engine, tmp_path)
    assert names(files, "p") == ["p/a.jsonl"]
    assert files.problems == {"name_undecodable": 1}


def test_what_may_not_be_read_is_counted(engine: Engine, public: Path) -> None:
    write(public, "a", line("x")).chmod(0)
    write(public, "b", line("x"), folder="closed").parent.chmod(0)
    files = opened(engine, public)
    with unprivileged():
        assert names(files, "p") == ["p/a.jsonl"]
        assert names(files, "closed") == []
        assert said(files, "p/a.jsonl") == []
        assert files.document("p/a.jsonl") is None
        assert files.head("p/a.jsonl") == b""
    assert files.problems == {"denied": 4}


def test_what_is_gone_is_counted(engine: Engine, tmp_path: Path) -> None:
    path = write(tmp_path, "a", line("x"))
    files = opened(engine, tmp_path)
    assert names(files, "p") == ["p/a.jsonl"]
    path.unlink()
    assert said(files, "p/a.jsonl") == said(files, "p/never.jsonl") == []
    assert files.text("p/a.jsonl") is None
    assert files.problems == {"vanished": 3}


def test_a_log_is_read_as_it_was_listed(engine: Engine, tmp_path: Path) -> None:
    path = write(tmp_path, "a", line("one"))
    files = opened(engine, tmp_path)
    names(files, "p")
    with path.open("ab") as file:
        file.write(line("two"))
    assert said(files, "p/a.jsonl") == ["one"]
    assert said(opened(engine, tmp_path), "p/a.jsonl") == ["one", "two"]


def test_what_was_replaced_is_read_as_it_is(engine: Engine, tmp_path: Path) -> None:
    path = write(tmp_path, "a", line("one"), line("two"))
    files = opened(engine, tmp_path)
    names(files, "p")
    fresh = tmp_path / "fresh"
    fresh.write_bytes(line("three") * 5)
    fresh.replace(path)
    assert said(files, "p/a.jsonl") == ["three"] * 5
    path.write_bytes(line("x"))  # now shorter
    assert said(files, "p/a.jsonl") == ["x"]


def test_a_tail_is_a_record_once_it_is_whole_and_rests(engine: Engine, tmp_path: Path) -> None:
    for tail, settled, expected in (
        (b'{"t":"tail"}', True, ["one", "tail"]),
        (b'{"t":"tail"}', False, ["one"]),
        (b'{"t":"ta', True, ["one"]),
        (b"[]", True, ["one"]),
    ):
        path = write(tmp_path, "a", line("one"), tail)
        if not settled:
            path.touch()
        files = opened(engine, tmp_path)
        assert said(files, "p/a.jsonl") == expected
        assert not files.problems


def test_a_record_that_is_none_costs_itself(engine: Engine, tmp_path: Path) -> None:
    write(tmp_path, "a", line("one"), b"[1]\n", b"{torn\n", b"7\n", line("two"))
    files = opened(engine, tmp_path)
    assert said(files, "p/a.jsonl") == ["one", "two"]
    assert files.problems == {"not_json": 3}


def test_a_format_may_mend_a_line(engine: Engine, tmp_path: Path) -> None:
    write(tmp_path, "a", line("one"), b"split\n", b"lost\n", line("two"))
    files = opened(engine, tmp_path)
    mended = {b"split": [{"t": "a"}, {"t": "b"}]}
    records = list(files.records("p/a.jsonl", broken=lambda _, raw: mended.get(raw)))
    size = len(line("one"))
    assert [(r.offset, r.value["t"]) for r in records] == [
        (0, "one"),
        (size, "a"),
        (size, "b"),
        (size + 11, "two"),
    ]
    assert files.problems == {"not_json": 1}


def test_the_first_records_alone(engine: Engine, tmp_path: Path) -> None:
    write(tmp_path, "a", *(line(str(number)) for number in range(9)))
    files = opened(engine, tmp_path)
    assert said(files, "p/a.jsonl", limit=2) == ["0", "1"]
    assert said(files, "p/a.jsonl", limit=0) == []


def test_documents_and_texts(
    engine: Engine, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "d.json").write_bytes(b'\xef\xbb\xbf{"t":"\\ud83d\xff"}\n')
    (tmp_path / "l.json").write_bytes(b"[]")
    (tmp_path / "t.txt").write_bytes(b"a\0\xe4\xb8\r\n")
    files = opened(engine, tmp_path)
    assert files.document("d.json") == {"t": "\ufffd\ufffd"}
    assert files.document("l.json") is None
    assert files.text("t.txt") == "a\ufffd\ufffd\r\n"
    assert files.problems == {"not_json": 1}
    monkeypatch.setattr(module, "DOCUMENT_LIMIT", 5)
    assert files.text("t.txt") is None
    assert files.problems["document_too_long"] == 1


def test_head_and_tail(engine: Engine, tmp_path: Path) -> None:
    content = bytes(range(256)) * 100
    (tmp_path / "a").write_bytes(content)
    (tmp_path / "b").write_bytes(b"short")
    files = opened(engine, tmp_path)
    assert files.head("a") == content[: 16 << 10]
    assert files.tail("a") == content[-(16 << 10) :]
    assert files.head("b") == files.tail("b") == b"short"


def test_rows_of_a_small_database(engine: Engine, tmp_path: Path) -> None:
    with closing(sqlite3.connect(tmp_path / "index.sqlite")) as connection:
        connection.execute("CREATE TABLE t (name TEXT)")
        connection.execute("INSERT INTO t VALUES ('x')")
        connection.commit()
    (tmp_path / "no.sqlite").write_bytes(b"no database" * 100)
    settle(tmp_path / "index.sqlite")
    before = sorted(path.name for path in tmp_path.iterdir())
    files = opened(engine, tmp_path)
    assert files.rows("index.sqlite", "SELECT name FROM t") == [(b"x",)]
    assert files.rows("index.sqlite", "SELECT other FROM t") == []
    assert files.rows("no.sqlite", "SELECT 1 FROM t") == []
    assert files.rows("none.sqlite", "SELECT 1") == []
    assert files.problems == {"index_unreadable": 2, "vanished": 1}
    assert sorted(path.name for path in tmp_path.iterdir()) == before


def test_what_is_made_of_a_head_is_kept_while_the_file_stays(
    tmp_path: Path, engine: Engine
) -> None:
    made: list[bytes] = []
    heads: dict[Any, Any] = {}

    def read(head: bytes) -> int:
        made.append(head)
        return len(head)

    def ask() -> int:
        return FolderFiles(engine, Listing(str(tmp_path), heads)).of_head("a", read)

    path = tmp_path / "a"
    path.write_bytes(b"one")
    assert ask() == ask() == 3
    assert len(made) == 2  # written a moment ago: it may be written again unseen
    settle(path)
    assert ask() == ask() == 3
    assert len(made) == 3
    path.write_bytes(b"longer")
    settle(path)
    assert ask() == 6
    path.unlink()
    assert ask() == 0
    assert ask() == 0
    assert len(made) == 6  # what could not be read is not kept
