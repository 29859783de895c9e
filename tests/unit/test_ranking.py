"""Ranking: the published formula, a total order, a quota per lineage, replays told once."""

import math

import pytest

from harkback.candidates import Candidate
from harkback.model import ABANDONED, KINDS, Entry, Session
from harkback.query import Query
from harkback.ranking import explain, rank
from harkback.verification import Verified, scope_of


def session(name: str, **more) -> Session:
    facts = {"started_at": 0, "last_activity_at": 0, "lineage": name} | more
    return Session(source="store", id=name, title=name, project=None, **facts)


def query(terms=("a",), **more) -> Query:
    defaults = {
        "limit": 8,
        "order": "relevance",
        "kinds": frozenset(KINDS),
        "within": None,
        "since": None,
        "until": None,
        "include_archived": False,
        "include_abandoned": False,
        "projects": (),
        "active": None,
        "explain": True,
        "deadline": None,
    }
    return Query(terms=terms, folded=terms, **{**defaults, **more})


class Described:
    """A View that knows these Sessions."""

    def __init__(self, sessions) -> None:
        self.describe = {s.id: s for s in sessions}.__getitem__


class Hits:
    """Verified Hits, one at a time, of Messages that are made to have what a test asks for."""

    def __init__(self, engine, *sessions: Session, terms: int = 1) -> None:
        self.engine = engine
        self.terms = ["a", "b"][:terms]
        view = Described(sessions)
        self.candidates = [Candidate(view, s) for s in sessions]  # type: ignore[arg-type]
        self.messages = [{} for _ in sessions]

    def add(self, of=0, *, row=0, turn=0, at=0, kind="user", length=10, id=None, text="", tf=(1,)):
        """``text`` makes two Messages of one id differ; ``kind`` may be an index."""
        id = id or f"{of}:{row}"
        text += "".join(term * n for term, n in zip(self.terms, tf, strict=True))
        kind = kind if isinstance(kind, int) else KINDS.index(kind)
        turn = None if turn < 0 else f"t{turn}"
        self.messages[of][row] = Entry(id, turn, at, kind, "", [(text.ljust(length, "."), False)])
        return self

    def rank(self, asked: Query, records: int):
        corpus = self.engine.corpus(self.engine.redactor([]))
        nothing = Entry("", None, 0, 0, "", [])
        for of, messages in enumerate(self.messages):
            rows = range(max(messages, default=-1) + 1)
            corpus.put(str(of), [messages.get(row, nothing) for row in rows])
        verified = Verified(self.engine.tally(), self.candidates)
        keys = [str(of) for of in range(len(self.candidates))]
        scope = scope_of(asked, self.candidates)
        verified.holding, *left_out = verified.tally.take(corpus, self.terms, keys, scope)
        verified.outside_time, verified.abandoned = left_out
        return rank(asked, verified, records)


def places(ranking):
    return [(hit.candidate.session.id, hit.row) for hit in ranking.shown]


def test_the_worked_example(engine) -> None:
    hits = (
        Hits(engine, session("s"))
        .add(row=0, turn=0, length=10, tf=(1,))
        .add(row=1, turn=1, length=30, tf=(3,))
    )
    ranking = hits.rank(query(), 10)
    assert ranking.idf[0] == pytest.approx(1.4816, abs=5e-5)
    assert [hit.score for hit in ranking.shown] == pytest.approx([2.1029, 1.8626], abs=5e-5)


def test_a_tool_result_weighs_half(engine) -> None:
    hits = (
        Hits(engine, session("s"))
        .add(row=0, length=10)
        .add(row=1, turn=1, kind="tool_result", length=10)
    )
    first, second = hits.rank(query(), 10).shown
    assert second.score == first.score * 0.5


def test_a_hostile_length_is_capped(engine) -> None:
    hits = Hits(engine, session("s")).add(length=10).add(row=1, turn=1, length=10**5)
    assert hits.rank(query(), 10).mean_length == (10 + 4096) / 2


def test_n_is_never_below_the_hits(engine) -> None:
    hits = Hits(engine, session("s")).add().add(row=1, turn=1)
    assert hits.rank(query(), 0).idf == (math.log(1 + 0.5 / 2.5),)


def test_ties_are_broken_by_time_then_place(engine) -> None:
    hits = (
        Hits(engine, session("b"), session("a"))
        .add(0, row=3, at=5, turn=1)
        .add(0, row=1, at=5, turn=2)
    )
    hits.add(1, row=2, at=5).add(0, row=9, at=9, turn=3)
    ranking = hits.rank(query(limit=25), 10)
    assert places(ranking) == [("b", 9), ("a", 2), ("b", 1), ("b", 3)]


def test_newest_first_when_asked(engine) -> None:
    hits = Hits(engine, session("s")).add(row=0, at=1, tf=(9,)).add(row=1, turn=1, at=2, tf=(1,))
    assert places(hits.rank(query(order="newest"), 10)) == [("s", 1), ("s", 0)]


def test_one_lineage_takes_a_third_then_fills_what_is_left(engine) -> None:
    hits = Hits(engine, session("big"), session("child", lineage="big"), session("small"))
    for row in range(6):
        hits.add(row % 2, row=row, turn=row, tf=(9,))
    hits.add(2, row=0, tf=(1,))
    ranking = hits.rank(query(limit=6), 100)
    assert len(ranking.shown) == 6
    assert ("small", 0) in places(ranking)
    scores = [hit.score for hit in ranking.shown]
    assert scores == sorted(scores, reverse=True), "order is restored after the second pass"
    ranking = hits.rank(query(limit=3), 100)
    assert ("small", 0) in places(ranking)
    fates = {(h.candidate.session.id, h.row): h.disposition for h in ranking.left_out}
    assert set(fates.values()) <= {"lineage_quota", "limit"}


def test_one_passage_a_turn(engine) -> None:
    hits = (
        Hits(engine, session("s")).add(row=0, turn=4, tf=(2,)).add(row=1, turn=4).add(row=2, turn=5)
    )
    ranking = hits.rank(query(), 10)
    assert places(ranking) == [("s", 0), ("s", 2)]
    assert [hit.disposition for hit in ranking.left_out] == ["same_turn"]


def test_messages_without_a_turn_stand_alone(engine) -> None:
    hits = Hits(engine, session("s")).add(row=0, turn=-1).add(row=1, turn=-1)
    assert len(hits.rank(query(), 10).shown) == 2


def test_a_replay_is_one_hit_told_of_the_original(engine) -> None:
    original, fork = session("late", started_at=9), session("fork", copied=True)
    fork2 = session("fork2", copied=True)
    hits = Hits(engine, fork, original, fork2)
    for of in range(3):
        hits.add(of, row=1, id="m")
    ranking = hits.rank(query(), 10)
    (only,) = ranking.shown
    assert only.candidate.session.id == "late"
    assert {c.session.id for c in only.also_in} == {"fork", "fork2"}
    assert ranking.total == 1


def test_an_edited_copy_is_a_hit_of_its_own(engine) -> None:
    hits = Hits(engine, session("a"), session("b")).add(0, id="m").add(1, id="m", text="edited ")
    assert hits.rank(query(), 10).total == 2


def test_time_kind_and_active_turn_bound_the_set(engine) -> None:
    hits = (
        Hits(engine, session("s"))
        .add(row=0, at=1)
        .add(row=1, turn=1, at=5)
        .add(row=2, turn=2, at=9)
    )
    hits.add(row=3, turn=3, at=5, kind="summary")
    asked = query(since=2, until=9, kinds=frozenset({"user"}), active=("s", "t1"))
    ranking = hits.rank(asked, 10)
    assert places(ranking) == [("s", 2)]
    assert [(gap.code, gap.count) for gap in ranking.gaps] == [
        ("outside_time", 1),
        ("active_turn_excluded", None),
    ]


def test_rewound_turns_are_counted_unless_asked_for(engine) -> None:
    hits = Hits(engine, session("s")).add(row=0, at=1)
    hits.add(row=1, turn=1, at=2, kind=ABANDONED)
    ranking = hits.rank(query(), 10)
    assert places(ranking) == [("s", 0)]
    assert [(gap.code, gap.count) for gap in ranking.gaps] == [("abandoned_excluded", 1)]
    ranking = hits.rank(query(include_abandoned=True), 10)
    assert [(hit.row, hit.kind) for hit in ranking.shown] == [(1, "user"), (0, "user")]
    assert ranking.gaps == ()


def test_an_explanation_adds_up(engine) -> None:
    hits = (
        Hits(engine, session("s"), terms=2)
        .add(kind="tool_result", tf=(2, 3))
        .add(row=1, turn=1, tf=(0, 1))
    )
    asked = query(terms=("a", "b"))
    ranking = hits.rank(asked, 10)
    for hit in ranking.shown:
        tree = explain(engine, asked, ranking, hit)
        weight, *terms = tree.parts
        assert tree.value == pytest.approx(weight.value * sum(term.value for term in terms))
        assert len(terms) == sum(1 for tf in hit.frequency if tf)
