"""Keys: short names that a fact is found by, compared whole or by their beginning.

Invariant: what two texts mean as keys does not depend on case, width or white space; a text with a
control, a surrogate or a zero-width character is no key. Proof: tests/unit/facts/test_keys.py.
"""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Iterable
from typing import Final

from harkback.engine import Engine

_REFUSED: Final = re.compile("[\x00-\x1f\x7f-\x9f\u200b-\u200f\u2060-\u2064\ufeff\ud800-\udfff]")
_LAST: Final = "\U0010ffff"


def normal(engine: Engine, text: str) -> str | None:
    """The form in which keys are compared; None for what is no key."""
    trimmed = text.strip()
    if not trimmed or _REFUSED.search(trimmed):
        return None
    return engine.fold(" ".join(trimmed.split())) or None


def beyond(prefix: str) -> str | None:
    """The least text behind every text that starts with ``prefix``; None if there is none.

    Args:
        prefix: not empty.
    """
    head = prefix.rstrip(_LAST)
    if not head:
        return None
    following = ord(head[-1]) + 1
    return head[:-1] + chr(0xE000 if following == 0xD800 else following)


class KeyIndex:
    """Which facts have a key that starts with a text."""

    def __init__(self, keys: Iterable[tuple[str, int]]) -> None:
        """
        Args:
            keys: normal forms, each with the number of its fact.
        """
        ordered = sorted(keys)
        self._keys = [key for key, _ in ordered]
        self._facts = [fact for _, fact in ordered]

    def starting(self, prefix: str) -> set[int]:
        """Numbers of the facts with a key that is ``prefix``, or goes on after it."""
        first, end = bisect_left(self._keys, prefix), beyond(prefix)
        stop = len(self._keys) if end is None else bisect_left(self._keys, end)
        return set(self._facts[first:stop])
