"""Cost: twice the text takes about twice the time, on the worst inputs known.

The reference is held to it too: quadratic is quadratic on any machine. Measured in processor
time of this thread, since a busy machine takes turns; the best ratio of a few tries counts.
"""

from __future__ import annotations

import time
from collections.abc import Callable

import pytest

from harkback.engine import Engine
from harkback.redaction import DEFAULT

TRIES = 6
LIMIT = 2.5
SIZES = {"native": 200_000, "reference": 20_000}  # code points of the shorter text

UNITS = (
    "a" * 39 + "-",
    "Aa0_-",
    "token[",
    'token="',
    "token='\\\"",
    'token=\\"',
    "password=",
    "password=\\",
    "eyJhbGciOiJIUzI1NiJ9aZ09_-",
    "-----BEGIN RSA PRIVATE" + " KEY-----\n",
    "\\\n",
    "token=\\\n",
    "eyJ",
    "eyJ-",
    "://",
    "://a:b",
    "auth: digest ",
    "sk-",
    "sk-a1",
    "[redacted]",
    "token=[redacted]",
    "--token ",
    "token" + " " * 40,
    "e\u0301",
)


@pytest.mark.parametrize("unit", UNITS)
def test_time_is_linear(engine: Engine, unit: str) -> None:
    redaction = DEFAULT.bind(engine)
    size = SIZES[engine.name]
    texts = [unit * (length // len(unit)) for length in (size, 2 * size)]
    redaction.spans(texts[0])  # compiles what this text needs
    ratios = []
    for _ in range(TRIES):
        once, twice = (_seconds(redaction.spans, text) for text in texts)
        ratios.append(twice / once)
        if ratios[-1] <= LIMIT:
            return
    pytest.fail(f"twice the text took {min(ratios):.1f} times as long")


def _seconds(run: Callable[[str], object], text: str) -> float:
    start = time.thread_time()
    run(text)
    return time.thread_time() - start
