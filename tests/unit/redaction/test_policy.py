"""Policy: checked once, versioned, bound to an engine."""

from __future__ import annotations

import os
import subprocess
import sys
from dataclasses import FrozenInstanceError, fields, replace

import pytest

from harkback.config import REDACTED_MARK
from harkback.engine import Engine
from harkback.errors import UsageError
from harkback.model import Leaf, Rule
from harkback.redaction import DEFAULT, STRICT, Policy, apply
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


class Finder:
    """Finds nothing."""

    def __init__(self, id: str = "host", version: str = "1") -> None:
        self.id, self.version = id, version

    def __call__(self, text: str) -> list[tuple[int, int]]:
        return []


def test_adding_and_removing_make_another_policy() -> None:
    policy = Policy((RULE,))
    more = policy.add(replace(RULE, id="s"), Finder())
    assert policy.ids == ("r",)
    assert more.ids == ("r", "s", "host")
    assert more.remove("s", "host") == policy
    assert more.remove("r", "s", "host").ids == ()
    with pytest.raises(FrozenInstanceError):
        policy.rules = ()  # type: ignore[misc]


def test_policies_are_equal_when_they_take_out_the_same() -> None:
    other = replace(RULE, id="s")
    assert Policy((RULE, other)) == Policy((other, RULE))
    assert hash(Policy((RULE, other))) == hash(Policy((other, RULE)))
    assert Policy((RULE,), (Finder(),)) == Policy((RULE,), (Finder(),))
    assert Policy((RULE,), (Finder(),)) != Policy((RULE,), (Finder(version="2"),))
    assert Policy((RULE,), (Finder(),)) != Policy((RULE,), (Finder("guest"),))
    assert "pattern" not in repr(Policy((RULE,)))


def test_an_unknown_id_is_refused_with_what_is_near() -> None:
    with pytest.raises(UsageError) as caught:
        DEFAULT.remove("jwt", "github-tokn")
    assert caught.value.reason == "rule_unknown"
    assert "github-token" in caught.value.message
    with pytest.raises(UsageError) as caught:
        Policy(()).remove("x")
    assert caught.value.reason == "rule_unknown"


@pytest.mark.parametrize("taken", [RULE, Finder("r")])
def test_ids_of_rules_and_finders_are_unique_together(taken: object) -> None:
    with pytest.raises(UsageError) as caught:
        Policy((RULE,)).add(taken)  # type: ignore[arg-type]
    assert caught.value.reason == "policy_invalid"


@pytest.mark.parametrize("value", [None, "", 3])
@pytest.mark.parametrize("name", ["id", "version"])
def test_a_finder_needs_id_and_version(name: str, value: object) -> None:
    finder = Finder()
    setattr(finder, name, value)
    with pytest.raises(UsageError) as caught:
        Policy((), (finder,))
    assert caught.value.reason == "finder_invalid"
    with pytest.raises(UsageError):
        Policy(()).add("rule")  # type: ignore[arg-type]
    with pytest.raises(UsageError):
        Policy(()).add(len)  # type: ignore[arg-type]


@pytest.mark.parametrize("field", [f.name for f in fields(Rule)])
def test_every_field_of_a_rule_is_part_of_the_version(field: str) -> None:
    """Fields are set behind the back of the checks, so that one changes at a time."""
    changed = replace(RULE)
    value = getattr(RULE, field)
    other = ("zz",) if isinstance(value, tuple) else not value if isinstance(value, bool) else 7
    object.__setattr__(changed, field, f"{value}z" if isinstance(value, str) else other)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("harkback.redaction.policy._problem", lambda rule: None)
        assert Policy((changed,)).version != Policy((RULE,)).version


def test_the_version_changes_with_the_algorithm(monkeypatch: pytest.MonkeyPatch) -> None:
    before = Policy((RULE,)).version
    monkeypatch.setattr("harkback.redaction.policy.ALGORITHM", "another")
    assert Policy((RULE,)).version != before


@pytest.mark.parametrize("seed", ["0", "1"])
def test_the_version_is_the_same_in_every_process(seed: str) -> None:
    code = "from harkback import STRICT_POLICY as p; print(p.version, p.short_version)"
    done = subprocess.run(
        [sys.executable, "-c", code],
        env=os.environ | {"PYTHONHASHSEED": seed},
        capture_output=True,
        text=True,
        timeout=60,
        check=True,
    )
    assert done.stdout.split() == [STRICT.version, STRICT.version[:12]]


def test_strict_takes_what_the_default_leaves(engine: Engine) -> None:
    digest = "3f786850e387550fdab836ed7e6dc881de23001b"
    assert DEFAULT.bind(engine).clean(f"see {digest}.") == f"see {digest}."
    assert STRICT.bind(engine).clean(f"see {digest}.") == f"see {REDACTED_MARK}."
    assert set(DEFAULT.ids) < set(STRICT.ids)


@pytest.mark.parametrize("shipped", [DEFAULT, STRICT])
def test_what_is_shipped_would_pass_every_check(shipped: Policy) -> None:
    assert Policy(shipped.rules, shipped.finders) == shipped
    assert (DEFAULT.ids, ()) == (tuple(rule.id for rule in DEFAULT.rules), DEFAULT.finders)
    assert set(DEFAULT.ids) < set(STRICT.ids)
