"""Redaction: throughput on mixed text, and linearity on the worst inputs known.

Run: ``maturin develop --release && python benches/redact.py``. Asserts its spans before it times.
"""

from __future__ import annotations

import random
import time
from collections.abc import Callable
from functools import partial

import harkback.engine
from harkback.redaction import DEFAULT, Redaction, apply

MEGABYTE = 1_000_000
REPEATS = 5

PROSE = (
    "The store keeps one row per message, and the reader asks for the newest first.",
    "Tokens are counted before the answer is cut, so a long result costs no more than a short one.",
    "请看一下这个函数为什么在夏令时切换时返回错误的时间。",
    "I would rather keep the key of the map stable and change the value in place.",
)
CODE = (
    "    for key, value in sorted(items.items(), key=lambda pair: pair[1]):",
    "    token = tokens[index] if index < len(tokens) else None",
    "export function parse(input: string, options: Options = {}): Result<Node, Error> {",
    'const password = await prompt("Password: ");',
    "    return self._cache.get(primary_key, default)",
)
LOGS = (
    "2026-03-01T10:22:31.120Z INFO  http GET /v1/items?page=2&size=50 200 12ms req=7f3a9c",
    "commit 3f786850e387550fdab836ed7e6dc881de23001b (HEAD -> main, origin/main)",
    "   Compiling regex-automata v0.4.9 (https://github.com/rust-lang/regex#f00b4r)",
    '{"type":"tool_result","name":"bash","content":"ok\\n3 passed in 0.12s","is_error":false}',
)


def mixed(size: int) -> str:
    """Prose, code and log lines without a secret, about ``size`` bytes of UTF-8."""
    choose = random.Random(7)
    lines = PROSE + CODE + LOGS
    text: list[str] = []
    length = 0
    while length < size:
        line = choose.choice(lines)
        text.append(line)
        length += len(line.encode()) + 1
    return "\n".join(text)


def planted() -> tuple[str, str]:
    """A text with secrets, and what has to be left of it."""
    token = "gh" + "p_" + "a1B2" * 9
    return (
        f"push with {token} please\npassword = 'correct horse'\n",
        "push with [redacted] please\npassword = '[redacted]'\n",
    )


WORST: dict[str, str] = {
    "dashed words": "a" * 39 + "-",
    "key characters": "Aa0_-",
    "indexed names": "token[",
    "open quotes": 'token="',
    "assignments": "password=",
    "base64url": "eyJhbGciOiJIUzI1NiJ9aZ09_-",
    "open blocks": "-----BEGIN RSA PRIVATE KEY-----\n",
    "continuations": "\\\n",
    "assigned continuations": "token=\\\n",
    "token starts": "eyJ",
    "dashed token starts": "eyJ-",
    "schemes": "://",
    "digests": "auth: digest ",
    "vendor starts": "sk-",
    "escaped quotes": 'token=\\"',
}


def best(run: Callable[[], object], repeats: int = REPEATS) -> float:
    """Seconds of processor time of the fastest of a few runs."""
    times = []
    for _ in range(repeats):
        start = time.thread_time()
        run()
        times.append(time.thread_time() - start)
    return min(times)


def throughput(redaction: Redaction) -> None:
    text = mixed(8 * MEGABYTE)
    assert redaction.spans(text) == [], "the mixed text holds no secret"
    seconds = best(lambda: redaction.spans(text))
    print(f"mixed text   {len(text.encode()) / MEGABYTE / seconds:8.1f} MB/s")
    lines = text.split("\n")
    seconds = best(lambda: [redaction.spans(line) for line in lines])
    print(f"line by line {len(text.encode()) / MEGABYTE / seconds:8.1f} MB/s")


def linearity(redaction: Redaction, size: int) -> None:
    print(f"{'worst case':24} {'n ms':>8} {'2n ms':>8} {'ratio':>6} {'MB/s':>8}")
    for name, unit in WORST.items():
        once, twice = unit * (size // len(unit)), unit * (2 * size // len(unit))
        first = best(partial(redaction.spans, once), 3)
        second = best(partial(redaction.spans, twice), 3)
        rate = len(twice) / MEGABYTE / second
        print(f"{name:24} {first * 1e3:8.2f} {second * 1e3:8.2f} {second / first:6.2f} {rate:8.1f}")


def main() -> None:
    redaction = DEFAULT.bind(harkback.engine.load())
    text, expected = planted()
    assert apply(text, redaction.spans(text)) == expected
    throughput(redaction)
    linearity(redaction, MEGABYTE)


if __name__ == "__main__":
    main()
