"""Harkback beside other ways to search the same text: ``python benches/compare.py --size 178mb``.

Every row answers 40 fixed questions. It is first held against the answers counted from the text
itself, and timed only on the questions that it answers exactly; how many these are stands in the
table. Each row runs in a process of its own, so that its memory is its own; times are medians.
``--size all`` draws the growth curve too. Needs ``pip install -r benches/requirements.txt``, and
``rg`` on the path for its rows; what is not installed is named and left out.
"""

from __future__ import annotations

import argparse
import json
import resource
import statistics
import subprocess
import sys
import time
from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path
from typing import Any, Final

from compare_others import Bm25s, Fts5, Ripgrep, Row, SqlShape, Tantivy, available
from compare_ours import Fresh, Narrowed, Ours, Persisted, Reference, Resident
from compare_text import QUESTIONS, SIZES, answers_of, text_of
from corpus import cached
from harness import table

ROWS: Final[dict[str, type[Any]]] = {
    "reference": Reference,
    "narrowed": Narrowed,
    "resident": Resident,
    "persisted": Persisted,
    "fresh": Fresh,
    "rg": Ripgrep,
    "sql": SqlShape,
    "fts5": Fts5,
    "tantivy": Tantivy,
    "bm25s": Bm25s,
}
#: Larger sizes would take these many minutes, hours or tens of gigabytes.
UP_TO: Final = {
    "reference": "25mb",
    "narrowed": "25mb",
    "fts5": "178mb",
    "tantivy": "178mb",
    "bm25s": "178mb",
}
LARGEST: Final = "1780mb"
SLOW: Final = ("reference", "narrowed", "sql", "fresh")
FRESH_TERM: Final = "freshterm{}"


def measure(key: str, size: str) -> dict[str, Any]:
    """One row over one size, in this process."""
    shape = SIZES[size]
    text = text_of(shape)
    answers = answers_of(shape, text)
    row: Row = ROWS[key](text, shape)
    exact = [
        n
        for n, (q, right) in enumerate(zip(QUESTIONS, answers, strict=True))
        if _exact(row, q, right, by_count=size == LARGEST)
    ]
    if key not in ("sql", "fts5", "tantivy", "bm25s"):
        assert len(exact) == len(QUESTIONS), f"{row.name}: {_wrong(exact)}"
    peak = _peak()
    runs = 1 if key in SLOW else 3 if size == LARGEST else 7
    times = {n: _median(partial(row.ask, QUESTIONS[n].terms), runs) for n in exact}
    result: dict[str, Any] = {
        "name": row.name,
        "times": times,
        "built": row.built,
        "text": text.bytes,
        "peak": peak,
        "disk": row.disk,
        "append": _append(row),
    }
    if key == "resident" and available(Ripgrep):
        result["against_rg"] = _against(row, Ripgrep(text, shape), runs)
    row.close()
    return result


def _exact(row: Row, question: Any, right: set[tuple[int, int]], *, by_count: bool) -> bool:
    """Whether the row names the right Messages; ``by_count``: only how many, which ends sooner."""
    if by_count and isinstance(row, Ours | Ripgrep):
        return row.count(question.terms) == len(right)
    if isinstance(row, SqlShape):  # it names Sessions: none that matches may be missing
        return {session for session, _ in right} <= row.sessions(question.terms)
    return row.matches(question.terms) == right


def _wrong(exact: Sequence[int]) -> str:
    return ", ".join(str(q.terms) for n, q in enumerate(QUESTIONS) if n not in exact)


def _append(row: Row) -> float | None:
    """What a question costs more, in ms, right after one Message was added. It has to find it."""
    warm = statistics.median(_once(partial(row.ask, ("zzqnowhere",))) for _ in range(5))
    after: list[float] = []
    for number in range(5):
        term = FRESH_TERM.format(number)
        if not row.append(f"one more line with {term} in it"):
            return None
        start = time.perf_counter()
        answer = row.ask((term,))
        after.append((time.perf_counter() - start) * 1000)
        shown = answer.passages if hasattr(answer, "passages") else answer
        assert shown, f"{row.name}: the appended Message was not found"
    return statistics.median(after) - warm


def _against(row: Row, other: Row, runs: int) -> dict[int, float]:
    """Per question, how long the row takes for each millisecond of the other, asked in turn."""
    ratios = {}
    for number, question in enumerate(QUESTIONS):
        pairs = [
            (
                _once(partial(row.ask, question.terms)),
                _once(partial(other.ask, question.terms)),
            )
            for _ in range(runs)
        ]
        ratios[number] = statistics.median(a for a, _ in pairs) / statistics.median(
            b for _, b in pairs
        )
    return ratios


def _once(fn: Callable[[], object]) -> float:
    start = time.perf_counter()
    fn()
    return (time.perf_counter() - start) * 1000


def _median(fn: Callable[[], object], runs: int) -> float:
    if runs > 1:
        fn()
    return statistics.median(_once(fn) for _ in range(runs))


def _peak() -> int:
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024


# --- the table ------------------------------------------------------------------------------


def run(key: str, size: str) -> dict[str, Any] | None:
    """One row in a process of its own; None if it does not go so far, or is not installed."""
    order = list(SIZES)
    if order.index(size) > order.index(UP_TO.get(key, order[-1])):
        return None
    if not available(ROWS[key]):
        print(f"{key} is not installed; its row is left out.", file=sys.stderr)
        return None
    command = [sys.executable, __file__, "--row", key, "--size", size]
    done = subprocess.run(command, stdout=subprocess.PIPE, check=False, encoding="utf-8")
    if done.returncode:
        raise SystemExit(f"{key} at {size} failed")
    result: dict[str, Any] = json.loads(done.stdout.splitlines()[-1])
    result["times"] = {int(n): ms for n, ms in result["times"].items()}
    return result


def _line(result: dict[str, Any]) -> list[object]:
    times: dict[int, float] = result["times"]

    def of(*kinds: str) -> str:
        chosen = [ms for n, ms in times.items() if QUESTIONS[n].kind in kinds]
        return f"{statistics.median(chosen):.1f}" if chosen else "-"

    ordered = sorted(times.values())
    megabytes = result["text"] / 1e6
    return [
        result["name"],
        f"{len(times)}/{len(QUESTIONS)}",
        f"{statistics.median(ordered):.1f}" if ordered else "-",
        f"{ordered[int(0.95 * (len(ordered) - 1))]:.1f}" if ordered else "-",
        of("rare", "absent"),
        of("common"),
        of("two CJK"),
        of("one character"),
        f"{megabytes / result['built']:.0f}" if result["built"] > 0.05 else "-",
        f"{result['peak'] / 1e6:.0f}",
        f"{result['disk'] / result['text']:.2f}" if result["disk"] else "-",
        "-" if result["append"] is None else f"{result['append']:+.1f}",
    ]


HEADERS: Final = (
    *("row", "exact", "p50 ms", "p95 ms", "rare ms", "common ms", "2 CJK ms", "1 char ms"),
    *("build MB/s", "peak MB", "disk/text", "append ms"),
)


def compare(size: str, keys: Sequence[str]) -> dict[str, dict[str, Any]]:
    """Runs the rows of one size and prints their table."""
    text = text_of(SIZES[size])
    answers_of(SIZES[size], text)
    results = {key: result for key in keys if (result := run(key, size)) is not None}
    _, manifest = cached(SIZES[size])
    print(f"\n{size}: {manifest.bytes / 1e6:.1f} MB of records, {text.bytes / 1e6:.1f} MB of text,")
    print(f"{manifest.messages:,} Messages, {len(QUESTIONS)} questions\n")
    print(table(HEADERS, [_line(result) for result in results.values()]), flush=True)
    against = results.get("resident", {}).get("against_rg")
    if against:
        worst = max(against, key=lambda n: against[n])
        middle = statistics.median(against.values())
        print(
            f"\nresident / rg, question by question: median {middle:.2f},"
            f" highest {against[worst]:.2f} ({QUESTIONS[int(worst)].terms})"
        )
    return results


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--size", choices=[*SIZES, "all"], default="178mb")
    parser.add_argument("--row", choices=ROWS, help="measure one row only, and print it as JSON")
    parser.add_argument("--rows", nargs="*", choices=ROWS, default=list(ROWS))
    parser.add_argument("--charts", type=Path, help="a folder for the charts, as SVG")
    chosen = parser.parse_args()
    if chosen.row:
        print(json.dumps(measure(chosen.row, chosen.size)))
        return
    sizes = list(SIZES) if chosen.size == "all" else [chosen.size]
    results = {size: compare(size, chosen.rows) for size in sizes}
    if chosen.charts:
        from compare_charts import draw

        for path in draw(results, chosen.charts):
            print(path)


if __name__ == "__main__":
    main()
