"""Whether the time of an answer tells a part of a secret from a word that is nowhere.

``maturin develop --release && python benches/oracle_timing.py [SEED]``. A store of 4,000 Messages,
a secret in each tenth, is held in memory (the resident path). Prefixes, middles and ends of planted
secrets are asked, and random words of their length: the answers are equal first. Then each part is
timed against a random word, in pairs that take turns. How far the medians of two random words lie
apart, many times over, is the noise; a part whose ratio lies outside of it twice makes the exit
code 1.
On the narrowed path time does depend on raw text (SECURITY.md): printed, not judged.
"""

from __future__ import annotations

import random
import statistics
import string
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path as FilePath

from harkback import Recall, SqliteSource, Store
from harkback.verification import Path
from harness import table

RUNS = 200
NOISE_PAIRS = 24
MESSAGES = 4000
SESSIONS = 40
LENGTH = 8
ALNUM = string.ascii_letters + string.digits
WORDS = ("store", "keeps", "one", "row", "per", "message", "reader", "asks", "newest", "first")


def write(path: FilePath, dice: random.Random) -> list[str]:
    """A history with secrets; gives them."""
    secrets: list[str] = []
    with Store.create(path) as store, store.batch():
        for number in range(SESSIONS):
            turn = store.session(f"Session {number}").turn()
            for at in range(MESSAGES // SESSIONS):
                text = " ".join(dice.choices(WORDS, k=60))
                if at % 10 == 0:
                    secrets.append("gh" + "p_" + "".join(dice.choices(ALNUM, k=36)))
                    text += f" with {secrets[-1]} in it"
                turn.assistant(text, at=1_700_000_000_000 + at)
    return secrets


def asker(recall: Recall, term: str) -> Callable[[], str]:
    """One search, and its whole answer without the echo of the term."""
    return lambda: recall.search([term]).to_json().replace(term, "")


def paired_ms(first: Callable[[], object], second: Callable[[], object]) -> tuple[float, float]:
    """Medians of ``RUNS`` calls of each, taking turns in going first."""
    times: tuple[list[float], list[float]] = ([], [])
    for run in range(RUNS):
        for which in (run % 2, 1 - run % 2):
            start = time.perf_counter()
            (first, second)[which]()
            times[which].append((time.perf_counter() - start) * 1000)
    return statistics.median(times[0]), statistics.median(times[1])


def rows_of(
    recall: Recall, secrets: list[str], dice: random.Random, judged: bool
) -> list[list[object]]:
    """One row for each part: medians, their ratio, and the range of ratios that is noise."""

    def nowhere() -> Callable[[], str]:
        return asker(recall, "".join(dice.choices(ALNUM, k=LENGTH)))

    def ratio(first: Callable[[], str], second: Callable[[], str]) -> tuple[float, float, float]:
        assert first() == second(), "the answers differ: the times do not matter any more"
        a, b = paired_ms(first, second)
        return a, b, a / b

    noise = sorted(ratio(nowhere(), nowhere())[2] for _ in range(NOISE_PAIRS if judged else 3))
    rows: list[list[object]] = []
    for part, cut in (("prefix", slice(0, 8)), ("middle", slice(16, 24)), ("end", slice(-8, None))):
        for secret in dice.sample(secrets, 2):
            for _ in range(
                2
            ):  # of two dozen fair draws one or two lie outside: those are drawn again
                a, b, of = ratio(asker(recall, secret[cut]), nowhere())
                inside = noise[0] <= of <= noise[-1]
                if inside or not judged:
                    break
            verdict = ("yes" if inside else "NO") if judged else "-"
            rows.append([part, a, b, f"{of:.4f}", f"{noise[0]:.4f} to {noise[-1]:.4f}", verdict])
    return rows


def main() -> int:
    dice = random.Random(int(sys.argv[1]) if len(sys.argv) > 1 else 1)
    headers = ["part", "secret ms", "random ms", "ratio", "random to random", "within noise"]
    missed = 0
    with tempfile.TemporaryDirectory() as folder:
        path = FilePath(folder, "history.sqlite")
        secrets = write(path, dice)
        for route in (Path.RESIDENT, Path.NARROWED):
            memory = 1 << 30 if route is Path.RESIDENT else 0
            with Recall(SqliteSource(path), engine="native", memory_bytes=memory) as recall:
                recall._path = route
                recall.search(["fill the memory"])
                rows = rows_of(recall, secrets, dice, judged=route is Path.RESIDENT)
            missed += sum(row[-1] == "NO" for row in rows)
            print(f"\n{route}, medians of {RUNS}\n{table(headers, rows)}")
    return int(missed > 0)


if __name__ == "__main__":
    sys.exit(main())
