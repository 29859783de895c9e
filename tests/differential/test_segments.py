"""Segments as bytes: both engines write the same ones, and read them alike, damaged ones too."""

from __future__ import annotations

import struct
import zlib
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import harkback.engine
from harkback.engine import Corpus, Engine
from harkback.errors import SegmentDamaged
from harkback.model import Entry
from support.entries import RULES, SECRET, entries, entry, terms

NATIVE, REFERENCE = harkback.engine.load("native"), harkback.engine.load("reference")
ENGINES = (NATIVE, REFERENCE)
REFUSED = "not a whole segment of this format"
IDS = (
    "0f8fad5b-d9cb-469f-a165-70867728950e",
    "0F8FAD5B-D9CB-469F-A165-70867728950E",
    "0f8fad5bd9cb469fa16570867728950e",
    "toolu_01",
)


def corpus_of(engine: Engine, messages: list[Entry]) -> Corpus:
    corpus = engine.corpus(engine.redactor(RULES))
    corpus.put("k", messages)
    return corpus


def attached(engine: Engine, path: Path, offset: int, length: int) -> Corpus:
    corpus = engine.corpus(engine.redactor(RULES))
    corpus.attach("k", path, offset, length)
    return corpus


def large() -> list[Entry]:
    """Several blocks: of many short Messages, of one long one, of none that has text."""
    short = [
        Entry(
            IDS[at % 4], f"t{at // 7}", at * 1000, at % 5, f"e{at * 3}",
            [(f"word{at} {SECRET} 你好 {'lorem ipsum ' * (at % 60)}", False), ("key", at % 9 == 0)],
        )
        for at in range(900)
    ]  # fmt: skip
    bare = [entry(id=str(at)) for at in range(300)]
    return [*short, entry("long " * 40_000, "tail"), *bare, *short[:5]]


@settings(max_examples=150)
@given(entries(), st.lists(st.sampled_from(IDS), min_size=8, max_size=8), terms())
def test_dumped_alike_and_attached_the_same(
    tmp_path: Path, drawn: list[Entry], ids: list[str], raw: list[str]
) -> None:
    messages = [
        message._replace(id=other, turn=message.turn and other)
        for message, other in zip(drawn, ids, strict=False)
    ] + drawn
    held = [corpus_of(engine, messages) for engine in ENGINES]
    data = held[0].dump("k")
    assert data == held[1].dump("k")
    path = tmp_path / "pack"
    path.write_bytes(b"before" + data + b"after")
    folded = [NATIVE.fold(term) for term in raw]
    for engine, from_memory in zip(ENGINES, held, strict=True):
        corpus = attached(engine, path, len("before"), len(data))
        assert corpus.search(folded, ["k"]) == from_memory.search(folded, ["k"])
        assert corpus.rows("k", 0, 99) == from_memory.rows("k", 0, 99)
        assert corpus.rows("k", 1, 3) == from_memory.rows("k", 1, 3)
        assert corpus.dump("k") == data
        corpus.extend("k", messages[:1], [IDS[0]])
        from_memory.extend("k", messages[:1], [IDS[0]])
        assert corpus.dump("k") == from_memory.dump("k")
        assert corpus.rows("k", 0, 99) == from_memory.rows("k", 0, 99)


def test_many_blocks_alike(tmp_path: Path) -> None:
    held = [corpus_of(engine, large()) for engine in ENGINES]
    data = held[0].dump("k")
    assert data == held[1].dump("k")
    path = tmp_path / "pack"
    path.write_bytes(data)
    for term in ("word17", "你好", "long", "tail", "e", "absent", "ipsum lorem"):
        expected = held[1].search([term], ["k"])
        assert held[0].search([term], ["k"]) == expected
        for engine in ENGINES:
            assert attached(engine, path, 0, len(data)).search([term], ["k"]) == expected
    for engine in ENGINES:
        corpus = attached(engine, path, 0, len(data))
        for start, stop in ((0, 2000), (255, 257), (899, 903), (1200, 1206), (5, 5), (9999, 10000)):
            assert corpus.rows("k", start, stop) == held[1].rows("k", start, stop)


#: Blocks of few Messages of many sizes, so that drawn changes fall on borders and move them.
WIDE = [
    Entry(
        f"m{at}",
        f"t{at // 5}",
        at,
        0,
        "",
        [(f"m{at} " + "lorem " * (at * 3001 % 8009), False)],
    )
    for at in range(40)
]
STEP = st.tuples(st.sets(st.integers(0, 39), max_size=3), st.integers(0, 3))


@settings(max_examples=40)
@given(st.integers(0, 40), st.lists(STEP, max_size=3), st.booleans())
def test_a_session_that_grew_is_the_one_read_at_once(
    tmp_path: Path, first: int, steps: list[tuple[set[int], int]], in_file: bool
) -> None:
    messages = WIDE[:first]
    corpus = corpus_of(NATIVE, messages)
    for at, (gone, more) in enumerate(steps):
        if in_file:
            data = corpus.dump("k")
            (tmp_path / str(at)).write_bytes(data)
            corpus.attach("k", tmp_path / str(at), 0, len(data))
        retracted = [f"m{index}" for index in gone]
        added = [m._replace(id=f"{m.id}+{at}", turn=f"t{at}") for m in WIDE[:more]]
        corpus.extend("k", added, retracted)
        messages = [m for m in messages if m.id not in retracted] + added
    assert corpus.dump("k") == corpus_of(NATIVE, messages).dump("k")


@pytest.mark.parametrize("at", range(40))
def test_a_session_that_lost_a_message_is_the_one_without_it(at: int) -> None:
    """The block in front may take what followed it."""
    corpus = corpus_of(NATIVE, WIDE)
    corpus.extend("k", [], [f"m{at}"])
    assert corpus.dump("k") == corpus_of(NATIVE, WIDE[:at] + WIDE[at + 1 :]).dump("k")


def test_many_blocks_grow_alike() -> None:
    messages = large()
    held = [corpus_of(engine, messages[:1000]) for engine in ENGINES]
    for corpus in held:
        corpus.extend("k", messages[1000:], [])
        corpus.extend("k", messages[:3], [IDS[1]])
    whole = [m for m in messages if m.id != IDS[1]] + messages[:3]
    assert held[0].dump("k") == held[1].dump("k") == corpus_of(NATIVE, whole).dump("k")


def outcome(engine: Engine, path: Path, length: int) -> object:
    """What a search, a read and a dump of bytes that may be anything come to."""
    try:
        corpus = attached(engine, path, 0, length)
    except ValueError as error:
        return str(error)
    answers: list[object] = []
    for ask in (
        lambda: corpus.search(["a", "ipsum", "tail"], ["k"]),
        lambda: corpus.rows("k", 0, 9999),
        lambda: corpus.dump("k"),
    ):
        try:
            answers.append(ask())
        except SegmentDamaged as error:
            answers.append(f"{error.key} is damaged")
    return answers


SMALL = [
    entry("ipsum a", "tail", id=IDS[0], turn="t"),
    Entry("é", IDS[0], -7, 19, "e1", [(f"a {SECRET} b", False), ("whole", True)]),
    entry(id="m", turn="t"),
]


@settings(max_examples=300)
@given(st.data())
def test_damaged_bytes_are_refused_alike(tmp_path: Path, data: st.DataObject) -> None:
    whole = corpus_of(NATIVE, SMALL).dump("k")
    damaged = bytearray(whole)
    for _ in range(data.draw(st.integers(1, 3))):
        at = data.draw(st.integers(0, len(damaged) - 1))
        damaged[at] ^= data.draw(st.integers(1, 255))
    cut = data.draw(st.sampled_from((None, None, 0, 5, 40, len(damaged) - 1)))
    damaged = damaged[:cut]
    path = tmp_path / "pack"
    path.write_bytes(damaged)
    length = data.draw(st.sampled_from((len(damaged), len(whole))))
    outcomes = [outcome(engine, path, length) for engine in ENGINES]
    assert outcomes[0] == outcomes[1]
    assert outcomes[0] == REFUSED or "k is damaged" in outcomes[0] or damaged == whole


def resummed(data: bytes) -> bytes:
    """The same bytes with checksums that agree, as far as their lengths lead anywhere."""
    out = bytearray(data)
    count = struct.unpack_from("<I", out, 24)[0]
    signed = 0
    for at in range(32, min(32 + count * 24, len(out) - 24), 24):
        signed += -(-struct.unpack_from("<Q", out, at + 8)[0] // 32)
    start = 32 + count * 24 + signed
    for at in range(32, min(32 + count * 24, len(out) - 24), 24):
        table, text = struct.unpack_from("<4xIQ", out, at)
        middle = start + text
        struct.pack_into("<II", out, at + 16, zlib.crc32(out[start:middle]),
                         zlib.crc32(out[middle : middle + table]))  # fmt: skip
        start = middle + table
    head = 32 + count * 24 + signed
    struct.pack_into("<I", out, 12, zlib.crc32(out[16:head]))
    return bytes(out)


@settings(max_examples=400)
@given(st.data())
def test_hostile_bytes_give_an_answer_or_a_typed_error(tmp_path: Path, data: st.DataObject) -> None:
    """Checksums guard against accidents; whoever writes them too gets no further than this."""
    hostile = bytearray(corpus_of(NATIVE, SMALL).dump("k"))
    for _ in range(data.draw(st.integers(1, 4))):
        at = data.draw(st.integers(16, len(hostile) - 1))
        hostile[at] = data.draw(st.sampled_from((0, 1, 2, 0x7F, 0x80, 0xFE, 0xFF)))
    path = tmp_path / "pack"
    path.write_bytes(resummed(bytes(hostile)))
    for engine in ENGINES:
        outcome(engine, path, len(hostile))


def test_resumming_leads_to_the_tables() -> None:
    data = corpus_of(NATIVE, SMALL).dump("k")
    assert resummed(data) == data


@pytest.mark.parametrize("at", range(8, 32))
def test_every_byte_of_the_opening_counts(tmp_path: Path, at: int) -> None:
    data = bytearray(corpus_of(NATIVE, SMALL).dump("k"))
    data[at] ^= 0x41
    path = tmp_path / "pack"
    for written in (
        bytes(data),
        resummed(bytes(data)) if at >= 16 and at not in range(24, 28) else b"",
    ):
        path.write_bytes(written)
        assert [outcome(engine, path, len(data)) for engine in ENGINES] == [REFUSED] * 2
