"""Classes of characters: how far a run of one goes, and which runs of one a text holds.

A class is written as the inside of ``[...]``. Invariant: membership of one code point at a time, so
that a run is the same wherever it is entered. Proof: tests/unit/redaction/test_kinds.py.
"""

from __future__ import annotations

import re
from collections.abc import Iterator


class CharSet:
    """One class. Raises ``re.error`` if ``members`` is the inside of none."""

    def __init__(self, members: str) -> None:
        self._run = re.compile(f"[{members}]*", re.ASCII)
        self._runs = re.compile(f"[{members}]+", re.ASCII)

    def run_end(self, text: str, at: int) -> int:
        """End of the run that starts at ``at``; ``at`` itself without one."""
        found = self._run.match(text, at)
        return found.end() if found else at

    def run_start(self, text: str, at: int, limit: int) -> int:
        """Start of the run that ends at ``at``, no more than ``limit`` code points before it."""
        start = at
        while start > 0 and at - start < limit and self._runs.match(text, start - 1, start):
            start -= 1
        return start

    def runs(self, text: str) -> Iterator[tuple[int, int]]:
        """Every maximal run, in order."""
        for found in self._runs.finditer(text):
            yield found.span()
