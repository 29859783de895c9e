"""Plain files, read without following anything: no link, no pipe, no way out of a folder.

Invariant: what is read is a regular file, reached through real folders alone; a path that somebody
recorded is taken apart into names, each of which has to be one. Proof:
tests/unit/sources/test_plain.py.
"""

from __future__ import annotations

import errno
import os
import re
import stat
from typing import Final

FLAGS: Final = (
    os.O_RDONLY
    | getattr(os, "O_NOFOLLOW", 0)  # a link that took the file's place
    | getattr(os, "O_NONBLOCK", 0)  # a pipe that did
    | getattr(os, "O_CLOEXEC", 0)
    | getattr(os, "O_BINARY", 0)
)
#: Names that mean something else than a file of that name, on any system: the folder itself, the
#: one above, a stream or a drive, a device of Windows, a name whose end Windows drops.
_NO_NAME: Final = re.compile(
    r"\.{0,2}|.*[/\\:\x00-\x1f].*|.*[. ]|(?:con|prn|aux|nul|com\d|lpt\d)(?:\..*)?",
    re.IGNORECASE | re.DOTALL,
)


def read(place: str, start: int, stop: int) -> bytes:
    """The bytes [start, stop) of a regular file, fewer if it is shorter. Raises OSError."""
    descriptor = os.open(place, FLAGS)
    try:
        if not stat.S_ISREG(os.fstat(descriptor).st_mode):
            raise OSError(errno.EINVAL, "not a regular file")
        os.lseek(descriptor, start, os.SEEK_SET)
        found = os.read(descriptor, stop - start)
        while len(found) < stop - start and (
            more := os.read(descriptor, stop - start - len(found))
        ):
            found += more
        return found
    finally:
        os.close(descriptor)


def read_within(folder: str, relative: str, size: int | None, limit: int) -> bytes | None:
    """A file under ``folder``; None if the path leads anywhere else, or the file is another.

    Args:
        folder: a real path.
        relative: as somebody recorded it, with ``/``; nothing in it is trusted.
        size: bytes that it had when it was recorded, if that is known.
        limit: bytes; of a longer file one more than this is given.
    """
    names = relative.split("/")
    if any(map(_NO_NAME.fullmatch, names)):
        return None
    place = os.path.join(folder, *names)  # noqa: PTH118
    try:
        if os.path.realpath(place) != place:
            return None
        found = read(place, 0, limit + 1)
        length = os.lstat(place).st_size
    except (OSError, ValueError):
        return None
    # A folder on the way may have become a link in between.
    same = os.path.realpath(place) == place
    return found if same and size in (None, length) else None
