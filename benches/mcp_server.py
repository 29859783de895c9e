"""What a call of Recall costs over MCP beyond a call that does nothing.

``python benches/mcp_server.py`` starts `harkback mcp` on the store of the shape ``large`` (178 MB),
asks until all of it is in memory, and times calls through the pipe, from the line that is written
to the line that is read: a call that is refused for its arguments, and searches for a rare and a
common term. Answers are compared with those of a Recall of this process first. Targets: a rare term
within 25 ms of the refused call, a common one within 60 ms.
"""

from __future__ import annotations

import json
import statistics
import subprocess
import sys
import time
from pathlib import Path
from types import TracebackType
from typing import Any, Final, Self

from corpus import cached
from harkback import Recall
from harness import median_ms, table

RUNS: Final = 25
WARM_UP_SECONDS: Final = 60.0
TERMS: Final = {"rare": ("context window", 25.0), "common": ("模型", 60.0)}


class Client:
    """The other end of the pipe, as small as it can be."""

    def __init__(self, store: Path) -> None:
        command = [sys.executable, "-m", "harkback", "mcp", "--store", str(store)]
        pipe = subprocess.PIPE
        self._server = subprocess.Popen(command, stdin=pipe, stdout=pipe)
        self._asked = 0

    def ask(self, method: str, params: dict[str, Any]) -> dict[str, Any]:
        self._asked += 1
        message = {"jsonrpc": "2.0", "id": self._asked, "method": method, "params": params}
        assert self._server.stdin is not None
        assert self._server.stdout is not None
        self._server.stdin.write(json.dumps(message).encode() + b"\n")
        self._server.stdin.flush()
        answer: dict[str, Any] = json.loads(self._server.stdout.readline())
        result: dict[str, Any] = answer["result"]
        return result

    def hello(self) -> None:
        about = {"name": "bench", "version": "0"}
        version = "2025-11-25"
        self.ask(
            "initialize", {"protocolVersion": version, "capabilities": {}, "clientInfo": about}
        )

    def recall(self, *terms: str) -> str:
        asked = {"name": "Recall", "arguments": {"terms": terms}}
        text: str = self.ask("tools/call", asked)["content"][0]["text"]
        return text

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        assert self._server.stdin is not None
        self._server.stdin.close()
        self._server.wait(10)


def warm_up(client: Client) -> tuple[float, int]:
    """Asks until searches are no faster than those before. Gives seconds and searches."""
    began = time.perf_counter()
    took: list[float] = []
    while time.perf_counter() - began < WARM_UP_SECONDS:
        start = time.perf_counter()
        client.recall("zzzznotfound")
        took.append(time.perf_counter() - start)
        if len(took) > 10 and max(took[-10:]) < 2 * statistics.median(took[-10:]) < 0.1:
            break
    return time.perf_counter() - began, len(took)


def main() -> None:
    """Prints the table."""
    path, _ = cached("large")
    start = time.perf_counter()
    with Client(path) as client:
        client.hello()
        print(f"first answer after {(time.perf_counter() - start) * 1000:.0f} ms")
        with Recall(path) as recall:
            for term, _ in TERMS.values():
                expected = recall.search([term])
                assert expected.passages, term
                assert client.recall(term) == expected.text(), term
        assert client.recall().startswith("error no_terms")
        seconds, searches = warm_up(client)
        print(f"all of it in memory after {searches} searches, {seconds:.1f} s\n")
        empty = median_ms(client.recall, RUNS, 3)
        rows: list[list[object]] = [["refused", "", empty, 0.0, ""]]
        for name, (term, target) in TERMS.items():
            took = median_ms(lambda term=term: client.recall(term), RUNS, 3)  # type: ignore[misc]
            held = "yes" if took - empty <= target else "NO"
            rows.append([name, term, took, took - empty, f"within {target:.0f} ms: {held}"])
    print(table(["call", "term", "median ms", "more ms", ""], rows))


if __name__ == "__main__":
    main()
