"""Packs: the files that hold segments, one behind the other, only ever appended to.

A pack's name is drawn once and never used again, so what a name and an offset stand for does not
change while the manifest knows them; what lies behind the end that the manifest knows is rubbish of
a writer that was stopped, and is written over. Proof: tests/unit/cache/test_packs.py.
"""

from __future__ import annotations

import os
import re
from types import TracebackType
from typing import Final, NamedTuple, Self

from harkback.cache.folder import Folder

ENDING: Final = ".pack"
#: A pack that is longer takes no more: it is what is copied at once when others are cleared out.
FULL_BYTES: Final = 64 << 20
_COPY_BYTES: Final = 1 << 20
_NAME: Final = re.compile(r"[0-9a-f]{16}\.pack")


class Pack(NamedTuple):
    """What the manifest knows of a pack. ``buried``: it holds text that has to go."""

    id: int
    name: str
    length: int
    dead: int  # bytes of segments that nothing stands for any more
    buried: bool

    def is_sound(self) -> bool:
        """Whether damage left it what a pack can be; a name is about to be used as one."""
        return (
            isinstance(self.name, str)
            and _NAME.fullmatch(self.name) is not None
            and all(isinstance(n, int) and n >= 0 for n in (self.length, self.dead))
        )

    def wasteful(self) -> bool:
        """Whether it is time to copy out what still counts."""
        return self.buried or self.dead * 3 > self.length


def new_name() -> str:
    return os.urandom(8).hex() + ENDING


class Appender:
    """Appends to one pack.

    Args:
        length: where it ends as far as the manifest knows.

    Raises:
        OSError, CacheError: as ``Folder.open`` does.
    """

    def __init__(self, folder: Folder, name: str, length: int, *, create: bool) -> None:
        self.name = name
        self.end = length
        self._file = folder.open(name, create=create)

    def append(self, data: bytes) -> int:
        """Where ``data`` begins in the pack. Raises OSError; then it may be there in part."""
        start = self.end
        os.lseek(self._file, start, os.SEEK_SET)
        rest = memoryview(data)
        while rest:
            rest = rest[os.write(self._file, rest) :]
        self.end = start + len(data)
        return start

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        os.close(self._file)


def copy(folder: Folder, name: str, start: int, length: int, to: Appender) -> int | None:
    """Copies a stretch of another pack to the end of ``to``: where it begins there.

    None if it is not there whole. Raises OSError when it cannot be written.
    """
    begun = to.end
    try:
        source = folder.open(name, create=False)
    except FileNotFoundError:
        return None
    try:
        os.lseek(source, start, os.SEEK_SET)
        while length:
            data = os.read(source, min(length, _COPY_BYTES))
            if not data:
                to.end = begun
                return None
            to.append(data)
            length -= len(data)
    finally:
        os.close(source)
    return begun
