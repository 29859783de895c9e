"""Fold."""

from __future__ import annotations

import string
import unicodedata

from harkback.model import Span

_LOWER = str.maketrans(string.ascii_uppercase, string.ascii_lowercase)


def fold(text: str) -> str:
    """Folds."""
    return fold_mapped(text)[0]


def fold_mapped(text: str) -> tuple[str, list[Span]]:
    """Folds, with the original range of every folded code point."""
    starts = [at for at, c in enumerate(text) if at == 0 or not "\u0300" <= c <= "\u036f"]
    folded: list[str] = []
    origin: list[Span] = []
    for start, end in zip(starts, [*starts[1:], len(text)], strict=True):
        for c in unicodedata.normalize("NFC", text[start:end].translate(_LOWER)):
            folded.append(c)
            origin.append((start, end))
    return "".join(folded), origin
