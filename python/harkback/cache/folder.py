"""The folder of the cache: where it lies, whether it may be trusted, and who may write there now.

Invariant: nothing is read from or written to a folder that is a link, that somebody else owns or
that others may write to, nor a file in it of which that is so; what is made is the owner's alone.
Proof: tests/unit/cache/test_folder.py.
"""

from __future__ import annotations

import contextlib
import os
import stat
from collections.abc import Iterator
from pathlib import Path
from typing import Final

from harkback.errors import CacheError

CACHE_VARIABLE: Final = "HARKBACK_CACHE"
LOCK_NAME: Final = "lock"
_POSIX: Final = os.name == "posix"
_SAFE: Final = getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_CLOEXEC", 0)
_BINARY: Final = getattr(os, "O_BINARY", 0)


def default_folder(configured: Path | None = None) -> Path:
    """Where the cache lies: where ``HARKBACK_CACHE`` says, else where ``configured``, else in the
    user's own cache folder.
    """
    named = os.environ.get(CACHE_VARIABLE)
    if named:
        return Path(named).expanduser()
    if configured is not None:
        return configured
    from platformdirs import user_cache_path

    return user_cache_path("harkback", appauthor=False)


def unusable(error: OSError) -> CacheError:
    """The system refused: why, and nothing else of it."""
    return CacheError("cache_unusable", f"The cache: {error.strerror or 'the system refused'}.")


class Folder:
    """A folder that may not be there yet."""

    def __init__(self, path: Path) -> None:
        self.path = path

    def is_there(self) -> bool:
        """Whether it is there, and fit to be used.

        Raises:
            CacheError: ``cache_unsafe``, or ``cache_unusable`` if it cannot be looked at.
        """
        try:
            found = os.lstat(self.path)
        except FileNotFoundError:
            return False
        except OSError as error:
            raise unusable(error) from None
        if not stat.S_ISDIR(found.st_mode):
            raise CacheError("cache_unsafe", "The cache's folder is a link, or no folder.")
        _own(found, "folder")
        return True

    def make(self) -> None:
        """Makes it, for its owner alone, if it is not there.

        Raises:
            CacheError: as ``is_there`` does.
        """
        if self.is_there():
            return
        try:
            self.path.parent.mkdir(parents=True, exist_ok=True)
            with contextlib.suppress(FileExistsError):
                self.path.mkdir(mode=0o700)
        except OSError as error:
            raise unusable(error) from None
        self.is_there()

    def size_of(self, name: str) -> int | None:
        """Bytes of a file of its own; None if it is not there.

        Raises:
            CacheError: ``cache_unsafe``: it is a link, or somebody else's.
        """
        try:
            found = os.lstat(self.path / name)
        except OSError:
            return None
        if not stat.S_ISREG(found.st_mode):
            raise CacheError("cache_unsafe", "A file of the cache is a link, or no file.")
        _own(found, "file")
        return found.st_size

    def open(self, name: str, *, create: bool) -> int:
        """A descriptor for reading and writing; a file that is made is the owner's alone.

        Raises:
            OSError: it cannot be opened.
            CacheError: ``cache_unsafe``.
        """
        flags = os.O_RDWR | _SAFE | _BINARY | (os.O_CREAT if create else 0)
        opened = os.open(self.path / name, flags, 0o600)
        try:
            found = os.fstat(opened)
            if not stat.S_ISREG(found.st_mode):
                raise CacheError("cache_unsafe", "A file of the cache is no file.")
            _own(found, "file")
        except BaseException:
            os.close(opened)
            raise
        return opened

    def names(self, ending: str) -> list[str]:
        """Its files whose names end so. Raises OSError."""
        return sorted(each.name for each in self.path.iterdir() if each.name.endswith(ending))

    def remove(self, name: str) -> None:
        """A file that is not there, or that somebody has open on Windows, is left alone."""
        with contextlib.suppress(FileNotFoundError, PermissionError):
            os.unlink(self.path / name)  # noqa: PTH108 - also of what is a link

    @contextlib.contextmanager
    def locked(self) -> Iterator[None]:
        """Holds the one right to write; the system takes it back if the process ends.

        Raises:
            CacheError: ``cache_busy`` at once, if another holds it.
            OSError: there is no asking for it.
        """
        held = self.open(LOCK_NAME, create=True)
        try:
            # One that was removed while it was waited for guards nothing.
            if not _lock(held) or not self._is(held, LOCK_NAME):
                raise CacheError("cache_busy", "Another process is writing to the cache.")
            yield
        finally:
            os.close(held)

    def _is(self, opened: int, name: str) -> bool:
        try:
            return os.path.samestat(os.fstat(opened), os.lstat(self.path / name))
        except FileNotFoundError:
            return False


def _own(found: os.stat_result, what: str) -> None:
    if _POSIX and (found.st_uid != os.geteuid() or found.st_mode & 0o022):
        raise CacheError(
            "cache_unsafe", f"The cache's {what} is somebody else's, or others may write to it."
        )


def _lock(held: int) -> bool:
    """Whether the lock was free; closing the descriptor gives it up."""
    try:
        if _POSIX:
            import fcntl

            fcntl.flock(held, fcntl.LOCK_EX | fcntl.LOCK_NB)
        else:
            import msvcrt

            msvcrt.locking(held, msvcrt.LK_NBLCK, 1)  # type: ignore[attr-defined]
    except (BlockingIOError, PermissionError):
        return False
    return True
