"""Finders: joined with the rules, held to their laws, closed when they fail."""

from __future__ import annotations

import re
import traceback
from collections.abc import Callable, Iterable
from dataclasses import replace
from itertools import pairwise
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from harkback import engine as engines
from harkback.engine import Engine
from harkback.errors import UsageError
from harkback.model import RedactedSpan
from harkback.redaction import Policy, Redaction, apply
from support.entries import RULES, SECRET, texts


class By:
    """A finder made of a function."""

    def __init__(self, find: Callable[[str], Any], id: str = "host") -> None:
        self.id, self.version, self._find = id, "1", find
        self.calls = 0

    def __call__(self, text: str) -> Any:
        self.calls += 1
        return self._find(text)


def matching(pattern: str, id: str = "host") -> By:
    return By(lambda text: [match.span() for match in re.finditer(pattern, text)], id)


def bound(engine: Engine, *finders: By) -> Redaction:
    return Policy(RULES, finders).bind(engine)


def test_spans_of_rules_and_finders_are_one_list(engine: Engine) -> None:
    redaction = bound(engine, matching(r"EMP-\d+"), matching("1", "ones"))
    text = f"EMP-12 {SECRET} 1"
    assert redaction.spans(text) == [
        RedactedSpan(0, 6, ("host", "ones")),
        RedactedSpan(7, 7 + len(SECRET), ("test-key",)),
        RedactedSpan(len(text) - 1, len(text), ("ones",)),
    ]
    assert redaction.changes("EMP-1")
    assert not redaction.changes("EMP-")


def test_a_finder_inside_a_secret_does_not_break_its_rule(engine: Engine) -> None:
    redaction = bound(engine, matching("k3y"))
    assert redaction.clean(f"a {SECRET} b") == "a [redacted] b"


def test_spans_grow_to_composition_borders(engine: Engine) -> None:
    assert bound(engine, matching("e")).clean("ae\u0301b") == "a[redacted]b"
    assert bound(engine, matching("\u0301")).clean("ae\u0301b") == "a[redacted]b"


def test_what_a_finder_lays_open_is_looked_for_again(engine: Engine) -> None:
    """A secret glued to what the finder cuts, which its rule's border does not let it see."""
    rules = tuple(replace(rule, boundary=True) for rule in RULES)
    text = f"EMP12{SECRET} b"
    assert Policy(rules).bind(engine).clean(text) == text
    redaction = Policy(rules, (matching("EMP12"),)).bind(engine)
    assert redaction.clean(text) == "[redacted] b"
    assert redaction.spans(text)[0].rules == ("host", "test-key")


@pytest.mark.parametrize(
    ("given", "left"),
    [
        ([(-5, 2)], "[redacted]cdef"),
        ([(4, 99)], "abcd[redacted]"),
        ([(-9, 99)], "[redacted]"),
        ([(3, 3), (-4, -2), (8, 9), (6, 7)], "abcdef"),
        ([[4, 5], (0, 1), (0, 2)], "[redacted]cd[redacted]f"),
        ([], "abcdef"),
        ((), "abcdef"),
        ({(1, 2): 0}.keys(), "a[redacted]cdef"),
    ],
)
def test_spans_are_clipped_sorted_and_joined(engine: Engine, given: Any, left: str) -> None:
    answers = [given]
    redaction = bound(engine, By(lambda text: answers.pop() if answers else []))
    assert redaction.clean("abcdef") == left


@pytest.mark.parametrize(
    "given",
    [None, 3, [3], ["ab"], [(1,)], [(1, 2, 3)], [("1", "2")], [(1.0, 2.0)], [(4, 2)], [None]],
)
def test_what_is_no_spans_is_refused(engine: Engine, given: Any) -> None:
    redaction, word = bound(engine, By(lambda text: given)), "qui" + "et"
    for call in (redaction.spans, redaction.clean, redaction.changes):
        with pytest.raises(UsageError) as caught:
            call(word)
        assert caught.value.reason == "finder_invalid"
        assert "host" in caught.value.message
        assert caught.value.__context__ is None
        assert word not in "".join(traceback.format_exception(caught.value))


def failing(text: str) -> Iterable[tuple[int, int]]:
    yield 0, 1
    raise ValueError(f"cannot read {text}")


def raising(text: str) -> Iterable[tuple[int, int]]:
    raise KeyError(text)


@pytest.mark.parametrize("find", [failing, raising])
def test_a_finder_that_raises_hides_the_whole_leaf(
    engine: Engine, find: Callable[[str], Any]
) -> None:
    redaction = bound(engine, By(find))
    assert redaction.spans("quiet words") == [RedactedSpan(0, 11, ("host",))]
    assert redaction.clean("quiet words") == "[redacted]"
    assert redaction.cuts([("quiet", False), ("words", True)]) == ([[(0, 5)], [(0, 5)]], 1)
    with pytest.raises(UsageError) as caught:
        redaction.changes("quiet words")
    assert caught.value.reason == "finder_failed"
    assert caught.value.__context__ is None
    assert "quiet" not in caught.value.message


def test_what_is_no_fault_of_the_finder_passes(engine: Engine) -> None:
    def interrupted(text: str) -> Any:
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        bound(engine, By(interrupted)).spans("a")


def test_a_sensitive_leaf_is_not_shown_to_a_finder(engine: Engine) -> None:
    finder = matching("a")
    assert len(bound(engine, finder).spans("banana", sensitive=True)) == 1
    assert finder.calls == 0


def test_without_finders_the_corpus_does_it_all(engine: Engine) -> None:
    assert bound(engine).cuts([("a", False)]) == (None, 0)


@pytest.mark.parametrize(
    ("pattern", "text", "left"),
    [
        ("redacted", "a [redacted] redacted", "a [redacted] [redacted]"),
        ("[a-z]+", "ab [redacted]", "[redacted] [redacted]"),
        (r"\[reda", "x [redacted][redacted] y", "x [redacted][redacted] y"),
        ("cted] b", "a [redacted] bc", "a [redacted]c"),
        ("a .re", "a [redacted] b", "[redacted] b"),
        (r"\bEMP-\d", f"{SECRET}.EMP-1", "[redacted].[redacted]"),
        (r"\]EMP-\d", f"{SECRET} EMP-1 {SECRET}EMP-2", "[redacted] EMP-1 [redacted]"),
    ],
)
def test_marks_are_taken_whole_or_not_at_all(
    engine: Engine, pattern: str, text: str, left: str
) -> None:
    redaction = bound(engine, matching(pattern))
    assert redaction.clean(text) == left
    assert redaction.clean(left) == left
    assert not redaction.changes(left)


@given(texts(), st.sampled_from(["a+", "redacted", "[a-z0]+", "b?[\\[\\]]", "\u0301", "zq", ".1"]))
def test_laws(text: str, pattern: str) -> None:
    """Alike on both engines, disjoint, idempotent, and never less than the rules alone."""
    native, reference = (bound(engines.load(e), matching(pattern)) for e in ("native", "reference"))
    spans = native.spans(text)
    assert spans == reference.spans(text)
    assert all(a.end < b.start for a, b in pairwise(spans))
    once = apply(text, spans)
    assert native.clean(once) == once
    covered = {at for span in spans for at in range(span.start, span.end)}
    for span in native.redactor.spans(text):
        assert covered.issuperset(range(span.start, span.end))
    marks = {at for m in re.finditer(r"\[redacted\]", text) for at in range(*m.span())}
    for match in re.finditer(pattern, text):
        assert covered | marks >= set(range(*match.span()))
