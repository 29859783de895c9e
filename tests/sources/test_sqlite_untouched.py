"""Reading leaves no trace: not a byte, not a side file, not a time, not a lock."""

from __future__ import annotations

import itertools
import os
import sqlite3
import subprocess
import sys
import tempfile
from collections.abc import Callable
from pathlib import Path

import pytest

from harkback.engine import Engine
from harkback.sources.sqlite.source import SqliteSource
from support import writers
from support.stores import BASE_MS, StoreBuilder, dumps, texts, tree

Make = Callable[..., SqliteSource]


def use_all(source: SqliteSource, engine: Engine) -> list[str]:
    """Every call of a View; gives the texts of Session s."""
    with source.view(engine) as view:
        sessions = [session.id for session in view.sessions().sessions]
        view.scan(["term"], sessions)
        for session in sessions:
            view.record_count(session)
            view.fingerprint(session)
            read = view.read(session)
            view.read_around(session, [message.locator for message in read.messages])
        return texts(view.read("s").messages)


def fill(path: Path) -> None:
    builder = StoreBuilder(path)
    builder.session("s")
    builder.text("s", "in the file")
    builder.session("pre", ledger=False)
    builder.message("pre", 0, "user", {"text": "x" * 70_000})
    builder.close()


_numbers = itertools.count(BASE_MS + 10**9)


def insert(text: str) -> str:
    """A statement that appends an event to Session s."""
    number = next(_numbers)
    record = dumps({"role": "model", "ts": number, "content": {"kind": "text", "text": text}})
    return (
        f"INSERT INTO runtime_events VALUES ('e{number}', 's', 'i{number}', 'r', 't', 1, 'text',"
        f" '{record}', {number})"
    )


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    home = tmp_path / "home"
    home.mkdir()
    fill(home / "runtime.sqlite")
    return home


def test_a_closed_store(folder: Path, source_of: Make, chosen: Engine, opens: list[str]) -> None:
    before = tree(folder)
    assert use_all(source_of(folder / "runtime.sqlite"), chosen) == ["in the file"]
    assert tree(folder) == before
    assert not [path for path in opens if path.startswith(str(folder))]


def test_a_closed_store_in_wal_mode(folder: Path, source_of: Make, chosen: Engine) -> None:
    db = sqlite3.connect(folder / "runtime.sqlite")
    db.execute("PRAGMA journal_mode=WAL")
    db.close()
    before = tree(folder)
    assert use_all(source_of(folder / "runtime.sqlite"), chosen) == ["in the file"]
    assert tree(folder) == before


def test_a_live_writer(folder: Path, source_of: Make, chosen: Engine, opens: list[str]) -> None:
    path = folder / "runtime.sqlite"
    source = source_of(path)
    with writers.live(path) as writer:
        writer.execute(insert("in the wal"))
        before = tree(folder)
        assert len(before) == 4
        assert use_all(source, chosen) == ["in the file", "in the wal"]
        assert tree(folder) == before
        writer.execute(insert("appended"))
        assert use_all(source, chosen) == ["in the file", "in the wal", "appended"]
        writer.execute("PRAGMA wal_checkpoint(PASSIVE)")
        assert len(use_all(source, chosen)) == 3
    assert not [name for name in opens if name.startswith(str(folder))]


def test_a_killed_writer(folder: Path, source_of: Make, chosen: Engine) -> None:
    path = folder / "runtime.sqlite"
    with writers.live(path) as writer:
        writer.execute(insert("in the wal"))
    before = tree(folder)
    assert len(before) == 4
    assert use_all(source_of(path), chosen) == ["in the file", "in the wal"]
    assert tree(folder) == before


def test_a_wal_without_shared_memory_is_read_from_a_copy(
    folder: Path, source_of: Make, chosen: Engine, opens: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    path = folder / "runtime.sqlite"
    scratch = folder.parent / "scratch"
    scratch.mkdir()
    monkeypatch.setattr("tempfile.tempdir", str(scratch))
    with writers.live(path) as writer:
        writer.execute(insert("in the wal"))
    (folder / "runtime.sqlite-shm").unlink()
    before = tree(folder)
    source = source_of(path)
    assert use_all(source, chosen) == ["in the file", "in the wal"]
    assert use_all(source, chosen) == ["in the file", "in the wal"]
    assert tree(folder) == before
    assert not list(scratch.iterdir())
    assert not [name for name in opens if name.startswith(str(folder))]


def test_a_copy_that_cannot_be_unlinked_while_open_goes_when_it_is_closed(
    folder: Path, source_of: Make, chosen: Engine, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = folder / "runtime.sqlite"
    scratch = folder.parent / "scratch"
    scratch.mkdir()
    monkeypatch.setattr("tempfile.tempdir", str(scratch))
    with writers.live(path) as writer:
        writer.execute(insert("in the wal"))
    (folder / "runtime.sqlite-shm").unlink()
    source = source_of(path)
    with monkeypatch.context() as windows:
        windows.setattr("shutil.rmtree", lambda *_, **__: None)
        assert use_all(source, chosen) == ["in the file", "in the wal"]
    assert list(scratch.iterdir())
    source.close()
    assert not list(scratch.iterdir())


def test_a_hot_rollback_journal_is_rolled_back_in_a_copy(
    folder: Path, source_of: Make, chosen: Engine
) -> None:
    path = folder / "runtime.sqlite"
    with writers.rollback(path) as writer:
        writer.execute("BEGIN")
        writer.execute("UPDATE runtime_events SET payload_json = 'unfinished' || payload_json")
        writer.execute("UPDATE session_message_chunks SET data = zeroblob(65536)")
    assert (folder / "runtime.sqlite-journal").stat().st_size > 0
    before = tree(folder)
    source = source_of(path)
    assert use_all(source, chosen) == ["in the file"]
    with source.view(chosen) as view:
        assert view.read("pre").gaps == ()
    assert tree(folder) == before


_AS_NOBODY = """
import os, sys
sys.path[:0] = sys.argv[2].split(os.pathsep)
from harkback import engine
from harkback.sources.sqlite.source import SqliteSource
chosen = engine.load("reference")
if os.geteuid() == 0:
    os.setuid(65534)  # the rights of the folder do not bind root
source = SqliteSource(sys.argv[1])
with source.view(chosen) as view:
    print(len(view.read("s").messages))
"""


@pytest.mark.parametrize("state", ["closed", "killed", "live"])
def test_a_read_only_folder(folder: Path, state: str) -> None:
    path = folder / "runtime.sqlite"
    writer = writers.live(path)
    writer.execute(insert("in the wal"))
    if state == "closed":
        writer.execute("PRAGMA wal_checkpoint(TRUNCATE)")
    if state != "live":
        writer.kill()
    try:
        for file in folder.iterdir():
            file.chmod(0o444)
        folder.chmod(0o555)
        within = Path(tempfile.gettempdir()).resolve()
        for parent in folder.parents:
            if within in parent.parents:
                parent.chmod(0o755)
        before = tree(folder)
        done = subprocess.run(
            [sys.executable, "-c", _AS_NOBODY, str(path), os.pathsep.join(sys.path)],
            capture_output=True,
            text=True,
            check=False,
        )
        assert done.stdout.strip() == "2", done.stderr
        assert tree(folder) == before
    finally:
        folder.chmod(0o755)
        writer.kill()


def test_a_host_in_the_same_process_keeps_its_locks(
    folder: Path, source_of: Make, chosen: Engine
) -> None:
    path = folder / "runtime.sqlite"
    host = sqlite3.connect(path, isolation_level=None)
    assert not writers.is_locked(path)
    host.execute("BEGIN IMMEDIATE")
    assert writers.is_locked(path)
    source = source_of(path)
    use_all(source, chosen)
    source.close()
    assert writers.is_locked(path)
    host.execute("ROLLBACK")
    host.close()


def test_a_host_in_the_same_process_goes_on_writing(
    folder: Path, source_of: Make, chosen: Engine
) -> None:
    path = folder / "runtime.sqlite"
    host = sqlite3.connect(path, isolation_level=None)
    host.execute("PRAGMA journal_mode=WAL").fetchone()
    host.execute(insert("before"))
    source = source_of(path)
    assert use_all(source, chosen) == ["in the file", "before"]
    host.execute(insert("after"))
    assert use_all(source, chosen) == ["in the file", "before", "after"]
    late = sqlite3.connect(path, isolation_level=None)
    late.execute(insert("late"))
    assert len(use_all(source, chosen)) == 4
    host.close()
    late.close()


def test_a_host_that_opens_after_a_search_can_write(
    folder: Path, source_of: Make, chosen: Engine
) -> None:
    path = folder / "runtime.sqlite"
    with writers.live(path) as writer:
        writer.execute(insert("before"))
        source = source_of(path)
        assert use_all(source, chosen) == ["in the file", "before"]
        host = sqlite3.connect(path, isolation_level=None)
        host.execute(insert("after"))
        assert use_all(source, chosen) == ["in the file", "before", "after"]
        host.close()


def test_a_host_that_opens_later_hands_in_its_connections(
    folder: Path, source_of: Make, chosen: Engine
) -> None:
    path = folder / "runtime.sqlite"
    with writers.live(path) as writer:
        writer.execute(insert("before"))
        source = source_of(path, connect=lambda: sqlite3.connect(path))
        assert use_all(source, chosen) == ["in the file", "before"]
        host = sqlite3.connect(path, isolation_level=None)
        host.execute(insert("after"))
        assert use_all(source, chosen) == ["in the file", "before", "after"]
        host.close()
