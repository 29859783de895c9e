"""Whole outputs that OpenCode put beside its database when it cut them in a record.

A record tells the path that the file had on the machine that wrote it; only the name of the file
counts. Invariant: nothing but plain files of the one folder is opened, no link is followed, and a
text is of the state that ``look`` saw. Proof: tests/sources/test_opencode_spills.py.
"""

from __future__ import annotations

import os
import re
import stat
import time
from dataclasses import dataclass
from typing import Final, TypeAlias

from harkback.config import SETTLED_NS
from harkback.decoding import decode
from harkback.errors import SourceError
from harkback.sources.plain import FLAGS

FOLDER: Final = "tool-output"
#: Of one file; OpenCode itself keeps far less.
LIMIT_BYTES: Final = 64 << 20

State: TypeAlias = tuple[int, int, int]  # mtime in ns, size, inode


@dataclass(frozen=True, slots=True)
class Spills:
    """The files of the folder, as they were when it was looked at.

    Attributes:
        moment: when a file was so new that it might change unseen; equal looks are then rare.
    """

    folder: str
    files: tuple[tuple[str, State], ...] = ()
    moment: int = 0

    def state(self, name: str) -> State | None:
        return dict(self.files).get(name)

    def text(self, name: str) -> str | None:
        """The text of a file that was there; see ``content``."""
        content = self.content(name)
        return None if content is None else decode(content)

    def content(self, name: str) -> bytes | None:
        """The bytes of a file that was there; None if it may not be read, or is too long.

        Raises:
            SourceError: ``source_unsettled`` when it is not what it was.
        """
        try:
            handle = os.open(os.path.join(self.folder, name), FLAGS)  # noqa: PTH118
        except PermissionError:
            return None
        except OSError:
            raise _moved() from None
        with os.fdopen(handle, "rb") as file:
            if _state(os.fstat(handle)) != self.state(name):
                raise _moved()
            content = file.read(LIMIT_BYTES + 1)
        return content if len(content) <= LIMIT_BYTES else None


def name_of(path: str) -> str:
    """The name of the file that a recorded path means."""
    return re.split(r"[/\\]", path)[-1]


def look(database: str) -> Spills:
    """The folder beside a database; an empty one if it is none, or a link."""
    folder = os.path.join(os.path.dirname(database), FOLDER)  # noqa: PTH118, PTH120
    files: list[tuple[str, State]] = []
    try:
        if stat.S_ISDIR(os.lstat(folder).st_mode):
            with os.scandir(folder) as entries:
                for entry in entries:
                    status = entry.stat(follow_symlinks=False)
                    if stat.S_ISREG(status.st_mode):
                        files.append((entry.name, _state(status)))
    except OSError:
        return Spills(folder)
    now = time.time_ns()
    unsettled = any(now - state[0] < SETTLED_NS for _, state in files)
    return Spills(folder, tuple(sorted(files)), now if unsettled else 0)


def _state(status: os.stat_result) -> State:
    return (status.st_mtime_ns, status.st_size, status.st_ino)


def _moved() -> SourceError:
    return SourceError("source_unsettled", "An output was rewritten while it was read; ask again.")
