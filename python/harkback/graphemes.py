"""Where text may be cut without tearing what a reader sees as one character.

A close and plain reading of the extended grapheme clusters of UAX #29 (Hangul, emoji sequences,
combining marks, flags, CR LF); what it misses (prepended marks, Indic conjuncts) costs looks, never
safety. Proof: tests/unit/test_graphemes.py.
"""

from __future__ import annotations

import unicodedata

_REACH = 64  # a cluster longer than this is cut inside: a hostile one has no end
_FLAGS = 1 << 16  # of a row of flags, how far back its start is looked for: pairs count from there


def is_border(text: str, at: int) -> bool:
    """Whether ``text`` may be cut before the code point at ``at``."""
    if at <= 0 or at >= len(text):
        return True
    before, after = text[at - 1], text[at]
    if before < "\u0300" and after < "\u0300":
        return not (before == "\r" and after == "\n")
    if before == "\u200d" or after == "\u200d" or _extends(after):
        return False
    if _is_flag(before) and _is_flag(after):
        start = at
        while start > 0 and at - start < _FLAGS and _is_flag(text[start - 1]):
            start -= 1
        return (at - start) % 2 == 0
    return not (_is_hangul(before) and "\u1160" <= after <= "\u11ff")


def border_after(text: str, at: int) -> int:
    """The first border at or behind ``at``."""
    return next((i for i in range(at, min(at + _REACH, len(text) + 1)) if is_border(text, i)), at)


def border_before(text: str, at: int) -> int:
    """The last border at or before ``at``."""
    return next((i for i in range(at, max(at - _REACH, -1), -1) if is_border(text, i)), at)


def _extends(c: str) -> bool:
    return (
        unicodedata.category(c) in ("Mn", "Me", "Mc")
        or "\U0001f3fb" <= c <= "\U0001f3ff"  # skin tones
        or "\U000e0020" <= c <= "\U000e007f"  # tags
    )


def _is_flag(c: str) -> bool:
    return "\U0001f1e6" <= c <= "\U0001f1ff"


def _is_hangul(c: str) -> bool:
    return "\u1100" <= c <= "\u11ff" or "\uac00" <= c <= "\ud7a3"
