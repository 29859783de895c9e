"""Which facts match, in which order, and that what is not among them is told."""

from __future__ import annotations

import os
from concurrent.futures import ThreadPoolExecutor
from datetime import UTC, datetime
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from harkback import QueryError, Recall
from harkback.config import MAX_FACTS
from harkback.engine import Engine, load
from harkback.facts import showing
from harkback.redaction import DEFAULT
from support.memory import MemoryBuilder, ask, contents, gaps
from support.stores import BASE_MS

SECRET = "gh" + "p_" + "Q7zK9mB2xV4nL8pR1tW6yC3dF5gH0jS2aE4u"


def codes(answer) -> list[str]:
    return [gap.code for gap in answer.gaps]


def test_text_and_keys(engine: Engine, memory: MemoryBuilder) -> None:
    memory.fact("Straße und Café", keys=["Package  Manager"])
    memory.fact("nothing of it", keys=["package manager rules", "ＵＶ"])
    facts = [memory.path]
    assert contents(ask(engine, "STRASSE", facts=facts)) == ["Straße und Café"]
    assert contents(ask(engine, "afé", facts=facts)) == ["Straße und Café"]
    assert len(ask(engine, "package manager", facts=facts).facts) == 2
    assert len(ask(engine, "Package \u3000MAN", facts=facts).facts) == 2
    assert contents(ask(engine, "uv", facts=facts)) == ["nothing of it"]
    assert ask(engine, "manager", facts=facts).facts == ()  # a key matches from its start
    assert ask(engine, "package\u200bmanager", facts=facts).facts == ()


def test_order(engine: Engine, memory: MemoryBuilder) -> None:
    memory.fact("red", item_id="c", updated_at=BASE_MS + 90)
    memory.fact("red green", item_id="d", updated_at=BASE_MS, keys=["red"])
    memory.fact("red red red", item_id="b", updated_at=BASE_MS + 90)
    memory.fact("blue", item_id="a", updated_at=BASE_MS, observed_at=1, keys=["green", "red thing"])
    answer = ask(engine, "red", "Green", "absent", facts=[memory.path])
    assert [fact.id for fact in answer.facts] == ["a", "d", "b", "c"]
    assert [fact.matched_terms for fact in answer.facts] == [
        ("red", "Green"),
        ("red", "Green"),
        ("red",),
        ("red",),
    ]
    (missing,) = (gap for gap in answer.gaps if gap.code == "term_without_match")
    assert missing.message == "No match for: absent."


def test_scope(engine: Engine, memory: MemoryBuilder) -> None:
    memory.fact("zebra of all")
    memory.fact("zebra of a", scope_key="/a")
    memory.fact("zebra of b", scope_key="/b")
    memory.fact("zebra of A", scope_key="/A")
    memory.fact("another animal of b", scope_key="/b")
    facts = [memory.path]
    answer = ask(engine, "zebra", facts=facts)
    assert contents(answer) == ["zebra of all"]
    assert gaps(answer) == {"outside_scope": 4}
    answer = ask(engine, "zebra", facts=facts, workspace="/a")
    assert sorted(contents(answer)) == ["zebra of a", "zebra of all"]
    assert gaps(answer) == {"outside_scope": 3}
    with pytest.raises(QueryError) as caught:
        ask(engine, "zebra", facts=facts, workspace=7)
    assert caught.value.reason == "workspace_invalid"


def test_a_workspace_of_an_excluded_project(engine: Engine, memory: MemoryBuilder) -> None:
    memory.fact("zebra", scope_key="/home/lin/private/shop")
    options = {"facts": [memory.path], "workspace": "/home/lin/private/shop"}
    assert len(ask(engine, "zebra", **options).facts) == 1
    answer = ask(engine, "zebra", exclude_projects=["private"], **options)
    assert answer.facts == ()
    assert gaps(answer) == {"project_excluded": 1}


def test_time_bounds_are_of_the_observation(engine: Engine, memory: MemoryBuilder) -> None:
    for at in (1000, 2000, 3000):
        memory.fact(f"zebra at {at}", observed_at=at)
    memory.fact("no match", observed_at=9000)
    answer = ask(engine, "zebra", facts=[memory.path], since=2000, until=2000)
    assert contents(answer) == ["zebra at 2000"]
    assert gaps(answer) == {"outside_time": 2}
    late = datetime.fromtimestamp(3, UTC)
    assert contents(ask(engine, "zebra", facts=[memory.path], since=late)) == ["zebra at 3000"]


def test_kinds_choose_messages_and_within_leaves_facts_out(
    engine: Engine, memory: MemoryBuilder
) -> None:
    memory.fact("zebra")
    assert len(ask(engine, "zebra", facts=[memory.path], kinds=["user"]).facts) == 1
    answer = ask(engine, "zebra", facts=[memory.path], within="s")
    assert answer.facts == ()
    assert "Facts belong to no one Session" in answer.text()


def test_without_a_store_nothing_passes_for_searched(engine: Engine) -> None:
    answer = ask(engine, "zebra", facts=[])
    assert "No store of facts was given." in answer.text()
    assert answer.to_dict()["facts"] == []


def test_at_most_ten_and_the_others_are_counted(
    engine: Engine, memory: MemoryBuilder, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(showing, "JSON_FACTS_BUDGET", 10_000)  # each names its store, a long path
    for number in range(23):
        memory.fact(f"zebra {number}")
    answer = ask(engine, "zebra", facts=[memory.path])
    assert contents(answer) == [f"zebra {number}" for number in range(22, 12, -1)]
    assert gaps(answer) == {"hits_not_shown": 23 - MAX_FACTS}
    assert len(ask(engine, "zebra", facts=[memory.path], limit=None).facts) == 23


def test_two_stores_are_one_order(engine: Engine, tmp_path: Path) -> None:
    for name, at in (("a", 5), ("b", 7), ("c", 6)):
        (tmp_path / name).mkdir()
        memory = MemoryBuilder(tmp_path / name / "memory.sqlite")
        memory.fact(f"zebra {name}", observed_at=1, updated_at=at)
        memory.close()
    answer = ask(engine, "zebra", facts=[tmp_path / name for name in "abc"])
    assert contents(answer) == ["zebra b", "zebra c", "zebra a"]


def test_redaction_comes_before_matching(engine: Engine, memory: MemoryBuilder) -> None:
    memory.fact(f"deploy with {SECRET} then rest", keys=[f"deploy {SECRET} key", SECRET])
    memory.fact("what was [redacted] before")
    facts = [memory.path]
    assert contents(ask(engine, "deploy", facts=facts)) == ["deploy with [redacted] then rest"]
    for term in (
        "gh" + "p_",
        SECRET[:9],
        SECRET[4:14],
        "redacted",
        "deploy g",
        "with [red",
        "with  then",
    ):
        assert ask(engine, term, facts=facts).facts == (), term
    assert contents(ask(engine, "was", facts=facts)) == ["what was [redacted] before"]


class Badges:
    id, version = "badge", "1"

    def __call__(self, text: str) -> list[tuple[int, int]]:
        if "boom" in text:
            raise ValueError(text)
        at = text.find("1234")
        return [(at, at + 4)] if at >= 0 else []


def test_a_finder_takes_part_and_a_failing_one_takes_all(
    engine: Engine, memory: MemoryBuilder
) -> None:
    memory.fact("the badge of zebra is 1234")
    memory.fact("zebra boom")

    policy = DEFAULT.add(Badges())
    with Recall(engine=engine.name, policy=policy, facts=[memory.path]) as recall:
        answer = recall.search(["zebra"])
        assert contents(answer) == ["the badge of zebra is [redacted]"]
        assert gaps(answer) == {"finder_failed": 1}
        assert recall.search(["123"]).facts == ()


def test_a_change_is_seen_and_an_unchanged_store_is_not_read_again(
    engine: Engine, memory: MemoryBuilder, monkeypatch: pytest.MonkeyPatch
) -> None:
    memory.fact("zebra one")
    with Recall(engine=engine.name, facts=[memory.path]) as recall:
        assert contents(recall.search(["zebra"])) == ["zebra one"]
        memory.fact("zebra two")
        os.utime(memory.path, ns=(1, 1))  # settled
        assert len(recall.search(["zebra"]).facts) == 2
        monkeypatch.setattr("harkback.facts.memory._read", None)
        assert len(recall.search(["zebra"]).facts) == 2
    with Recall(engine=engine.name, facts=[memory.path], memory_bytes=0) as recall:
        monkeypatch.undo()
        for _ in range(2):
            assert len(recall.search(["zebra"]).facts) == 2
        assert recall._facts._held == {}


def test_the_deadline(engine: Engine, memory: MemoryBuilder) -> None:
    memory.fact("zebra")
    answer = ask(engine, "zebra", facts=[memory.path], deadline=1e-9)
    assert answer.facts == ()
    (gap,) = (gap for gap in answer.gaps if gap.code == "deadline")
    assert "facts" in gap.message


def test_several_threads_and_a_store_that_changes(engine: Engine, memory: MemoryBuilder) -> None:
    memory.fact("zebra 0")
    with (
        Recall(engine=engine.name, facts=[memory.path]) as recall,
        ThreadPoolExecutor(4) as pool,
    ):
        for number in range(1, 6):
            found = pool.map(lambda _: contents(recall.search(["zebra"])), range(8))
            assert all(len(each) == number for each in found)
            memory.fact(f"zebra {number}")


WORDS = st.lists(st.sampled_from(["red", "Green", "ｂｌｕｅ", "ß", "é"]), min_size=1, max_size=4)


@settings(max_examples=25)
@given(st.lists(st.tuples(WORDS, WORDS), max_size=6), WORDS)
def test_both_engines_find_the_same(tmp_path_factory, facts, terms) -> None:
    folder = tmp_path_factory.mktemp("facts")
    memory = MemoryBuilder(folder / "memory.sqlite")
    for words, key in facts:
        memory.fact(" ".join(words), keys=[" ".join(key)])
    memory.close()
    first, second = (
        ask(load(name), *terms, facts=[memory.path]).facts for name in ("native", "reference")
    )
    assert first == second
    fold = load("reference").fold
    expected = {
        number
        for number, (words, key) in enumerate(facts, 1)
        if any(
            fold(term) in fold(" ".join(words)) or fold(" ".join(key)).startswith(fold(term))
            for term in terms
        )
    }
    assert {int(fact.id[-4:]) for fact in first} == expected
