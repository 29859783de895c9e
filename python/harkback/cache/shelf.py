"""The shelf: the stored segments that one Recall may take from, and how it puts more there.

A shelf is of one version: of the format, the fold, the policy and the projection that made its
segments; those of another are nothing to it, and are deleted by the first who writes. Readers wait
for nobody; one process writes at a time. Invariant: a failure of any kind is a segment that is not
there; nothing is raised but to the one who writes. Proof: tests/unit/cache/test_shelf.py.
"""

from __future__ import annotations

import functools
import hashlib
import os
import threading
from collections.abc import Iterator
from contextlib import AbstractContextManager, contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Final

from harkback.cache import manifest
from harkback.cache.folder import LOCK_NAME, Folder, default_folder, unusable
from harkback.cache.manifest import NAME, SIDE_FILES, ManifestDamaged, Place
from harkback.cache.packs import ENDING, Appender
from harkback.errors import CacheError

if TYPE_CHECKING:
    from harkback.cache.writing import Writing

LAYOUT: Final = 1  # of the folder and the manifest


@functools.lru_cache(maxsize=1 << 14)
def digest(name: str) -> bytes:
    """Stands for the name of a Source or a Session, which may say more than it should."""
    return hashlib.blake2b(name.encode("utf-8", "surrogatepass"), digest_size=16).digest()


class SegmentCache:
    """A folder in which the segments of searched Sessions outlive the process.

    It holds redacted text. Nothing is written to it but by ``Recall.persist``.

    Args:
        folder: its own; the user's cache folder, or what ``HARKBACK_CACHE`` names, if None.
    """

    def __init__(self, folder: str | os.PathLike[str] | None = None) -> None:
        self.folder = Folder(default_folder() if folder is None else Path(folder))

    def shelf(self, *made_by: str | int) -> Shelf:
        """The segments of one version: of all that decides what a segment holds."""
        told = repr((LAYOUT, *made_by)).encode()
        return Shelf(self.folder, hashlib.blake2b(told, digest_size=16).digest())

    def bytes(self) -> int:
        """What its files occupy. Raises CacheError."""
        if not self.folder.is_there():
            return 0
        return sum(self.folder.size_of(name) or 0 for name in self._names())

    def counts(self) -> dict[str, int]:
        """How often what was damaged was made anew: ``segments``, and the ``manifest`` as a whole.

        Raises:
            CacheError: it cannot be read; ``cache_unusable`` if it is damaged.
        """
        if not self.folder.is_there() or self.folder.size_of(NAME) is None:
            return {}
        try:
            with manifest.opened(self.folder) as connection:
                return manifest.counts_of(connection)
        except ManifestDamaged:
            raise _damaged() from None

    def check(self) -> None:
        """Whether it can be written to now: writes a little. Raises CacheError."""
        self.folder.make()
        probe = "probe" + ENDING
        try:
            with self.folder.locked(), manifest.opened(self.folder, create=True) as connection:
                connection.execute("BEGIN IMMEDIATE")
                with Appender(self.folder, probe, 0, create=True) as pack:
                    pack.append(bytes(4096))
                self.folder.remove(probe)
        except OSError as error:
            raise unusable(error) from None
        except ManifestDamaged:
            raise _damaged() from None

    def clear(self) -> int:
        """Deletes its own files, and the folder if nothing else is in it; bytes that were freed.

        Raises:
            CacheError: another process is writing, or the folder is not to be touched.
        """
        if not self.folder.is_there():
            return 0
        try:
            with self.folder.locked():
                names = self._names()
                freed = sum(self.folder.size_of(name) or 0 for name in names)
                for name in names:
                    self.folder.remove(name)
                self.folder.remove(LOCK_NAME)
            if not any(self.folder.path.iterdir()):
                self.folder.path.rmdir()
        except OSError as error:
            raise unusable(error) from None
        return freed

    def _names(self) -> list[str]:
        return [*self.folder.names(ENDING), *SIDE_FILES, NAME]


def _damaged() -> CacheError:
    return CacheError("cache_unusable", "The cache: its manifest is damaged; it is made anew.")


class Shelf:
    """Stored segments of one version. Safe to use from several threads."""

    def __init__(self, folder: Folder, version: bytes) -> None:
        self.folder = folder
        self.version = version
        self._root = os.path.join(folder.path, "")  # noqa: PTH118 - joined for every segment
        self.trouble: CacheError | None = None  # why the cache was of no use, the last time
        self._lock = threading.Lock()  # guards what follows
        self._seen: object = None  # state of the manifest that the tables are of
        self._tables: dict[str, dict[bytes, Place]] = {}
        self._rejected: set[Place] = set()
        self._broken = False
        self._was_ours = False  # whether the folder was found to be of this version

    def renew(self) -> None:
        """Looks whether somebody wrote or took a file away; what was read is forgotten then."""
        try:
            both = (self.folder.path.stat(), (self.folder.path / NAME).stat())
            now = [(found.st_mtime_ns, found.st_size, found.st_ino) for found in both]
        except OSError:
            now = None
        with self._lock:
            if now != self._seen:
                self._seen = now
                self._tables.clear()

    @property
    def state(self) -> object:
        """Equal as long as nothing was stored, taken away or rejected."""
        with self._lock:
            return self._seen, len(self._rejected)

    def find(self, source: str, session: str) -> Place | None:
        """The stored segment of a Session, whatever state of it it is of."""
        with self._lock:
            place = self._table(source).get(digest(session))
            return None if place is None or place in self._rejected else place

    def stored(self, source: str) -> dict[bytes, Place]:
        """All stored segments of a Source, by the digest of the Session."""
        with self._lock:
            return dict(self._table(source))

    def count(self, source: str) -> int:
        """How many Sessions of a Source are stored."""
        with self._lock:
            return len(self._table(source))

    def path(self, place: Place) -> str:
        """The file that a segment lies in."""
        return self._root + place.pack

    def reject(self, place: Place) -> None:
        """A segment was not what it should be: it is not given out again, and told of."""
        with self._lock:
            self._rejected.add(place)

    def is_tidy(self) -> bool:
        """Whether there is nothing to clear out, to sweep away or to tell of."""
        if self._rejected or self._broken:
            return False
        try:
            if not self.folder.is_there() or self.folder.size_of(NAME) is None:
                return True
            with manifest.opened(self.folder) as connection:
                known = manifest.packs_of(connection)
            files = self.folder.names(ENDING)
        except (CacheError, ManifestDamaged, OSError):
            return False
        wasteful = any(pack.wasteful() for pack in known)
        return not wasteful and files == sorted(pack.name for pack in known)

    @contextmanager
    def writing(self) -> Iterator[Writing]:
        """The right to write, until the end of the block, and what is written with it.

        Raises:
            CacheError: ``cache_busy``: another process has it; or the cache cannot be written to.
        """
        try:
            self.folder.make()
            with self._lock:
                rejected, broken = set(self._rejected), self._broken
            with self.folder.locked(), self._begun(broken) as writing:
                writing.reject(rejected)
                yield writing
                writing.commit()
            with self._lock:
                self._rejected -= rejected
                self._broken = False
                self._was_ours = True
            self.trouble = None
        except ManifestDamaged:
            self._broken = True
            raise self._told(_damaged()) from None
        except OSError as error:
            raise self._told(unusable(error)) from None
        except CacheError as error:
            raise self._told(error) from None

    def _begun(self, broken: bool) -> AbstractContextManager[Writing]:
        from harkback.cache.writing import Writing  # most processes only read

        return Writing.begun(self.folder, self.version, broken, self._was_ours)

    def _told(self, error: CacheError) -> CacheError:
        self.trouble = error
        return error

    def _table(self, source: str) -> dict[bytes, Place]:
        """The places of a Source; empty if there is no reading them."""
        found = self._tables.get(source)
        if found is None:
            found = self._tables[source] = self._read(digest(source))
        return found

    def _read(self, source: bytes) -> dict[bytes, Place]:
        try:
            if not self.folder.is_there() or self.folder.size_of(NAME) is None:
                return {}
            with manifest.opened(self.folder) as connection:
                connection.execute("BEGIN")  # or another version may start over in between
                if not manifest.is_of(connection, self.version):
                    return {}
                self._was_ours = True
                found = manifest.places_of(connection, source)
            sizes = {pack: self.folder.size_of(pack) for pack in {p.pack for p in found.values()}}
        except ManifestDamaged:
            self._broken = True
            return {}
        except CacheError as error:
            self.trouble = error
            return {}
        self._rejected.update(
            place
            for place in found.values()
            if (sizes[place.pack] or 0) < place.start + place.length
        )
        return found
