"""Opening, failing by name, epochs, snapshots, threads and forks."""

from __future__ import annotations

import os
import sqlite3
import threading
import time
from collections.abc import Callable
from pathlib import Path

import pytest

from harkback.config import SETTLED_NS
from harkback.engine import Engine
from harkback.errors import SourceError, UsageError
from harkback.sources.sqlite import opening
from harkback.sources.sqlite.source import SqliteSource
from support import writers
from support.stores import BASE_MS, StoreBuilder, texts

Make = Callable[..., SqliteSource]


@pytest.fixture
def path(tmp_path: Path) -> Path:
    builder = StoreBuilder(tmp_path / "runtime.sqlite")
    builder.session("s")
    builder.text("s", "one")
    builder.close()
    return builder.path


def fails(source: SqliteSource, engine: Engine) -> str:
    with pytest.raises(SourceError) as caught, source.view(engine) as view:
        view.read("s")
    return caught.value.reason


def append(path: Path, text: str) -> None:
    builder = StoreBuilder(path, schema="")
    builder.text("s", text, id=text, ts=BASE_MS + 10**9)
    builder.close()


@pytest.mark.parametrize(
    "name", ["a b", "a?mode=rw#b" if os.name != "nt" else "a#b", "50%25", "模型é", "a&b=c;d+e"]
)
def test_any_name_of_a_folder(tmp_path: Path, source_of: Make, chosen: Engine, name: str) -> None:
    folder = tmp_path / name
    folder.mkdir()
    builder = StoreBuilder(folder / "runtime.sqlite")
    builder.session("s")
    builder.text("s", "one")
    builder.close()
    with source_of(builder.path).view(chosen) as view:
        assert texts(view.read("s").messages) == ["one"]


def test_a_path_that_starts_with_two_slashes(path: Path, source_of: Make, chosen: Engine) -> None:
    with source_of(Path(f"/{path}")).view(chosen) as view:
        assert texts(view.read("s").messages) == ["one"]


def test_no_database(tmp_path: Path, source_of: Make, chosen: Engine) -> None:
    assert fails(source_of(tmp_path / "none"), chosen) == "source_missing"


@pytest.mark.parametrize("content", [b"plain text, no database\n" * 200, b"SQLite format 3\x00x"])
def test_no_database_in_the_file(
    tmp_path: Path, source_of: Make, chosen: Engine, content: bytes
) -> None:
    (tmp_path / "file").write_bytes(content)
    assert fails(source_of(tmp_path / "file"), chosen) == "source_damaged"


def test_an_empty_file(tmp_path: Path, source_of: Make, chosen: Engine) -> None:
    (tmp_path / "file").write_bytes(b"")
    assert fails(source_of(tmp_path / "file"), chosen) == "source_not_a_store"


def test_a_truncated_file(path: Path, source_of: Make, chosen: Engine) -> None:
    path.write_bytes(path.read_bytes()[: 4096 * 2])
    assert fails(source_of(path), chosen) == "source_damaged"


def test_a_locked_store(path: Path, source_of: Make, chosen: Engine) -> None:
    with writers.rollback(path) as writer:
        writer.execute("BEGIN EXCLUSIVE")
        source = source_of(path, connect=lambda: sqlite3.connect(path, timeout=0.1))
        assert fails(source, chosen) == "source_locked"
        writer.execute("ROLLBACK")
        with source.view(chosen) as view:
            assert texts(view.read("s").messages) == ["one"]


def test_a_copy_has_a_limit(
    path: Path, source_of: Make, chosen: Engine, monkeypatch: pytest.MonkeyPatch
) -> None:
    with writers.live(path) as writer:
        writer.execute("UPDATE session_metadata SET name = 'x'")
    path.with_name("runtime.sqlite-shm").unlink()
    monkeypatch.setattr(opening, "COPY_LIMIT_BYTES", 4096)
    assert fails(source_of(path), chosen) == "source_too_large"


def test_a_closed_source(path: Path, source_of: Make, chosen: Engine) -> None:
    source = source_of(path)
    with source.view(chosen):
        pass
    source.close()
    with pytest.raises(UsageError), source.view(chosen):
        pass


def test_a_path_with_signs_that_uris_know(path: Path, source_of: Make, chosen: Engine) -> None:
    odd = path.with_name("a?b#c%20 中.sqlite")
    path.rename(odd)
    with source_of(odd).view(chosen) as view:
        assert texts(view.read("s").messages) == ["one"]


def test_the_epoch_of_files(path: Path, source_of: Make, chosen: Engine) -> None:
    source = source_of(path)

    def epoch() -> object:
        with source.view(chosen) as view:
            view.read("s")
            return view.epoch

    assert epoch() != epoch()  # written a moment ago: it may be written again unseen
    time.sleep(SETTLED_NS / 1e9 * 1.5)
    settled = epoch()
    assert epoch() == settled
    append(path, "two")
    assert epoch() != settled


def test_the_epoch_of_a_live_store(path: Path, source_of: Make, chosen: Engine) -> None:
    source = source_of(path)
    with writers.live(path) as writer:

        def look(title: str) -> tuple[object, object]:
            with source.view(chosen) as view:
                catalog = view.sessions()
                assert [s.title for s in catalog.sessions] == [title]
                return view.epoch, catalog

        writer.execute("UPDATE session_metadata SET name = 'first'")
        assert look("first") != look("first")  # written a moment ago
        time.sleep(SETTLED_NS / 1e9 * 1.5)
        settled, catalog = look("first")
        assert look("first") == (settled, catalog)
        assert look("first")[1] is catalog
        writer.execute("UPDATE session_metadata SET name = 'second'")
        assert look("second")[0] != settled


def test_an_unchanged_epoch_keeps_catalog_and_connection(
    path: Path, source_of: Make, chosen: Engine
) -> None:
    source = source_of(path)
    time.sleep(SETTLED_NS / 1e9 * 1.5)
    with source.view(chosen) as view:
        first = view.sessions()
        kept = view._kept
    with source.view(chosen) as view:
        assert view.sessions() is first
        assert view._kept is kept


def test_a_view_is_a_snapshot_while_a_writer_appends(
    path: Path, source_of: Make, chosen: Engine
) -> None:
    with writers.live(path) as writer:
        writer.execute("UPDATE session_metadata SET name = 'x'")
        source = source_of(path)
        with source.view(chosen) as view:
            before = view.read("s")
            writer.execute("DELETE FROM runtime_events")
            writer.execute("PRAGMA wal_checkpoint(PASSIVE)")
            assert view.read("s") == before
            assert view.record_count("s") == 1
        with source.view(chosen) as view:
            assert texts(view.read("s").messages) == ["x"]


def test_a_file_that_moves_before_the_first_answer_is_opened_again(
    path: Path, source_of: Make, chosen: Engine, monkeypatch: pytest.MonkeyPatch
) -> None:
    source = source_of(path)
    real, moves = opening.connect, [1]

    def moving(*arguments: object) -> object:
        opened = real(*arguments)  # type: ignore[arg-type]
        if moves:
            moves.pop()
            append(path, "two")
        return opened

    monkeypatch.setattr(opening, "connect", moving)
    with source.view(chosen) as view:
        assert texts(view.read("s").messages) == ["one", "two"]


def test_a_view_answers_with_what_is_known_of_its_state(
    path: Path, source_of: Make, chosen: Engine
) -> None:
    """Its catalog and fingerprints may be from a View before it; no other state mixes with them."""
    source = source_of(path)
    time.sleep(SETTLED_NS / 1e9 * 1.5)
    with source.view(chosen) as view:
        fingerprint = view.read("s").fingerprint
    with source.view(chosen) as view:
        assert view.unchanged("s", fingerprint)
        append(path, "two")
        with pytest.raises(SourceError) as caught:
            view.read("s")
    assert caught.value.reason == "source_unsettled"


def test_a_file_that_moves_under_a_view_that_has_answered(
    path: Path, source_of: Make, chosen: Engine
) -> None:
    source = source_of(path)
    with source.view(chosen) as view:
        view.read("s")
        append(path, "two")
        for ask in (view.read, view.record_count, view.read):  # whoever goes on asking
            with pytest.raises(SourceError) as caught:
                ask("s")
            assert caught.value.reason == "source_unsettled"
    with source.view(chosen) as view:
        assert texts(view.read("s").messages) == ["one", "two"]


def test_a_file_that_never_stands_still(
    path: Path, source_of: Make, chosen: Engine, monkeypatch: pytest.MonkeyPatch
) -> None:
    source = source_of(path)
    real, count = opening.connect, [0]

    def moving(*arguments: object) -> object:
        opened = real(*arguments)  # type: ignore[arg-type]
        count[0] += 1
        append(path, f"more {count[0]}")
        return opened

    monkeypatch.setattr(opening, "connect", moving)
    assert fails(source, chosen) == "source_unsettled"
    assert count[0] == opening.ATTEMPTS + 1


def test_from_file_to_wal_to_file(path: Path, source_of: Make, chosen: Engine) -> None:
    source = source_of(path)

    def seen() -> tuple[str, list[str]]:
        with source.view(chosen) as view:
            return view._kept.mode, texts(view.read("s").messages)

    assert seen() == ("immutable", ["one"])
    writer = sqlite3.connect(path, isolation_level=None)
    writer.execute("PRAGMA journal_mode=WAL").fetchone()
    writer.close()
    append(path, "two")
    assert seen() == ("immutable", ["one", "two"])
    with writers.live(path) as other:
        other.execute("UPDATE runtime_events SET turn_id = 'turn-2'")
        assert seen() == ("shared", ["one", "two"])
        other.execute("PRAGMA wal_checkpoint(TRUNCATE)")
        assert seen() == ("immutable", ["one", "two"])


def test_each_thread_has_its_own_connection(path: Path, source_of: Make, chosen: Engine) -> None:
    source = source_of(path)
    seen: list[object] = []

    def run() -> None:
        for _ in range(20):
            with source.view(chosen) as view:
                assert texts(view.read("s").messages) == ["one"]
                view.scan(["x"], ["s"])
        seen.append(view._kept)

    threads = [threading.Thread(target=run) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(set(map(id, seen))) == 4


@pytest.mark.skipif(not hasattr(os, "fork"), reason="no fork here")
def test_a_child_opens_for_itself_and_the_parent_goes_on(
    path: Path, source_of: Make, chosen: Engine
) -> None:
    source = source_of(path)
    with writers.live(path) as writer:
        writer.execute("UPDATE session_metadata SET name = 'x'")
        with source.view(chosen) as view:
            before = view._kept
            child = os.fork()
            if child == 0:
                code = 1
                try:
                    with source.view(chosen) as own:
                        fresh = own._kept is not before and before.pid != os.getpid()
                        code = 0 if fresh and texts(own.read("s").messages) == ["one", "x"] else 2
                finally:
                    os._exit(code)
            assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 0
            assert texts(view.read("s").messages) == ["one", "x"]


def test_a_link_leads_to_the_side_files_too(path: Path, source_of: Make, chosen: Engine) -> None:
    link = path.parent / "elsewhere" / "link.sqlite"
    link.parent.mkdir()
    link.symlink_to(path)
    with writers.live(path) as writer:
        writer.execute("UPDATE session_metadata SET name = 'only in the WAL'")
        source = source_of(link)
        assert source.name == source_of(path).name
        with source.view(chosen) as view:
            assert [s.title for s in view.sessions().sessions] == ["only in the WAL"]


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="the system has no FIFOs")
def test_what_is_no_file_is_not_opened(tmp_path: Path, source_of: Make, chosen: Engine) -> None:
    os.mkfifo(tmp_path / "fifo")
    assert fails(source_of(tmp_path / "fifo"), chosen) == "source_not_a_store"
