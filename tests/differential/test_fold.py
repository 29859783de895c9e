"""Native fold = reference fold: on every scalar value, on pairs that meet, on random text."""

from __future__ import annotations

from hypothesis import given, settings

import harkback.engine
from support.text import BASES, MARKS, UNUSUAL, text

native = harkback.engine.load("native")
reference = harkback.engine.load("reference")

SCALARS = [chr(code) for code in range(0x110000) if not 0xD800 <= code < 0xE000]
BLOCK = 4096


def assert_same(texts):
    """Many short texts in few calls; U+0001 keeps them apart, for nothing composes with it."""
    for start in range(0, len(texts), BLOCK):
        block = "\1".join(texts[start : start + BLOCK])
        folded = native.fold(block)
        assert folded == reference.fold(block)
        assert native.fold(folded) == folded


def test_every_scalar_value_alone():
    assert_same(SCALARS)


def test_every_scalar_value_after_a_letter_and_before_a_mark():
    assert_same([f"i{char}\u0307" for char in SCALARS])


def test_every_pair_and_triple_that_meets():
    assert_same([a + b for a in UNUSUAL for b in UNUSUAL])
    assert_same([base + a + b for base in BASES for a in MARKS for b in MARKS])


def test_every_hangul_syllable_taken_apart():
    leads, vowels, tails = range(0x1100, 0x1113), range(0x1161, 0x1176), range(0x11A7, 0x11C3)
    taken = [
        chr(lead) + chr(vowel) + (chr(tail) if tail > 0x11A7 else "")
        for lead in leads
        for vowel in vowels
        for tail in tails
    ]
    assert_same(taken)
    assert native.fold("".join(taken)) == "".join(map(chr, range(0xAC00, 0xD7A4)))


@settings(max_examples=400)
@given(text)
def test_random_text(original):
    assert native.fold(original) == reference.fold(original)
