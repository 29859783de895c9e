"""A connection to a database that somebody else may be writing, and what was read on it.

Kept per thread between Views of the same epoch: connection, catalog, fingerprints, counts.
Invariant: two epochs are equal only if nothing was written in between, as far as the file system
(settled times, sizes, inodes), or ``data_version`` of a host's own connection, tells.
Proof: tests/sources/test_sqlite_source.py, tests/sources/test_sqlite_untouched.py.
"""

from __future__ import annotations

import contextlib
import hashlib
import itertools
import os
import sqlite3
from collections.abc import Hashable
from typing import Final

from harkback.sources.sqlite import opening
from harkback.sources.sqlite.base import Listing, Schema
from harkback.sources.sqlite.opening import Connect
from harkback.sources.sqlite.records import DECODER_VERSION

_serials = itertools.count()
#: Connections that a fork left in the child. Closing one would act on the parent's locks, so they
#: are kept from the collector for as long as the process lives.
_abandoned: Final[list[object]] = []


class Kept:
    """A connection and what was read on it, valid for one epoch."""

    def __init__(self, path: str, connect: Connect | None) -> None:
        self.pid = os.getpid()
        self.path = path
        self.files = opening.look(path)
        self.settled = self.files.settled()  # then, not now: what was read since is in question
        self.connection, self.mode = opening.connect(path, self.files, connect)
        self.version = 0
        self.schema: Schema | None = None
        self.outside: Hashable = None
        self.forget()

    def forget(self) -> None:
        self.serial = next(_serials)
        self.listing: Listing | None = None
        self.fingerprints: dict[str, bytes] = {}
        self.row_stamps: dict[str, bytes] | None = None  # of Sessions by their rows alone
        self.stamps: dict[str, bytes] = {}
        self.counts: dict[str, int] = {}
        self.titles: dict[str, str] = {}

    def beside(self, state: Hashable) -> None:
        """Takes note of what lies beside the database; what was read with another is forgotten."""
        if state != self.outside:
            self.forget()
            self.outside = state

    @property
    def live(self) -> bool:
        """Whether SQLite itself sees to it that a View stays as it is."""
        return self.mode in ("shared", "host")

    def begin(self) -> bool:
        """Begins a View; False when another connection is needed for it."""
        if self.pid != os.getpid():
            return False
        if self.mode == "host":
            version = opening.begin(self.connection)
            if version != self.version:
                self.forget()
                self.version = version
            return True
        if self.mode == "shared":
            return self._begin_shared()
        return self.settled and opening.look(self.path) == self.files

    def _begin_shared(self) -> bool:
        """Files that were settled and look as they did hold what they held.

        They are looked at behind the begin: a commit before it shows, one behind it is not seen.
        """
        before = opening.look(self.path)
        if "connection" not in self.__dict__:
            self.connection, self.mode = opening.connect(self.path, before, None)
        if self.mode != "shared":
            return False
        opening.begin(self.connection)
        files = opening.look(self.path)
        if not (self.settled and files == self.files):
            self.forget()
            self.files, self.settled = files, before == files and files.settled()
        return True

    def connections(self) -> list[sqlite3.Connection]:
        """Of the same state, one for each thread that is worth its cost.

        Only files that are held to stand still are the same for every connection.
        """
        size = self.files.database[1] if self.files.database else 0
        if self.mode != "immutable" or size < opening.BESIDE_BYTES or (os.cpu_count() or 1) < 2:
            return [self.connection]
        if "second" not in self.__dict__:
            self.second, _ = opening.connect(self.path, self.files, None)
        return [self.connection, self.second]

    def end(self) -> None:
        """Ends a View. Shared memory is let go of at once: as long as this process holds it
        read-only, a connection that the host opens in this process could not write.
        """
        if self.live:
            self.connection.execute("COMMIT")
        if self.mode == "shared":
            self.dispose()

    def state(self) -> Hashable:
        """Of a host's connection by its data version; of files by their stats, once settled."""
        if self.mode == "host":
            return (self.serial, self.version, self.outside)
        return (self.files if self.settled else self.serial, self.outside)

    def token(self) -> bytes | None:
        """The epoch of settled files, and of what reads them, to be written down."""
        if self.mode == "host" or not self.settled or self.schema is None:
            return None
        files = (self.files.database, self.files.wal, self.files.journal)
        told = (DECODER_VERSION, self.schema.version, files, self.outside)
        return hashlib.sha256(repr(told).encode()).digest()

    def dispose(self) -> None:
        """Closes what the process opened itself; a child gives it up instead."""
        for name in ("connection", "second"):
            connection: sqlite3.Connection | None = self.__dict__.pop(name, None)
            if connection is None:
                continue
            if self.pid != os.getpid():
                _abandoned.append(connection)
                continue
            with contextlib.suppress(sqlite3.Error):
                connection.close()

    def __del__(self) -> None:  # the thread that kept it has ended
        self.dispose()
