"""How a database that somebody else may be writing is opened without leaving a trace.

By state: a WAL that is missing or empty, and no journal: read immutable, with the files' stats
held against each other before and after. A WAL with its shared-memory file: read through it,
read-only. Anything else: a private copy, made by a child process.
Invariant: this process never calls open() on the database or a side file of it, because closing
such a descriptor drops the POSIX locks of every SQLite connection of the process; and SQLite is
never given a way to write. Proof: tests/sources/test_sqlite_untouched.py.
"""

from __future__ import annotations

import contextlib
import os
import sqlite3
import stat
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Final, Literal, NamedTuple, TypeAlias, TypeVar
from urllib.parse import quote

from harkback.config import SETTLED_NS
from harkback.errors import SourceError

Mode: TypeAlias = Literal["immutable", "shared", "copy", "host"]
#: mtime in ns, size, inode, ctime in ns, which nobody can set back; None: no such file
Stat: TypeAlias = tuple[int, int, int, int] | None
Connect: TypeAlias = Callable[[], sqlite3.Connection]
_AnyConnection = TypeVar("_AnyConnection", bound=sqlite3.Connection)

BUSY_SECONDS: Final = 0.25
COPY_LIMIT_BYTES: Final = 4 << 30
COPY_SECONDS: Final = 300
ATTEMPTS: Final = 4
BESIDE_BYTES: Final = 8 << 20
_COPY: Final = """
import os, shutil, sys
source, target, limit, attempts = sys.argv[1], sys.argv[2], int(sys.argv[3]), int(sys.argv[4])
ENDS = ("", "-wal", "-journal")
def stats():
    found = []
    for end in ENDS:
        try:
            s = os.stat(source + end)
            found.append((s.st_mtime_ns, s.st_size, s.st_ino))
        except FileNotFoundError:
            found.append(None)
    return found
for _ in range(attempts):
    before = stats()
    if sum(s[1] for s in before if s) > limit:
        sys.exit(4)
    for end, s in zip(ENDS, before):
        if os.path.exists(target + end):
            os.remove(target + end)
        if s is not None:
            try:
                shutil.copyfile(source + end, target + end)
            except FileNotFoundError:
                pass
            except OSError:
                sys.exit(3)
    if stats() == before:
        sys.exit(0)
sys.exit(5)
"""


class Files(NamedTuple):
    """What the file system says of a database and its side files."""

    database: Stat
    wal: Stat
    journal: Stat
    shared: int | None  # inode of the shared-memory file; its times move with every reader

    @property
    def mode(self) -> Mode:
        if self.journal is not None and self.journal[1] > 0:
            return "copy"
        if self.wal is None or self.wal[1] == 0:
            return "immutable"
        return "copy" if self.shared is None else "shared"

    def size(self) -> int:
        """Bytes of the database and its WAL."""
        return sum(stat[1] for stat in (self.database, self.wal) if stat)

    def settled(self) -> bool:
        newest = max((s[0] for s in (self.database, self.wal, self.journal) if s), default=0)
        return time.time_ns() - newest > SETTLED_NS


def _stat(path: str, *, beside: bool = False) -> Stat:
    """Of a file ``beside`` the database no ctime: SQLite moves it at every opening, if run by root,
    by seeing to whose the file is.
    """
    try:
        found = os.stat(path)  # noqa: PTH116  # asked several times a call: a Path costs more than it
    except FileNotFoundError:
        return None
    if not stat.S_ISREG(found.st_mode):
        raise SourceError("source_not_a_store", "The path, or a side file of it, is no file.")
    return (found.st_mtime_ns, found.st_size, found.st_ino, 0 if beside else found.st_ctime_ns)


def look(path: str) -> Files:
    """Raises SourceError when there is no such file, or it may not be looked at."""
    try:
        database = _stat(path)
        wal, journal, shared = (
            _stat(path + end, beside=True) for end in ("-wal", "-journal", "-shm")
        )
    except OSError:
        raise unreadable() from None
    if database is None:
        raise SourceError("source_missing", "There is no database at this path.")
    return Files(database, wal, journal, shared[2] if shared else None)


def unreadable() -> SourceError:
    return SourceError("source_unreadable", "The database cannot be opened; check its permissions.")


def unsettled() -> SourceError:
    return SourceError(
        "source_unsettled", "The database was rewritten while it was read; ask again."
    )


def translate(error: sqlite3.Error) -> SourceError:
    """The typed error for what SQLite reports. SQLite's own words may quote data: left out."""
    name: str = getattr(error, "sqlite_errorname", None) or ""
    if name.startswith(("SQLITE_BUSY", "SQLITE_LOCKED", "SQLITE_PROTOCOL")):
        return SourceError("source_locked", "The database is locked by its writer; ask again.")
    if name.startswith(("SQLITE_NOTADB", "SQLITE_CORRUPT", "SQLITE_IOERR", "SQLITE_FORMAT")):
        return SourceError("source_damaged", "The file is not a whole SQLite database.")
    return unreadable()


def is_damage(error: sqlite3.Error) -> bool:
    return translate(error).reason == "source_damaged"


def connect(path: str, files: Files, factory: Connect | None) -> tuple[sqlite3.Connection, Mode]:
    """A connection that cannot write, with a read transaction begun.

    Raises:
        SourceError: see ``translate``; ``source_too_large`` and ``source_unsettled`` for a copy.
    """
    if factory is not None:
        connection = factory()
        connection.isolation_level = None
        return _ready(connection), "host"
    mode = files.mode
    if mode == "shared":
        try:
            return _open(path, "mode=ro&readonly_shm=1"), "shared"
        except SourceError as error:
            if error.reason != "source_unreadable":
                raise
        mode = "copy"  # the shared memory belongs to nobody that lets it be read
    if mode == "immutable":
        return _open(path, "mode=ro&immutable=1"), "immutable"
    return _open_copy(path), "copy"


def begin(connection: sqlite3.Connection) -> int:
    """Begins a read transaction and pins its snapshot; gives ``PRAGMA data_version``."""
    try:
        connection.execute("BEGIN")
        connection.execute("SELECT 1 FROM sqlite_master LIMIT 1").fetchone()
        return int(connection.execute("PRAGMA data_version").fetchone()[0])
    except sqlite3.Error as error:
        raise translate(error) from None


class _Connection(sqlite3.Connection):
    """Takes the folder of a private copy away with it."""

    folder: str | None = None

    def close(self) -> None:
        super().close()
        if self.folder is not None:
            import shutil

            shutil.rmtree(self.folder, ignore_errors=True)


def _open(path: str, parameters: str) -> _Connection:
    absolute = Path(path).absolute().as_posix()
    root = "" if absolute.startswith("/") else "/"  # before a drive letter
    try:
        connection = sqlite3.connect(
            f"file://{root}{quote(absolute)}?{parameters}",  # "//" ends an empty authority
            uri=True,
            timeout=BUSY_SECONDS,
            isolation_level=None,
            check_same_thread=False,  # a scan has two threads; a Source may be closed by a third
            factory=_Connection,
        )
    except sqlite3.Error as error:
        raise translate(error) from None
    return _ready(connection)


def _ready(connection: _AnyConnection) -> _AnyConnection:
    connection.text_factory = bytes
    try:
        connection.execute("PRAGMA query_only=1")
        connection.execute("PRAGMA temp_store=MEMORY")
        connection.execute("SELECT 1 FROM sqlite_master LIMIT 1").fetchone()
    except sqlite3.Error as error:
        connection.close()
        raise translate(error) from None
    return connection


def _open_copy(path: str) -> sqlite3.Connection:
    """A copy with its WAL or journal worked in, in a folder that is gone once it is open.

    Windows unlinks no open file: there the folder goes when the connection is closed.
    """
    import shutil  # a copy is seldom needed
    import subprocess
    import tempfile

    folder = tempfile.mkdtemp(prefix="harkback-")  # mode 0700
    target = str(Path(folder, "copy"))
    try:
        arguments = [path, target, str(COPY_LIMIT_BYTES), str(ATTEMPTS)]
        try:
            code = subprocess.run(
                [sys.executable, "-I", "-S", "-c", _COPY, *arguments],
                stdin=subprocess.DEVNULL,
                stdout=subprocess.DEVNULL,
                stderr=subprocess.DEVNULL,
                timeout=COPY_SECONDS,
                check=False,
            ).returncode
        except (OSError, subprocess.TimeoutExpired):
            raise unreadable() from None
        if code == 4:
            raise SourceError(
                "source_too_large", "The database needs a private copy and is too large for one."
            )
        if code == 5:
            raise unsettled()
        if code:
            raise unreadable()
        _settle(target)
        connection = _open(target, "mode=ro&immutable=1")
        connection.folder = folder
        return connection
    finally:
        shutil.rmtree(folder, ignore_errors=True)


def _settle(target: str) -> None:
    try:
        with contextlib.closing(sqlite3.connect(target, isolation_level=None)) as connection:
            connection.execute("PRAGMA journal_mode=DELETE").fetchone()
            connection.execute("SELECT 1 FROM sqlite_master LIMIT 1").fetchone()
    except sqlite3.Error as error:
        raise translate(error) from None
