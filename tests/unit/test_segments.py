"""Segments in files: what stays in memory, what is read when, and which error a failure is."""

from __future__ import annotations

import os
import threading
from pathlib import Path

import pytest

from harkback.engine import Corpus, Engine
from harkback.errors import SegmentDamaged
from harkback.model import Entry
from support.entries import RULES, SECRET, entry


@pytest.fixture
def corpus(engine: Engine) -> Corpus:
    return engine.corpus(engine.redactor(RULES))


def message(at: int, text: str) -> Entry:
    return Entry(f"m{at}", f"t{at // 3}", at, 0, f"e{at}", [(text, False)])


#: Three blocks: words of the first, of the second and of the third are in no other.
MESSAGES = [
    *(message(at, f"alpha{at} " * 40) for at in range(256)),
    *(message(at, f"bravo{at} " * 40) for at in range(256, 512)),
    *(message(at, f"charlie{at} {SECRET}") for at in range(512, 600)),
]


@pytest.fixture
def pack(corpus: Corpus, tmp_path: Path) -> Path:
    """A file that holds one segment, and nothing else."""
    corpus.put("memory", MESSAGES)
    path = tmp_path / "pack"
    path.write_bytes(corpus.dump("memory"))
    return path


def test_an_attached_segment_answers_as_it_did_in_memory(corpus: Corpus, pack: Path) -> None:
    corpus.attach("k", pack, 0, pack.stat().st_size)
    for terms in (["alpha7 "], ["charlie599", "bravo300"], ["a"], ["absent"], []):
        assert corpus.search(terms, ["k"]) == corpus.search(terms, ["memory"])
    assert corpus.rows("k", 250, 530) == corpus.rows("memory", 250, 530)
    assert corpus.size("k") < corpus.size("memory") / 5


def test_a_segment_holds_surviving_text_only(pack: Path) -> None:
    data = pack.read_bytes()
    assert b"charlie599 " in data
    assert SECRET.encode() not in data
    assert b"redacted" not in data


def test_extending_takes_the_segment_into_memory(corpus: Corpus, pack: Path) -> None:
    corpus.attach("k", pack, 0, pack.stat().st_size)
    more = [message(600, "delta alpha7 ")]
    corpus.extend("k", more, ["m3", "m599"])
    corpus.put("whole", [m for m in MESSAGES if m.id not in ("m3", "m599")] + more)
    assert corpus.dump("k") == corpus.dump("whole")
    assert corpus.size("k") == corpus.size("whole")
    pack.write_bytes(b"")
    assert corpus.search(["delta"], ["k"]).row == [598]


def test_only_blocks_that_may_hold_a_term_are_read(corpus: Corpus, pack: Path) -> None:
    data = bytearray(pack.read_bytes())
    at = data.index(b"bravo300")
    data[at] ^= 1
    pack.write_bytes(data)
    corpus.attach("k", pack, 0, len(data))
    assert corpus.search(["alpha7 "], ["k"]).row == [7]
    assert corpus.search(["charlie599"], ["k"]).row == [599]
    assert [row.id for row in corpus.rows("k", 300, 302)] == ["m300", "m301"]
    for ask in (
        lambda: corpus.search(["bravo400"], ["memory", "k"]),
        lambda: corpus.search(["a"], ["k"]),
        lambda: corpus.dump("k"),
        lambda: corpus.extend("k", [], []),
    ):
        with pytest.raises(SegmentDamaged, match="a segment is damaged") as raised:
            ask()
        assert raised.value.key == "k"
    assert corpus.search(["alpha7 "], ["k"]).row == [7]


def test_a_damaged_table_is_damage_where_it_is_read(corpus: Corpus, pack: Path) -> None:
    data = bytearray(pack.read_bytes())
    data[-1] ^= 1
    pack.write_bytes(data)
    corpus.attach("k", pack, 0, len(data))
    assert corpus.search(["alpha7 ", "bravo300"], ["k"]).row == [7, 300]
    assert len(corpus.rows("k", 0, 512)) == 512
    for ask in (lambda: corpus.search(["charlie"], ["k"]), lambda: corpus.rows("k", 599, 600)):
        with pytest.raises(SegmentDamaged):
            ask()


def test_a_file_that_is_cut_short_is_damaged(corpus: Corpus, pack: Path) -> None:
    corpus.attach("k", pack, 0, pack.stat().st_size)
    os.truncate(pack, pack.stat().st_size // 2)
    assert corpus.search(["alpha7 "], ["k"]).row == [7]
    with pytest.raises(SegmentDamaged):
        corpus.search(["charlie599"], ["k"])


def test_what_is_no_segment_is_refused(corpus: Corpus, pack: Path) -> None:
    size = pack.stat().st_size
    corpus.put("k", [entry("kept")])
    for offset, length in (
        (0, size - 1),
        (0, size + 1),
        (1, size - 1),
        (0, 0),
        (2**63, 2**63),
        (0, 31),
    ):
        with pytest.raises(ValueError, match="not a whole segment"):
            corpus.attach("k", pack, offset, length)
    pack.write_bytes(b"")
    with pytest.raises(ValueError, match="not a whole segment"):
        corpus.attach("k", pack, 0, size)
    with pytest.raises(FileNotFoundError):
        corpus.attach("k", pack.with_name("none"), 0, 1)
    assert corpus.search(["kept"], ["k"]).row == [0]


def test_an_empty_segment_is_one(corpus: Corpus, tmp_path: Path) -> None:
    corpus.put("k", [])
    path = tmp_path / "pack"
    path.write_bytes(corpus.dump("k"))
    assert path.stat().st_size == 32
    corpus.attach("k", path, 0, 32)
    assert corpus.search(["a"], ["k"]).row == []
    assert corpus.rows("k", 0, 9) == []
    corpus.extend("k", [entry("a")], [])
    assert corpus.search(["a"], ["k"]).row == [0]


@pytest.mark.skipif(not Path("/proc/self/fd").exists(), reason="counts descriptors in /proc")
def test_one_descriptor_serves_a_pack_and_none_is_left(corpus: Corpus, tmp_path: Path) -> None:
    path = tmp_path / "pack"
    corpus.put("k", [entry("needle")])
    data = corpus.dump("k")
    path.write_bytes(data * 50)

    def descriptors() -> int:
        open_now = [file for file in Path("/proc/self/fd").iterdir() if file.is_symlink()]
        return sum(file.readlink() == path.resolve() for file in open_now)

    for at in range(50):
        corpus.attach(str(at), path, at * len(data), len(data))
    assert descriptors() == 1
    assert len(corpus.search(["needle"], [str(at) for at in range(50)]).row) == 50
    for at in range(50):
        corpus.drop(str(at))
    assert descriptors() == 0


def test_another_file_of_the_name_is_another_pack(corpus: Corpus, tmp_path: Path) -> None:
    path, other = tmp_path / "pack", tmp_path / "other"
    for key, file in (("old", path), ("new", other)):
        corpus.put(key, [entry(f"{key} text")])
        file.write_bytes(corpus.dump(key))
    length = path.stat().st_size
    corpus.attach("a", path, 0, length)
    other.replace(path)
    corpus.attach("b", path, 0, length)
    assert corpus.search(["old"], ["a", "b"]).key == [0]
    assert corpus.search(["new"], ["a", "b"]).key == [1]


def test_a_pack_may_grow_and_lose_its_name(corpus: Corpus, pack: Path) -> None:
    size = pack.stat().st_size
    corpus.attach("k", pack, 0, size)
    with pack.open("ab") as file:
        file.write(pack.read_bytes())
    corpus.attach("second", pack, size, size)
    pack.unlink()
    assert corpus.search(["charlie599"], ["k", "second"]).key == [0, 1]


def test_searches_of_several_threads_share_an_attached_segment(corpus: Corpus, pack: Path) -> None:
    corpus.attach("k", pack, 0, pack.stat().st_size)
    expected = [corpus.search([f"alpha{at} "], ["memory"]) for at in range(8)]
    answers: list[object] = [None] * 8

    def ask(at: int) -> None:
        for _ in range(5):
            answers[at] = corpus.search([f"alpha{at} "], ["k"])

    threads = [threading.Thread(target=ask, args=(at,)) for at in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert answers == expected
