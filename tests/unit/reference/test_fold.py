"""What the fold does, on both engines."""

from __future__ import annotations

import unicodedata

import pytest
from hypothesis import given

from harkback.reference.fold import FOLD_VERSION, fold, fold_mapped, is_border
from support.text import BASES, MARKS, text

FOLDED = {
    "": "",
    "Hello, WORLD 42": "hello, world 42",
    # Two of the strings that normalising once and lowering once leaves unstable.
    "J\u030c": "\u01f0",
    "H\u0331": "\u1e96",
    # Sigma is sigma, wherever it stands.
    "ΟΔΟΣ": "οδοσ",
    "ΟΔΟΣ'Α": "οδοσ'α",
    "ς": "σ",
    # Turkish.
    "İstanbul": "istanbul",
    "i\u0307\u0307I\u0307": "ii",
    "ı": "ı",
    "İ\u0323": "\u1ecb\u0307",
    "İ\u0301": "í",
    "Straße STRASSE ẞ": "strasse strasse ss",
    "\u212a\u2126\u212b": "kωå",
    "ſ µ": "s μ",
    # Cherokee folds to its capitals, Georgian to Mkhedruli.
    "\uab70\u13f8": "\u13a0\u13f0",
    "ᲐᲑ": "აბ",
    "\u1112\u1161\u11ab\u1100\u1173\u11af": "한글",
    "Vie\u0323\u0302t": "việt",
    "Vi\u00ea\u0323t": "việt",
    "ＭＯＤＥＬ，\u3000１２": "model, 12",
    "ｶﾞﾊﾟﾜｰ｡｢｣､･": "ガパワー。「」、・",
    "か\uff9e": "が",
    "ﬁﬀ": "fiff",
    "ŉ": "\u02bcn",
    "ᾼ": "αι",
    "\u0301x": "\u0301x",
    "\uff9ex": "\u3099x",
    "a\0B": "a\0b",
    "👩\u200d👩\ufe0f": "👩\u200d👩\ufe0f",
    "\ufeffA\u00ad": "\ufeffa\u00ad",
    # Not of Unicode 14.0: a capital of 16.0 stays, and marks do not see across.
    "\ua7cb": "\ua7cb",
    "\U000105d2\u0307": "\U000105d2\u0307",
    "e\u0378\u0301": "e\u0378\u0301",
    # Outside what width covers.
    "￠\uff60\uffa1": "￠\uff60\uffa1",
}


@pytest.mark.parametrize("original", FOLDED, ids=ascii)
def test_vectors(engine, original):
    assert engine.fold(original) == FOLDED[original]
    assert engine.fold(FOLDED[original]) == FOLDED[original]


@given(text)
def test_idempotent_and_normal(original):
    folded = fold(original)
    assert fold(folded) == folded


@given(text, text)
def test_falls_apart_at_borders(before, after):
    if after and is_border(after[0]):
        assert fold(before + after) == fold(before) + fold(after)


def test_falls_apart_between_every_base_and_every_border():
    for before in BASES + MARKS:
        for after in filter(is_border, BASES):
            assert fold(before + after) == fold(before) + fold(after)


def test_joining_is_not_said_of_everything():
    assert all(is_border(char) for char in BASES)
    assert not any(is_border(char) for char in MARKS)


@given(text)
def test_map_covers_the_text_and_refolds_to_the_fold(original):
    folded, origin = fold_mapped(original)
    assert folded == fold(original)
    assert len(origin) == len(folded)
    segments = sorted(set(origin))
    assert "".join(fold(original[start:end]) for start, end in segments) == folded
    assert [start for start, _ in segments[1:]] == [end for _, end in segments[:-1]]
    assert origin == sorted(origin)


def test_map_gives_the_segment_behind_each_character():
    assert fold_mapped("aßE\u0301模") == (
        "assé模",
        [(0, 1), (1, 2), (1, 2), (2, 4), (4, 5)],
    )


@pytest.mark.skipif(
    unicodedata.unidata_version != "14.0.0", reason="asks this Python's own Unicode 14.0"
)
def test_full_case_folding_of_every_code_point():
    special = {"İ"} | {chr(code) for code in (*range(0xFF01, 0xFFA0), 0x3000)}
    for code in range(0x110000):
        char = chr(code)
        if unicodedata.category(char) in ("Cn", "Cs") or char in special:
            continue
        mapped = "".join(part.casefold() for part in unicodedata.normalize("NFC", char))
        assert fold(char) == unicodedata.normalize("NFC", mapped)


def test_version_names_the_unicode_it_is_frozen_at():
    assert FOLD_VERSION == "14.0.0/1"
