"""A term that nothing holds, asked of 600 Claude Code transcripts: the whole process, warm.

``python benches/transcripts.py`` builds the tree (150 MB, once), holds the answers of a term that
is there and of one that is not against the generator, and then times three processes in turn:
``harkback search``, its start-up (``--help``) and ``rg -i -F``. The target is a ratio of at most
1.5 of the first to the sum of the other two. Without ripgrep only the first two are timed.
"""

from __future__ import annotations

import json
import os
import random
import shutil
import statistics
import subprocess
import sys
import tempfile
import time
import uuid
from collections.abc import Sequence
from pathlib import Path
from typing import Final

from corpus import DATA
from corpus_text import STYLE_WEIGHTS, STYLES, Filler, Language, call

SEED: Final = 20_261_130
FILES: Final = 600
FILE_BYTES: Final = 250_000
PROJECTS: Final = 12
VERSION: Final = 1  # of the generator
MISSING: Final = "zygomorphic heliotrope"
PRESENT: Final = "quixotic teapot"
PRESENT_IN: Final = 7  # files, one Message each
LANGUAGES: Final[tuple[Language, ...]] = ("en", "zh", "ja", "vi", "de")
RUNS: Final = 15
#: An installed package has its bytecode; so has this one from the second run on.
ENVIRONMENT: Final = {k: v for k, v in os.environ.items() if k != "PYTHONDONTWRITEBYTECODE"}


def cached() -> Path:
    """The folder of the agent, built once per generator version."""
    DATA.mkdir(exist_ok=True)
    path = DATA / f"claude-code-v{VERSION}-{SEED}"
    if not path.exists():
        with tempfile.TemporaryDirectory(dir=DATA) as scratch:
            fresh = Path(scratch) / "home"
            build(fresh)
            fresh.rename(path)
    return path


def build(home: Path) -> None:
    """``FILES`` transcripts in ``PROJECTS`` folders; some hold the term that is there."""
    rng = random.Random(SEED)
    filler = Filler(rng)
    planted = set(rng.sample(range(FILES), PRESENT_IN))
    for number in range(FILES):
        folder = home / "projects" / f"-home-dev-project{number % PROJECTS}"
        folder.mkdir(parents=True, exist_ok=True)
        session = str(uuid.UUID(int=rng.getrandbits(128), version=4))
        writer = Writer(rng, filler, session, f"/home/dev/project{number % PROJECTS}")
        while writer.size < FILE_BYTES * (0.4 + 1.2 * (number % 11) / 10):
            writer.turn(f"the {PRESENT}" if number in planted else "")
            planted.discard(number)
        (folder / f"{session}.jsonl").write_text("".join(writer.lines), "utf-8", newline="")


class Writer:
    """One transcript as the agent writes it: a line a row, each with the id of the one before."""

    def __init__(self, rng: random.Random, filler: Filler, session: str, folder: str) -> None:
        self.lines: list[str] = []
        self.size = 0
        self._rng, self._filler = rng, filler
        self._session, self._folder = session, folder
        self._parent: str | None = None
        self._at = 1_700_000_000 + rng.randrange(50_000_000)

    def turn(self, extra: str) -> None:
        """A prompt, a few calls with their results, an answer."""
        rng, language = self._rng, self._rng.choice(LANGUAGES)
        prompt = self._filler.prose(rng, language, rng.randrange(1, 4))
        self._row("user", f"{prompt} {extra}".strip())
        for _ in range(rng.randrange(1, 5)):
            name, arguments, _ = call(rng, self._filler, None)
            key = f"toolu_{rng.getrandbits(96):024x}"
            use = {"type": "tool_use", "id": key, "name": name, "input": arguments}
            self._row("assistant", [use])
            (style,) = rng.choices(STYLES, STYLE_WEIGHTS)
            output = "\n".join(self._filler.lines(rng, style, rng.randrange(200, 9000)))
            result = {"type": "tool_result", "tool_use_id": key, "content": output}
            self._row("user", [result], toolUseResult={"stdout": output, "stderr": ""})
        answer = self._filler.prose(rng, language, rng.randrange(1, 6))
        self._row("assistant", [{"type": "text", "text": answer}])

    def _row(self, role: str, content: object, **more: object) -> None:
        self._at += self._rng.randrange(1, 90)
        own = str(uuid.UUID(int=self._rng.getrandbits(128), version=4))
        message: dict[str, object] = {"role": role, "content": content}
        if role == "assistant":
            message |= {"id": f"msg_{own[:12]}", "type": "message", "model": "claude"}
        stamp = time.strftime("%Y-%m-%dT%H:%M:%S.000Z", time.gmtime(self._at))
        row = {
            "parentUuid": self._parent,
            "isSidechain": False,
            "userType": "external",
            "cwd": self._folder,
            "sessionId": self._session,
            "version": "2.1.0",
            "gitBranch": "main",
            "type": role,
            "message": message,
            "uuid": own,
            "timestamp": stamp,
            **more,
        }
        self._parent = own
        self.lines.append(json.dumps(row, ensure_ascii=False, separators=(",", ":")) + "\n")
        self.size += len(self.lines[-1].encode())


def run(command: Sequence[str]) -> tuple[float, subprocess.CompletedProcess[bytes]]:
    """Milliseconds of a whole process, and what it said."""
    start = time.perf_counter()
    done = subprocess.run(command, capture_output=True, check=False, env=ENVIRONMENT)
    return (time.perf_counter() - start) * 1000, done


def check(search: Sequence[str]) -> None:
    """What is there is found, in as many Sessions as it was put; what is not is not."""
    _, done = run([*search, PRESENT, "--all", "--json"])
    assert done.returncode == 0, done.stderr
    found = {p["session"]["id"] for p in json.loads(done.stdout)["passages"]}
    assert len(found) == PRESENT_IN, f"{PRESENT!r} was found in {len(found)} Sessions"
    _, done = run([*search, MISSING])
    assert done.returncode == 1, done.stderr


def main() -> None:
    home = cached()
    size = sum(path.stat().st_size for path in home.rglob("*.jsonl"))
    ours = str(Path(sys.executable).with_name("harkback"))
    search = [ours, "search", "--store", str(home)]
    check(search)
    start = [ours, "search", "--help"]  # loads what a search loads, but for Sources and engine
    commands = {"harkback search": [*search, MISSING], "harkback search --help": start}
    if shutil.which("rg"):
        commands["rg -i -F"] = ["rg", "-i", "-F", MISSING, str(home)]
    times: dict[str, list[float]] = {name: [] for name in commands}
    for _ in range(RUNS):
        for name, command in commands.items():
            times[name].append(run(command)[0])
    print(f"{FILES} files, {size / 1e6:.1f} MB; medians of {RUNS} runs in turn, ms")
    medians = {name: statistics.median(each) for name, each in times.items()}
    for name, median in medians.items():
        print(f"{name:24}{median:8.1f}   ({min(times[name]):.1f} to {max(times[name]):.1f})")
    if "rg -i -F" in medians:
        ours_ms, *others = medians.values()
        print(f"ratio {ours_ms / sum(others):.2f} (at most 1.5)")


if __name__ == "__main__":
    main()
