"""A process that finds its segments on disk: the whole of it, against one that has to read.

``python benches/persisted.py`` takes the ``large`` store (178 MB) and the tree of 600 transcripts
(150 MB). For each it builds a cache in a process of its own, holds the answers of every kind of
term with the cache against those without, and then times in turn ``harkback search`` with and
without it and ``harkback --version``. The promise is a ratio of at most 2.5 of the first to the
last on the store, and a peak of at most 300 MB while it is built.
"""

from __future__ import annotations

import json
import os
import re
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Final

import corpus
import transcripts
from harness import table

RUNS: Final = 5
COMMAND: Final = str(Path(sys.executable).with_name("harkback"))
#: Runs a command and tells its own peak of memory in KiB on stderr (Linux).
MEASURED: Final = (
    "import resource,subprocess,sys;"
    "code=subprocess.call(sys.argv[1:]);"
    "print('peak',resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss,file=sys.stderr);"
    "sys.exit(code)"
)


def environment(cache: str) -> dict[str, str]:
    return {**transcripts.ENVIRONMENT, "HARKBACK_CACHE": cache, "HARKBACK_CONFIG": os.devnull}


def timed(command: Sequence[str], env: Mapping[str, str]) -> float:
    """Milliseconds of a whole process."""
    start = time.perf_counter()
    subprocess.run(command, capture_output=True, check=False, env=env)
    return (time.perf_counter() - start) * 1000


def answer(source: Path, term: str, cache: str) -> object:
    command = [COMMAND, "search", "--store", str(source), term, "--json", "--all"]
    done = subprocess.run(command, capture_output=True, check=False, env=environment(cache))
    assert done.returncode in (0, 1), done.stderr
    return json.loads(done.stdout)


def built(source: Path, cache: str) -> list[object]:
    """Seconds, peak of memory in MB, and size in MB of a cache that is built."""
    command = [sys.executable, "-c", MEASURED, COMMAND, "cache", "build", "--store", str(source)]
    start = time.perf_counter()
    done = subprocess.run(command, capture_output=True, check=True, env=environment(cache))
    seconds = time.perf_counter() - start
    peak = re.search(rb"peak (\d+)", done.stderr)
    assert peak is not None
    size = sum(path.stat().st_size for path in Path(cache).iterdir())
    return [seconds, int(peak[1]) / 1024, size / 1e6]


def measure(source: Path, terms: Sequence[str]) -> tuple[list[object], list[list[object]]]:
    """What building took, and a row for each term."""
    with tempfile.TemporaryDirectory(dir=corpus.DATA) as folder:
        cache = str(Path(folder) / "cache")
        for term in terms:
            assert answer(source, term, cache) == answer(source, term, os.devnull), term
        build = built(source, cache)
        rows: list[list[object]] = []
        for term in terms:
            assert answer(source, term, cache) == answer(source, term, os.devnull), term
            search = [COMMAND, "search", "--store", str(source), term]
            asked = {
                "cache": (search, environment(cache)),
                "none": (search, environment(os.devnull)),
                "version": ([COMMAND, "--version"], environment(os.devnull)),
            }
            times: dict[str, list[float]] = {name: [] for name in asked}
            for _ in range(RUNS):
                for name, (command, env) in asked.items():
                    times[name].append(timed(command, env))
            medians = {name: statistics.median(each) for name, each in times.items()}
            ratio = medians["cache"] / medians["version"]
            rows.append([source.name[:12], term, *medians.values(), ratio])
        return build, rows


def main() -> None:
    store, manifest = corpus.cached("large")
    terms = [term for term, held in manifest.terms.items() if held.messages < 1000]
    chosen = [(store, terms), (transcripts.cached(), [transcripts.MISSING, transcripts.PRESENT])]
    builds: list[list[object]] = []
    rows: list[list[object]] = []
    for source, asked in chosen:
        build, measured = measure(source, asked)
        builds.append([source.name[:12], *build])
        rows += measured
    print(table(["built", "seconds", "peak MB", "cache MB"], builds), "\n")
    headers = ["source", "term", "cached ms", "without ms", "--version ms", "cached/--version"]
    print(table(headers, rows))


if __name__ == "__main__":
    main()
