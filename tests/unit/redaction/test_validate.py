"""Validators: what a secret that was found has to hold."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

import harkback.engine
from harkback.engine import Engine
from harkback.model import Rule, Validator

ACCEPTED: tuple[tuple[Validator, str], ...] = (
    ("mixed", "a1"),
    ("mixed", "密1a"),
    ("random", "a1B2c3D4"),
    ("random", "q7Xz09PmK2vL"),
    ("random", "aabbccdd11223344"),
    ("luhn", "4111111111111111"),
    ("luhn", "4111 1111-1111 1111"),
    ("luhn", "378282246310005"),
    ("luhn", "4222222222222"),
)
REFUSED: tuple[tuple[Validator, str], ...] = (
    ("mixed", "abc"),
    ("mixed", "123"),
    ("mixed", "密٣a"),
    ("random", "abcdEFGH"),
    ("random", "a1a1a1a1a1a1"),
    ("random", "abcdefgh12345678"),
    ("random", "0123456789abcdef"),
    ("random", "a1B2c3D4" + "x" * 8),
    ("random", "q7Xz09P"),
    ("luhn", "4111111111111112"),
    ("luhn", "411111111111"),
    ("luhn", "41111111111111111111"),
    ("luhn", "4111.1111.1111.1111"),
)


def found(engine: Engine, validator: Validator, secret: str) -> bool:
    rule = Rule("r", "run", ("<",), "made for a test", "<([^>])", run="^>", validator=validator)
    return engine.redactor([rule]).spans(f"<{secret}>") != []


@pytest.mark.parametrize(("validator", "secret"), ACCEPTED)
def test_what_a_validator_accepts(engine: Engine, validator: Validator, secret: str) -> None:
    assert found(engine, validator, secret)


@pytest.mark.parametrize(("validator", "secret"), REFUSED)
def test_what_a_validator_refuses(engine: Engine, validator: Validator, secret: str) -> None:
    assert not found(engine, validator, secret)


def test_a_validator_reads_no_further_than_its_prefix(engine: Engine) -> None:
    assert found(engine, "mixed", "密" * 254 + "a1")
    assert not found(engine, "mixed", "密" * 255 + "a1")


@given(st.sampled_from(["mixed", "random", "luhn"]), st.text("01489ab -Z密", min_size=1))
def test_both_engines_agree(validator: Validator, secret: str) -> None:
    native, reference = map(harkback.engine.load, ("native", "reference"))
    assert found(native, validator, secret) == found(reference, validator, secret)
