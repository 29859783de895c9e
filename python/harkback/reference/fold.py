"""Fold: NFC, width, full case folding per code point, dotted i, NFC; frozen at Unicode 14.0.

Width is U+FF01..U+FF5E to ASCII, U+3000 to a space, and the half-width katakana block
U+FF61..U+FF9F (punctuation and voicing marks with it) to its full-width twins; nothing else.
Case folding is CaseFolding C + F. Every U+0307 directly after an ``i`` is dropped. A code point
that 14.0 does not assign is copied, and splits the text for normalisation. Texts hold no lone
surrogates: a reader has replaced them.

Invariant: idempotent, and ``fold(a + b) == fold(a) + fold(b)`` wherever ``b`` starts at a border.
A newer Unicode in ``unicodedata`` changes nothing: the normal form of code points assigned in
14.0 is stable. Proof: tests/unit/reference/test_fold.py, tests/differential/test_fold.py.
"""

from __future__ import annotations

import re
from unicodedata import normalize

from harkback.reference.fold_table import FOLD_VERSION, JOINING, MAP, UNASSIGNED

__all__ = ["FOLD_VERSION", "fold", "fold_mapped", "is_border"]


def _character_class(ranges: tuple[tuple[int, int], ...]) -> str:
    return "".join(f"\\U{first:08x}-\\U{last:08x}" for first, last in ranges)


_ASSIGNED = re.compile(f"[^{_character_class(UNASSIGNED)}]+")
_JOINING = re.compile(f"[{_character_class(JOINING)}]")
_SEGMENT = re.compile(f"(?s:.)[{_character_class(JOINING)}]*")
_DOTTED_I = re.compile("i\u0307+")


def fold(text: str) -> str:
    """The fold of ``text``."""
    return _ASSIGNED.sub(lambda found: _fold_assigned(found.group()), text)


def _fold_assigned(text: str) -> str:
    mapped = normalize("NFC", text).translate(MAP)
    return normalize("NFC", _DOTTED_I.sub("i", mapped))


def is_border(char: str) -> bool:
    """Whether ``fold(a + b) == fold(a) + fold(b)`` for every a, where b starts with ``char``."""
    return _JOINING.match(char) is None


def fold_mapped(text: str) -> tuple[str, list[tuple[int, int]]]:
    """The fold, and for each of its characters the segment of ``text`` it comes from.

    A segment is a border and what joins it; its range [start, end) is in code points.
    """
    pieces = []
    origin = []
    for segment in _SEGMENT.finditer(text):
        folded = fold(segment.group())
        pieces.append(folded)
        origin += [segment.span()] * len(folded)
    return "".join(pieces), origin
