"""With a cache, without, half built, in another process, after changes, damaged: one answer.

The answers of a Recall that finds stored segments are those of one that reads the Source, row for
row and score for score; whatever became of the files in between.
"""

from __future__ import annotations

import tempfile
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import harkback.engine
from differential.test_paths import BASE, ENGINES, TERMS, askable, shown, sources
from differential.test_paths_moving import CHANGES, SESSIONS, WORDS, first_state
from differential.test_paths_moving import TERMS as MOVING
from harkback import Recall
from harkback.engine import Engine
from harkback.verification import Path as SearchPath
from support.hard_text import histories, terms_of
from support.histories import History, write
from support.stored import damage, recall, settle

PATHS = (SearchPath.AUTO, SearchPath.AUTO, SearchPath.NARROWED, SearchPath.RESIDENT)


def asked(found: Recall, terms: list[str]) -> list[tuple[object, ...]]:
    answers = []
    for path in PATHS:
        found._path = path
        answers.append(shown(found.search(terms, limit=25, explain=True)))
    return answers


def unread(found: Recall) -> None:
    """From now on its Sources refuse to read a Session as a whole, or to scan."""

    def refuse(*_: object) -> Any:
        raise AssertionError("a Session was read that is stored")

    for source in found._group.sources:
        opened = source.view

        def view(engine: Engine, opened: Callable[..., Any] = opened) -> Any:
            @contextmanager
            def changed() -> Iterator[Any]:
                with opened(engine) as inner:
                    inner.read = inner.scan = inner.record_count = refuse
                    yield inner

            return changed()

        source.view = view


@settings(max_examples=settings.default.max_examples // 8)
@given(st.data())
def test_any_history(data: st.DataObject) -> None:
    history = data.draw(histories())
    terms = askable(harkback.engine.load("native"), data.draw(terms_of(history)))
    if not terms:
        return
    with (
        tempfile.TemporaryDirectory() as name,
        closing(write(history, Path(name))) as written,
    ):
        for path in written.paths:
            settle(path)
        for engine_name in ENGINES:
            engine = harkback.engine.load(engine_name)
            cache = Path(name) / f"cache-{engine_name}"
            with recall(engine, None, *sources(written)) as plain:
                expected = asked(plain, terms)
            for _ in range(2):  # before it is built, and after
                with recall(engine, cache, *sources(written)) as stored:
                    assert asked(stored, terms) == expected
                    assert stored.persist().trouble is None
                    assert asked(stored, terms) == expected


@pytest.fixture
def known(tmp_path: Path) -> Path:
    store = tmp_path / "store"
    store.mkdir()
    with closing(write(History(BASE), store)):
        pass
    settle(store)
    return store


@pytest.mark.parametrize("terms", TERMS, ids=range(len(TERMS)))
def test_what_one_engine_stored_the_other_finds(
    terms: list[str], known: Path, tmp_path: Path
) -> None:
    paths = sorted(known.glob("*.sqlite"))
    for name, other in (ENGINES, ENGINES[::-1]):
        cache = tmp_path / name
        with recall(harkback.engine.load(name), cache, *paths) as first:
            expected = asked(first, terms)
            kept = first.persist()
            assert kept.stored == first.coverage().sessions - kept.left
        with recall(harkback.engine.load(other), cache, *paths) as second:
            unread(second)
            second._path = SearchPath.AUTO
            assert shown(second.search(terms, limit=25, explain=True)) == expected[0]


@pytest.mark.parametrize("seed", range(3))
def test_a_store_that_moves(seed: int, engine: Engine, tmp_path: Path) -> None:
    """One Recall that lives through it, one that is new each time, and one without a cache."""
    builder = first_state(tmp_path / "runtime.sqlite")
    cache = tmp_path / "cache"
    with closing(builder), recall(engine, cache, builder.path) as living:
        for number in range(9):
            change = CHANGES[(seed + number * (1 + seed)) % len(CHANGES)]
            change(builder, number + seed, WORDS[(number + seed) % len(WORDS)])
            if number % 3 == 2:
                settle(builder.path)
            with recall(engine, None, builder.path) as plain:
                expected = shown(plain.search(MOVING, limit=25, explain=True))
            assert shown(living.search(MOVING, limit=25, explain=True)) == expected
            with recall(engine, cache, builder.path) as other:
                assert shown(other.search(MOVING, limit=25, explain=True)) == expected
                if number % 2:
                    assert other.persist().trouble is None


def test_half_built(engine: Engine, tmp_path: Path) -> None:
    builder = first_state(tmp_path / "runtime.sqlite")
    cache = tmp_path / "cache"
    with closing(builder):
        settle(builder.path)
        with recall(engine, cache, builder.path) as first:
            assert first.persist().stored == len(SESSIONS)
        for session in ("new0", "new1"):
            builder.session(session)
            builder.text(session, "an apple more")
        with recall(engine, None, builder.path) as plain:
            expected = asked(plain, MOVING)
        with recall(engine, cache, builder.path) as second:
            assert second.coverage().current == len(SESSIONS)
            assert asked(second, MOVING) == expected
            assert second.persist().stored == 2


def test_every_bit_counts_and_none_is_trusted(engine: Engine, known: Path, tmp_path: Path) -> None:
    paths = sorted(known.glob("*.sqlite"))
    cache, copy = tmp_path / "cache", tmp_path / "copy"
    terms = ["模型", "end"]
    with recall(engine, cache, *paths) as first:
        expected = shown(first.search(terms, limit=25, explain=True))
        first.persist()
    each = 331 if engine.name == "native" else 1999
    for place in damage(cache, copy, each):
        with recall(engine, copy, *paths) as second:
            assert shown(second.search(terms, limit=25, explain=True)) == expected, place
            second.persist()
        with recall(engine, copy, *paths) as third:
            assert shown(third.search(terms, limit=25, explain=True)) == expected, place
