"""Showing: what may be shown of a Session and of its Messages, redacted and made short.

Whatever an answer says of history is made here, so nothing stored reaches it by another way.
Neighbours are Messages of the anchor's Turn in reading order, without tool results, and without
rewound Messages unless the anchor is one. Proof: tests/unit/test_passages.py,
tests/unit/test_reading.py.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterator, Sequence
from typing import Final

from harkback.candidates import Candidate
from harkback.corpus import Corpus, Segment
from harkback.engine import Engine
from harkback.errors import SourceError
from harkback.model import (
    ABANDONED,
    KINDS,
    Leaf,
    PassageMessage,
    Row,
    SessionCard,
    Span,
    StoredMessage,
)
from harkback.projection import project
from harkback.redaction import Redaction
from harkback.rendering import label
from harkback.windows import window

_NEIGHBOUR_KINDS: Final = frozenset(map(KINDS.index, ("user", "assistant", "tool_call")))
_TITLE: Final = KINDS.index("title")
_ROWS_AT_ONCE: Final = 32


def anchor_home(source: str, session: str) -> str:
    """The half of an anchor that names a Session: 16 hex digits."""
    return hashlib.blake2b(f"{source}\0{session}".encode(), digest_size=8).hexdigest()


def anchor_id(home: str, message: str) -> str:
    """The durable handle of a Message: 16 hex digits of its Session, 16 of the Message in it.

    Digests, not secrets: whatever is asked by it is checked again.
    """
    return home + hashlib.blake2b(message.encode(), digest_size=8, key=home.encode()).hexdigest()


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

    def message(self, stored: StoredMessage, *, is_anchor: bool) -> PassageMessage:
        """A Message as a window of at most 800 characters of it."""
        view = window(self._engine, self._terms, *self.redacted(stored))
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
        )

    def walk(self, segment: Segment, row: int, step: int) -> Iterator[tuple[int, Row]]:
        """The rows behind ``row`` (``step`` 1) or before it (-1), nearest first."""
        at = row
        while True:
            low, high = (at - _ROWS_AT_ONCE, at) if step < 0 else (at + 1, at + 1 + _ROWS_AT_ONCE)
            low, high = max(low, 0), max(high, 0)
            rows = self._corpus.rows(segment, low, high)
            numbered = list(enumerate(rows, low))
            yield from numbered if step > 0 else reversed(numbered)
            if len(rows) < _ROWS_AT_ONCE:
                return
            at += step * _ROWS_AT_ONCE

    def neighbours(
        self, segment: Segment, anchor: Row, row: int, step: int
    ) -> Iterator[tuple[int, Row]]:
        """Of those the ones that belong into a Passage, until the Turn ends."""
        for at, other in self.walk(segment, row, step):
            if other.turn != anchor.turn or _TITLE in (anchor.kind, other.kind):
                return
            if other.kind % ABANDONED not in _NEIGHBOUR_KINDS or not other.spans:
                continue
            if not other.kind >= ABANDONED > anchor.kind:
                yield at, other
