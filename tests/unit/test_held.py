"""What stays in memory, for whom, and what goes; and that a search which finds nothing changed
begins where the last one ended."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from types import SimpleNamespace

import pytest

from harkback import Recall
from harkback.candidates import Candidate, Eligible
from harkback.held import Held
from harkback.segment import Segment
from support.speaking import Speaking, said
from support.stores import BASE_MS

SIZE = 100


class Place:
    """A Held, and segments for it."""

    def __init__(self, memory: int = 10 * SIZE) -> None:
        self.gone: list[str] = []
        self.held = Held(memory, self.gone.append)

    def put(self, name: str, key: str | None = None) -> Segment:
        """A segment of the Session ``name``, held by the caller."""
        segment = Segment(
            key=key or name,
            place=("s", name),
            fingerprint=b"",
            epoch=1,
            bytes=SIZE,
            gaps=(),
            damage=(),
            holders=1,
        )
        self.held.keep(segment)
        return segment

    def idle(self, *names: str) -> list[Segment]:
        segments = [self.put(name) for name in names]
        for segment in segments:
            self.held.let_go(segment)
        return segments


def candidate(name: str) -> Candidate:
    return Candidate(None, SimpleNamespace(source="s", id=name))  # type: ignore[arg-type]


def eligible(names: str, state: object = 1) -> Eligible:
    return Eligible(tuple(map(candidate, names)), (), state)


def same(
    segments: Sequence[Segment | None], _: Sequence[Candidate], but: str = ""
) -> list[Segment | None]:
    return [None if s is None or s.place[1] in but else s for s in segments]


def test_the_least_recently_used_go_first_and_none_that_is_held() -> None:
    place = Place(3 * SIZE)
    a, *_ = place.idle("a", "b", "c")
    assert place.held.find(candidate("a")) is a
    place.idle("d")
    assert place.gone == ["b"]
    place.idle("e", "f")
    assert place.gone == ["b", "c", "d"]
    assert place.held.bytes == 3 * SIZE
    assert place.held.dropped == 3
    assert set(place.held._known) == {"a", "e", "f"}


def test_a_newer_state_takes_the_place_of_one_that_goes_when_nobody_holds_it() -> None:
    place = Place()
    old = place.put("a")
    new = place.put("a", "a2")
    assert place.held.newest([candidate("a")]) == [new]
    assert not place.gone
    place.held.let_go(old)
    assert place.gone == ["a"]
    place.held.let_go(new)
    place.held.let_go(place.put("a", "a3"))
    assert place.gone == ["a", "a2"]


def test_who_searches_the_same_state_joins_and_nothing_goes_meanwhile() -> None:
    place = Place()
    segments = place.idle("a", "b")
    assert place.held.join(eligible("ab")) is None
    roster = place.held.muster(eligible("ab"), same)
    assert roster.segments == segments
    assert place.held.join(eligible("ab")) is roster
    assert place.held.join(eligible("ab", state=2)) is None
    assert not place.held.take_out(segments[0])
    place.held.leave(roster)
    assert not place.held.take_out(segments[0])  # the other one is still there
    place.held.leave(place.held.muster(eligible("ab", state=2), same))
    place.held.leave(roster)
    assert place.held.take_out(segments[0])
    assert not place.gone


def test_between_searches_a_roster_keeps_nobody_from_what_it_holds() -> None:
    place = Place(3 * SIZE)
    segments = place.idle("a", "b", "c")
    place.held.leave(place.held.muster(eligible("abc"), same))
    assert place.held.take_out(segments[0])
    place.held.leave(place.held.muster(eligible("bc"), same))
    place.idle("d", "e")  # too much: what was of use longest ago goes
    assert place.gone == ["c"]
    place.held.leave(place.held.muster(eligible("bde"), same))
    place.held.hide(segments[1])
    assert place.gone == ["c", "b"]
    assert place.held.newest([candidate("b")]) == [None]


def test_a_roster_with_gaps_is_for_one_search_alone() -> None:
    place = Place()
    a, b = place.idle("a", "b")
    for missing in (
        place.held.muster(eligible("ab"), lambda s, c: same(s, c, but="b")),
        place.held.muster(eligible("abx"), same),
    ):
        assert None in missing.segments
        assert a in missing.segments
        assert place.held.join(eligible("ab")) is None
        assert not place.held.take_out(a)
        place.held.leave(missing)
    assert [a.holders, b.holders] == [0, 0]


def test_none_is_kept_for_others_beyond_the_memory() -> None:
    place = Place(SIZE)
    segments = [place.put("a"), place.put("b")]
    roster = place.held.muster(eligible("ab"), same)
    assert place.held.join(eligible("ab")) is None
    for segment in segments:
        place.held.let_go(segment)
    assert not place.gone
    place.held.leave(roster)
    assert place.gone == ["b"]


def test_a_source_that_fails_leaves_nothing_held() -> None:
    place = Place()
    (a,) = place.idle("a")
    with pytest.raises(OSError, match="gone"):
        place.held.muster(eligible("a"), lambda *_: (_ for _ in ()).throw(OSError("gone")))
    assert a.holders == 0


def test_another_view_of_the_same_state_may_know_more_of_a_session() -> None:
    talks = {"a": [said("1", "plum")]}
    session = Speaking(talks).describe("a")
    found = Candidate(Speaking(talks), session)
    assert found.described.started_at == BASE_MS
    known = replace(session, started_at=BASE_MS - 1)
    found.turn_to(Speaking(talks, sessions={"a": known}))
    assert found.described.started_at == BASE_MS - 1


def test_a_search_that_finds_nothing_changed_begins_where_the_last_one_ended(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    made: list[str] = []
    quiet = Candidate.__init__
    monkeypatch.setattr(
        Candidate, "__init__", lambda self, view, s: (made.append(s.id), quiet(self, view, s))[1]
    )
    source = Speaking({"a": [said("1", "plum")], "b": [said("2", "plum")]})
    with Recall(source, memory_bytes=0) as recall:
        for _ in range(4):
            assert len(recall.search(["plum"]).passages) == 2
        assert made == ["a", "b"]
        assert len(recall.search(["plum"], within="a").passages) == 1
        made.clear()
        assert len(recall.search(["plum"]).passages) == 2
        assert not made  # the question in between was of fewer, and took nothing away
        recall.search(["plum"], include_archived=True)
        assert made == ["a", "b"]
        source.epoch = 1
        recall.search(["plum"], include_archived=True)
        assert made == ["a", "b"] * 2
