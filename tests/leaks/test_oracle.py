"""No question tells whether a string stands in a secret: not by Hits, counts, scores or gaps.

A part of a planted secret gets the answer of a random string of its length, and the answer of a
store in which another secret of the same shape stands in its place. A term that looks like a
credential is refused before any Source is touched, whatever the store holds.
"""

from __future__ import annotations

import random
from collections.abc import Iterator
from contextlib import AbstractContextManager
from pathlib import Path as FilePath

import pytest

from harkback import Policy, QueryError, Recall, SqliteSource
from harkback.cache import SegmentCache
from harkback.engine import Engine
from harkback.sources.base import View
from harkback.verification import Path
from support.leaks import Planted
from support.planting import FILLER, SHAPES, WORD, Garden, draw, make, plant
from support.stores import StoreBuilder

#: The two stores of a pair.
SEEDS = (11, 12)
LENGTHS = range(4, 21)
PATHS = {
    "full": (Path.FULL, 0),
    "narrowed": (Path.NARROWED, 0),
    "resident": (Path.RESIDENT, 1 << 30),
    "auto": (Path.AUTO, 1 << 30),
    "stored": (Path.AUTO, 0),
}


def parts(secret: str) -> Iterator[str]:
    """Prefixes of 4 to 20 characters, stretches from the middle, the end."""
    for length in LENGTHS:
        if length <= len(secret):
            yield secret[:length]
    middle = len(secret) // 2
    for length in (4, 7, 12, 20):
        yield secret[middle - length // 2 : middle + length // 2]
        yield secret[-length:]
    yield secret[1:9]
    yield secret[4:12]


def answer(recall: Recall, term: str) -> str | None:
    """The whole answer but for the echo of the term; None when the term is refused."""
    try:
        found = recall.search([term], explain=True)
    except QueryError:
        return None
    echo = " ".join(term.split())
    for gap in found.gaps:
        if gap.code == "term_without_match":
            assert echo[:39] in gap.message
    told = [gap for gap in found.gaps if gap.code != "term_without_match"]
    missing = [gap.count for gap in found.gaps if gap.code == "term_without_match"]
    return repr((found.passages, told, missing, found.searched, found.left_out))


def sowed(path: FilePath, seed: int) -> list[Planted]:
    """Sessions that differ between seeds in nothing but the secrets."""
    dice = random.Random(seed)
    planted = [make(shape, dice) for shape in SHAPES]
    builder = StoreBuilder(path)
    builder.db.execute("BEGIN")
    for number, each in enumerate(planted):
        ledger = number % 2 == 0
        session = builder.session(f"s{number}", ledger=ledger)
        for row, text in enumerate((f"{WORD} {each.text}", f"{FILLER} {each.text} {FILLER}")):
            if ledger:
                builder.text(session, text, role="user" if row else "model")
            else:
                record, kind = {"text": text}, "assistant" if row else "user"
                builder.message(session, row, kind, record, id=f"{session}-{row}")
        if number % 5 == 0 and ledger:  # only reading finds it, and only a scan for it reads
            builder.event(session, None, kind="text", payload=f'{{"a": "{each.secret[:8]}"')
        builder.stream(session, f"stream-{number}", [each.text[:9], each.text[9:], " flows"])
    builder.db.execute("COMMIT")
    builder.close()
    return planted


@pytest.fixture(scope="session")
def pair(tmp_path_factory: pytest.TempPathFactory) -> list[tuple[FilePath, list[Planted]]]:
    """Two stores alike but for their secrets."""
    folder = tmp_path_factory.mktemp("pair")
    paths = [folder / f"{seed}.sqlite" for seed in SEEDS]
    return [(path, sowed(path, seed)) for path, seed in zip(paths, SEEDS, strict=True)]


def opened(path: FilePath, engine: Engine, how: str, policy: Policy | None = None) -> Recall:
    route, memory = PATHS[how]
    source = SqliteSource(path, name="store")
    cache = None
    if how == "stored":
        kind = f"{engine.name}-{'rules' if policy is None else 'none'}"
        cache = SegmentCache(path.with_suffix(f".{kind}"))
    recall = Recall(source, engine=engine.name, memory_bytes=memory, policy=policy, cache=cache)
    recall._path = route
    if cache is not None:
        recall.persist()
        assert recall.coverage().current == recall.coverage().sessions
    return recall


def share(engine: Engine, how: str) -> int:
    """One of how many questions is asked: the reference takes its time, above all to read anew."""
    if engine.name == "native":
        return 1
    return 5 if PATHS[how][1] else 40 if how != "stored" else 20


@pytest.mark.parametrize("how", PATHS)
def test_a_part_of_a_secret_is_answered_like_a_word_that_is_nowhere(
    engine: Engine, pair: list[tuple[FilePath, list[Planted]]], how: str
) -> None:
    (first, planted), (second, _) = pair
    step = share(engine, how)
    dice = random.Random(5)
    asked = 0
    questions: list[tuple[str, str]] = []
    with opened(first, engine, how) as here, opened(second, engine, how) as there:
        nowhere = {length: answer(here, draw(dice, length)) for length in (4, 8, 12, 20)}
        assert len(set(nowhere.values())) == 1
        for each in planted:
            questions += [(each.channel, term) for term in dict.fromkeys(parts(each.secret))]
        for channel, term in questions[::step]:
            told = answer(here, term)
            assert told == answer(there, term), channel
            if told is not None:
                assert told == nowhere[8], channel
                asked += 1
    assert asked > 100 // step


@pytest.mark.parametrize("how", PATHS)
def test_the_comparison_can_tell(
    engine: Engine, pair: list[tuple[FilePath, list[Planted]]], how: str
) -> None:
    (first, planted), (second, _) = pair
    rules = Policy(())
    with opened(first, engine, how, rules) as here, opened(second, engine, how, rules) as there:
        for each in planted[::6]:
            term = each.secret[3:15]
            assert answer(here, term) not in (answer(there, term), answer(here, "nowhere"))


@pytest.mark.parametrize("how", PATHS)
def test_two_stores_that_differ_in_secrets_answer_alike(
    engine: Engine, pair: list[tuple[FilePath, list[Planted]]], how: str
) -> None:
    """Byte for byte, the passages around the secrets included."""
    (first, planted), (second, others) = pair
    words = [[WORD], ["lorem", "flows"], ["password", "bearer", WORD], ["redacted"], ["[redacted]"]]
    mixed = [
        [WORD, each.secret[5:13]]
        for each in (*planted[::3], *others[1::3])[:: min(share(engine, how), 7)]
    ]
    with opened(first, engine, how) as here, opened(second, engine, how) as there:
        for number, terms in enumerate((*words, *mixed)):
            limit = 8 if number % 2 else None
            one = here.search(terms, limit=limit, explain=True)
            other = there.search(terms, limit=limit, explain=True)
            assert one.to_json() == other.to_json()
            assert one.text() == other.text()
        assert len(here.search([WORD], limit=None).passages) == len(planted)


@pytest.mark.parametrize("how", PATHS)
def test_the_letters_of_the_mark_match_only_what_was_written(
    engine: Engine, pair: list[tuple[FilePath, list[Planted]]], how: str
) -> None:
    path, _ = pair[0]
    with opened(path, engine, how) as recall:
        for term in ("[redacted]", "redacted", "[reda", "dacted]", "acted", "REDACTED", "[", "d]"):
            found = recall.search([term])
            assert found.passages == ()
            assert [gap.code for gap in found.gaps if gap.code == "hits_not_shown"] == []


def test_a_written_mark_is_a_word_like_any_other(engine: Engine, tmp_path: FilePath) -> None:
    """It is found where a person wrote it, counted as often as it was written, never more."""
    secret = make("github", random.Random(3)).text
    builder = StoreBuilder(tmp_path / "runtime.sqlite")
    for name, text in (
        ("written", "they wrote [redacted] here"),
        ("both", f"[redacted] and {secret} and [redacted]"),
        ("neither", f"only {secret}"),
        ("glued", f"[reda{secret}cted]"),
        ("joined", f"[redacted]{secret}[redacted]"),
    ):
        builder.text(builder.session(name), text, role="user")
    builder.close()
    with Recall(builder.path, engine=engine.name) as recall:
        found = recall.search(["[redacted]"], limit=None, explain=True)
    tf = {}
    for passage in found.passages:
        (term,) = passage.explanation.parts[1:]
        (count,) = (part.value for part in term.parts if part.label.startswith("tf"))
        tf[passage.session.id] = count
        assert len(passage.messages[0].spans) == count
    # A key that letters are glued to on the left is no key: nothing of that text is cut.
    assert {name: count for name, count in tf.items() if name != "glued"} == {
        "written": 1,
        "both": 2,
        "joined": 2,
    }


class Touchy:
    """A Source that may not be touched."""

    name = "touchy"

    def view(self, engine: Engine) -> AbstractContextManager[View]:
        raise AssertionError("touched")

    def close(self) -> None:
        pass


def test_a_credential_is_refused_before_any_source_is_touched(
    engine: Engine, garden: Garden
) -> None:
    recall = Recall(Touchy(), engine=engine.name)
    with pytest.raises(AssertionError, match="touched"):
        recall.search([WORD])
    dice = random.Random(8)
    fresh = [make(shape, dice) for shape in SHAPES for _ in range(3)]
    for planted in (*garden, *fresh):
        for terms in ([planted.text], [f"密钥{planted.text}。"], [WORD, planted.text]):
            with pytest.raises(QueryError) as caught:
                recall.search(terms)
            assert caught.value.reason == "term_credential"
        with pytest.raises(QueryError):
            recall.search(question=f'where is "{planted.text}" used')


def test_what_the_answer_counts_is_the_same_with_and_without_a_secret(
    engine: Engine, tmp_path: FilePath
) -> None:
    """A Message that is a secret and one that is written out as the mark: equal in all numbers."""
    told = []
    for number, secret in enumerate((make("github", random.Random(4)).text, "[redacted]")):
        builder = StoreBuilder(tmp_path / f"{number}.sqlite")
        session = builder.session("one")
        builder.text(session, f"{WORD} with {secret} in it", role="user")
        builder.text(builder.session("two"), f"{secret}", role="user")
        builder.close()
        with Recall(SqliteSource(builder.path, name="store"), engine=engine.name) as recall:
            told.append(recall.search([WORD]).text())
    assert told[0] == told[1]


def test_planting_twice_alike_gives_one_store(tmp_path: FilePath) -> None:
    """The comparison of two stores means nothing unless only the seed makes them differ."""
    one, two = (plant(tmp_path / name, seed=7) for name in ("a.sqlite", "b.sqlite"))
    assert one.planted == two.planted
    with (
        Recall(SqliteSource(one.path, name="s")) as a,
        Recall(SqliteSource(two.path, name="s")) as b,
    ):
        assert a.search([WORD]).to_json() == b.search([WORD]).to_json()
