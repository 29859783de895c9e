"""Segments in memory and in a file: what they weigh, how soon they are attached, how fast searched.

Verifies the `large` store, dumps every Session into one file, attaches them again, and holds every
answer of the file against that of memory before it is timed. "Ten times" attaches each segment
under ten keys. Run: ``python benches/segments.py``.
"""

from __future__ import annotations

import tempfile
import time
from collections.abc import Callable
from pathlib import Path as FilePath

import harkback.engine
from corpus import Manifest, cached
from harkback import Recall
from harkback.engine import Corpus
from harkback.model import KINDS, Scope
from harkback.verification import Path
from harness import compare, median_ms, table

#: What a query is like -> its terms: in no Session, in some, in nearly every Message.
QUERIES = {
    "absent word": ["absenteeism"],
    "absent, eight": [f"absent{letter}word" for letter in "abcdefgh"],
    "absent letters": ["qzxj"],
    "common word": ["the"],
    "common, eight": ["the", "error", "模型", "return", "file", "context", "window", "test"],
}
TIMES = 10


def in_memory(path: FilePath) -> tuple[Corpus, list[str]]:
    """The verified Sessions of a store, and their keys."""
    recall = Recall(path, memory_bytes=4 << 30)
    recall._path = Path.RESIDENT
    recall.search(["fill the memory"])
    return recall._corpus._segments, list(recall._corpus.held._known)


def written(corpus: Corpus, keys: list[str], path: FilePath) -> list[tuple[int, int]]:
    """Writes every segment into one file: where each lies, and how long it is."""
    places: list[tuple[int, int]] = []
    with path.open("wb") as file:
        for key in keys:
            data = corpus.dump(key)
            places.append((file.tell(), len(data)))
            file.write(data)
    return places


def attached(path: FilePath, places: list[tuple[int, int]], times: int = 1) -> Corpus:
    """A corpus of segments that stay in the file, under the keys 0, 1, 2 ..."""
    engine = harkback.engine.load("native")
    corpus = engine.corpus(engine.redactor([]))
    for at, (offset, length) in enumerate(places * times):
        corpus.attach(str(at), path, offset, length)
    return corpus


def weights(corpus: Corpus, keys: list[str], file: Corpus, size: int, manifest: Manifest) -> str:
    """Bytes in memory and on disk, in times of the visible text."""
    text = manifest.searchable_bytes
    memory = sum(map(corpus.size, keys))
    head = sum(file.size(str(at)) for at in range(len(keys)))
    return (
        f"{text / 1e6:.0f} MB visible in {manifest.messages:,} Messages of {len(keys)} Sessions\n"
        f"in memory {memory / text:.3f}, on disk {size / text:.3f}, attached {head / text:.3f}"
    )


def counting(corpus: Corpus, terms: list[str], keys: list[str]) -> Callable[[], object]:
    """What a search does with segments: finds the Hits and counts them."""
    engine = harkback.engine.load("native")
    everything = Scope(tuple(range(len(KINDS))), None, None, True)
    return lambda: engine.tally().take(corpus, terms, keys, everything)


def processor_ms(fn: Callable[[], object]) -> float:
    """Least processor time of a few calls, over all threads: neighbours have little say in it."""
    times = []
    for _ in range(9):
        start = time.process_time()
        fn()
        times.append(time.process_time() - start)
    return min(times) * 1e3


def main() -> None:
    path, manifest = cached("large")
    corpus, keys = in_memory(path)
    with tempfile.TemporaryDirectory() as folder:
        pack = FilePath(folder) / "pack"
        places = written(corpus, keys, pack)
        file = attached(pack, places)
        print(weights(corpus, keys, file, pack.stat().st_size, manifest))
        print(f"attached all in {median_ms(lambda: attached(pack, places)):.1f} ms")
        numbers = [str(at) for at in range(len(keys))]
        many = attached(pack, places, TIMES)
        everything = [str(at) for at in range(TIMES * len(keys))]
        queries = QUERIES | {f"planted {term}": [term] for term in manifest.terms}
        rows: list[list[object]] = []
        for label, terms in queries.items():
            hits = corpus.search(terms, keys)
            assert file.search(terms, numbers) == hits, label
            from_file = counting(file, terms, numbers)
            from_memory = counting(corpus, terms, keys)
            against = compare(from_file, from_memory)
            ten = median_ms(counting(many, terms, everything), runs=3)
            busy = processor_ms(from_memory)
            row = [label, len(hits.row), sum(map(sum, hits.frequency)), busy]
            rows.append([*row, against.b_ms, against.a_ms, against.ratio, ten])
        headers = ["terms", "Hits", "occurrences", "processor ms", "memory ms", "file ms"]
        headers += ["file/memory", "ten times, file ms"]
        print(table(headers, rows))


if __name__ == "__main__":
    main()
