"""Blocks over several leaves: a private key as a list of its lines, as notebooks and tools keep it.

A rule of kind ``between`` finds a block inside one leaf. Where a list holds a line in each leaf,
the leaves behind an opening belong to the block until it closes. Invariant: a leaf is looked at
only if the next one stands in the same list, and of a long one the last TAIL code points; prose
ends a block that was never closed. Proof: tests/unit/redaction/test_blocks.py.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from typing import Final

from harkback.model import Leaf, Rule

TAIL: Final = 1 << 14
#: Three words in a row that are no header of a key (``Proc-Type: 4,ENCRYPTED``).
_PROSE: Final = re.compile(r"^(?![A-Za-z-]{1,40}: )[^\n]*\w \w+ \w", re.MULTILINE)


class Blocks:
    """The rules of a policy that find blocks."""

    def __init__(self, rules: Iterable[Rule]) -> None:
        self._rules = [
            (re.compile(rule.shape, re.ASCII), rule.end) for rule in rules if rule.kind == "between"
        ]

    def inside(self, leaves: Sequence[Leaf]) -> set[int]:
        """Places of the leaves that belong to a block which another leaf opened."""
        found: set[int] = set()
        end: str | None = None  # of the block that is open
        for at, (path, text) in enumerate(leaves):
            if end is not None:
                if path == leaves[at - 1].path and (end in text or not _PROSE.search(text[:TAIL])):
                    found.add(at)
                    if end not in text:
                        continue
                end = None
            if at + 1 < len(leaves) and leaves[at + 1].path == path:
                end = self._opened(text[-TAIL:])
        return found

    def _opened(self, text: str) -> str | None:
        """The end of a block that ``text`` opens and does not close."""
        for shape, end in self._rules:
            for opening in shape.finditer(text):
                if text.find(end, opening.end()) < 0:
                    return end
        return None
