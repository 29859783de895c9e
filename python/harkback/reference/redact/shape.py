"""Shapes: rules that look for a pattern at their keyword, or that try whole runs of a class.

A shape is matched where its keyword stands and nowhere else, so one occurrence costs what a bounded
pattern costs. A ``run`` goes on through a class of characters and a ``between`` to a literal,
however far; both remember the last end they found, because every start before it shares it.
Invariant: the spans are those of every occurrence on its own; memory only saves time.
Proof: tests/unit/redaction/test_kinds.py.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Protocol

from harkback.reference.redact.charset import CharSet
from harkback.reference.redact.edge import is_edge
from harkback.reference.redact.validate import VALIDATORS, valid

LOOK_BACK = 64
#: Longer runs are no word: a shape has to match one whole, and shapes are bounded.
WORD_LIMIT = 1000


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
    @property
    def validator(self) -> str: ...
    @property
    def back(self) -> str: ...


class Shape:
    """One rule of kind ``pattern``, ``run``, ``between`` or ``word``, prepared.

    Raises:
        ValueError: the shape or a class is no pattern, or the validator is unknown.
    """

    def __init__(self, rule: ShapeRule) -> None:
        if rule.validator not in VALIDATORS:
            raise ValueError(f"rule {rule.id}: unknown validator")
        try:
            self._shape = re.compile(rule.shape, re.ASCII)
            self._run = CharSet(rule.run) if rule.kind in ("run", "word") else None
            self._back = CharSet(rule.back) if rule.back else None
        except re.error:
            raise ValueError(f"rule {rule.id}: the shape is not a pattern") from None
        self._before = rule.before
        self._boundary = rule.boundary
        self._end = rule.end if rule.kind == "between" else None
        self._validator = rule.validator

    def find(self, text: str, keyword: int, last: list[int]) -> tuple[int, int] | None:
        """The span of the keyword that starts at ``keyword``; ``last`` is this rule's memory."""
        start = keyword - self._before
        if start < 0:
            return None
        first = start
        if self._back is not None:
            first = min(start, self._back.run_start(text, keyword, LOOK_BACK))
        if self._boundary and not is_edge(text, first):
            return None
        match = self._shape.match(text, start)
        if match is None:
            return None
        begin, end = match.span(1 if self._shape.groups else 0)
        if begin < 0:
            return None
        if self._back is not None:
            begin = first
        if self._run is not None:
            end = self._run_end(self._run, text, match.end(), last)
        elif self._end is not None:
            end = self._block_end(self._end, text, match.end(), last)
        return (begin, end) if valid(self._validator, text, begin, end) else None

    def words(self, text: str) -> Iterator[tuple[int, int]]:
        """The runs of kind ``word`` that the shape matches whole."""
        assert self._run is not None
        for start, end in self._run.runs(text):
            if (
                end - start <= WORD_LIMIT
                and self._shape.fullmatch(text, start, end)
                and valid(self._validator, text, start, end)
            ):
                yield start, end

    def _run_end(self, run: CharSet, text: str, at: int, last: list[int]) -> int:
        if not last[0] <= at <= last[1]:
            last[:] = [at, run.run_end(text, at)]
        return last[1]

    def _block_end(self, literal: str, text: str, at: int, last: list[int]) -> int:
        if not last[0] <= at <= last[1]:
            found = text.find(literal, at)
            last[:] = [at, len(text) if found < 0 else found]
        return min(last[1] + len(literal), len(text))
