"""The superset law of the raw scan: every Session that the definition finds is offered.

Drawn histories hold the law to both engines. Then the scan is broken on purpose, one part at a
time: each break must fail on the vectors of this file, or the vectors are too weak to trust.
"""

from __future__ import annotations

import re
import tempfile
from collections.abc import Callable, Iterator, Sequence
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import harkback.engine
from harkback import SqliteSource
from harkback.engine import Engine
from harkback.reference.json import Undecodable, strings
from harkback.sources.sqlite import narrow
from harkback.sources.sqlite.ledger import Ledger
from harkback.sources.sqlite.pre_ledger import PreLedger
from support.hard_text import histories, terms_of
from support.histories import Chat, History, Said, Written, oracle, write

ENGINES = [harkback.engine.load(name) for name in ("native", "reference")]
FOLD = harkback.engine.load("reference").fold


def missed(engine: Engine, written: Written, folded: list[str]) -> set[str]:
    """Sessions that hold a match and were ruled out."""
    holding = {session for session, _ in oracle(written, folded)}
    return {
        session
        for share in (narrow.SWEEP_SHARE, 0)  # the table in one go, and Session by Session
        for session in holding - _offered(engine, written, folded, share)
    }


def _offered(engine: Engine, written: Written, folded: list[str], share: int) -> set[str]:
    offered: set[str] = set()
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(narrow, "SWEEP_SHARE", share)
        for path in written.paths:
            with closing(SqliteSource(path)) as source, source.view(engine) as view:
                listed = [session.id for session in view.sessions().sessions]
                offered |= view.scan(folded, listed).offered
    return offered


@settings(max_examples=settings.default.max_examples // 2)  # 50, or 1000 when thorough
@given(st.data())
def test_every_session_that_holds_a_match_is_offered(data: st.DataObject) -> None:
    history = data.draw(histories())
    folded = [term for term in map(FOLD, data.draw(terms_of(history))) if usable(term)]
    if not folded:
        return
    with tempfile.TemporaryDirectory() as folder, closing(write(history, Path(folder))) as written:
        for engine in ENGINES:
            assert missed(engine, written, folded) == set(), engine.name


def usable(term: str) -> bool:
    return bool(term) and not re.search("[\ud800-\udfff\0]", term)


# --- what the law is worth ------------------------------------------------------------------


class Broken:
    """The reference engine with another idea of when a record may match."""

    def __init__(self, may_match: Callable[[bytes, str], bool]) -> None:
        self._engine = ENGINES[1]
        self._may_match = may_match

    def __getattr__(self, name: str) -> Any:
        return getattr(self._engine, name)

    def scanner(self, terms: Sequence[str]) -> Any:
        may_match = self._may_match

        class Scanner:
            def first(self, records: Sequence[bytes]) -> int | None:
                for index, record in enumerate(records):
                    if any(may_match(record, term) for term in terms):
                        return index
                return None

        return Scanner()


def bytes_without_escapes(record: bytes, term: str) -> bool:
    return term in FOLD(record.decode("utf-8", "replace"))


def bytes_without_lowering(record: bytes, term: str) -> bool:
    return any(term in text for text in decoded(record))


def ascii_lowering_only(record: bytes, term: str) -> bool:
    lowered = (text.translate({c: c + 32 for c in range(65, 91)}) for text in decoded(record))
    return any(term in text for text in lowered)


def decoded(record: bytes) -> Iterator[str]:
    try:
        yield from strings(record)
    except Undecodable:
        return


def only_whole_words(record: bytes, term: str) -> bool:
    return any(term in re.split(r"\W+", FOLD(text)) for text in decoded(record))


def only_the_first_string(record: bytes, term: str) -> bool:
    return any(term in FOLD(text) for text in list(decoded(record))[:1])


def only_the_first_kilobytes(record: bytes, term: str) -> bool:
    return any(term in FOLD(text) for text in decoded(record[:8192] + b'"'))


MUTANTS = (
    bytes_without_escapes,
    bytes_without_lowering,
    ascii_lowering_only,
    only_whole_words,
    only_the_first_string,
    only_the_first_kilobytes,
)


def said(*texts: str, more: tuple[tuple[str, str], ...] = ()) -> tuple[Said, ...]:
    return tuple(Said("user", text) for text in texts) + (
        (Said("tool_call", "x", more),) if more else ()
    )


VECTORS: tuple[tuple[History, str], ...] = (
    (History((Chat("ledger", said('a "quoted" word')),)), '"quoted"'),
    (History((Chat("ledger", said("two\nlines")),)), "o\nl"),
    (History((Chat("messages", said("模型上下文")),), "ascii"), "模型上"),
    (History((Chat("messages", said("Context")),), "escaped"), "context"),
    (History((Chat("ledger", said("Context Window")),)), "context"),
    (History((Chat("ledger", said("ΟΔΟΣ")),)), "οδος"),
    (History((Chat("ledger", said("Straße")),)), "STRASSE"),
    (History((Chat("ledger", said("cafe\u0301")),)), "café"),
    (History((Chat("ledger", said("ＡＢＣ")),)), "abc"),
    (History((Chat("ledger", said("contextual")),)), "text"),
    (History((Chat("ledger", said("x" * 9000 + "needle")),)), "needle"),
    (History((Chat("ledger", said(more=(("query", "needle"),))),)), "needle"),
    (History((Chat("ledger", (), ("nee", "dle")),)), "needle"),
    (History((Chat("written", (), ("nee", "dle")),), live=True), "needle"),
    (History((Chat("messages", said("模型"), chunk_border=1),)), "模型"),
    (History((Chat("messages", said("模型"), chunk_border=4),), "escaped"), "模型"),
)


def failures(engine: Any) -> list[int]:
    """The vectors on which the law does not hold."""
    broken = []
    for number, (history, term) in enumerate(VECTORS):
        with tempfile.TemporaryDirectory() as folder, closing(write(history, Path(folder))) as w:
            assert oracle(w, [FOLD(term)]), f"vector {number} holds no match"
            if missed(engine, w, [FOLD(term)]):
                broken.append(number)
    return broken


def test_the_law_holds_on_the_vectors() -> None:
    assert [failures(engine) for engine in ENGINES] == [[], []]


@pytest.mark.parametrize("may_match", MUTANTS)
def test_a_broken_scanner_is_caught(may_match: Callable[[bytes, str], bool]) -> None:
    assert failures(Broken(may_match))


def test_leaving_out_streams_is_caught(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(Ledger, "streaming", lambda self: set())
    assert failures(ENGINES[0]) == [12, 13]


def test_leaving_out_chunks_is_caught(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(PreLedger, "bodies", lambda self, key, markers: iter(()))
    assert failures(ENGINES[0]) == [14, 15]


def test_scanning_chunks_one_by_one_is_caught(monkeypatch: pytest.MonkeyPatch) -> None:
    """Each chunk looked at for itself misses a term that lies over the border of two."""

    def bodies(self: PreLedger, key: bytes, markers: int) -> Iterator[bytes]:
        statement = "SELECT data FROM session_message_chunks WHERE session_id = CAST(? AS TEXT)"
        for (data,) in self._connection.execute(statement, (key,)):
            yield b'"' + data.replace(b'"', b" ") + b'"'

    monkeypatch.setattr(PreLedger, "bodies", bodies)
    assert 14 in failures(ENGINES[0])
