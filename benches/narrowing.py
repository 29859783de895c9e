"""Which Sessions may match: Harkback's raw scan against SQL narrowing, on one store, in one run.

``python benches/narrowing.py [SHAPE]`` (default: large, 178 MB). Both answers are held against the
Sessions that really hold the term before anything is timed; then they are timed in turn. Each run
of either starts from an open store and knows nothing of the run before.
"""

from __future__ import annotations

import sqlite3
import sys
from contextlib import closing
from pathlib import Path

import harkback.engine
import sql_narrowing
from corpus import Manifest, cached
from harkback.sources.sqlite.source import SqliteSource
from harness import compare, table

RUNS = 9


def offered(path: Path, term: str) -> set[str]:
    """What the native scan offers, from opening the store to its answer."""
    engine = harkback.engine.load("native")
    with closing(SqliteSource(path)) as source, source.view(engine) as view:
        sessions = [session.id for session in view.sessions().sessions]
        return set(view.scan([engine.fold(term)], sessions).offered)


def check(manifest: Manifest, term: str, named: set[str], who: str) -> None:
    """A superset of the Sessions that hold the term; never a strict part of it."""
    missing = set(manifest.terms[term].sessions) - named
    assert not missing, f"{who} misses {len(missing)} Sessions of {term}"


def main(shape: str) -> None:
    path, manifest = cached(shape)
    rows: list[list[object]] = []
    with closing(sql_narrowing.connect(path)) as connection:
        for term in manifest.terms:
            _compare(connection, path, manifest, term, rows)
    print(f"{shape}: naming the Sessions that may hold a term; medians of {RUNS} pairs\n")
    headers = ["term", "hold it", "ours", "SQL+fn", "ours ms", "SQL+fn ms", "SQL ms"]
    print(table([*headers, "SQL+fn/ours", "lowest", "SQL/ours"], rows))


def _compare(
    connection: sqlite3.Connection,
    path: Path,
    manifest: Manifest,
    term: str,
    rows: list[list[object]],
) -> None:
    ours = offered(path, term)
    theirs = sql_narrowing.narrow(connection, [term], with_function=True)
    check(manifest, term, ours, "the raw scan")
    check(manifest, term, theirs, "SQL narrowing")
    assert ours <= theirs, "the raw scan offers a Session that SQL rules out"

    def with_function() -> object:
        return sql_narrowing.narrow(connection, [term], with_function=True)

    def without() -> object:
        return sql_narrowing.narrow(connection, [term], with_function=False)

    against = compare(with_function, lambda: offered(path, term), RUNS)
    plain = compare(without, lambda: offered(path, term), RUNS)
    holding = len(manifest.terms[term].sessions)
    rows.append(
        [
            term,
            holding,
            len(ours),
            len(theirs),
            against.b_ms,
            against.a_ms,
            plain.a_ms,
            against.ratio,
            against.lowest,
            plain.ratio,
        ]
    )


if __name__ == "__main__":
    main(sys.argv[1] if len(sys.argv) > 1 else "large")
