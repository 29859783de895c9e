"""Policy: checked once, versioned, bound to an engine."""

from __future__ import annotations

from dataclasses import replace

import pytest

from harkback.config import REDACTED_MARK
from harkback.engine import Engine
from harkback.errors import UsageError
from harkback.model import Leaf, Rule
from harkback.redaction import DEFAULT, Policy, apply
from harkback.reference.redact.benign import MARK

RULE = Rule("r", "pattern", ("ab",), "made for a test", "ab[0-9]")


@pytest.mark.parametrize(
    "change",
    [
        {"shape": "ab*"},
        {"keywords": ()},
        {"keywords": ("é",)},
        {"before": -1},
        {"id": ""},
        {"reason": ""},
        {"kind": "other"},
        {"kind": "run"},
        {"kind": "between"},
        {"kind": "key"},
        {"kind": "key", "names": ("Token",)},
        {"kind": "key", "names": ("密token",), "shape": ""},
        {"kind": "key", "names": ("token",), "keywords": ("密a",)},
        {"kind": "key", "names": ("token",), "validator": "mixed"},
        {"validator": "entropy"},
        {"back": "]"},
        {"kind": "word", "run": "a-z"},
        {"kind": "word", "keywords": ()},
        {"kind": "word", "keywords": (), "run": "a-z", "boundary": True},
    ],
)
def test_a_rule_that_both_engines_cannot_run_is_refused(change: dict[str, object]) -> None:
    with pytest.raises(UsageError) as caught:
        Policy((replace(RULE, **change),))  # type: ignore[arg-type]
    assert caught.value.reason == "policy_invalid"


@pytest.mark.parametrize(
    "change",
    [
        {"kind": "word", "keywords": (), "run": "a-z", "validator": "random"},
        {"kind": "key", "keywords": ("密码", "key"), "names": ("密码",), "qualifiers": ("接口",)},
        {"back": "a-z", "before": 2, "validator": "luhn"},
    ],
)
def test_a_rule_that_both_engines_run_is_taken(change: dict[str, object]) -> None:
    assert Policy((replace(RULE, **change),)).version  # type: ignore[arg-type]


def test_ids_are_unique() -> None:
    with pytest.raises(UsageError):
        Policy((RULE, RULE))


def test_the_version_changes_with_any_field() -> None:
    policies = [
        Policy((RULE,)),
        Policy((replace(RULE, boundary=True),)),
        Policy((replace(RULE, shape="ab[0-8]"),)),
        Policy((replace(RULE, keywords=("ab", "cd")),)),
        Policy(()),
        DEFAULT,
    ]
    assert len({policy.version for policy in policies}) == len(policies)
    assert Policy((RULE,)).version == policies[0].version


def test_leaves_under_a_sensitive_key_are_sensitive(engine: Engine) -> None:
    leaves = [
        Leaf(("arguments", "auth", "user"), "a"),
        Leaf(("arguments", "path"), "b"),
        Leaf(("apiKey",), "c"),
        Leaf((), "d"),
    ]
    assert DEFAULT.bind(engine).prepare(leaves) == [
        ("a", True),
        ("b", False),
        ("c", True),
        ("d", False),
    ]


def test_clean_and_changes(engine: Engine) -> None:
    redaction = DEFAULT.bind(engine)
    assert redaction.clean("a token=x9 b") == f"a token={REDACTED_MARK} b"
    assert redaction.changes("token=x9")
    assert not redaction.changes("[redacted]")
    assert not redaction.changes("3f786850e387550fdab836ed7e6dc881de23001b")
    assert apply("abc", []) == "abc"


def test_the_engines_know_the_mark() -> None:
    assert MARK == REDACTED_MARK
