"""The memory files of a project (``CLAUDE.md``, ``AGENTS.md``, ...) as a store of facts.

Each paragraph and each item of a list is a fact of kind ``note``, found by its text or by the
heading that it stands under; a heading goes with what follows it. Invariant: nothing outside the
folder is read (a link that leads out of it is not followed, nor is an ``@import``), nothing that is
no regular file, and nothing too long. Proof: tests/unit/facts/test_files.py.
"""

from __future__ import annotations

import os
import re
import stat
import time
from collections.abc import Hashable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Final, NamedTuple

from harkback.config import MAX_MEMORY_FILE_BYTES, SETTLED_NS
from harkback.decoding import decode
from harkback.engine import Engine
from harkback.errors import SourceError
from harkback.facts.base import Stored, StoredFact
from harkback.facts.schema import MAX_KEY_CODE_POINTS
from harkback.model import Gap

#: What agents read of a project before they begin; later ones are a person's own.
FILES: Final = ("AGENTS.md", "CLAUDE.md", "MEMORY.md", "CLAUDE.local.md")
KIND: Final = "note"

_HEADING: Final = re.compile(r" {0,3}#{1,6}[ \t]+(.*?)[ \t]*#*[ \t]*$")
_ITEM: Final = re.compile(r" ?(?:[-*+]|[0-9]{1,9}[.)])[ \t]+\S")
_FENCE: Final = re.compile(r" {0,3}(```|~~~)")


class Block(NamedTuple):
    """A stretch of a file that is one fact."""

    start: int
    end: int
    heading: str


class MemoryFiles:
    """The memory files of one folder. See ``harkback.facts.base.FactSource``.

    Args:
        folder: of the project; files in folders below it are not looked for.
    """

    def __init__(self, folder: str | os.PathLike[str]) -> None:
        self.folder = self.name = os.path.realpath(folder)

    @contextmanager
    def view(self, engine: Engine) -> Iterator[FilesView]:
        yield FilesView(Path(self.folder))

    def close(self) -> None:
        return


class FilesView:
    """The files as they are now. See ``harkback.facts.base.FactView``."""

    def __init__(self, folder: Path) -> None:
        try:
            if not folder.is_dir():
                raise SourceError("source_missing", "There is no folder at this path.")
            self._found = list(_looked_at(folder))
        except OSError:
            raise _unreadable() from None
        newest = max((found[2] for found in self._found), default=0)
        settled = time.time_ns() - newest > SETTLED_NS
        self.epoch: Hashable = tuple(self._found) if settled else object()

    def facts(self) -> Stored:
        facts: list[StoredFact] = []
        refused = 0
        for path, *_ in self._found:
            try:
                read = _read(path)
            except OSError:
                raise _unreadable() from None
            if read is None:
                refused += 1
                continue
            text, modified = read
            name = path.name
            facts += (
                StoredFact(
                    id=f"{name}#{number}",
                    document=text,
                    start=block.start,
                    end=block.end,
                    kind=KIND,
                    scope="file",
                    workspace=None,
                    observed_at=modified,
                    updated_at=modified,
                    keys=(block.heading,) if block.heading else (),
                    file=name,
                )
                for number, block in enumerate(blocks(text), 1)
            )
        message = "Memory files that lead out of their folder, or are too long, were not read."
        return Stored(facts, (Gap("source_incomplete", message, refused),) if refused else ())


def blocks(text: str) -> Iterator[Block]:
    """Paragraphs and items of lists; a fenced block stays whole, and so does a nested list."""
    start = end = at = 0
    heading = fence = ""
    bare = False  # nothing but a heading so far
    for line in text.splitlines(keepends=True):
        mark = _FENCE.match(line)
        title = None if fence else _HEADING.match(line.rstrip("\r\n"))
        blank = not line.strip()
        begins = title is not None or (blank and not bare) or bool(_ITEM.match(line) and not bare)
        if begins and not fence:
            if end > start:
                yield Block(start, end, heading)
            start = end = at
        if title is not None:
            heading = title[1] if len(title[1]) <= MAX_KEY_CODE_POINTS else ""
        if mark is not None and fence in ("", mark[1]):
            fence = "" if fence else mark[1]
        if not blank:
            start = at if end <= start else start
            end = at + len(line.rstrip())
            bare = title is not None
        at += len(line)
    if end > start:
        yield Block(start, end, heading)


def _looked_at(folder: Path) -> Iterator[tuple[Path, int, int, int]]:
    """The files that are there: path, size, time of the last change in ns, inode."""
    for name in FILES:
        path = folder / name
        try:
            found = path.stat()
        except FileNotFoundError:
            continue
        yield path, found.st_size, found.st_mtime_ns, found.st_ino


def _read(path: Path) -> tuple[str, int] | None:
    """Text and time in milliseconds; None if it is none of the folder's own short files."""
    if path.resolve().parent != path.parent or not path.is_file():
        return None
    # It may have become a pipe since: opening one must not wait for a writer.
    file = os.open(path, os.O_RDONLY | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_BINARY", 0))
    with os.fdopen(file, "rb") as opened:
        found = os.fstat(opened.fileno())
        if not stat.S_ISREG(found.st_mode):
            return None
        data = opened.read(MAX_MEMORY_FILE_BYTES + 1)
    if len(data) > MAX_MEMORY_FILE_BYTES:
        return None
    return decode(data).removeprefix("\ufeff"), found.st_mtime_ns // 1_000_000


def _unreadable() -> SourceError:
    return SourceError("source_unreadable", "A memory file cannot be read; check its permissions.")
