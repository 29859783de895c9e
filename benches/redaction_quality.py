"""Redaction: how much of what has to go goes, and how much of what has to stay stays.

Run: ``PYTHONPATH=tests python benches/redaction_quality.py [megabytes per kind]``. A secret counts
as removed when neither it nor any run of RUN characters of it is left.
Proof: tests/unit/redaction/test_quality.py asserts the targets on a smaller draw.
"""

from __future__ import annotations

import re
import sys
from collections import Counter
from collections.abc import Iterable
from typing import NamedTuple

import harkback.engine
from harkback.redaction import DEFAULT, STRICT, Redaction
from support import benign, fakes
from support.fakes import Planted

MEGABYTE = 1_000_000
RUN = 12
IDENTIFIER = re.compile(r"\b(?:[0-9a-f]{32,128}|[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12})\b")


class Removed(NamedTuple):
    """Of planted secrets: how many there were, and how many are left, per rule."""

    planted: int
    left: Counter[str]

    @property
    def percent(self) -> float:
        return 100 * (self.planted - self.left.total()) / self.planted


class Kept(NamedTuple):
    """Of benign text: marks per million characters, and identifiers it had and lost."""

    marks: float
    identifiers: int
    lost: int


def is_left(secret: str, shown: str) -> bool:
    """Whether a secret, or a run of RUN characters of it, stands in what is shown."""
    runs = (secret[at : at + RUN] for at in range(len(secret) - RUN + 1))
    return secret in shown or any(run in shown for run in runs)


def removed(redaction: Redaction, planted: Iterable[Planted]) -> Removed:
    """How many of the planted secrets are left."""
    total = 0
    left: Counter[str] = Counter()
    for fake in planted:
        total += 1
        left[fake.rule] += is_left(fake.secret, redaction.clean(fake.text))
    return Removed(total, left)


def kept(redaction: Redaction, text: str) -> Kept:
    """What redaction does to text that holds no secret."""
    spans = redaction.spans(text)
    identifiers = list(IDENTIFIER.finditer(text))
    lost = sum(
        any(span.start < found.end() and found.start() < span.end for span in spans)
        for found in identifiers
    )
    return Kept(len(spans) * MEGABYTE / len(text), len(identifiers), lost)


def main() -> None:
    size = int(float(sys.argv[1]) * MEGABYTE) if len(sys.argv) > 1 else MEGABYTE
    engine = harkback.engine.load()
    default = DEFAULT.bind(engine)
    strict = STRICT.bind(engine)
    for name, redaction, planted in (
        ("structural", default, fakes.structural(1)),
        ("context", default, fakes.context(1)),
        ("strict", strict, fakes.strict(1)),
    ):
        result = removed(redaction, planted)
        print(f"{name:12} {result.planted:6} planted  {result.percent:7.2f} % removed")
        for rule, count in result.left.most_common():
            if count:
                print(f"    {count:4} left of {rule}")
    print(f"{'kind':18} {'marks/MB':>9} {'ids':>7} {'lost':>5} {'strict marks/MB':>16}")
    for kind in benign.KINDS:
        text = benign.text(kind, size)
        result_kept = kept(default, text)
        marks = kept(strict, text).marks
        print(
            f"{kind:18} {result_kept.marks:9.1f} {result_kept.identifiers:7} "
            f"{result_kept.lost:5} {marks:16.1f}"
        )


if __name__ == "__main__":
    main()
