"""Ranking: the published formula, a total order, a quota per lineage, replays told once."""

import math

import pytest

from harkback.candidates import Candidate
from harkback.model import ABANDONED, KINDS, Session
from harkback.query import Query
from harkback.ranking import explain, rank
from harkback.verification import Verified


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
    """Builds the columns of verified Hits one Hit at a time."""

    def __init__(self, *sessions: Session, terms: int = 1) -> None:
        self.verified = Verified(frequency=[[] for _ in range(terms)])
        view = Described(sessions)
        self.verified.candidates = [Candidate(view, s) for s in sessions]  # type: ignore[arg-type]

    def add(
        self, of=0, *, row=0, turn=0, at=0, kind="user", length=10, ident=None, digest=0, tf=(1,)
    ):
        columns = self.verified
        columns.candidate.append(of)
        columns.row.append(row)
        columns.turn.append(turn)
        columns.timestamp.append(at)
        columns.kind.append(KINDS.index(kind))
        columns.length.append(length)
        columns.ident.append(len(columns.row) if ident is None else ident)
        columns.digest.append(digest)
        for column, value in zip(columns.frequency, tf, strict=True):
            column.append(value)
        return self


def places(ranking):
    return [(hit.candidate.session.id, hit.row) for hit in ranking.shown]


def test_the_worked_example(engine) -> None:
    hits = (
        Hits(session("s"))
        .add(row=0, turn=0, length=10, tf=(1,))
        .add(row=1, turn=1, length=30, tf=(3,))
    )
    ranking = rank(engine, query(), hits.verified, 10)
    assert ranking.idf[0] == pytest.approx(1.4816, abs=5e-5)
    assert [hit.score for hit in ranking.shown] == pytest.approx([2.1029, 1.8626], abs=5e-5)


def test_a_tool_result_weighs_half(engine) -> None:
    hits = (
        Hits(session("s")).add(row=0, length=10).add(row=1, turn=1, kind="tool_result", length=10)
    )
    first, second = rank(engine, query(), hits.verified, 10).shown
    assert second.score == first.score * 0.5


def test_a_hostile_length_is_capped(engine) -> None:
    hits = Hits(session("s")).add(length=10).add(row=1, turn=1, length=10**9)
    assert rank(engine, query(), hits.verified, 10).mean_length == (10 + 4096) / 2


def test_n_is_never_below_the_hits(engine) -> None:
    hits = Hits(session("s")).add().add(row=1, turn=1)
    assert rank(engine, query(), hits.verified, 0).idf == (math.log(1 + 0.5 / 2.5),)


def test_ties_are_broken_by_time_then_place(engine) -> None:
    hits = Hits(session("b"), session("a")).add(0, row=3, at=5, turn=1).add(0, row=1, at=5, turn=2)
    hits.add(1, row=2, at=5).add(0, row=9, at=9, turn=3)
    ranking = rank(engine, query(limit=25), hits.verified, 10)
    assert places(ranking) == [("b", 9), ("a", 2), ("b", 1), ("b", 3)]


def test_newest_first_when_asked(engine) -> None:
    hits = Hits(session("s")).add(row=0, at=1, tf=(9,)).add(row=1, turn=1, at=2, tf=(1,))
    assert places(rank(engine, query(order="newest"), hits.verified, 10)) == [("s", 1), ("s", 0)]


def test_one_lineage_takes_a_third_then_fills_what_is_left(engine) -> None:
    hits = Hits(session("big"), session("child", lineage="big"), session("small"))
    for row in range(6):
        hits.add(row % 2, row=row, turn=row, tf=(9,))
    hits.add(2, row=0, tf=(1,))
    ranking = rank(engine, query(limit=6), hits.verified, 100)
    assert len(ranking.shown) == 6
    assert ("small", 0) in places(ranking)
    scores = [hit.score for hit in ranking.shown]
    assert scores == sorted(scores, reverse=True), "order is restored after the second pass"
    ranking = rank(engine, query(limit=3), hits.verified, 100)
    assert ("small", 0) in places(ranking)
    fates = {(h.candidate.session.id, h.row): h.disposition for h in ranking.left_out}
    assert set(fates.values()) <= {"lineage_quota", "limit"}


def test_one_passage_a_turn(engine) -> None:
    hits = Hits(session("s")).add(row=0, turn=4, tf=(2,)).add(row=1, turn=4).add(row=2, turn=5)
    ranking = rank(engine, query(), hits.verified, 10)
    assert places(ranking) == [("s", 0), ("s", 2)]
    assert [hit.disposition for hit in ranking.left_out] == ["same_turn"]


def test_messages_without_a_turn_stand_alone(engine) -> None:
    hits = Hits(session("s")).add(row=0, turn=-1).add(row=1, turn=-1)
    assert len(rank(engine, query(), hits.verified, 10).shown) == 2


def test_a_replay_is_one_hit_told_of_the_original(engine) -> None:
    original, fork = session("late", started_at=9), session("fork", copied=True)
    fork2 = session("fork2", copied=True)
    hits = Hits(fork, original, fork2)
    for of in range(3):
        hits.add(of, row=1, ident=7, digest=7)
    ranking = rank(engine, query(), hits.verified, 10)
    (only,) = ranking.shown
    assert only.candidate.session.id == "late"
    assert {c.session.id for c in only.also_in} == {"fork", "fork2"}
    assert ranking.total == 1


def test_an_edited_copy_is_a_hit_of_its_own(engine) -> None:
    hits = Hits(session("a"), session("b")).add(0, ident=7, digest=7).add(1, ident=7, digest=8)
    assert rank(engine, query(), hits.verified, 10).total == 2


def test_time_kind_and_active_turn_bound_the_set(engine) -> None:
    hits = Hits(session("s")).add(row=0, at=1).add(row=1, turn=1, at=5).add(row=2, turn=2, at=9)
    hits.add(row=3, turn=3, at=5, kind="summary")
    hits.verified.active = {1}
    asked = query(since=2, until=9, kinds=frozenset({"user"}), active=("s", "t1"))
    ranking = rank(engine, asked, hits.verified, 10)
    assert places(ranking) == [("s", 2)]
    assert [(gap.code, gap.count) for gap in ranking.gaps] == [
        ("outside_time", 1),
        ("active_turn_excluded", None),
    ]


def test_rewound_turns_are_counted_unless_asked_for(engine) -> None:
    hits = Hits(session("s")).add(row=0, at=1).add(row=1, turn=1, at=2)
    hits.verified.kind[1] += ABANDONED
    ranking = rank(engine, query(), hits.verified, 10)
    assert places(ranking) == [("s", 0)]
    assert [(gap.code, gap.count) for gap in ranking.gaps] == [("abandoned_excluded", 1)]
    ranking = rank(engine, query(include_abandoned=True), hits.verified, 10)
    assert [(hit.row, hit.kind) for hit in ranking.shown] == [(1, "user"), (0, "user")]
    assert ranking.gaps == ()


def test_an_explanation_adds_up(engine) -> None:
    hits = (
        Hits(session("s"), terms=2).add(kind="tool_result", tf=(2, 3)).add(row=1, turn=1, tf=(0, 1))
    )
    asked = query(terms=("a", "b"))
    ranking = rank(engine, asked, hits.verified, 10)
    for hit in ranking.shown:
        tree = explain(engine, asked, ranking, hit)
        weight, *terms = tree.parts
        assert tree.value == pytest.approx(weight.value * sum(term.value for term in terms))
        assert len(terms) == sum(1 for tf in hit.frequency if tf)
