"""Timing and tables for the benches: medians, paired comparison, plain text.

Two things are compared in alternation, so that a machine that slows down slows both. Times are
wall-clock milliseconds. Proof: tests/unit/test_bench_harness.py.
"""

from __future__ import annotations

import statistics
import time
import unicodedata
from collections.abc import Callable, Sequence
from typing import NamedTuple


class Comparison(NamedTuple):
    """``a`` against ``b``: a ratio over 1 says that ``a`` took longer."""

    a_ms: float  # median
    b_ms: float  # median
    ratio: float  # of the medians
    lowest: float  # ratio of one pair
    highest: float


def median_ms(fn: Callable[[], object], runs: int = 9, warmup: int = 1) -> float:
    """Median time of ``runs`` calls, after ``warmup`` calls that are not counted."""
    for _ in range(warmup):
        fn()
    return statistics.median(_once(fn) for _ in range(runs))


def compare(a: Callable[[], object], b: Callable[[], object], runs: int = 9) -> Comparison:
    """Times ``a`` and ``b`` in ``runs`` pairs, each going first in turn; one pair warms up."""
    a()
    b()
    pairs: list[tuple[float, float]] = []
    for run in range(runs):
        if run % 2:
            second = _once(b)
            pairs.append((_once(a), second))
        else:
            first = _once(a)
            pairs.append((first, _once(b)))
    a_ms = statistics.median(first for first, _ in pairs)
    b_ms = statistics.median(second for _, second in pairs)
    ratios = [first / second for first, second in pairs]
    return Comparison(a_ms, b_ms, a_ms / b_ms, min(ratios), max(ratios))


def table(headers: Sequence[str], rows: Sequence[Sequence[object]]) -> str:
    """Plain-text columns: numbers to the right, floats with two decimals, text to the left."""
    cells = [[f"{v:,.2f}" if isinstance(v, float) else str(v) for v in row] for row in rows]
    lines = [list(headers), *cells]
    widths = [max(_width(line[i]) for line in lines) for i in range(len(headers))]
    right = [
        bool(rows) and all(isinstance(row[i], int | float) for row in rows)
        for i in range(len(headers))
    ]
    lines.insert(1, ["-" * width for width in widths])
    return "\n".join(
        "  ".join(
            _padded(cell, width, right=side)
            for cell, width, side in zip(line, widths, right, strict=True)
        ).rstrip()
        for line in lines
    )


def _once(fn: Callable[[], object]) -> float:
    start = time.perf_counter()
    fn()
    return (time.perf_counter() - start) * 1000


def _width(cell: str) -> int:
    return sum(2 if unicodedata.east_asian_width(char) in "WF" else 1 for char in cell)


def _padded(cell: str, width: int, *, right: bool) -> str:
    fill = " " * (width - _width(cell))
    return fill + cell if right else cell + fill
