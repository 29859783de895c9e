"""The pattern language: what is in it, and what is not."""

from __future__ import annotations

import pytest

from harkback.redaction.rules import RULES
from harkback.redaction.shape import check, check_run, either_case

GOOD = [
    "abc",
    "a|b",
    "(?:a|b){2}c?",
    "([a-z]{1,1000})x",
    r"[^\s\"']{0,9}\b",
    r"\.\-\/\{",
    "密[é-ü]?",
    "(?:a{2})?",
    "a{2}?b??",
]
BAD = [
    "",
    "a*",
    "a+",
    "a{2,}",
    "a{,2}",
    "a{1001}",
    "a{3,2}",
    "(?=a)",
    "(?<!a)b",
    "(?i)a",
    "(?P<n>a)",
    r"(a)\1",
    "^a",
    "a$",
    r"\Aa",
    r"\ba",
    r"a\Bb",
    r"\Wa",
    r"[\W]",
    r"\pL",
    r"\x41",
    "(a)(b)",
    "(a",
    "a)",
    "a{2}{3}",
    "(?:a{1,3}){2}",
    "?a",
    "[z-a]",
    "[a&&b]",
    "[a--b]",
    "[[:alpha:]]",
    "[]a]",
    "[a",
]


@pytest.mark.parametrize("shape", GOOD)
def test_shapes_in_the_language(shape: str) -> None:
    assert check(shape) is None


@pytest.mark.parametrize("shape", BAD)
def test_shapes_outside_the_language(shape: str) -> None:
    assert check(shape) is not None


def test_runs() -> None:
    assert check_run("A-Za-z0-9_-") is None
    for bad in ("", "a]b", "[a", "z-a", "\\W"):
        assert check_run(bad) is not None


def test_every_default_shape_is_in_the_language() -> None:
    assert [rule.id for rule in RULES if rule.kind != "key" and check(rule.shape)] == []


def test_either_case() -> None:
    assert either_case("Ab-1") == "[Aa][bB]\\-1"
