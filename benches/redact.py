"""Redaction: throughput on mixed text, linearity on the worst inputs known, a search for worse.

Run: ``maturin develop --release && python benches/redact.py``. Asserts its spans before it times.
The search tries every keyword, and every instance of a shape short of its end, alone and with
joiners; what comes out slowest is measured as the inputs known are. Fails if twice the text takes
over LINEAR times as long, or a megabyte over WORST times a megabyte of prose.
"""

from __future__ import annotations

import gc
import random
import sys
import time
from collections.abc import Callable, Iterable, Iterator
from functools import partial
from re import _parser  # type: ignore[attr-defined]  # what a shape is made of
from typing import Any

import harkback.engine
from harkback.redaction import DEFAULT, Redaction, apply

MEGABYTE = 1_000_000
REPEATS = 5
LINEAR = 2.5
WORST = 100
SAMPLE = 50_000  # bytes of each input that the search tries
FOUND = 10  # of what the search tried, how many are measured
JOINERS = ("", "-", " ", "=", '="', ":", ".", "_", "\n", "a", "1")

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


KNOWN: dict[str, str] = {
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
    "glued vendor starts": "sk-sk-",
    "glued key ids": "AK" + "IAABCDEFGHIJKLMNOP",
    "blocks": "token: |\n  ",
    "elements": "<token>",
    "clauses": ";token=",
    "encoded": "token%3D",
    "pairs": 'name="token",',
    "doubled quotes": "token='x''",
    "three quotes": "token='''",
}


def candidates() -> Iterator[str]:
    """Units that might be slow when repeated: keywords, and shapes that stop short of a match."""
    for rule in DEFAULT.rules:
        units = {*rule.keywords, *(keyword.upper() for keyword in rule.keywords)}
        for instance in instances(rule.shape):
            units |= {instance, instance[:-1], instance[: len(instance) // 2]}
        for unit in sorted(filter(None, units)):
            for joiner in JOINERS:
                yield unit + joiner


def instances(shape: str) -> Iterator[str]:
    """Two strings that a shape matches: of the fewest and of the most characters."""
    if shape:
        for most in (False, True):
            yield "".join(written(_parser.parse(shape), most))


def written(parsed: Iterable[tuple[object, Any]], most: bool) -> Iterator[str]:
    """Text that a parsed pattern matches; of a choice the last, of a class a member."""
    for code, value in parsed:
        match str(code):
            case "LITERAL":
                yield chr(value)
            case "NOT_LITERAL":
                yield "a" if value != ord("a") else "b"
            case "IN":
                yield member(value)
            case "BRANCH":
                yield from written(value[1][-1], most)
            case "SUBPATTERN":
                yield from written(value[3], most)
            case "MAX_REPEAT" | "MIN_REPEAT":
                low, high, inner = value
                yield "".join(written(inner, most)) * (high if most else low)


def member(members: list[tuple[object, Any]]) -> str:
    """A character that a class has."""
    code, value = members[-1]
    match str(code):
        case "LITERAL":
            return chr(value)
        case "RANGE":
            return chr(value[1])
        case "CATEGORY":
            return "1" if "DIGIT" in str(value) else " " if "SPACE" in str(value) else "a"
    return "a"


def best(run: Callable[[], object], repeats: int = REPEATS) -> float:
    """Seconds of processor time of the fastest of a few runs, without Python's collector."""
    gc.disable()
    times = []
    for _ in range(repeats):
        start = time.thread_time()
        run()
        times.append(time.thread_time() - start)
    gc.enable()
    return min(times)


def throughput(redaction: Redaction) -> float:
    """Prints what mixed text costs; seconds for a megabyte of prose."""
    text = mixed(8 * MEGABYTE)
    assert redaction.spans(text) == [], "the mixed text holds no secret"
    seconds = best(lambda: redaction.spans(text))
    print(f"mixed text   {len(text.encode()) / MEGABYTE / seconds:8.1f} MB/s")
    lines = text.split("\n")
    seconds = best(lambda: [redaction.spans(line) for line in lines])
    print(f"line by line {len(text.encode()) / MEGABYTE / seconds:8.1f} MB/s")
    prose = "\n".join(PROSE)
    prose *= MEGABYTE // len(prose.encode()) + 1
    assert redaction.spans(prose) == [], "the prose holds no secret"
    return best(lambda: redaction.spans(prose)) * MEGABYTE / len(prose.encode())


def search(redaction: Redaction) -> dict[str, str]:
    """The slowest units of all that were tried, by how they look."""
    times: list[tuple[float, str]] = []
    for unit in dict.fromkeys(candidates()):
        text = unit * (SAMPLE // len(unit) + 1)
        times.append((best(partial(redaction.spans, text), 1) / len(text), unit))
    print(f"searched {len(times)} inputs")
    slowest = sorted(times, reverse=True)[:FOUND]
    return {f"found {unit[:24]!r}": unit for _, unit in slowest}


def linearity(redaction: Redaction, units: dict[str, str], prose: float) -> list[str]:
    """Measures each unit, repeated to one and to two megabytes; the ones that cost too much."""
    failed = []
    print(f"{'worst case':34} {'n ms':>8} {'2n ms':>8} {'ratio':>6} {'x prose':>8}")
    for name, unit in units.items():
        once, twice = (unit * (size * MEGABYTE // len(unit.encode())) for size in (1, 2))
        first = best(partial(redaction.spans, once), 3)
        second = best(partial(redaction.spans, twice), 3)
        times = first / prose
        print(
            f"{name:34} {first * 1e3:8.2f} {second * 1e3:8.2f} {second / first:6.2f} {times:8.1f}"
        )
        if second > LINEAR * first or times > WORST:
            failed.append(name)
    return failed


def main() -> int:
    redaction = DEFAULT.bind(harkback.engine.load())
    text, expected = planted()
    assert apply(text, redaction.spans(text)) == expected
    prose = throughput(redaction)
    failed = linearity(redaction, KNOWN | search(redaction), prose)
    for name in failed:
        print(f"too slow: {name}")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
