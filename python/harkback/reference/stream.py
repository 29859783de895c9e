"""The bytes of one file, up to where its listing saw it end, decompressed if it ends in ``.zst``.

A path that has become a link, a pipe or a folder is refused. Why a stream ended early is told
beside it; what was read until then is good. Compressed files need a Python that has a decoder of
zstd, 3.14 or newer. Proof: tests/differential/test_lines.py.
"""

from __future__ import annotations

import errno
import importlib
import os
import stat
from typing import Any, BinaryIO, Final

_READ: Final = 1 << 20
#: O_NOFOLLOW: a link that took the file's place; O_NONBLOCK: a pipe that did.
_FLAGS: Final = (
    os.O_RDONLY | getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_NONBLOCK", 0)
    | getattr(os, "O_CLOEXEC", 0) | getattr(os, "O_BINARY", 0)
)  # fmt: skip


def open_file(path: str) -> BinaryIO:
    """A regular file, opened to read. Raises OSError; ELOOP for a link, EINVAL for no file."""
    descriptor = os.open(path, _FLAGS)
    if not stat.S_ISREG(os.fstat(descriptor).st_mode):
        os.close(descriptor)
        raise OSError(errno.EINVAL, "not a regular file")
    return os.fdopen(descriptor, "rb", buffering=0)


class Stream:
    """The uncompressed bytes of a file, up to ``stop`` bytes of the file as it lies there.

    Attributes:
        damage: None, or why it ended early: ``shrunk``, ``compression_damaged``.
    """

    def __init__(self, path: str, stop: int) -> None:
        self._file = open_file(path)
        self._left = stop
        self._decoder: Any = None
        self.damage: str | None = None
        if path.endswith(".zst"):
            try:
                self._decoder = importlib.import_module("compression.zstd").ZstdDecompressor
            except ImportError:
                self._file.close()
                raise OSError(errno.ENOTSUP, "no decoder of zstd") from None
            self._frame = self._decoder()

    def read(self) -> bytes:
        """The next bytes; none at the end."""
        if self._decoder is None:
            return self._read()
        while True:
            if self._frame.eof:
                rest = self._frame.unused_data or self._read()
                if not rest:
                    return b""
                self._frame = self._decoder()
            elif self._frame.needs_input:
                rest = self._read()
                if not rest:
                    self.damage = self.damage or "compression_damaged"
                    return b""
            else:
                rest = b""
            try:
                found: bytes = self._frame.decompress(rest, _READ)
            except Exception:  # the module's own error: compression.zstd.ZstdError
                self.damage, self._left = "compression_damaged", 0
                return b""
            if found:
                return found

    def _read(self) -> bytes:
        found = self._file.read(min(_READ, self._left)) or b""
        if not found and self._left:
            self.damage, self._left = "shrunk", 0
        self._left -= len(found)
        return found

    def close(self) -> None:
        self._file.close()
