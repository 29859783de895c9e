"""Processes that hold a store the way a host does, steered over their standard input."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path
from types import TracebackType

_LIVE = """
import sqlite3, sys
db = sqlite3.connect(sys.argv[1], isolation_level=None)
for setting in sys.argv[2:]:
    db.execute("PRAGMA " + setting).fetchone()
print("ready", flush=True)
for line in sys.stdin:
    db.execute(line)
    print("done", flush=True)
"""

_PROBE = """
import fcntl, sys
file = open(sys.argv[1], "r+b")
try:
    fcntl.lockf(file, fcntl.LOCK_EX | fcntl.LOCK_NB, 512, 0x40000000)
except OSError:
    sys.exit(1)
"""


class Process:
    """A child that says when it is ready; killed, not closed, at the end."""

    def __init__(self, script: str, *arguments: str) -> None:
        self._child = subprocess.Popen(
            [sys.executable, "-c", script, *arguments],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
        )
        self._wait()

    def execute(self, statement: str) -> None:
        assert self._child.stdin is not None
        self._child.stdin.write(statement + "\n")
        self._child.stdin.flush()
        self._wait()

    def kill(self) -> None:
        self._child.kill()
        self._child.wait()
        for pipe in (self._child.stdin, self._child.stdout):
            if pipe is not None and not pipe.closed:
                pipe.close()

    def __enter__(self) -> Process:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        at: TracebackType | None,
    ) -> None:
        self.kill()

    def _wait(self) -> None:
        assert self._child.stdout is not None
        assert self._child.stdout.readline()


def live(path: Path, *pragmas: str) -> Process:
    """A writer in WAL mode that never checkpoints of itself."""
    return Process(_LIVE, str(path), "journal_mode=WAL", "wal_autocheckpoint=0", *pragmas)


def rollback(path: Path) -> Process:
    """A writer with a rollback journal that spills its cache at once."""
    return Process(_LIVE, str(path), "journal_mode=DELETE", "cache_size=1", "cache_spill=1")


def is_locked(path: Path) -> bool:
    """Whether another process sees any of SQLite's lock bytes taken."""
    done = subprocess.run([sys.executable, "-c", _PROBE, str(path)], check=False)
    return done.returncode == 1
