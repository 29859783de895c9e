"""Marks: what stands in a text in place of what was taken out of it, and how to cut beside one.

Invariant: nothing else in the package puts marks into a text, so all agree where they lie.
Proof: tests/unit/redaction/test_policy.py, tests/unit/test_windows.py.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterable, Sequence

from harkback.config import REDACTED_MARK
from harkback.model import Span


def marked(text: str, cuts: Iterable[Span]) -> tuple[str, list[Span]]:
    """The text with a mark in place of each cut, and where the marks lie.

    Args:
        cuts: disjoint and in order.
    """
    pieces: list[str] = []
    marks: list[Span] = []
    at = length = 0
    for start, end in cuts:
        pieces += (text[at:start], REDACTED_MARK)
        length += start - at
        marks.append((length, length + len(REDACTED_MARK)))
        length += len(REDACTED_MARK)
        at = end
    pieces.append(text[at:])
    return "".join(pieces), marks


def before(marks: Sequence[Span], at: int) -> int:
    """``at``, or the start of the mark that it lies in."""
    return _around(marks, at)[0]


def behind(marks: Sequence[Span], at: int) -> int:
    """``at``, or the end of the mark that it lies in."""
    return _around(marks, at)[1]


def _around(marks: Sequence[Span], at: int) -> Span:
    index = bisect_left(marks, at, key=lambda mark: mark[0]) - 1
    return marks[index] if index >= 0 and at < marks[index][1] else (at, at)
