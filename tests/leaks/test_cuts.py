"""No cut shows part of a secret, wherever it falls: windows, labels, budgets, chunks, segments.

Each secret is put at every distance from the place of a cut, so that some cut falls on each of its
characters and on each of the mark that stands for it.
"""

from __future__ import annotations

import random
from collections.abc import Iterator
from pathlib import Path

import pytest

from harkback import Envelope, Recall, SqliteSource
from harkback.config import MAX_LABEL_CODE_POINTS, WINDOW_CODE_POINTS, WINDOW_LEAD_CODE_POINTS
from harkback.engine import Engine
from harkback.sources.sqlite.schema import CHUNK_BYTES
from support.leaks import Planted, assert_silent
from support.planting import WORD, make
from support.stores import BASE_MS, StoreBuilder, dumps

SHAPES = ("github", "password", "database")
MARK = "[redacted]"


def filler(length: int) -> str:
    """Words, the last one cut, so that a border is nearly everywhere."""
    return ("tide and harbour " * (length // 17 + 1))[:length]


class Sowing:
    """A store with a secret of its own in each Message."""

    def __init__(self, folder: Path, seed: int = 1) -> None:
        self.builder = StoreBuilder(folder / "runtime.sqlite")
        self.builder.db.execute("BEGIN")
        self.dice = random.Random(seed)
        self.planted: list[Planted] = []

    def secret(self, shape: str) -> str:
        channel = f"{shape} {len(self.planted)}"
        self.planted.append(make(shape, self.dice, channel))
        return self.planted[-1].text

    def say(self, text: str, **session: str) -> None:
        name = self.builder.session(f"s{len(self.planted)}-{self.dice.random()}", **session)
        self.builder.text(name, text, role="user")

    def ask(self, engine: Engine, term: str = WORD, limit: int | None = None) -> Envelope:
        if self.builder.db.in_transaction:
            self.builder.db.execute("COMMIT")
        with Recall(self.builder.path, engine=engine.name) as recall:
            answer = recall.search([term], limit=limit)
        surfaces = {"text": answer.text(), "json": answer.to_json()}
        assert_silent(surfaces, self.planted)
        for passage in answer.passages:
            for message in passage.messages:
                marks = message.text.count(MARK)
                assert message.text.count("[red") == message.text.count("acted]") == marks
        return answer


@pytest.fixture
def sowing(tmp_path: Path) -> Sowing:
    return Sowing(tmp_path)


def distances(edge: int, engine: Engine) -> range:
    """From well before a cut at ``edge`` to well behind it."""
    return range(edge - 70, edge + 4, 1 if engine.name == "native" else 3)


def test_the_beginning_of_a_window(engine: Engine, sowing: Sowing) -> None:
    for shape in SHAPES:
        for distance in distances(WINDOW_LEAD_CODE_POINTS, engine):
            before = f"{filler(300)} {sowing.secret(shape)} "
            sowing.say(before + filler(distance) + f" {WORD} " + filler(900))
    answer = sowing.ask(engine)
    assert len(answer.passages) == len(sowing.planted)
    texts = [passage.messages[0].text for passage in answer.passages]
    assert {text.count(MARK) for text in texts} == {0, 1}  # the cut fell on both sides
    assert all(passage.messages[0].truncated for passage in answer.passages)


def test_the_end_of_a_window(engine: Engine, sowing: Sowing) -> None:
    behind = WINDOW_CODE_POINTS - WINDOW_LEAD_CODE_POINTS
    for shape in SHAPES:
        for distance in distances(behind - len(WORD), engine):
            after = f" {sowing.secret(shape)} {filler(300)}"
            sowing.say(filler(900) + f" {WORD} " + filler(distance) + after)
    answer = sowing.ask(engine)
    texts = [passage.messages[0].text for passage in answer.passages]
    assert {text.count(MARK) for text in texts} == {0, 1}


def test_a_window_full_of_secrets(engine: Engine, sowing: Sowing) -> None:
    for lead in range(0, 60, 5):
        pieces = [f"{sowing.secret('github')} {filler(7)}" for _ in range(40)]
        sowing.say(filler(lead) + " " + " ".join([*pieces[:20], WORD, *pieces[20:]]))
    sowing.ask(engine)


def test_a_neighbour_that_holds_no_match(engine: Engine, sowing: Sowing) -> None:
    """Its window is cut from its beginning, at a place that has nothing to do with the term."""
    for distance in distances(WINDOW_CODE_POINTS, engine):
        session = sowing.builder.session(f"n{distance}")
        text = filler(distance) + f" {sowing.secret('github')} " + filler(300)
        sowing.builder.text(session, f"{WORD}?", role="user")
        sowing.builder.text(session, text)
    answer = sowing.ask(engine)
    texts = [message.text for passage in answer.passages for message in passage.messages]
    assert {text.count(MARK) for text in texts} == {0, 1}


def test_names_that_are_cut_to_a_label(engine: Engine, sowing: Sowing) -> None:
    for shape in SHAPES:
        for distance in distances(MAX_LABEL_CODE_POINTS, engine):
            sowing.say(WORD, name=f"{filler(distance)} {sowing.secret(shape)} {filler(20)}")
    answer = sowing.ask(engine)
    assert all(len(p.session.title) <= MAX_LABEL_CODE_POINTS for p in answer.passages)
    assert len({p.session.title[-5:] for p in answer.passages}) > 4


def test_where_the_budget_ends(engine: Engine, sowing: Sowing) -> None:
    """Whatever length the answer before it has, a Message is shown in its bounds or not at all."""
    for length in range(0, 300, 12):
        sowing.say(f"{WORD} {filler(length)} {sowing.secret('github')} {filler(250)}")
    for limit in (1, 8, 17, 25):
        answer = sowing.ask(engine, limit=limit)
        assert "hits_not_shown" in {gap.code for gap in answer.gaps}


@pytest.mark.parametrize("shape", ["github", "database"])
def test_chunks_of_a_long_body(engine: Engine, sowing: Sowing, shape: str) -> None:
    """The border of two chunks falls behind each character of the secret."""
    session = sowing.builder.session("chunked", ledger=False)
    length = len(sowing.secret(shape))
    sowing.planted.clear()
    for into in range(1, length, 1 if engine.name == "native" else 9):
        text, row = sowing.secret(shape), len(sowing.planted)
        record = {"type": "user", "id": f"m{row}", "ts": BASE_MS, "turnId": f"t{row}", "text": ""}
        head = dumps(record).removesuffix('"}')
        raw = f'{head}{"-" * (CHUNK_BYTES - into - len(head) - 1)} {text} {WORD}"}}'
        assert raw.index(text) + into == CHUNK_BYTES
        sowing.builder.message(session, row, "user", raw=raw, id=f"m{row}")
    assert len(sowing.ask(engine).passages) == len(sowing.planted)
    for planted in sowing.planted[::4]:
        assert sowing.ask(engine, planted.secret[4:12]).passages == ()


@pytest.mark.parametrize("shape", ["github", "database", "password"])
def test_segments_of_an_answer_in_flight(engine: Engine, sowing: Sowing, shape: str) -> None:
    length = len(sowing.secret(shape))
    sowing.planted.clear()
    for into in range(1, length):
        text, row = sowing.secret(shape), len(sowing.planted)
        session = sowing.builder.session(f"s{row}")
        pieces = [f"{WORD} {text[:into]}", f"{text[into:]} flows"]
        sowing.builder.stream(session, f"k{row}", pieces)
    assert len(sowing.ask(engine).passages) == len(sowing.planted)


def test_leaves_and_messages_do_not_meet(engine: Engine, sowing: Sowing) -> None:
    """Halves that stand in two strings are no secret; no term matches across them either."""
    secret = make("github", sowing.dice).secret
    for number, (first, second) in enumerate(((secret[:14], secret[14:]), ("acme", "quartz"))):
        session = sowing.builder.session(f"halves-{number}")
        arguments = {"a": first, "b": second}
        content = {"kind": "function_call", "id": "c", "name": "Bash", "args": arguments}
        sowing.builder.event(session, content)
        sowing.builder.text(session, first)
        sowing.builder.text(session, second)
    for term in (secret[9:19], "mequ"):
        assert sowing.ask(engine, term).passages == ()


def secrets_of_several_lengths(folder: Path) -> Iterator[tuple[StoreBuilder, str]]:
    """Each with a store for it."""
    for number, length in enumerate((12, 60, 300)):
        dice = random.Random(number)
        secret = "".join(dice.choice("bcdf2345GHJK") for _ in range(length))
        yield StoreBuilder(folder / f"{number}.sqlite"), secret


@pytest.mark.parametrize("around", [700, 740, 760, 780, 795, 900])
def test_the_length_of_a_secret_decides_nothing(
    engine: Engine, tmp_path: Path, around: int
) -> None:
    """Neither what is cut nor how it is ranked: a secret counts as its mark."""
    told = set()
    for builder, secret in secrets_of_several_lengths(tmp_path):
        session = builder.session("one", name=f"Of password='{secret}' {filler(90)}")
        text = f"{WORD} password='{secret}' " + filler(around)
        builder.text(session, text, role="user")
        arguments = {"a": text.replace(WORD, "neighbour"), "b": "more"}
        call = {"kind": "function_call", "id": "c", "name": "Bash", "args": arguments}
        builder.event(session, call)
        builder.close()
        with Recall(SqliteSource(builder.path, name="s"), engine=engine.name) as recall:
            answer = recall.search([WORD], explain=True)
        assert MARK in answer.text()
        told.add((answer.text(), answer.to_json()))
    assert len(told) == 1


def test_where_an_audit_opens_tells_of_no_secret_how_long_it_is(
    engine: Engine, tmp_path: Path
) -> None:
    """Secrets before the window, in its leaf and in another one."""
    told = set()
    for builder, secret in secrets_of_several_lengths(tmp_path):
        session = builder.session("one")
        lines = f"password='{secret}' {filler(90)}\n" * 20
        builder.text(session, f"{lines}{WORD} {lines}", role="user")
        arguments = {"a": lines, "token": secret, "c": f"{lines}{WORD}"}
        call = {"kind": "function_call", "id": "c", "name": "Bash", "args": arguments}
        builder.event(builder.session("two"), call)
        builder.close()
        with Recall(SqliteSource(builder.path, name="s"), engine=engine.name) as recall:
            answer = recall.search([WORD], explain=True)
            hits = [(p.anchor, m) for p in answer.passages for m in p.messages if m.is_anchor]
            assert [m.cursor is not None for _, m in hits] == [True, True]
            pages = [recall.more(a, view="audit", cursor=m.cursor).text() for a, m in hits]
        told.add((answer.text(), answer.to_json(), *pages))
        assert secret[:8] not in str(told)
    assert len(told) == 1
