"""Edges: whether a token may start at a place of a text.

It may where no letter, digit or underscore stands before it, behind the marks of emphasis (``__``),
and behind an escape that ends in a letter or digit: ``\\n``, ``\\u003d``, ``%3D``, a terminal's
colour, written out or not. Invariant: a bounded look to the left.
Proof: tests/unit/redaction/test_rules.py.
"""

from __future__ import annotations

import re

from harkback.reference.redact.name import WORD

LOOK = 20
MARKS = 3  # underscores of emphasis
_ESCAPE = re.compile(
    r"(?:\\[nrtfbv0]|\\x[0-9A-Fa-f]{2}|\\u[0-9A-Fa-f]{4}|%[0-9A-Fa-f]{2}"
    r"|(?:\x1b|x1[bB]|033|u001[bB]|\\e)\[[0-9;]{0,12}m)\Z"
)


def is_edge(text: str, at: int) -> bool:
    """Whether ``text[at:]`` may begin with a token."""
    if at == 0 or text[at - 1] not in WORD:
        return True
    marks = at
    while at - marks < MARKS and marks > 0 and text[marks - 1] == "_":
        marks -= 1
    if marks < at and (marks == 0 or text[marks - 1] not in WORD):
        return True
    return _ESCAPE.search(text[max(0, at - LOOK) : at]) is not None
