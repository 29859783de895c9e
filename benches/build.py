"""Verifying for the first time: read, project, redact and fold a whole history, and what it takes.

``python benches/build.py`` makes every Session of 600 transcripts and of the large store resident.
First the answers from memory are held against a full scan that keeps nothing, in a process of its
own. Megabytes are of the raw records. The peak is of this process: the smaller history goes first.
"""

from __future__ import annotations

import resource
from multiprocessing import get_context
from pathlib import Path as FilePath

import corpus
import transcripts
from harkback import Recall
from harkback.sources.registry import open_source
from harkback.verification import Path
from harness import median_ms, table
from recall import answers

MEGABYTE = 1e6
RUNS = 3


def build(path: FilePath) -> Recall:
    """A Recall with everything in memory."""
    recall = Recall(open_source(path), memory_bytes=4 << 30)
    recall._path = Path.RESIDENT
    recall.search(["fill the memory"])
    return recall


def check(path: FilePath, terms: list[str]) -> None:
    """Answers from memory are those of a full scan."""
    with build(path) as built, Recall(open_source(path), memory_bytes=0) as plain:
        plain._path = Path.FULL
        for term in terms:
            expected = answers(plain.search([term]))
            assert expected, f"{term} is not there"
            assert answers(built.search([term])) == expected


def row(name: str, path: FilePath, terms: list[str], raw: int) -> list[object]:
    """What building takes, once it is known to be right."""
    checking = get_context("spawn").Process(target=check, args=(path, terms))
    checking.start()
    checking.join()
    assert checking.exitcode == 0
    seconds = median_ms(lambda: build(path).close(), RUNS, warmup=0) / 1000
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024  # Linux counts in KiB
    return [name, raw / MEGABYTE, seconds, raw / MEGABYTE / seconds, peak / MEGABYTE]


def main() -> None:
    tree = transcripts.cached()
    size = sum(path.stat().st_size for path in tree.rglob("*.jsonl"))
    store, manifest = corpus.cached("large")
    planted = [term for term, found in manifest.terms.items() if found.messages]
    rows = [
        row("600 transcripts", tree, [transcripts.PRESENT], size),
        row("large", store, planted[:1], manifest.bytes),
    ]
    print(table(["history", "MB", "seconds", "MB/s", "peak MB"], rows))


if __name__ == "__main__":
    main()
