"""Validators: what a secret that was found has to hold, beyond its shape.

They keep words, names and sequences that only look like a key. Invariant: integers only, and no
more than PREFIX code points of the secret, so that one costs the same however long the secret is.
Proof: tests/unit/redaction/test_validate.py.
"""

from __future__ import annotations

from collections.abc import Callable
from itertools import pairwise

from harkback.reference.redact.name import DIGIT, LETTER

PREFIX = 256
DISTINCT = 8
CARD_DIGITS = range(13, 20)


def mixed(secret: str) -> bool:
    """At least one ASCII digit and one ASCII letter."""
    return any(char in DIGIT for char in secret) and any(char in LETTER for char in secret)


def random(secret: str) -> bool:
    """Mixed, of enough distinct characters, neither one character's run nor a sequence.

    No character follows itself through more than a quarter of the secret, and less than half of
    its steps lead to the next code point (``abcdefgh12345678``).
    """
    if not mixed(secret) or len(set(secret)) < DISTINCT:
        return False
    longest = run = 1
    ascents = 0
    for before, char in pairwise(secret):
        run = run + 1 if char == before else 1
        longest = max(longest, run)
        ascents += ord(char) == ord(before) + 1
    return longest * 4 <= len(secret) and ascents * 2 < len(secret) - 1


def luhn(secret: str) -> bool:
    """13 to 19 digits with the checksum of payment cards; spaces and dashes do not count."""
    digits = [char for char in secret if char not in " -"]
    if len(digits) not in CARD_DIGITS or not all(char in DIGIT for char in digits):
        return False
    total = 0
    for place, char in enumerate(reversed(digits)):
        value = int(char) * (1 + place % 2)
        total += value - 9 if value > 9 else value
    return total % 10 == 0


VALIDATORS: dict[str, Callable[[str], bool]] = {
    "": lambda secret: True,
    "mixed": mixed,
    "random": random,
    "luhn": luhn,
}


def valid(validator: str, text: str, start: int, end: int) -> bool:
    """Whether ``text[start:end]`` passes the validator of this name."""
    return VALIDATORS[validator](text[start : min(end, start + PREFIX)])
