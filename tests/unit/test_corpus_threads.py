"""One corpus, many threads: a search sees whole segments, a writer loses no update."""

from __future__ import annotations

import sys
import threading
from collections.abc import Callable, Iterator

import pytest

from harkback.engine import Corpus, Engine
from harkback.model import Hits
from support.entries import RULES, entry


@pytest.fixture(autouse=True)
def switch_often() -> Iterator[None]:
    """At the usual 5 ms between switches the reference engine would hide its races."""
    usual = sys.getswitchinterval()
    sys.setswitchinterval(1e-6)
    yield
    sys.setswitchinterval(usual)


def run_together(*calls: Callable[[], None]) -> list[BaseException]:
    """Runs the calls at the same time; answers what they raised."""
    start = threading.Barrier(len(calls))
    raised: list[BaseException] = []

    def guarded(call: Callable[[], None]) -> None:
        start.wait()
        try:
            call()
        except BaseException as error:
            raised.append(error)

    threads = [threading.Thread(target=guarded, args=(call,)) for call in calls]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    return raised


def test_no_extension_is_lost(engine: Engine) -> None:
    corpus = engine.corpus(engine.redactor(RULES))
    # Many Messages that stay make the moment between reading and writing a long one.
    corpus.put("k", [entry(id="kept")] * 1000)

    def extend(name: str) -> Callable[[], None]:
        def call() -> None:
            for index in range(60):
                corpus.extend("k", [entry("x" * 400, id=f"{name}{index}")], [f"{name}{index - 9}"])

        return call

    assert run_together(*(extend(name) for name in "abcd")) == []
    assert {row.id for row in corpus.rows("k", 0, 1000)} == {"kept"}
    ids = [row.id for row in corpus.rows("k", 1000, 9999)]
    assert sorted(ids) == sorted(f"{name}{index}" for name in "abcd" for index in range(51, 60))
    for name in "abcd":
        assert [id for id in ids if id[0] == name] == [f"{name}{index}" for index in range(51, 60)]


def whole(hits: Hits) -> bool:
    """Every segment ever put under "k" holds as many Messages as each of them says "x"."""
    return all(count == len(hits.row) for count in hits.frequency[0])


def test_searches_see_whole_segments_while_others_write(engine: Engine) -> None:
    corpus: Corpus = engine.corpus(engine.redactor(RULES))
    corpus.put("kept", [entry("x y", id=f"m{index}") for index in range(50)])
    corpus.put("k", [entry("x")])
    seen: list[bool] = []
    missing = threading.Event()

    def write() -> None:
        for round in range(150):
            size = 1 + round % 7
            corpus.put("k", [entry("x" * size)] * size)
            if round % 3 == 0:
                corpus.drop("k")

    def read() -> None:
        for _ in range(150):
            assert corpus.search(["x"], ["kept"]).frequency == [[1] * 50]
            assert corpus.size("kept") > 0
            try:
                seen.append(whole(corpus.search(["x"], ["k"])))
                corpus.rows("k", 0, 9)
                corpus.extend("k", [], ["m of no one"])
            except KeyError:
                missing.set()

    assert run_together(write, write, read, read, read) == []
    assert all(seen)
    assert len(seen) > 0 or missing.is_set()
