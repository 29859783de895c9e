"""The only hands of a format: lists folders and reads files under one root, and nothing else.

A file is read as the listing of the View saw it: of a log that has grown since, the part that was
there; what was replaced is read as it is now. A link to a folder is followed, once on the way from
the root and not to a folder that is listed already; a link to a file, if it stays under the root
and the file's own name is asked for too.
Invariant: only names that were asked for are opened, to read; nothing is written. What cannot be
listed or read is counted in ``problems``, never raised. Proof:
tests/unit/sources/transcripts/test_files.py, tests/sources/test_transcripts_untouched.py.
"""

from __future__ import annotations

import errno
import hashlib
import os
import sqlite3
import stat as modes
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import closing
from fnmatch import translate
from functools import lru_cache
from re import Pattern
from re import compile as compiled
from typing import Any, Final, NamedTuple, TypeVar, cast

from harkback.decoding import Damaged, decode, parse
from harkback.engine import Engine
from harkback.errors import SourceError
from harkback.sources.plain import read
from harkback.sources.transcripts.base import Broken, Entry, Form, Record
from harkback.sources.transcripts.listing import Listed, Listing, state_of

#: Of a document or a text, which are held whole; a record of a file of lines has the same limit.
DOCUMENT_LIMIT: Final = 64 << 20
PART_BYTES: Final = 16 << 10  # of ``head`` and ``tail``
TAIL_BYTES: Final = 4 << 10  # before the end of a file, hashed: what was rewritten differs there


T = TypeVar("T")


class FolderFiles:
    """``Files`` over a folder. One for each reading; what is listed is shared by a View.

    Attributes:
        problems: what could not be read, by reason.
    """

    def __init__(self, engine: Engine, listing: Listing) -> None:
        self.problems: Counter[str] = Counter()
        self._engine = engine
        self._listing = listing

    # --- listing ------------------------------------------------------------------------------

    def listing(self, folder: str, pattern: str) -> Iterator[Entry]:
        """Entries of ``folder`` whose name matches the glob ``pattern``; links behind the rest."""
        folder = folder.strip("/.") if folder in ("", ".", "/", "./") else folder.rstrip("/")
        here = self._folder(folder)
        if here is None:
            return
        try:
            with os.scandir(here[0]) as entries:
                found = [e for e in entries if _glob(pattern).match(e.name) is not None]
        except (FileNotFoundError, NotADirectoryError):
            return
        except OSError as error:
            self._refuse(error)
            return
        found.sort(key=lambda entry: (entry.is_symlink(), entry.name))
        for entry in found:
            path = f"{folder}/{entry.name}" if folder else entry.name
            try:
                path.encode()
            except UnicodeEncodeError:
                self.problems["name_undecodable"] += 1
                continue
            try:
                listed = self._look(path, here, entry, _glob(pattern))
            except OSError as error:
                self._refuse(error)
                continue
            if listed is not None:
                yield listed

    def _look(
        self, path: str, here: tuple[str, bool], entry: os.DirEntry[str], named: Pattern[str]
    ) -> Entry | None:
        place, is_link = os.path.join(here[0], entry.name), entry.is_symlink()  # noqa: PTH118
        if is_link:
            place = os.path.realpath(place)
            found = os.lstat(place)
        else:
            found = entry.stat(follow_symlinks=False)
        if modes.S_ISDIR(found.st_mode):
            if not self._enter(path, place, here[1], is_link):
                return None
            return Entry(path, True, 0, found.st_mtime_ns // 1_000_000)
        if is_link and not (
            _inside(self._listing.root, place) and named.match(place.rpartition(os.sep)[2])
        ):
            self.problems["not_followed"] += 1  # a name that was not asked for, or elsewhere
            return None
        if not modes.S_ISREG(found.st_mode):
            self.problems["not_followed"] += 1
            return None
        listed = self._listing.files.setdefault(path, Listed(place, state_of(found)))
        return Entry(path, False, listed.state.size, listed.state.modified_ns // 1_000_000)

    def _folder(self, path: str) -> tuple[str, bool] | None:
        """Place of a folder, and whether a link lies on the way to it; None if it is not one."""
        known = self._listing.folders
        if path in known:
            return known[path]
        above, _, name = path.rpartition("/")
        here = self._folder(above)
        if here is None or name in ("", ".", ".."):
            return None
        place = os.path.join(here[0], name)  # noqa: PTH118
        try:
            is_link = modes.S_ISLNK(os.lstat(place).st_mode)
            place = os.path.realpath(place) if is_link else place
            if modes.S_ISDIR(os.lstat(place).st_mode):
                self._enter(path, place, here[1], is_link)
        except (FileNotFoundError, NotADirectoryError):
            pass
        except OSError as error:
            self._refuse(error)
        return known.setdefault(path, None)

    def _enter(self, path: str, place: str, linked: bool, is_link: bool) -> bool:
        """Makes a folder known, unless that would list it twice or take a second link."""
        known = self._listing.folders
        if path not in known:
            above = _inside(place, self._listing.root)
            twice = self._listing.reached.setdefault(place, path) != path
            refused = twice or (is_link and (linked or above))
            known[path] = None if refused else (place, linked or is_link)
        return known[path] is not None

    # --- reading ------------------------------------------------------------------------------

    def records(
        self, path: str, *, limit: int | None = None, broken: Broken | None = None
    ) -> Iterator[Record]:
        """The records of a file of form ``lines`` that are JSON objects, at most ``limit``.

        ``broken(offset, line)`` is asked about each that is none: None, and it is counted; else
        what it gives is yielded in its place.
        """
        at = self.at(path, "lines")
        if at is None:
            return
        left = -1 if limit is None else limit
        try:
            lines = self._engine.lines(at.place, at.state.size)
        except OSError as error:
            self._refuse(error)
            return
        try:
            while left and (batch := lines.take()):
                for offset, raw in batch:
                    for record in self._parsed(offset, raw, broken):
                        yield record
                        left -= 1
                        if not left:
                            return
            tail = lines.tail() if left and self._listing.settled(at.state) else None
            if tail is not None and (value := _whole(tail[1])) is not None:
                yield Record(tail[0], value)
        except OSError as error:
            self._refuse(error)
        finally:
            lines.close()
            self.problems.update(reason for reason, _, _ in lines.damage())

    def _parsed(self, offset: int, raw: bytes, broken: Broken | None) -> Iterator[Record]:
        try:
            yield Record(offset, parse(raw))
        except Damaged:
            mended = broken(offset, raw) if broken else None
            if mended is None:
                self.problems["not_json"] += 1
            else:
                yield from (Record(offset, value) for value in mended)

    def document(self, path: str) -> dict[str, Any] | None:
        """A file of form ``json``; None if it is no JSON object, which counts as a problem."""
        raw = self.content(path)
        if raw is None:
            return None
        try:
            return parse(raw.removeprefix(b"\xef\xbb\xbf").strip(b"\0 \t\r\n"))
        except Damaged:
            self.problems["not_json"] += 1
            return None

    def text(self, path: str) -> str | None:
        """A file of form ``text``, decoded."""
        raw = self.content(path)
        return None if raw is None else decode(raw)

    def rows(self, path: str, query: str) -> list[tuple[Any, ...]]:
        """Rows of a small database, text as bytes; none if it cannot be read: a problem."""
        at = self.at(path, "json")
        if at is None:
            return []
        from harkback.sources.sqlite import opening

        try:
            connection, _ = opening.connect(at.place, opening.look(at.place), None)
            with closing(connection):
                return connection.execute(query).fetchall()
        except (SourceError, sqlite3.Error):
            self.problems["index_unreadable"] += 1
            return []

    def content(self, path: str) -> bytes | None:
        """All bytes of a file that is held whole; None, and a problem, if they cannot be had."""
        at = self.at(path, "json")
        if at is None:
            return None
        if at.state.size > DOCUMENT_LIMIT:
            self.problems["document_too_long"] += 1
            return None
        try:
            return read(at.place, 0, at.state.size)
        except OSError as error:
            self._refuse(error)
            return None

    def head(self, path: str) -> bytes:
        """The first bytes of a file as they lie there; none if it cannot be read: a problem."""
        return self._part(path, lambda size: (0, min(size, PART_BYTES)))

    def of_head(self, path: str, read: Callable[[bytes], T]) -> T:
        """What ``read`` makes of the head of a file, kept while the file stays as it is."""
        at = self._listed(path)
        if at is None:
            return read(b"")
        state, made = self._listing.heads.get((at.place, read), (None, None))
        if state == at.state:
            return cast(T, made)
        problems = self.problems.total()
        found = read(self.head(path))
        if self._listing.settled(at.state) and self.problems.total() == problems:
            self._listing.heads[at.place, read] = (at.state, found)
        return found

    def tail(self, path: str) -> bytes:
        """The last bytes of a file as they lie there; none if it cannot be read: a problem."""
        return self._part(path, lambda size: (max(0, size - PART_BYTES), size))

    def _part(self, path: str, span: Callable[[int], tuple[int, int]]) -> bytes:
        at = self._listed(path)
        if at is None:
            return b""
        try:
            return read(at.place, *span(at.state.size))
        except OSError as error:
            self._refuse(error)
            return b""

    def at(self, path: str, form: Form) -> Listed | None:
        """Where a file lies and which part of it is to be read; None, and a problem, if nowhere."""
        listed = self._listed(path)
        if listed is None:
            return None
        try:
            return standing(listed, form)
        except OSError as error:
            self._refuse(error)
            return None

    def _listed(self, path: str) -> Listed | None:
        if path not in self._listing.files:
            folder, _, name = path.rpartition("/")
            for _ in self.listing(folder, _literal(name)):
                pass
        if path not in self._listing.files:
            self.problems["vanished"] += 1
            return None
        return self._listing.files[path]

    def _refuse(self, error: OSError) -> None:
        self.problems[reason_of(error)] += 1


def _whole(tail: bytes) -> dict[str, Any] | None:
    """The record that a tail is if it is whole: else it is still being written."""
    try:
        return parse(tail)
    except Damaged:
        return None


def _inside(root: str, place: str) -> bool:
    return place == root or place.startswith(root.rstrip(os.sep) + os.sep)


def reason_of(error: OSError) -> str:
    """The slug of a problem with a file or folder."""
    if isinstance(error, PermissionError):
        return "denied"
    if isinstance(error, FileNotFoundError | NotADirectoryError):
        return "vanished"
    if error.errno == errno.ENOTSUP:
        return "compression_unsupported"
    return "unreadable"


def standing(listed: Listed, form: Form) -> Listed:
    """The part of a listed file that is to be read. Raises OSError.

    Of a log that grew, the part that was listed; of anything else, all that there is now.
    """
    now = state_of(os.lstat(listed.place))
    grown = now.inode == listed.state.inode and now.size >= listed.state.size
    return (
        listed if now == listed.state or (grown and form == "lines") else Listed(listed.place, now)
    )


class End(NamedTuple):
    """The end of the part of a file that is read."""

    digest: bytes  # SHA-256 of its last bytes
    torn: bool  # it ends inside a line


def end_of(at: Listed) -> End:
    """Raises OSError."""
    last = read(at.place, max(0, at.state.size - TAIL_BYTES), at.state.size)
    return End(hashlib.sha256(last).digest(), bool(last) and not last.endswith(b"\n"))


@lru_cache(maxsize=256)
def _glob(pattern: str) -> Pattern[str]:
    return compiled(translate(pattern))


def _literal(name: str) -> str:
    return "".join(f"[{c}]" if c in "*?[" else c for c in name)
