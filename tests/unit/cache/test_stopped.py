"""A writer that is killed, or that the system refuses, at any step: answers are what they were.

The steps are every few lines of the cache's own code; every size at which a file may not grow any
more, which strikes inside SQLite too; and the first, second, third, ... call to the system.
"""

from __future__ import annotations

import errno
import os
import shutil
import signal
import sqlite3
import sys
from collections.abc import Callable
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

import harkback.cache
import harkback.engine
from harkback.cache.manifest import NAME
from support.stored import packs, recall, settle
from support.stores import StoreBuilder

posix = pytest.mark.skipif(not hasattr(os, "fork"), reason="needs fork")
HOME = str(Path(harkback.cache.__file__).parent)
NATIVE = harkback.engine.load("native")
WORDS = ("apple", "pear", "plum", "grape", "apple pear")


class Bench:
    """A store, a cache of an earlier state of it, and the answer that has to come."""

    def __init__(self, folder: Path) -> None:
        self.store, self._before = folder / "runtime.sqlite", folder / "before"
        self.cache = folder / "cache"
        with closing(StoreBuilder(self.store)) as builder:
            for number, word in enumerate(WORDS):
                builder.session(f"s{number}")
                builder.text(f"s{number}", f"an {word} " + word * 300)
            settle(self.store)
            with recall(NATIVE, self._before, self.store) as first:
                assert first.persist().stored == len(WORDS)
            builder.session("new")
            builder.text("new", "an apple more")
            builder.db.execute("DELETE FROM session_metadata WHERE session_id = 's3'")
            for session in ("s0", "s1", "s2"):
                builder.text(session, "one more pear")
        settle(self.store)
        with recall(NATIVE, None, self.store) as plain:
            self._expected = plain.search(["apple", "pear"], limit=25).to_json()

    def begin(self) -> None:
        shutil.rmtree(self.cache, ignore_errors=True)
        shutil.copytree(self._before, self.cache)

    def work(self) -> None:
        with recall(NATIVE, self.cache, self.store) as working:
            working.persist()

    def hold(self) -> None:
        """Answers are equal, what is told of is there, and the next writer puts it right."""
        path = self.cache / NAME
        if path.exists():
            with closing(sqlite3.connect(path)) as found:
                assert found.execute("PRAGMA integrity_check").fetchall() == [("ok",)]
        for _ in range(2):
            with recall(NATIVE, self.cache, self.store) as again:
                assert again.search(["apple", "pear"], limit=25).to_json() == self._expected
                kept = again.persist()
                assert (kept.trouble, kept.left) == (None, 0)
                assert again.coverage().current == again.coverage().sessions == len(WORDS)
        with closing(sqlite3.connect(path)) as found:
            known = {name for (name,) in found.execute("SELECT name FROM packs")}
        assert {pack.name for pack in packs(self.cache)} == known


@pytest.fixture(scope="module")
def bench(tmp_path_factory: pytest.TempPathFactory) -> Bench:
    return Bench(tmp_path_factory.mktemp("stopped"))


def in_a_child(work: Callable[[], None]) -> int:
    """Runs it, and gives the exit code, or the signal that ended it, negative."""
    child = os.fork()
    if not child:
        try:
            work()
        finally:
            os._exit(0)
    return os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])


def killed_at(line: int, work: Callable[[], None]) -> None:
    """Ends this process when so many lines of the cache's code have been run."""
    left = line

    def inside(frame: Any, event: str, _: Any) -> Any:
        nonlocal left
        if event == "line":
            left -= 1
            if not left:
                os.kill(os.getpid(), signal.SIGKILL)
        return inside

    def trace(frame: Any, event: str, _: Any) -> Any:
        return inside if frame.f_code.co_filename.startswith(HOME) else None

    sys.settrace(trace)
    work()


@posix
def test_killed_at_every_few_lines(bench: Bench) -> None:
    line, step = 1, 13
    while True:
        bench.begin()
        if in_a_child(lambda line=line: killed_at(line, bench.work)) == 0:
            break
        bench.hold()
        line += step
    assert line > 20 * step


@posix
@pytest.mark.parametrize("how", [signal.SIG_DFL, signal.SIG_IGN], ids=["killed", "refused"])
def test_a_file_that_may_not_grow(bench: Bench, how: signal.Handlers) -> None:
    import resource

    def limited(size: int) -> None:
        signal.signal(signal.SIGXFSZ, how)
        resource.setrlimit(resource.RLIMIT_FSIZE, (size, resource.RLIM_INFINITY))
        bench.work()

    ended = set()
    for size in (0, 1, 511, 512, 700, 1024, 2000, 4095, 4096, 8192, 12288, 20000, 30000, 65536):
        bench.begin()
        ended.add(in_a_child(lambda size=size: limited(size)))
        bench.hold()
    assert ended == ({0, -signal.SIGXFSZ} if how is signal.SIG_DFL else {0})


@pytest.mark.parametrize("code", [errno.ENOSPC, errno.EIO, errno.EROFS, errno.EACCES])
def test_every_call_to_the_system_may_fail(
    bench: Bench, code: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    number, troubles = 1, set()
    while True:
        bench.begin()
        left = number
        with monkeypatch.context() as patched:

            def failing(call: Callable[..., Any]) -> Callable[..., Any]:
                def maybe(*args: Any, **named: Any) -> Any:
                    nonlocal left
                    if sys._getframe(1).f_code.co_filename.startswith(HOME):
                        left -= 1
                        if not left:
                            raise OSError(code, os.strerror(code))
                    return call(*args, **named)

                return maybe

            for name in ("open", "write", "lseek", "read", "lstat", "fstat", "unlink"):
                patched.setattr(os, name, failing(getattr(os, name)))
            with recall(NATIVE, bench.cache, bench.store) as working:
                working.search(["apple", "pear"])
                troubles.add(working.persist().trouble is None)
        bench.hold()
        if left > 0:
            break
        number += 1
    assert number > 20
    assert troubles == {True, False}
