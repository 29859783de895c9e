"""Fold and raw scan on agent history as it is: tool output, code, Chinese prose, escapes.

Asserts the answers of the scan before it times them, then prints medians of the
processor time of the one thread.

    python benches/fold_scan.py [megabytes]
"""

from __future__ import annotations

import json
import random
import statistics
import sys
import time
from collections.abc import Callable
from functools import partial

import harkback.engine

ROUNDS = 7
SHELL = "drwxr-xr-x  12 user staff   384 Mar  3 09:41 src/Components\n"
CODE = '    if (options.verbose && path != null) {\n\t\tlog(`opened ${path}: "ok"`);\n    }\n'
PROSE = "这个模型的上下文窗口很大，但是工具输出太长时，需要先压缩。“好的”，我来改。\n"
TERMS = {
    "absent": ["zymurgical quark"],
    "absent, Chinese": ["量子发酵"],
    "absent, with punctuation": ["quark, zymurgical"],
    "eight absent": [f"zymurgical quark {number}" for number in range(8)],
}


def records(megabytes: int) -> list[bytes]:
    """Seeded JSON records, mostly tool output, 200 bytes to 60 KB each."""
    chance = random.Random(14)
    made: list[bytes] = []
    size = 0
    while size < megabytes * 1_000_000:
        body = chance.choice([SHELL, SHELL, SHELL, CODE, CODE, PROSE]) * chance.choice(
            [1, 4, 20, 100, 700]
        )
        row = {"type": "tool_result", "id": f"toolu_{chance.getrandbits(64):016x}", "text": body}
        made.append(json.dumps(row, ensure_ascii=False).encode())
        size += len(made[-1])
    return made


def report(name: str, size: int, work: Callable[[], object]) -> None:
    seconds = []
    for _ in range(ROUNDS):
        start = time.thread_time()
        work()
        seconds.append(time.thread_time() - start)
    median = statistics.median(seconds)
    sys.stdout.write(f"{name:32} {median * 1000:8.1f} ms {size / median / 1e6:8.0f} MB/s\n")


def main() -> None:
    native, reference = harkback.engine.load("native"), harkback.engine.load("reference")
    batch = records(int(sys.argv[1]) if len(sys.argv) > 1 else 178)
    size = sum(map(len, batch))
    planted = [*batch, '{"text":"the ZYMURGICAL ｑｕａｒｋ"}'.encode()]
    assert native.scanner(TERMS["absent"]).first(planted) == len(batch)
    for name, terms in TERMS.items():
        scanner = native.scanner(terms)
        assert scanner.first(batch) is None
        report(f"scan, {name}", size, partial(scanner.first, batch))
    report("prepare a scanner", 0, lambda: native.scanner(TERMS["absent"]))
    for name, text in {"ASCII": SHELL + CODE, "Chinese": PROSE}.items():
        text *= 20_000
        assert native.fold(text) == reference.fold(text)
        report(f"fold, {name}", len(text.encode()), partial(native.fold, text))


if __name__ == "__main__":
    main()
