"""Native and reference tally: the same counts, the same scores to the last bit, the same order."""

from __future__ import annotations

import math

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import harkback.engine
from harkback.engine import Engine
from harkback.model import KINDS, Counts, Entry, Hits, Ranked, Scope
from support.entries import RULES, entries, entry, terms

NATIVE, REFERENCE = harkback.engine.load("native"), harkback.engine.load("reference")
WEIGHTS = [1.0, 0.5, 0.25, 2.0, 1.0, 1.0]
EVERYTHING = Scope(tuple(range(len(KINDS))), None, None, True)

TIMES = st.one_of(st.none(), st.integers(-(2**63), 2**63 - 1))
SCOPES = st.builds(
    Scope,
    kinds=st.lists(st.integers(0, 5), max_size=6).map(tuple),
    since=TIMES,
    until=TIMES,
    abandoned=st.booleans(),
    active=st.one_of(
        st.none(),
        st.tuples(st.lists(st.integers(0, 2), max_size=2).map(tuple), st.sampled_from(("t1", ""))),
    ),
)
#: Few ids, texts and times, so that Messages repeat; some of rewound Turns.
SESSIONS = st.lists(
    st.tuples(
        entries(),
        st.lists(st.tuples(st.integers(-2, 2), st.sampled_from((0, 2, 5, 16, 19))), min_size=8),
    ).map(
        lambda drawn: [
            message._replace(timestamp=time, kind=kind)
            for message, (time, kind) in zip(*drawn, strict=False)
        ]
    ),
    min_size=1,
    max_size=3,
)


def tallied(
    engine: Engine,
    sessions: list[list[Entry]],
    folded: list[str],
    scope: Scope,
    origins: list[int],
    newest: bool,
) -> tuple[object, ...]:
    corpus = engine.corpus(engine.redactor(RULES))
    for at, session in enumerate(sessions):
        corpus.put(str(at), session)
    tally = engine.tally()
    keys = [str(at) for at in range(len(sessions))]
    found: list[object] = []
    for batch in (keys[:2], keys[2:], keys[:1]):
        hits: Hits = corpus.search(folded, batch, scope)
        taken = tally.take(corpus, folded, batch, scope)
        assert taken == (hits.holding, hits.outside_time, hits.abandoned)
        found.append(hits)
    count = len(keys) + 1
    places = list(reversed(range(count)))
    found.append(tally.repeats())
    counts: Counts = tally.settle(origins[:count], places, 9)
    found.append(counts)
    idf = [0.3 + at for at, _ in enumerate(folded)]
    tally.score(idf, counts.length / counts.total if counts.length else 1.0, WEIGHTS, newest)
    ranked: list[Ranked] = tally.ranked(0, 99)
    assert tally.ranked(1, 3) == ranked[1:3]
    assert sum(counts.per_key) == len(ranked) == counts.total
    return *found, ranked


@settings(max_examples=300)
@given(
    SESSIONS,
    terms().filter(bool),
    st.one_of(st.just(EVERYTHING), SCOPES),
    st.lists(st.integers(0, 2), min_size=4, max_size=4),
    st.booleans(),
)
def test_tallied_alike(
    sessions: list[list[Entry]], raw: list[str], scope: Scope, origins: list[int], newest: bool
) -> None:
    folded = [NATIVE.fold(term) for term in raw]
    answers = [
        tallied(engine, sessions, folded, scope, origins, newest) for engine in (NATIVE, REFERENCE)
    ]
    assert answers[0] == answers[1]


def test_many_hits_come_in_one_order(engine: Engine) -> None:
    """More than are put in order at once, asked for in pieces of any size."""
    corpus = engine.corpus(engine.redactor(RULES))
    messages = [
        Entry(f"m{at}", None, at * 7919 % 1009, 0, "", [("a" * (1 + at * 31 % 17), False)])
        for at in range(1500)
    ]
    corpus.put("k", messages)
    tally = engine.tally()
    assert tally.take(corpus, ["a"], ["k"], EVERYTHING) == ([0], 0, 0)
    assert tally.repeats() == []
    counts = tally.settle([0], [0], 4096)
    tally.score([1.0], counts.length / counts.total, WEIGHTS, False)
    pieces = [hit for start in range(0, 1600, 100) for hit in tally.ranked(start, start + 100)]
    assert sorted(hit.row for hit in pieces) == list(range(1500))
    order = [(-hit.score, -hit.timestamp, hit.row) for hit in pieces]
    assert order == sorted(order)
    tally.score([1.0], counts.length / counts.total, WEIGHTS, True)
    times = [hit.timestamp for hit in tally.ranked(0, 1500)]
    assert times == sorted(times, reverse=True)


def test_what_is_asked_wrongly_is_refused(engine: Engine) -> None:
    corpus = engine.corpus(engine.redactor(RULES))
    corpus.put("k", [entry("a")])
    tally = engine.tally()
    tally.take(corpus, ["a"], ["k"], EVERYTHING)
    with pytest.raises(KeyError):
        tally.take(corpus, ["a"], ["?"], EVERYTHING)
    with pytest.raises(ValueError, match="empty"):
        tally.take(corpus, [""], ["k"], EVERYTHING)
    for origins, places in (([], [0]), ([0], [0, 1])):
        with pytest.raises(ValueError, match="not as many as there are keys"):
            tally.settle(origins, places, 1)
    with pytest.raises(ValueError, match="mean length"):
        tally.score([1.0], math.nan, WEIGHTS, False)


def test_an_empty_tally_counts_nothing(engine: Engine) -> None:
    tally = engine.tally()
    assert tally.repeats() == []
    assert tally.settle([], [], 1) == Counts(0, 0, [], [])
    assert tally.ranked(0, 9) == []
