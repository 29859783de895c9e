"""The quality of the default rules: fakes of every rule go, near misses and benign text stay."""

from __future__ import annotations

import pytest

import harkback.engine
from harkback.engine import Engine
from harkback.redaction import DEFAULT, STRICT
from redaction_quality import is_left, kept, removed
from support import benign, fakes
from support.secrets import IN_CONTEXT, SECRETS

SEED = 11
#: Characters of each kind of benign text: every template of it many times over.
DRAW = 60_000
MAX_PROSE_MARKS = 0
MAX_MARKS = 5


def test_every_rule_has_fakes() -> None:
    written = SECRETS.keys() | IN_CONTEXT.keys() | {fake.rule for fake in fakes.strict(SEED, 1)}
    assert {rule.id for rule in STRICT.rules} == written
    assert fakes.rules() <= written


def test_structural_secrets_go(engine: Engine) -> None:
    result = removed(DEFAULT.bind(engine), fakes.structural(SEED, 5))
    assert result.percent >= 99, result.left


def test_secrets_in_context_go(engine: Engine) -> None:
    result = removed(DEFAULT.bind(engine), fakes.context(SEED, 6))
    assert result.percent >= 90, result.left


def test_each_rule_takes_most_of_its_fakes() -> None:
    """A share over all rules could hide one rule that takes nothing."""
    for planted in (fakes.structural(SEED), fakes.context(SEED)):
        result = removed(DEFAULT.bind(_native()), planted)
        assert {rule: count for rule, count in result.left.items() if count > 1} == {}


def test_the_rule_of_a_fake_is_among_those_that_take_it() -> None:
    redaction = STRICT.bind(_native())
    for planted in (fakes.structural(SEED, 4), fakes.context(SEED, 4), fakes.strict(SEED, 4)):
        for fake in planted:
            assert any(fake.rule in span.rules for span in redaction.spans(fake.text)), fake.rule


def test_strict_takes_what_default_leaves(engine: Engine) -> None:
    strict, default = STRICT.bind(engine), DEFAULT.bind(engine)
    for fake in fakes.strict(SEED):
        assert not is_left(fake.secret, strict.clean(fake.text)), fake.rule
        assert is_left(fake.secret, default.clean(fake.text)), fake.rule


def test_near_misses_stay(engine: Engine) -> None:
    redaction = DEFAULT.bind(engine)
    for rule, text in fakes.near_misses(SEED):
        assert redaction.spans(text) == [], rule


@pytest.mark.parametrize("kind", benign.KINDS)
def test_benign_text_stays(kind: str) -> None:
    result = kept(DEFAULT.bind(_native()), benign.text(kind, DRAW, SEED))
    assert result.marks <= (MAX_PROSE_MARKS if kind in benign.PROSE else MAX_MARKS)
    assert result.lost == 0


def test_benign_text_is_judged_the_same_on_both_engines() -> None:
    native, reference = DEFAULT.bind(_native()), DEFAULT.bind(_reference())
    for kind in benign.KINDS:
        text = benign.text(kind, 4_000, SEED)
        assert native.spans(text) == reference.spans(text)


def test_the_benign_text_holds_identifiers() -> None:
    for kind in ("hashes", "logs", "lock files", "diffs", "prose en"):
        assert kept(DEFAULT.bind(_native()), benign.text(kind, DRAW, SEED)).identifiers > 20


def _native() -> Engine:
    return harkback.engine.load("native")


def _reference() -> Engine:
    return harkback.engine.load("reference")
