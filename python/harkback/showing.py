"""Showing: what may be shown of a Session and of its Messages, redacted and made short.

Whatever an answer says of history is made here, so nothing stored reaches it by another way.
Neighbours are Messages of the anchor's Turn in reading order, without tool results, and without
rewound Messages unless the anchor is one. Proof: tests/unit/test_passages.py,
tests/unit/test_reading.py.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import replace
from itertools import islice
from math import ceil
from typing import Final

from harkback import images
from harkback.candidates import Candidate
from harkback.config import BYTES_PER_TOKEN, MAX_MATERIALS
from harkback.corpus import Corpus, Segment
from harkback.engine import Engine
from harkback.errors import SourceError
from harkback.model import (
    ABANDONED,
    KINDS,
    AttachmentPart,
    Leaf,
    Material,
    PassageMessage,
    Row,
    Session,
    SessionCard,
    Span,
    StoredMessage,
)
from harkback.projection import project
from harkback.redaction import Redaction
from harkback.rendering import label
from harkback.windows import Window, start_in_whole, window

_NEIGHBOUR_KINDS: Final = frozenset(map(KINDS.index, ("user", "assistant", "tool_call")))
_TITLE: Final = KINDS.index("title")
_USER: Final = KINDS.index("user")
_TOOL_RESULT: Final = KINDS.index("tool_result")
_ROWS_AT_ONCE: Final = 32
_ROWS_OF_A_SEARCH: Final = 256
_ROWS_BESIDE: Final = 64  # more results of calls made at once than any agent makes


def anchor_home(source: str, session: str) -> str:
    """The half of an anchor that names a Session: 16 hex digits."""
    return hashlib.blake2b(f"{source}\0{session}".encode(), digest_size=8).hexdigest()


def of_home(handle: str) -> Callable[[Session], bool]:
    """Which Session an anchor, or the id of a Material, names."""
    return lambda session: anchor_home(session.source, session.id) == handle[:16]


def anchor_id(home: str, message: str) -> str:
    """The durable handle of a Message: 16 hex digits of its Session, 16 of the Message in it.

    Digests, not secrets: whatever is asked by it is checked again.
    """
    return home + hashlib.blake2b(message.encode(), digest_size=8, key=home.encode()).hexdigest()


def material_id(home: str, message: str, place: int) -> str:
    """The durable handle of a file: of its Session, of its Message in it, and its place there.

    A digest, as an anchor is.

    Args:
        place: among the files of the Message, below 256.
    """
    name = hashlib.blake2b(message.encode(), digest_size=7, key=home.encode(), person=b"material")
    return f"{home}{name.hexdigest()}{place:02x}"


def files(stored: StoredMessage) -> list[AttachmentPart]:
    """The files of a Message that are listed or fetched."""
    return [part for part in stored.parts if isinstance(part, AttachmentPart)]


def bare(message: PassageMessage) -> PassageMessage:
    """A Message of whose Materials only the number is told."""
    if not message.materials:
        return message
    more = message.more_materials + len(message.materials)
    return replace(message, materials=(), more_materials=more)


def shows(row: Row) -> bool:
    """Whether a Message can be shown: it has text, or is a prompt, which may be a file alone."""
    return bool(row.spans) or row.kind % ABANDONED == _USER


class Showing:
    """Makes what an answer shows, out of held segments.

    Args:
        terms: folded; a long leaf is shown around their first occurrence.
    """

    def __init__(
        self, engine: Engine, redaction: Redaction, corpus: Corpus, terms: Sequence[str] = ()
    ) -> None:
        self._engine = engine
        self._redaction = redaction
        self._corpus = corpus
        self._terms = terms
        self._paged: Segment | None = None  # what the pages are of, held while it is asked about
        self._pages: dict[int, list[Row]] = {}

    def card(self, candidate: Candidate) -> SessionCard:
        """What is said of a Session."""
        session = candidate.described
        return SessionCard(
            id=self.clean(session.id),
            title=self.clean(candidate.view.title(session.id)),
            source=self.clean(session.source),
            project=None if session.project is None else self.clean(session.project),
            started_at=session.started_at,
            last_activity_at=session.last_activity_at,
            parent=None if session.parent is None else self.clean(session.parent),
            agent=self.clean(session.agent),
            place=self._redaction.clean(session.place),
        )

    def clean(self, text: str) -> str:
        """A name as one short line."""
        return label(self._redaction.clean(text))

    def materials(self, home: str, stored: StoredMessage) -> list[Material]:
        """What is listed of the files of a Message: the first ones."""
        return [
            self.material(material_id(home, stored.id, place), part)
            for place, part in enumerate(files(stored)[:MAX_MATERIALS])
        ]

    def material(self, name: str, part: AttachmentPart) -> Material:
        """What is told of a file under its id."""
        return Material(
            id=name,
            name=self.clean(part.name),
            kind=part.kind,
            mime=self.clean(part.mime),
            bytes=part.bytes,
            tokens=_tokens(part),
            available=bool(part.ref),
        )

    def stored(
        self, candidate: Candidate, segment: Segment, rows: Sequence[Row]
    ) -> list[StoredMessage]:
        """The Messages of these rows, read again.

        Raises:
            SourceError: ``source_unsettled``: they are others by now, of which the Source did not
                tell; the segment is let go of, so that asking again reads them.
        """
        locators = [row.locator for row in rows]
        stored = candidate.view.read_around(candidate.session.id, locators)
        told = [(m.id, m.turn, m.timestamp, m.kind, m.abandoned) for m in stored]
        if told != [
            (row.id, row.turn, row.timestamp, KINDS[row.kind % ABANDONED], row.kind >= ABANDONED)
            for row in rows
        ]:
            self._corpus.distrust(segment)
            message = "A Session was rewritten in place since it was read; ask again."
            raise SourceError("source_unsettled", message)
        return stored

    def redacted(self, stored: StoredMessage) -> tuple[list[Leaf], list[list[Span]]]:
        """The leaves of a Message, and what is cut out of them.

        Found in the very text that is shown, whatever a segment knows of it: a row that was
        rewritten unnoticed is stale at worst, and never shown with the cuts of another.
        """
        leaves = project(stored)
        return leaves, self._redaction.found(leaves, in_progress=stored.in_progress)

    def message(
        self,
        home: str,
        stored: StoredMessage,
        beside: Iterable[StoredMessage] = (),
        *,
        is_anchor: bool,
    ) -> PassageMessage:
        """A Message as a window of at most 800 characters of it.

        Args:
            home: of its anchor.
            beside: tool results whose files are listed with it, because they are not shown.
        """
        sources = [one for one in (stored, *beside) if files(one)]
        listed = [each for one in sources for each in self.materials(home, one)][:MAX_MATERIALS]
        leaves, cuts = self.redacted(stored)
        view = window(self._engine, self._terms, leaves, cuts)
        return PassageMessage(
            id=self.clean(stored.id),
            kind=stored.kind,
            timestamp=stored.timestamp,
            text=view.text,
            field=None if view.path is None else self.clean(".".join(view.path)),
            spans=view.spans,
            is_anchor=is_anchor,
            truncated=view.truncated,
            in_progress=stored.in_progress,
            abandoned=stored.abandoned,
            materials=tuple(listed),
            more_materials=sum(len(files(one)) for one in sources) - len(listed),
            cursor=self._cursor(view, leaves, cuts) if is_anchor and view.truncated else None,
        )

    def names(self, leaves: Iterable[Leaf]) -> list[str]:
        """What leaves are called where all of a Message is shown."""
        return [self.clean(".".join(leaf.path)) for leaf in leaves]

    def _cursor(
        self, view: Window, leaves: Sequence[Leaf], cuts: Sequence[Sequence[Span]]
    ) -> str | None:
        """Counted in redacted text, as an audit counts: it tells of no secret how long it is."""
        at = start_in_whole(view, leaves, cuts, self.names(leaves[: view.leaf + 1]))
        return str(at) if at else None

    def find(self, segment: Segment, wanted: Callable[[Row], bool]) -> tuple[int, Row] | None:
        """The first row that is ``wanted``, and its place."""
        for start in range(0, 1 << 62, _ROWS_OF_A_SEARCH):
            rows = self._corpus.rows(segment, start, start + _ROWS_OF_A_SEARCH)
            for number, row in enumerate(rows, start):
                if wanted(row):
                    return number, row
            if len(rows) < _ROWS_OF_A_SEARCH:
                break
        return None

    def beside(
        self, segment: Segment, row: Row, at: int, anchor: int, *, silent: bool = False
    ) -> list[Row]:
        """The tool results right behind a Message of the same Turn, which it lists the files of.

        Args:
            at: place of ``row``.
            anchor: place of the one that is shown and lists its own, even if it is a tool result.
            silent: only such as have no text, where others are shown themselves.
        """
        found: list[Row] = []
        known, reach = segment.files, range(at + 1, at + 1 + _ROWS_BESIDE)
        if known is not None and known.isdisjoint(reach):
            return found
        for place, other in islice(self.walk(segment, at, 1), _ROWS_BESIDE):
            if place == anchor or other.kind % ABANDONED != _TOOL_RESULT or other.turn != row.turn:
                break
            if silent and other.spans:
                break
            if known is not None and place not in known:
                continue
            if not other.kind >= ABANDONED > row.kind:
                found.append(other)
        return found

    def row(self, segment: Segment, at: int) -> Row | None:
        """The row at a place; None before the first and behind the last."""
        if segment is not self._paged:
            self._paged, self._pages = segment, {}
        number, offset = divmod(at, _ROWS_AT_ONCE)
        page = self._pages.get(number)
        if page is None and number >= 0:
            start = number * _ROWS_AT_ONCE
            page = self._corpus.rows(segment, start, start + _ROWS_AT_ONCE)
            self._pages[number] = page
        return page[offset] if page and offset < len(page) else None

    def walk(self, segment: Segment, row: int, step: int) -> Iterator[tuple[int, Row]]:
        """The rows behind ``row`` (``step`` 1) or before it (-1), nearest first."""
        at = row + step
        while (other := self.row(segment, at)) is not None:
            yield at, other
            at += step

    def neighbours(
        self, segment: Segment, anchor: Row, row: int, step: int
    ) -> Iterator[tuple[int, Row]]:
        """Of those the ones that belong into a Passage, until the Turn ends."""
        for at, other in self.walk(segment, row, step):
            if other.turn != anchor.turn or _TITLE in (anchor.kind, other.kind):
                return
            if other.kind % ABANDONED not in _NEIGHBOUR_KINDS or not shows(other):
                continue
            if not other.kind >= ABANDONED > anchor.kind:
                yield at, other


def _tokens(part: AttachmentPart) -> int | None:
    """What reading a file costs a model, about; None where nothing tells."""
    if part.kind == "image":
        if part.pixels is not None:
            return images.tokens(part.pixels)
        return None if part.bytes is None else images.tokens_of_bytes(part.bytes)
    if part.bytes is None or part.kind not in ("doc", "code", "output"):
        return None
    return ceil(part.bytes / BYTES_PER_TOKEN)
