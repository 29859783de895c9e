"""Edges: whether a token may start at a place of a text.

It may where no letter, digit or underscore stands before it, and behind an escape that ends in one:
``\\n``, ``\\u003d``, ``%3D``, a terminal's colour. Invariant: a bounded look to the left.
Proof: tests/unit/redaction/test_rules.py.
"""

from __future__ import annotations

import re

from harkback.reference.redact.name import WORD

LOOK = 12
_ESCAPE = re.compile(
    r"(?:\\[nrtfbv0]|\\x[0-9A-Fa-f]{2}|\\u[0-9A-Fa-f]{4}|%[0-9A-Fa-f]{2}|\x1b\[[0-9;]*m)\Z",
)


def is_edge(text: str, at: int) -> bool:
    """Whether ``text[at:]`` may begin with a token."""
    if at == 0 or text[at - 1] not in WORD:
        return True
    return _ESCAPE.search(text[max(0, at - LOOK) : at]) is not None
