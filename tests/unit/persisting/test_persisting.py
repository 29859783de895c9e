"""Persisting: which Sessions are stored, in which order, and which are taken out again."""

from __future__ import annotations

import os
import threading
import time
from pathlib import Path
from typing import Any

import pytest

from harkback import SourceError, entries
from harkback.cache import Place, SegmentCache, digest
from harkback.cache.writing import Writing
from harkback.candidates import Candidate
from harkback.corpus import Corpus, Segment
from harkback.engine import Engine
from harkback.sources.sqlite.view import SqliteView
from support import homes
from support.stored import packs, recall, settle
from support.stores import StoreBuilder

SECRET = "gh" + "p_" + "Q7" * 18


def test_without_a_cache_nothing_is_done(builder: StoreBuilder, engine: Engine) -> None:
    with recall(engine, None, builder.path) as plain:
        assert (plain.persist().stored, plain.coverage().sessions) == (0, 0)


def test_a_library_writes_nothing_by_itself(
    builder: StoreBuilder, cache: Path, engine: Engine, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("HARKBACK_CACHE", str(cache))
    for found in (recall(engine, None, builder.path), recall(engine, cache, builder.path)):
        with found:
            found.search(["apple"])
    assert not cache.exists()


def test_everything_or_as_much_as_time_allows(
    builder: StoreBuilder, cache: Path, engine: Engine
) -> None:
    told: list[tuple[int, int]] = []
    with recall(engine, cache, builder.path) as found:
        kept = found.persist(0.0)
        assert (kept.stored, kept.left, kept.more) == (0, 3, False)
        kept = found.persist(progress=lambda done, total: told.append((done, total)))
        assert (kept.stored, kept.left, kept.trouble) == (3, 0, None)
        assert told == [(1, 3), (2, 3), (3, 3)]
        assert found.persist().stored == 0
        coverage = found.coverage()
        assert (coverage.sessions, coverage.current, coverage.stale) == (3, 3, 0)


def test_what_is_all_stored_is_not_looked_at_again(
    builder: StoreBuilder, cache: Path, engine: Engine, monkeypatch: pytest.MonkeyPatch
) -> None:
    with recall(engine, cache, builder.path) as found:
        found.search(["apple"])
        assert found.persist(9.0).stored == 3
        found.search(["apple"])
        with monkeypatch.context() as patched:
            patched.setattr(found._group.sources[0], "view", lambda _: pytest.fail("it was opened"))
            assert found.persist(9.0).stored == 0
        builder.text("old", "one pear more")
        settle(builder.path)
        found.search(["apple"])
        assert found.persist(9.0).stored == 1


def test_what_a_search_read_comes_first(
    builder: StoreBuilder, cache: Path, engine: Engine, monkeypatch: pytest.MonkeyPatch
) -> None:
    names = {digest(name): name for name in ("old", "middle", "new")}
    order: list[str] = []
    add = Writing.add

    def watched(writing: Writing, place: Place, block: bytes) -> None:
        order.append(names[place.session])
        add(writing, place, block)

    monkeypatch.setattr(Writing, "add", watched)
    with recall(engine, cache, builder.path) as found:
        found.search(["middle"])
        found.persist()
    assert order == ["middle", "new", "old"]


def test_a_session_that_changed_is_stored_again_and_others_are_confirmed(
    builder: StoreBuilder, cache: Path, engine: Engine, monkeypatch: pytest.MonkeyPatch
) -> None:
    with recall(engine, cache, builder.path) as found:
        found.persist()
    builder.text("old", "one pear more")
    settle(builder.path)
    with recall(engine, cache, builder.path) as found:
        assert (found.coverage().current, found.coverage().stale) == (2, 1)
        assert (kept := found.persist()).stored == 1
        assert kept.left == 0
    with recall(engine, cache, builder.path) as found:
        monkeypatch.setattr(SqliteView, "read", lambda *_: pytest.fail("it is stored"))
        monkeypatch.setattr(SqliteView, "fingerprint", lambda *_: pytest.fail("it is known"))
        monkeypatch.setattr(SqliteView, "record_count", lambda *_: pytest.fail("it is known"))
        monkeypatch.setattr(SqliteView, "scan", lambda *_: pytest.fail("it is stored"))
        assert len(found.search(["apple", "pear"]).passages) == 3
        assert found.persist().stored == 0


def test_a_source_that_is_being_written_is_stored_but_for_what_is_under_way(
    cache: Path, engine: Engine, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    home = homes.settle(tmp_path / "home", monkeypatch)
    earlier = homes.claude(home, homes.FIRST, "an apple")
    homes.claude(home, homes.SECOND, "a pear")
    old = time.time() - 60
    os.utime(earlier, (old, old))
    with recall(engine, cache, home / ".claude") as found:
        kept = found.persist()
        assert (kept.stored, kept.left) == (1, 1)
    with recall(engine, cache, home / ".claude") as found:
        assert len(found.search(["apple", "pear"]).passages) == 2


def test_a_session_that_moves_while_it_is_read_waits_for_another_time(
    builder: StoreBuilder, cache: Path, engine: Engine, monkeypatch: pytest.MonkeyPatch
) -> None:
    read = SqliteView.read

    def moving(view: SqliteView, session: str) -> object:
        if session == "middle":
            raise SourceError("source_unsettled", "It moved.")
        return read(view, session)

    monkeypatch.setattr(SqliteView, "read", moving)
    with recall(engine, cache, builder.path) as found:
        kept = found.persist()
        assert (kept.stored, kept.left, kept.trouble) == (2, 1, None)


@pytest.mark.parametrize("harm", ["rot", "cut", "gone"])
def test_a_pack_that_is_harmed_once_it_is_attached(
    harm: str,
    builder: StoreBuilder,
    cache: Path,
    engine: Engine,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    with recall(engine, cache, builder.path) as found:
        expected = found.search(["apple"]).to_json()
        found.persist()
    attach = Corpus._attach

    def then_harmed(corpus: Corpus, candidate: Candidate) -> Segment | None:
        segment = attach(corpus, candidate)
        for pack in packs(cache) if len(corpus.held._known) == 3 else ():
            if harm == "gone":
                pack.unlink()
            else:
                pack.write_bytes(bytes(pack.stat().st_size) if harm == "rot" else b"")
        return segment

    monkeypatch.setattr(Corpus, "_attach", then_harmed)
    with recall(engine, cache, builder.path) as found:
        assert found.search(["apple"]).to_json() == expected
        monkeypatch.undo()
        assert found.search(["apple"]).to_json() == expected
        assert found.persist().trouble is None
        assert found.coverage().current == 3
    with recall(engine, cache, builder.path) as found:
        assert found.search(["apple"]).to_json() == expected
    assert SegmentCache(cache).counts()["segments"] == 3


def test_another_process_that_is_storing_is_not_waited_for(
    builder: StoreBuilder, cache: Path, engine: Engine
) -> None:
    with recall(engine, cache, builder.path) as found:
        found.persist()
        builder.text("old", "one pear more")
        settle(builder.path)
        with SegmentCache(cache).shelf("other").folder.locked():
            began = time.monotonic()
            kept = found.persist()
            assert kept.trouble is not None
            assert kept.trouble.reason == "cache_busy"
            assert kept.left == 3
            assert len(found.search(["pear"]).passages) == 1
            assert time.monotonic() - began < 5


@pytest.mark.skipif(not hasattr(os, "fork"), reason="needs fork")
def test_a_child_goes_on_with_the_cache(builder: StoreBuilder, cache: Path, engine: Engine) -> None:
    with recall(engine, cache, builder.path) as found:
        found.persist()
        expected = found.search(["apple"]).to_json()
        child = os.fork()
        if not child:
            same = found.search(["apple"]).to_json() == expected
            os._exit(0 if same and found.coverage().current == 3 else 1)
        assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 0
        assert found.search(["apple"]).to_json() == expected


@pytest.mark.skipif(not hasattr(os, "fork"), reason="needs fork")
def test_one_process_builds_and_clears_while_another_searches(
    builder: StoreBuilder, cache: Path, engine: Engine
) -> None:
    with recall(engine, None, builder.path) as plain:
        expected = plain.search(["apple"]).to_json()
    child = os.fork()
    if not child:
        try:
            for round in range(40):
                with recall(engine, cache, builder.path) as building:
                    building.persist()
                if round % 3 == 2:
                    SegmentCache(cache).clear()
            os._exit(0)
        finally:
            os._exit(1)
    searches = 0
    ended = (0, 0)
    while ended[0] == 0:
        with recall(engine, cache, builder.path) as found:
            assert found.search(["apple"]).to_json() == expected
            assert found.search(["apple"]).to_json() == expected
        searches += 1
        ended = os.waitpid(child, os.WNOHANG)
    assert searches > 1
    assert os.waitstatus_to_exitcode(ended[1]) == 0


def test_it_is_given_up_between_sessions_and_within_one(
    builder: StoreBuilder, cache: Path, engine: Engine, monkeypatch: pytest.MonkeyPatch
) -> None:
    cancel = threading.Event()
    with recall(engine, cache, builder.path) as found:
        kept = found.persist(progress=lambda *_: cancel.set(), cancel=cancel)
        assert (kept.stored, kept.left, kept.more) == (1, 2, True)
        kept = found.persist(cancel=cancel)
        assert (kept.stored, kept.left, kept.more) == (0, 2, False)
        cancel.clear()
        made = entries.made

        def interrupted(*arguments: Any) -> Any:
            cancel.set()
            return made(*arguments)

        with monkeypatch.context() as patched:
            patched.setattr(entries, "made", interrupted)
            kept = found.persist(cancel=cancel)
        assert (kept.stored, kept.left, kept.more) == (0, 2, False)
        cancel.clear()
        kept = found.persist(cancel=cancel)
        assert (kept.stored, kept.left, kept.more) == (2, 0, False)
