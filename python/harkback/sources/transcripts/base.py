"""What a transcript format is: how it finds Sessions by name, and what its records mean.

A format never opens a file itself and never lists a folder by itself: ``Files`` does both, safely
(no link to a file leaves the root, nothing but allow-listed names is opened, each folder is listed
once), and counts what could not be read. A
format reads a Session in three depths: ``find`` takes names and stats, ``outline`` the first
records, ``decode`` all of them. Invariant: ``decode`` depends on the files of its Session alone.
Proof: tests/sources/test_contract_transcripts.py.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from typing import Any, Literal, NamedTuple, Protocol, TypeAlias, TypeVar

from harkback.engine import FileForm
from harkback.model import StoredMessage

#: How the bytes of a file are to be read, by the scan and by ``Files`` alike: records on lines,
#: one JSON document, or text that is visible as it stands (a spilled tool output).
Form: TypeAlias = FileForm


T = TypeVar("T")


class Entry(NamedTuple):
    """A file or folder under a root, as a listing gives it; links are resolved and stay inside."""

    path: str  # relative to the root, with ``/``
    is_folder: bool
    size: int
    modified: int  # milliseconds since the epoch


class FileRef(NamedTuple):
    """A file that belongs to a Session."""

    path: str  # relative to the root
    form: Form
    size: int
    modified: int


@dataclass(frozen=True, slots=True)
class Found:
    """A Session as names and stats alone tell it.

    Attributes:
        files: the transcript first, then what else its text lies in; all are scanned raw, and a
            change of any of them is a change of the Session. Sessions may share a file.
        title: one that only an index outside of ``files`` gives; "" otherwise.
    """

    id: str
    files: tuple[FileRef, ...]
    archived: bool = False
    parent: str | None = None
    parent_kind: Literal["subagent", "branch", "revision"] | None = None
    title: str = ""


@dataclass(frozen=True, slots=True)
class Outline:
    """What the first records of a Session tell of it.

    Attributes:
        started_at: milliseconds since the epoch, 0 if nothing tells.
        origin: equal for Sessions of one lineage (the id of its first Session or Message); "" if
            the Session stands alone.
        copied: its first Messages replay another Session's.
        empty: it holds no Message at all, and is no Session.
    """

    project: str | None = None
    started_at: int = 0
    parent: str | None = None
    parent_kind: Literal["subagent", "branch", "revision"] | None = None
    origin: str = ""
    copied: bool = False
    empty: bool = False


@dataclass(frozen=True, slots=True)
class Decoded:
    """Everything a Session says.

    Attributes:
        messages: in reading order; rewound or abandoned ones are marked so. What their
            ``locator`` says is ignored: the Source gives them one.
        title: ``Found.title``, or a contiguous part of one decoded string of the files; "" if
            none was given, and the first prompt serves where one has to be shown.
    """

    messages: tuple[StoredMessage, ...]
    title: str = ""


class Record(NamedTuple):
    """One record of a file of form ``lines``."""

    offset: int  # of its first byte, in the uncompressed stream
    value: dict[str, Any]


#: Asked about a line, given with its offset, that is no JSON object: the records that it holds
#: after all, or None.
Broken: TypeAlias = Callable[[int, bytes], Iterable[dict[str, Any]] | None]


class Files(Protocol):
    """The only hands of a format. Whatever cannot be read is counted in ``problems``.

    A reason is a slug and never text of a record. One that a format adds is told beside a Hit of
    the Session, save ``unknown_type``, which says of a record that it holds no text.
    """

    problems: Counter[str]

    def listing(self, folder: str, pattern: str) -> Iterator[Entry]:
        """Entries of ``folder`` whose name matches the glob ``pattern``; none if there is none."""

    def records(
        self, path: str, *, limit: int | None = None, broken: Broken | None = None
    ) -> Iterator[Record]:
        """The records of a file of form ``lines`` that are JSON objects, at most ``limit``.

        A name that ends in ``.zst`` is decompressed. What ``broken`` gives stands in the place of
        a line that is none; without it, or if it gives None, the line counts as a problem.
        """

    def document(self, path: str) -> dict[str, Any] | None:
        """A file of form ``json``; None if it is no JSON object, which counts as a problem."""

    def text(self, path: str) -> str | None:
        """A file of form ``text``, decoded."""

    def rows(self, path: str, query: str) -> list[tuple[Any, ...]]:
        """Rows of a small SQLite database, text as bytes; none, and a problem, if unreadable."""

    def head(self, path: str) -> bytes:
        """The first 16 KiB of a file as they lie there; none, and a problem, if unreadable."""

    def of_head(self, path: str, read: Callable[[bytes], T]) -> T:
        """What a function makes of the head of a file; kept for as long as the file stays as it is.

        Args:
            read: a function of a module: what it gives is kept by it, and should be small.
        """

    def tail(self, path: str) -> bytes:
        """The last 16 KiB of a file as they lie there; none, and a problem, if unreadable."""


class Format(Protocol):
    """How one agent keeps its history."""

    agent: str  # as people write it in a command: ``claude-code``
    nested: bool  # strings of a record hold JSON whose strings ``decode`` shows

    def find(self, files: Files) -> Iterator[Found]:
        """Every Session under the root; names and stats only, except small indexes of titles."""

    def outline(self, files: Files, found: Found) -> Outline: ...

    def decode(self, files: Files, found: Found) -> Decoded: ...
