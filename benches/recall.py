"""A whole `search()`: full scan, narrowed scan and resident corpus, equal first, then timed.

``python benches/recall.py [SHAPE ...]`` (default: sparse dense large). Full and narrowed start
with an empty corpus on a store that is open already; "first" also opens it. Resident asks again
what it has in memory. Ratios are of medians; full and narrowed are timed in pairs. At the end the
memory of the resident corpus is held against the visible text.
"""

from __future__ import annotations

import resource
import sys
from collections.abc import Callable
from pathlib import Path as FilePath

from corpus import Manifest, cached
from harkback import Envelope, Recall, SqliteSource
from harkback.verification import Path
from harness import compare, median_ms, table

MEGABYTE = 1e6
SHAPES = ("sparse", "dense", "large")
RUNS = {"sparse": 15, "dense": 15, "large": 3}


def searcher(source: SqliteSource | FilePath, path: Path, term: str) -> Callable[[], Envelope]:
    """One search with an empty corpus, on the path given."""

    def search() -> Envelope:
        recall = Recall(source)
        recall._path = path
        return recall.search([term])

    return search


def answers(envelope: Envelope) -> list[tuple[object, ...]]:
    """What has to be equal on every path, scores to the last bit."""
    return [(p.anchor, p.score, p.sequence, p.matched_terms, p.messages) for p in envelope.passages]


def rows_of(shape: str, path: FilePath, manifest: Manifest) -> list[list[object]]:
    """One row for each planted term of a store."""
    resident = Recall(path)
    resident._path = Path.RESIDENT
    resident.search(["fill the memory"])
    source = SqliteSource(path)
    rows: list[list[object]] = []
    for term in manifest.terms:
        full = searcher(source, Path.FULL, term)
        narrowed = searcher(source, Path.NARROWED, term)

        def again(term: str = term) -> Envelope:
            return resident.search([term])

        expected = answers(full())
        assert answers(narrowed()) == expected, f"narrowed differs from full for {term}"
        assert answers(again()) == expected, f"resident differs from full for {term}"
        assert bool(expected) == bool(manifest.terms[term].messages), f"{term} is not as planted"
        runs = RUNS[shape]
        against = compare(full, narrowed, runs)
        first = median_ms(searcher(path, Path.NARROWED, term), runs)
        warm = median_ms(again, 15)
        rows.append(
            [
                shape,
                term,
                len(manifest.terms[term].sessions),
                against.a_ms,
                against.b_ms,
                first,
                warm,
                against.ratio,
                first / warm,
            ]
        )
    source.close()
    resident.close()
    return rows


def memory(path: FilePath, manifest: Manifest) -> str:
    """Growth of the process while everything becomes resident, against the visible text."""
    before = _peak()
    with Recall(path, memory_bytes=4 << 30) as recall:
        recall._path = Path.RESIDENT
        recall.search(["fill the memory"])
        held = recall._corpus.held.bytes
        grown = _peak() - before
    text = manifest.searchable_bytes
    return (
        f"resident: {held / MEGABYTE:.0f} MB held, peak grown by {grown / MEGABYTE:.0f} MB, "
        f"visible text {text / MEGABYTE:.0f} MB: {held / text:.2f} and {grown / text:.2f} times"
    )


def _peak() -> int:
    """Peak resident set of this process, bytes (Linux counts in KiB)."""
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024


def main(shapes: list[str]) -> None:
    # First of all, and of the largest: a peak only ever grows.
    print(memory(*cached(shapes[-1])), "\n")
    rows = [row for shape in shapes for row in rows_of(shape, *cached(shape))]
    headers = ["store", "term", "hold it", "full ms", "narrowed ms", "first ms", "resident ms"]
    print(table([*headers, "full/narrowed", "first/resident"], rows))


if __name__ == "__main__":
    main(sys.argv[1:] or list(SHAPES))
