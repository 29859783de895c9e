"""A Recall with a cache of its own, and what is done to its files."""

from __future__ import annotations

import os
import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from harkback import Recall
from harkback.cache import SegmentCache, digest
from harkback.engine import Engine


def recall(engine: Engine, cache: Path | None, *sources: Any, **options: Any) -> Recall:
    """A Recall with nothing in memory, as in a process of its own."""
    stored = None if cache is None else SegmentCache(cache)
    return Recall(*sources, engine=engine.name, cache=stored, **options)


def packs(cache: Path) -> list[Path]:
    return sorted(cache.glob("*.pack"))


def flip(path: Path, at: int, bit: int = 0) -> None:
    """Turns one bit of a file, its times as they were: damage does not tell of itself."""
    times = path.stat()
    data = bytearray(path.read_bytes())
    data[at] ^= 1 << bit
    path.write_bytes(data)
    os.utime(path, ns=(times.st_atime_ns, times.st_mtime_ns))


def settle(folder: Path) -> None:
    """Makes files old enough that their times can tell of a change."""
    for path in [folder, *folder.rglob("*")] if folder.is_dir() else [folder]:
        if path.is_file():
            times = path.stat()
            os.utime(path, ns=(times.st_atime_ns, times.st_mtime_ns - 3_000_000_000))


def damage(whole: Path, copy: Path, each: int) -> Iterator[str]:
    """Makes ``copy`` a cache with one bit turned, at every ``each``-th byte of every file."""
    for path in sorted(whole.iterdir()):
        for at in range(len(path.name) % each, path.stat().st_size, each):
            shutil.rmtree(copy, ignore_errors=True)
            shutil.copytree(whole, copy)
            flip(copy / path.name, at, at % 8)
            yield f"{path.suffix} {at}"


def stored(found: Recall) -> set[str]:
    """Which of the Sessions of its one Source are in the cache."""
    shelf = found._shelf
    assert shelf is not None
    shelf.renew()
    (source,) = found._group.sources
    names = ("old", "middle", "new", "more")
    known = {digest(name): name for name in names}
    return {known.get(session, "another") for session in shelf.stored(source.name)}
