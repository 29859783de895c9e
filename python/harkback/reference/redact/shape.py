"""Shapes: rules that look for a pattern at their keyword.

A shape is matched where its keyword stands and nowhere else, so one occurrence costs what a bounded
pattern costs. A ``run`` goes on through a class of characters and a ``between`` to a literal,
however far; both remember the last end they found, because every start before it shares it.
Invariant: the spans are those of every occurrence on its own; memory only saves time.
Proof: tests/unit/redaction/test_kinds.py.
"""

from __future__ import annotations

import re
from typing import Protocol

from harkback.reference.redact.name import WORD


class ShapeRule(Protocol):
    """The part of a rule that this file reads."""

    @property
    def id(self) -> str: ...
    @property
    def kind(self) -> str: ...
    @property
    def shape(self) -> str: ...
    @property
    def before(self) -> int: ...
    @property
    def boundary(self) -> bool: ...
    @property
    def run(self) -> str: ...
    @property
    def end(self) -> str: ...


class Shape:
    """One rule of kind ``pattern``, ``run`` or ``between``, prepared.

    Raises:
        ValueError: the shape or the run is no pattern.
    """

    def __init__(self, rule: ShapeRule) -> None:
        try:
            self._shape = re.compile(rule.shape, re.ASCII)
            self._run = re.compile(f"[{rule.run}]*", re.ASCII) if rule.kind == "run" else None
        except re.error:
            raise ValueError(f"rule {rule.id}: the shape is not a pattern") from None
        self._before = rule.before
        self._boundary = rule.boundary
        self._end = rule.end if rule.kind == "between" else None

    def find(self, text: str, keyword: int, last: list[int]) -> tuple[int, int] | None:
        """The span of the keyword that starts at ``keyword``; ``last`` is this rule's memory."""
        start = keyword - self._before
        if start < 0 or (self._boundary and start > 0 and text[start - 1] in WORD):
            return None
        match = self._shape.match(text, start)
        if match is None:
            return None
        group = 1 if self._shape.groups else 0
        if self._run is not None:
            return match.start(group), self._run_end(text, match.end(), last)
        if self._end is not None:
            return match.start(group), self._block_end(text, match.end(), last)
        return match.span(group)

    def _run_end(self, text: str, at: int, last: list[int]) -> int:
        assert self._run is not None
        if not last[0] <= at <= last[1]:
            found = self._run.match(text, at)
            last[:] = [at, found.end() if found else at]
        return last[1]

    def _block_end(self, text: str, at: int, last: list[int]) -> int:
        assert self._end is not None
        if not last[0] <= at <= last[1]:
            found = text.find(self._end, at)
            last[:] = [at, len(text) if found < 0 else found]
        return min(last[1] + len(self._end), len(text))
