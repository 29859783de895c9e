"""A secret goes wherever it stands: in whatever script, mark-up or escape is around it.

What stands beside the secret never decides whether it goes, and no
comment in the text switches the check off. What is known to stay is in docs/redaction.md.
"""

from __future__ import annotations

import random

import pytest

from harkback.engine import Engine
from harkback.redaction import DEFAULT, Redaction
from support.disguises import AROUND, BARE_ONLY, PRAGMAS, Dress
from support.leaks import Planted, assert_silent
from support.planting import BARE, SHAPES, make


@pytest.fixture
def redaction(engine: Engine) -> Redaction:
    return DEFAULT.bind(engine)


def drawn(shape: str, context: str) -> list[Planted]:
    dice = random.Random(f"{shape} {context}")
    return [make(shape, dice) for _ in range(3)]


def attack(redaction: Redaction, shape: str, context: str, dress: Dress) -> None:
    for planted in drawn(shape, context):
        text = dress(planted.text)
        shown = redaction.clean(text)
        assert_silent({f"{shape} in {context}": shown}, [planted])
        assert redaction.clean(shown) == shown
        assert len(shown) <= len(text) + len("[redacted]") * len(redaction.spans(text))


@pytest.mark.parametrize("context", [*AROUND, *PRAGMAS])
def test_whatever_stands_around_it(redaction: Redaction, context: str) -> None:
    dress = (AROUND | PRAGMAS)[context]
    for shape in SHAPES:
        attack(redaction, shape, context, dress)


@pytest.mark.parametrize("context", BARE_ONLY)
def test_a_key_that_is_known_by_its_form(redaction: Redaction, context: str) -> None:
    for shape in BARE:
        attack(redaction, shape, context, BARE_ONLY[context])


@pytest.mark.parametrize("joint", ["", ",", " ", "\n", "/", "。", "[redacted]", "\u200b"])
def test_secrets_that_meet(redaction: Redaction, joint: str) -> None:
    dice = random.Random(joint)
    for first in SHAPES:
        one = make(first, dice)
        for second in SHAPES:
            other = make(second, dice)
            text = one.text + joint + other.text
            if joint or not glued(one, other):
                assert_silent({f"{first}{joint}{second}": redaction.clean(text)}, [one, other])


def glued(one: Planted, other: Planted) -> bool:
    """Whether a key would begin right behind a letter: nobody can say where it does."""
    return (one.text[-1:] + other.text[:1]).isalnum()


def test_a_secret_inside_the_value_of_another(redaction: Redaction) -> None:
    dice = random.Random(6)
    for shape in BARE:
        planted = make(shape, dice)
        for text in (
            f"password = 'a {planted.text} b'",
            f"Authorization: Bearer {planted.text}",
            f"postgres://user:{planted.text}@db.example/x",
            f'{{"apiKey": "x-{planted.text}"}}',
            f"https://e.example/x?sig=0123456789abcdef{planted.text}",
        ):
            assert_silent(redaction.clean(text), [planted])


def test_lines_are_redacted_as_if_they_were_alone(redaction: Redaction) -> None:
    """All but private keys, the one form here that is meant to go over lines."""
    dice = random.Random(7)
    lines = [make(shape, dice).text.strip("\n") for shape in SHAPES if shape != "pem"]
    lines += ["nothing here", "", "[redacted]", "password", "token:", "密钥"]
    for first in lines:
        for second in lines:
            whole = redaction.clean(f"{first}\n{second}")
            assert whole == f"{redaction.clean(first)}\n{redaction.clean(second)}"
