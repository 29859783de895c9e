"""Transcripts in memory: a folder of an agent as a mapping from paths to bytes."""

from __future__ import annotations

import json
import sqlite3
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping
from fnmatch import fnmatchcase
from typing import Any, TypeVar

from harkback.decoding import Damaged, decode, parse
from harkback.model import AttachmentPart, StoredMessage
from harkback.projection import project
from harkback.sources.transcripts.base import Broken, Decoded, Entry, Format, Found, Record

T = TypeVar("T")


def lines(*records: object) -> bytes:
    """Records as a file of form ``lines``; bytes are a line as it stands."""
    return b"".join(
        (record if isinstance(record, bytes) else json.dumps(record).encode()) + b"\n"
        for record in records
    )


class MemoryFiles:
    """What ``Files`` gives a format, of files that lie in memory."""

    def __init__(self, contents: Mapping[str, bytes], modified: Mapping[str, int] = {}) -> None:
        self.contents = contents
        self.modified = modified
        self.problems: Counter[str] = Counter()
        self.opened: list[str] = []

    def listing(self, folder: str, pattern: str) -> Iterator[Entry]:
        prefix = f"{folder}/" if folder else ""
        seen = set()
        for path in sorted(self.contents):
            name, slash, _ = path.removeprefix(prefix).partition("/")
            if path.startswith(prefix) and name not in seen and fnmatchcase(name, pattern):
                seen.add(name)
                size = 0 if slash else len(self.contents[path])
                modified = self.modified.get(path, 0)
                yield Entry(prefix + name, bool(slash), size, modified)

    def records(
        self, path: str, *, limit: int | None = None, broken: Broken | None = None
    ) -> Iterator[Record]:
        self.opened.append(path)
        left = limit
        for offset, line in self._lines(path):
            for value in self._parsed(offset, line, broken):
                if left is not None:
                    if not left:
                        return
                    left -= 1
                yield Record(offset, value)

    def _lines(self, path: str) -> Iterator[tuple[int, bytes]]:
        offset = 0
        for line in self.contents[path].split(b"\n")[:-1]:
            if line.strip(b"\0 \r\t"):
                yield offset, line
            offset += len(line) + 1

    def _parsed(self, offset: int, line: bytes, broken: Broken | None) -> Iterable[dict[str, Any]]:
        try:
            return [parse(line)]
        except Damaged:
            found = broken(offset, line) if broken else None
            if found is None:
                self.problems["broken"] += 1
            return found or ()

    def document(self, path: str) -> dict[str, Any] | None:
        self.opened.append(path)
        try:
            return parse(self.contents[path])
        except Damaged:
            self.problems["broken"] += 1
            return None

    def text(self, path: str) -> str | None:
        self.opened.append(path)
        return decode(self.contents[path])

    def rows(self, path: str, query: str) -> list[tuple[Any, ...]]:
        self.opened.append(path)
        connection = sqlite3.connect(":memory:")
        try:
            connection.text_factory = bytes
            database = self.contents[path]
            # Memory has no WAL: the header must not ask for one.
            connection.deserialize(database[:18] + b"\x01\x01" + database[20:])
            return connection.execute(query).fetchall()
        except sqlite3.Error:
            self.problems["index_unreadable"] += 1
            return []
        finally:
            connection.close()

    def head(self, path: str) -> bytes:
        return self.contents[path][:16384]

    def of_head(self, path: str, read: Callable[[bytes], T]) -> T:
        return read(self.head(path))

    def tail(self, path: str) -> bytes:
        return self.contents[path][-16384:]


def found(reader: Format, files: MemoryFiles) -> dict[str, Found]:
    """Every Session by its id, of which a format must find each once."""
    every = list(reader.find(files))
    by_id = {one.id: one for one in every}
    assert len(by_id) == len(every)
    return by_id


def decoded(reader: Format, contents: Mapping[str, bytes], session: str | None = None) -> Decoded:
    """One Session; the only one, unless it is named."""
    files = MemoryFiles(contents)
    every = found(reader, files)
    (name,) = every if session is None else (session,)
    return reader.decode(files, every[name])


def shown(messages: Iterable[StoredMessage]) -> list[tuple[str, ...]]:
    """Kind and leaves of each Message; ``~`` before the kind of an abandoned one."""
    return [
        (("~" if one.abandoned else "") + one.kind, *(leaf.text for leaf in project(one)))
        for one in messages
    ]


def attached(messages: Iterable[StoredMessage]) -> list[AttachmentPart]:
    return [part for one in messages for part in one.parts if isinstance(part, AttachmentPart)]
