"""The charts of the comparison, as SVG: one for each size, and the growth of each row.

Invariant: a chart shows the numbers of the table beside it and no others.
"""

from __future__ import annotations

import statistics
from collections.abc import Iterator
from importlib import import_module
from pathlib import Path
from typing import Any, Final

from compare_text import QUESTIONS, SIZES
from corpus import cached

RARE: Final = ("rare", "absent")


def draw(results: dict[str, dict[str, dict[str, Any]]], folder: Path) -> Iterator[Path]:
    """Draws what was measured; gives the files."""
    matplotlib: Any = import_module("matplotlib")
    matplotlib.use("svg")
    matplotlib.rcParams |= {"svg.fonttype": "none", "svg.hashsalt": "harkback"}
    folder.mkdir(parents=True, exist_ok=True)
    for size, rows in results.items():
        yield _bars(size, rows, folder / f"compare-{size}.svg")
    if len(results) > 1:
        yield _growth(results, folder / "compare-growth.svg")


def _median(result: dict[str, Any], kinds: tuple[str, ...]) -> float | None:
    chosen = [ms for n, ms in result["times"].items() if QUESTIONS[n].kind in kinds]
    return statistics.median(chosen) if chosen else None


def _bars(size: str, rows: dict[str, dict[str, Any]], path: Path) -> Path:
    pyplot: Any = import_module("matplotlib.pyplot")
    figure, axes = pyplot.subplots(figsize=(8, 0.55 * len(rows) + 1.2))
    names = [f"{row['name']} ({len(row['times'])}/{len(QUESTIONS)})" for row in rows.values()]
    for offset, kinds, label in ((-0.2, RARE, "rare or absent"), (0.2, ("common",), "common")):
        values = [_median(row, kinds) or 0 for row in rows.values()]
        bars = axes.barh([n + offset for n in range(len(rows))], values, 0.38, label=label)
        axes.bar_label(bars, fmt="%.1f", padding=3)
    axes.set_yticks(range(len(rows)), names)
    axes.invert_yaxis()
    axes.set_xscale("log")
    axes.set_xlabel(f"ms, median; {size} store; in brackets: questions answered exactly")
    axes.legend()
    return _saved(figure, path)


def _growth(results: dict[str, dict[str, dict[str, Any]]], path: Path) -> Path:
    pyplot: Any = import_module("matplotlib.pyplot")
    figure, axes = pyplot.subplots(figsize=(8, 5))
    for key in dict.fromkeys(key for rows in results.values() for key in rows):
        points = [
            (cached(SIZES[size])[1].bytes / 1e6, statistics.median(rows[key]["times"].values()))
            for size, rows in results.items()
            if key in rows and rows[key]["times"]
        ]
        axes.plot(
            *zip(*points, strict=True),
            marker="o",
            label=next(rows[key]["name"] for rows in results.values() if key in rows),
        )
    axes.set_xscale("log")
    axes.set_yscale("log")
    axes.set_xlabel("MB of records")
    axes.set_ylabel("ms, median of the questions answered exactly")
    axes.legend(fontsize="small")
    return _saved(figure, path)


def _saved(figure: Any, path: Path) -> Path:
    pyplot: Any = import_module("matplotlib.pyplot")
    figure.tight_layout()
    figure.savefig(path, metadata={"Date": None})
    pyplot.close(figure)
    return path
