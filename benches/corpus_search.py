"""Search over a resident corpus, and what the corpus costs in memory.

Builds about 100 MB of visible text through the public engine, asserts every count against a plain
Python count, and only then measures. Run: ``python benches/corpus_search.py``.
"""

from __future__ import annotations

import gc
import random
import statistics
import time
from pathlib import Path

import harkback.engine
from harkback.engine import Corpus, Engine
from harkback.model import Entry

SESSIONS = 400
MESSAGES = 600
RUNS = 15
#: Label -> folded terms: rare and frequent, short and long, alone and eight at once.
QUERIES = {
    "rare word": ["needle"],
    "absent word": ["absentee"],
    "CJK word": ["上下文"],
    "frequent word": ["context"],
    "one letter": ["e"],
    "eight terms": [*"qz", "needle", "上下文", "context", "window", "absentee", "error: timeout"],
}
VOCABULARY = (
    "the context window holds what a model reads and error timeout retry commit branch merge "
    "function return value index search session turn message token budget 模型 上下文 窗口 会话"
)


def session(index: int) -> list[Entry]:
    """One Session of Messages between 5 and 120 words, the same on every run."""
    draw = random.Random(index)
    vocabulary = VOCABULARY.split()
    entries = []
    for number in range(MESSAGES):
        words = draw.choices(vocabulary, k=draw.randint(5, 120))
        if draw.random() < 0.001:
            words.append("needle")
        entries.append(
            Entry(
                id=f"{index:08x}-{number:08x}",
                turn=f"turn-{number // 6}",
                timestamp=1_700_000_000_000 + number,
                kind=number % 4,
                locator=str(number),
                leaves=[(" ".join(words), False)],
            )
        )
    return entries


def resident_bytes() -> int:
    """Resident set size of this process."""
    for line in Path("/proc/self/status").read_text().splitlines():
        if line.startswith("VmRSS:"):
            return int(line.split()[1]) * 1024
    raise RuntimeError("no VmRSS")


def build(engine: Engine) -> tuple[Corpus, list[str], int, dict[str, list[int]]]:
    """The corpus, its keys, bytes of visible text, and per query the occurrences of each term."""
    corpus = engine.corpus(engine.redactor([]))
    visible = 0
    counts = {label: [0] * len(terms) for label, terms in QUERIES.items()}
    for index in range(SESSIONS):
        entries = session(index)
        corpus.put(f"s{index}", entries)
        text = "\n".join(leaf for entry in entries for leaf, _ in entry.leaves)
        visible += len(text.encode()) - (len(entries) - 1)
        for label, terms in QUERIES.items():
            for at, term in enumerate(terms):
                counts[label][at] += text.count(term)
    return corpus, [f"s{index}" for index in range(SESSIONS)], visible, counts


def main() -> None:
    engine = harkback.engine.load("native")
    before = resident_bytes()
    corpus, keys, visible, counts = build(engine)
    gc.collect()
    resident = resident_bytes() - before
    held = sum(map(corpus.size, keys))
    print(f"{visible / 1e6:.1f} MB visible in {SESSIONS * MESSAGES:,} Messages")
    print(f"memory: size() {held / visible:.2f} x visible, RSS {resident / visible:.2f} x visible")
    for label, terms in QUERIES.items():
        hits = corpus.search(terms, keys)
        assert [sum(column) for column in hits.frequency] == counts[label], label
        times = []
        for _ in range(RUNS):
            start = time.perf_counter()
            corpus.search(terms, keys)
            times.append(time.perf_counter() - start)
        median = statistics.median(times)
        print(
            f"{label:14} {len(hits.row):7,} Hits  median {median * 1e3:7.2f} ms"
            f"  {visible / median / 1e6:9,.0f} MB/s"
        )


if __name__ == "__main__":
    main()
