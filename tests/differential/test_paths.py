"""Every path and both engines give one answer, and it is the one that the definition gives.

Full, narrowed, resident and automatic search, first and repeated, with all, no and hardly any
memory: the same passages (ids, sequence, scores bit for bit, order, windows, spans). The Hits,
their frequencies and lengths are those of the oracle in ``support.histories``, which knows nothing
of reading, scanning or the corpus.
"""

from __future__ import annotations

import tempfile
from contextlib import ExitStack, closing
from pathlib import Path as FilePath
from typing import TypeAlias

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import harkback.engine
from harkback import Envelope, QueryError, Recall, SqliteSource, candidates, query, verification
from harkback.corpus import Corpus
from harkback.engine import Engine, EngineName
from harkback.model import Gap
from harkback.query import Order
from harkback.redaction import DEFAULT
from harkback.verification import Path
from support.hard_text import histories, terms_of
from support.histories import (
    STYLES,
    Chat,
    Found,
    History,
    Said,
    Style,
    Written,
    oracle,
    write,
)

ENGINES: tuple[EngineName, ...] = ("native", "reference")
#: Damage is counted where it was read: a Session that the scan ruled out was not.
READ_ONLY_CODES = ("record_damaged", "body_archived", "session_unreadable")


def ask(engine: Engine, terms: list[str]) -> query.Query | None:
    """The question; None when it may not be asked so."""
    try:
        return query.build(
            engine,
            DEFAULT.bind(engine),
            terms,
            question=None,
            limit=8,
            order="relevance",
            within=None,
            kinds=None,
            since=None,
            until=None,
            include_archived=False,
            include_abandoned=False,
            projects=(),
            active=None,
            explain=False,
            deadline=None,
        )
    except QueryError:
        return None


def askable(engine: Engine, terms: list[str]) -> list[str]:
    return [term for term in terms if ask(engine, [term]) is not None]


def hits(
    engine: Engine, written: Written, terms: list[str], path: Path
) -> dict[tuple[str, int], Found]:
    """What verification finds by one path, before anything ranks it."""
    asked = ask(engine, terms)
    assert asked is not None
    with ExitStack() as opened:
        sources = [SqliteSource(p, name=p.stem) for p in written.paths]
        views = []
        for source in sources:
            opened.enter_context(closing(source))
            views.append(opened.enter_context(source.view(engine)))
        found = candidates.eligible(views, asked, None)
        corpus = Corpus(engine, DEFAULT.bind(engine), 0)
        verified = verification.verify(engine, path, asked, found, corpus)
        keys = len(verified.candidates)
        assert verified.tally.repeats() == []
        total = verified.tally.settle([0] * keys, [0] * keys, 1 << 30).total
        return {
            (verified.candidates[hit.key].session.id, hit.row): Found(hit.frequency, hit.length)
            for hit in verified.tally.ranked(0, total)
        }


def sources(written: Written) -> list[SqliteSource]:
    return [SqliteSource(path, name=path.stem) for path in written.paths]


def shown(envelope: Envelope) -> tuple[object, ...]:
    gaps: set[Gap] = {gap for gap in envelope.gaps if gap.code not in READ_ONLY_CODES}
    return envelope.passages, envelope.left_out, envelope.searched, gaps


Plan: TypeAlias = list[tuple[int, list[Path]]]
#: Memory in bytes, and the paths that one Recall takes after another.
EVERY: Plan = [
    (0, [Path.FULL, Path.NARROWED, Path.AUTO, Path.AUTO]),
    (1 << 30, [Path.AUTO, Path.AUTO, Path.AUTO, Path.RESIDENT, Path.NARROWED]),
    (1200, [Path.AUTO, Path.AUTO]),
]
BRIEF: Plan = [(0, [Path.FULL, Path.NARROWED]), (1 << 30, [Path.AUTO, Path.AUTO])]


def answers(
    engine: EngineName, written: Written, terms: list[str], plan: Plan
) -> list[tuple[object, ...]]:
    found: list[tuple[object, ...]] = []
    for memory, paths in plan:
        with Recall(*sources(written), engine=engine, memory_bytes=memory) as recall:
            for at, path in enumerate(paths):
                recall._path = path
                asked: list[tuple[int | None, Order]] = [(25, "relevance")]
                if at % 2 == 0:
                    asked += [(2, "relevance"), (None, "newest")]
                for limit, order in asked:
                    answer = recall.search(terms, limit=limit, order=order, explain=True)
                    found.append(((limit, order), *shown(answer)))
    return found


def check(history: History, terms: list[str], plan: Plan) -> None:
    """Holds every path on both engines to the oracle, and their whole answers to one another."""
    native = harkback.engine.load("native")
    asked = ask(native, terms := askable(native, terms)) if terms else None
    if asked is None:
        return
    with tempfile.TemporaryDirectory() as folder, closing(write(history, FilePath(folder))) as w:
        expected = oracle(w, asked.folded)
        for name in ENGINES:
            engine = harkback.engine.load(name)
            for path in (Path.FULL, Path.NARROWED):
                assert hits(engine, w, terms, path) == expected, (name, path)
        every = [answer for name in ENGINES for answer in answers(name, w, terms, plan)]
        for answer in every:
            assert answer == next(other for other in every if other[0] == answer[0])


@settings(max_examples=settings.default.max_examples // 5)  # 20, or 400 when thorough
@given(st.data())
def test_any_history(data: st.DataObject) -> None:
    history = data.draw(histories())
    chunked = any(chat.chunk_border is not None for chat in history.chats)
    check(history, data.draw(terms_of(history)), BRIEF if chunked else EVERY)


GH = "gh" + "p_" + "x" * 36
TALK = Said("user", 'say "hi" \\ to 模型\n\u0001 </a> \ud83d 😀 ΟΔΟΣ İi Straße ' + GH + " end")
CALL = Said("tool_call", "look up", (("query", "left模"), ("note", "型right"), ("token", "s3")))
DEEP = Said("tool_result", "", (("path", '{"k":"模型"}'), ("note", "é e\u0301")), deep=True)
BASE = (
    Chat("ledger", (TALK, CALL, DEEP), ("上下", "文窗口", "\u0301")),
    Chat("messages", (TALK, CALL, DEEP)),
    Chat("messages", (Said("assistant", "模型上下文"), CALL)),
    Chat("written", (TALK, CALL, DEEP), ("conte", "xt ")),
)
TERMS = (
    ["模型"],  # in a text, in JSON in a string, over a chunk border; never over two leaves
    ['"hi" \\ to'],
    ['{"k":"模'],
    ["</a>"],
    ["\x01 <"],
    ["\ufffd"],  # a lone surrogate
    ["😀"],
    ["οδος", "ii", "STRASSE", "é"],
    ["上下文窗口", "CONTEXT"],  # over two segments
    ["end"],
    ["[redacted]"],
    ["xxxx"],
    ["s3"],  # under a sensitive key
)


@pytest.mark.parametrize("terms", TERMS, ids=range(len(TERMS)))
@pytest.mark.parametrize("style", STYLES)
def test_a_known_history_in_every_encoding(style: Style, terms: list[str]) -> None:
    check(History(BASE, style), terms, EVERY if style == "plain" else BRIEF)


@pytest.mark.parametrize("style", STYLES)
@pytest.mark.parametrize("border", [0, 1, 2, 5])
def test_chunk_borders_in_every_encoding(style: Style, border: int) -> None:
    """Borders before, inside and behind the first character."""
    chat = Chat("messages", (Said("user", "模型😀 " + GH + " end"), CALL), chunk_border=border)
    check(History((chat, *BASE[1:2]), style), ["模型😀", "end", "xxxx"], BRIEF)


def test_the_oracle_finds_what_a_reader_would() -> None:
    """The oracle itself, against answers that were counted by hand."""
    fold = harkback.engine.load("reference").fold
    history = History(BASE)
    with tempfile.TemporaryDirectory() as folder, closing(write(history, FilePath(folder))) as w:
        assert sorted(oracle(w, [fold("模型")])) == [
            ("s0", 0), ("s0", 2), ("s1", 0), ("s1", 2), ("s2", 0), ("s3", 0), ("s3", 2),
        ]  # fmt: skip
        assert sorted(oracle(w, ["上下文窗口"])) == [("s0", 3)]
        assert oracle(w, ["s3"]) == oracle(w, ["xxxx"]) == {}
        assert oracle(w, [fold("É")])["s0", 2].frequency == (2,)
