"""Unfinished keys: the beginning of a key where a text that is still being written ends.

A rule asks for enough of a key to tell it from a word; half of one is no match yet, and would be
shown. So in a Message in progress the end of a text goes from a keyword on, if nothing but what its
rule goes on with follows. Invariant: nothing but the last WINDOW code points is looked at, and a
span reaches to the end of the text. Proof: tests/unit/redaction/test_unfinished.py.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import Final

from harkback.model import Rule, Span

WINDOW: Final = 256  # a longer beginning is a match of its rule
_WORD: Final = re.compile(r"[A-Za-z0-9_]")


class Unfinished:
    """A finder made of those rules whose shape begins with its keyword, letter for letter."""

    id = "unfinished-key"
    version = "1"

    def __init__(self, rules: Iterable[Rule]) -> None:
        self._starts = [
            (
                re.compile(f"(?=({re.escape(keyword)}))", re.ASCII | re.IGNORECASE),
                rule.shape,
                rule.boundary,
                re.compile(f"[{rule.run}]+", re.ASCII),
            )
            for rule in rules
            if rule.kind == "run" and not rule.before and not rule.back
            for keyword in rule.keywords
        ]

    def __call__(self, text: str) -> list[Span]:
        offset = max(len(text) - WINDOW, 0)
        tail = text[offset:]
        found: list[int] = []
        for start, shape, boundary, body in self._starts:
            for match in start.finditer(tail):
                literal = match[1]
                if (
                    (literal in shape or re.escape(literal) in shape)
                    and body.fullmatch(tail, match.end(1))
                    and not (boundary and match.start() and _WORD.match(tail[match.start() - 1]))
                ):
                    found.append(match.start())
        return [(offset + min(found), len(text))] if found else []
