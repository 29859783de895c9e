"""Everything at once: a history that moves, a cache that others write to, and every way to ask.

After each step of a random history, Recalls that lived through all of it and Recalls that were just
made, on both engines over one cache, give the answer of a full scan without cache or memory, row
for row: whatever was stored, by whom, how far, and what became of the files.
"""

from __future__ import annotations

import itertools
import os
import shutil
import tempfile
from collections.abc import Callable, Sequence
from contextlib import ExitStack, closing
from functools import partial
from pathlib import Path
from typing import Any

from hypothesis import given, settings
from hypothesis import strategies as st

import harkback.engine
from differential.test_paths import ENGINES, shown
from differential.test_paths_moving import (
    CHANGES,
    PARTS,
    TERMS,
    WORDS,
    first_state,
    grow,
    remove_file,
    replace,
    shrink,
    tear_off,
    write,
)
from harkback import Recall
from harkback.sources.registry import open_source
from harkback.verification import Path as SearchPath
from support.opencode import OpenCodeBuilder
from support.stored import flip, packs, recall, settle
from support.stores import StoreBuilder

FEW = settings(max_examples=max(1, settings.default.max_examples // 25))
#: What is asked, and how.
WAYS: tuple[dict[str, Any], ...] = (
    {},
    {"order": "newest", "limit": 3},
    {"include_archived": True, "include_abandoned": True},
    {"kinds": ["user", "summary", "title"], "limit": None},
    {"since": 1, "until": 1_767_225_700_000},
    {"active": ("led0", "turn"), "projects": ["/home/dev/*"]},
)
PATHS = (SearchPath.AUTO, SearchPath.NARROWED, SearchPath.RESIDENT, SearchPath.FULL)


def vacuum(builder: StoreBuilder, number: int, word: str) -> None:
    """Rows get other rowids, and pages other places."""
    builder.db.execute("VACUUM")


def checkpoint(builder: StoreBuilder, number: int, word: str) -> None:
    builder.db.execute(f"PRAGMA wal_checkpoint({('PASSIVE', 'TRUNCATE')[number % 2]})")


def reorder(builder: StoreBuilder, number: int, word: str) -> None:
    """The last event was committed before all others."""
    builder.db.execute(
        "UPDATE runtime_events SET committed_at = committed_at - 1000000"
        " WHERE rowid = (SELECT MAX(rowid) FROM runtime_events)"
    )


def again(builder: StoreBuilder, number: int, word: str) -> None:
    """The last row goes and comes back as another, under the same rowid and at the same time."""
    for table, column in (("runtime_events", "payload_json"), ("session_messages", "record_json")):
        builder.db.execute(
            f"UPDATE {table} SET {column} = replace({column}, 'an ', '{word} ')"
            f" WHERE rowid = (SELECT MAX(rowid) FROM {table})"
        )


MORE: tuple[Callable[[StoreBuilder, int, str], None], ...] = (
    *CHANGES, vacuum, checkpoint, reorder, again,
)  # fmt: skip


def to_the_past(place: Path) -> None:
    """The clock was set back: files are older than they were."""
    for file in [place, *place.rglob("*")] if place.is_dir() else [place]:
        if file.is_file():
            os.utime(file, (1_600_000_000, 1_600_000_000))


def copied(place: Path) -> None:
    """Files of the same bytes and times, under the same names."""
    for file in [*place.rglob("*")] if place.is_dir() else []:
        if file.is_file():
            shutil.copy2(file, file.with_suffix(".copy"))
            file.with_suffix(".copy").replace(file)


TIMES: tuple[Callable[[Path], None], ...] = (lambda _: None, settle, to_the_past)


def hurt(cache: Path, number: int) -> None:
    for file in packs(cache)[:1]:
        if file.stat().st_size:
            flip(file, number * 7919 % file.stat().st_size, number % 8)


def cut(cache: Path, number: int) -> None:
    for file in packs(cache)[-1:]:
        os.truncate(file, file.stat().st_size // 2)


HARMS: tuple[Callable[[Path, int], None], ...] = (
    *[lambda cache, _: None] * 3,
    hurt,
    cut,
    lambda cache, _: shutil.rmtree(cache, ignore_errors=True),
)

Draw = tuple[int, int, int, int]
NUMBERS: st.SearchStrategy[Draw] = st.tuples(*[st.integers(0, 11)] * 4)


class Together:
    """Recalls that live through a history, beside such as are made anew."""

    def __init__(self, place: Path, cache: Path, opened: ExitStack) -> None:
        self.place = place
        self.cache = cache
        self.sources = partial(open_source, place)
        self.living = [
            opened.enter_context(self._recall(name, cache, memory_bytes=memory))
            for name, memory in (("native", 1 << 30), ("native", 1500), ("reference", 1 << 30))
        ]

    def _recall(self, name: Any, cache: Path | None, **options: Any) -> Recall:
        return recall(harkback.engine.load(name), cache, self.sources(), **options)

    def answers(self, way: dict[str, Any]) -> None:
        def ask(found: Recall, path: SearchPath) -> tuple[object, ...]:
            found._path = path
            return shown(found.search(TERMS, **{"limit": 25, "explain": True, **way}))

        with self._recall("reference", None, memory_bytes=0) as plain:
            expected = ask(plain, SearchPath.FULL)
        with ExitStack() as opened:
            fresh = [opened.enter_context(self._recall(name, self.cache)) for name in ENGINES]
            for found, path in itertools.product((*self.living, *fresh), PATHS):
                assert ask(found, path) == expected, (path, way)

    def step(self, draw: Draw) -> None:
        harm, way, who, seconds = draw
        HARMS[harm % len(HARMS)](self.cache, way)
        self.answers(WAYS[way % len(WAYS)])
        if who < 9:
            found = self.living[who % 3]
            assert found.persist((None, 0.0, 0.25)[seconds % 3]).trouble is None


def histories(
    changes: Sequence[Any], places: int, times: Sequence[Any] = TIMES
) -> st.SearchStrategy[list[tuple[Any, int, str, Any, Draw]]]:
    """Up to 6 steps: a change, at which of the places 0 to ``places``, a word, what becomes of the
    times of the files, and who asks how.
    """
    step = st.tuples(
        st.sampled_from(changes),
        st.integers(0, places),
        st.sampled_from(WORDS),
        st.sampled_from(times),
        NUMBERS,
    )
    return st.lists(step, min_size=1, max_size=6)


@FEW
@given(
    st.sampled_from(("wal", "delete")),
    histories(MORE, 11),
)
def test_of_a_host(journal: str, steps: list[tuple[Any, int, str, Any, Draw]]) -> None:
    with (
        tempfile.TemporaryDirectory() as folder,
        closing(first_state(Path(folder, "runtime.sqlite"))) as builder,
        ExitStack() as opened,
    ):
        builder.db.execute(f"PRAGMA journal_mode={journal}")
        together = Together(builder.path, Path(folder, "cache"), opened)
        together.step((0, 0, 0, 0))
        for change, number, word, times, draw in steps:
            change(builder, number, word)
            times(builder.path)
            together.step(draw)


@FEW
@given(histories(PARTS, 5))
def test_of_opencode(steps: list[tuple[str, int, str, Any, Draw]]) -> None:
    with (
        tempfile.TemporaryDirectory() as folder,
        closing(OpenCodeBuilder(Path(folder))) as built,
        ExitStack() as opened,
    ):
        for number, word in enumerate(WORDS):
            built.session(f"s{number}")
            built.say(f"s{number}", f"an {word}")
        together = Together(built.path, Path(folder, "cache"), opened)
        together.step((0, 0, 0, 0))
        for statement, number, word, times, draw in steps:
            filled = statement.replace("{}", word).replace("{row}", str(number + 1))
            built.db.execute(filled, [built.tick()] * statement.count("?"))
            times(built.path)
            together.step(draw)


@FEW
@given(histories((grow, shrink, write, replace, remove_file, tear_off), 3, (*TIMES, copied)))
def test_of_transcripts(steps: list[tuple[Any, int, str, Any, Draw]]) -> None:
    with tempfile.TemporaryDirectory() as folder, ExitStack() as opened:
        root = Path(folder, "home")
        project = root / "projects" / "-home-ada"
        project.mkdir(parents=True)
        files = [project / f"5f0c2c1e-0000-4000-8000-00000000000{n}.jsonl" for n in range(4)]
        for file, word in zip(files, WORDS, strict=False):
            write(file, word)
        together = Together(root, Path(folder, "cache"), opened)
        together.step((0, 0, 0, 0))
        for change, number, word, times, draw in steps:
            if not files[number].exists():
                write(files[number], word)
            change(files[number], word)
            times(root)
            together.step(draw)
