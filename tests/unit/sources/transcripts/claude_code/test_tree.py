"""Only sibling prompts are a fork, whatever the links say."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from harkback.sources.transcripts.claude_code.tree import abandoned


def test_the_last_sibling_is_live() -> None:
    parents = {"a": None, "p1": "a", "x1": "p1", "y1": "x1", "p2": "a", "x2": "p2", "p3": "a"}
    assert abandoned(parents, {"a": ["p1", "p2", "p3"]}) == {"p1", "x1", "y1", "p2", "x2"}


def test_siblings_that_are_no_prompts_are_no_fork() -> None:
    parents = {"p": None, "a1": "p", "a2": "a1", "result": "a1"}
    assert abandoned(parents, {"": ["p"]}) == frozenset()


def test_a_fork_inside_an_abandoned_branch() -> None:
    parents = {"p1": "a", "x": "p1", "q1": "x", "q2": "x", "deep": "q2", "p2": "a"}
    forks = {"x": ["q1", "q2"], "a": ["p1", "p2"]}
    assert abandoned(parents, forks) == {"p1", "x", "q1", "q2", "deep"}


def test_a_ring_ends_and_spares_the_live_prompt() -> None:
    parents = {"a": "x", "p1": "a", "x": "p1", "p2": "a", "y": "p2"}
    assert abandoned(parents, {"a": ["p1", "p2"]}) == {"p1", "x", "a"}


@given(
    st.dictionaries(st.sampled_from("abcdefgh"), st.none() | st.sampled_from("abcdefghz")),
    st.dictionaries(
        st.sampled_from("abcdefghz"), st.lists(st.sampled_from("abcdefgh"), unique=True)
    ),
)
def test_any_links(parents: dict[str, str | None], prompts: dict[str, list[str]]) -> None:
    found = abandoned(parents, prompts)
    assert found <= {*parents, *(p for siblings in prompts.values() for p in siblings)}
    forks = [siblings for siblings in prompts.values() if len(siblings) > 1]
    assert bool(found) <= bool(forks)
