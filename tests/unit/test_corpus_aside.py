"""Folding aside: what was raised surfaces, and a segment is there only once it is whole."""

from __future__ import annotations

import threading
from pathlib import Path

import pytest

from harkback import Recall
from harkback.aside import Aside
from harkback.verification import Path as SearchPath
from support.stores import StoreBuilder


def test_work_runs_one_after_another_and_leaving_waits() -> None:
    done: list[int] = []
    first = threading.Event()

    def work(number: int) -> None:
        assert first.wait(9)
        done.append(number)

    with Aside() as aside:
        aside.run(lambda: work(1))
        assert done == []
        first.set()
        aside.run(lambda: work(2))
        assert done[0] == 1
    assert done == [1, 2]


def test_what_is_raised_surfaces_once() -> None:
    def fail() -> None:
        raise ValueError("folding failed")

    aside = Aside()
    aside.run(fail)
    with pytest.raises(ValueError, match="folding failed"):
        aside.run(lambda: None)
    aside.wait()
    with pytest.raises(ValueError, match="folding failed"), Aside() as other:
        other.run(fail)


def test_a_put_that_fails_leaves_nothing_behind(
    builder: StoreBuilder, monkeypatch: pytest.MonkeyPatch
) -> None:
    for number in range(3):
        builder.session(f"s{number}")
        builder.text(f"s{number}", "alpha")
    with Recall(builder.path, engine="reference") as recall:
        recall._path = SearchPath.RESIDENT
        segments = recall._corpus._segments
        put = type(segments).put
        calls: list[str] = []

        def failing(self: object, key: str, entries: object) -> None:
            calls.append(key)
            if len(calls) == 2:
                raise MemoryError
            put(self, key, entries)  # type: ignore[arg-type]

        monkeypatch.setattr(type(segments), "put", failing)
        with pytest.raises(MemoryError):
            recall.search(["alpha"])
        assert len(recall._corpus._known) == len(recall._corpus._idle) == 1
        found = recall.search(["alpha"])
        assert len(found.passages) == 3
        assert recall._corpus.bytes == sum(s.bytes for s in recall._corpus._known.values())


@pytest.fixture
def builder(tmp_path: Path) -> StoreBuilder:
    return StoreBuilder(tmp_path / "runtime.sqlite")
