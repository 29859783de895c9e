"""Verified text, kept: which Sessions the engine's Corpus holds, of which state, in what memory.

A segment never changes: a Session that moved is another segment under another key, and a search on
an older state keeps the one it holds. Segments nobody holds are dropped, least recently used
first, when memory runs out. Secrets never enter (the engine redacts before it folds).
Proof: tests/unit/test_corpus.py, tests/differential/test_paths.py.
"""

from __future__ import annotations

import itertools
import threading
from collections import OrderedDict
from collections.abc import Hashable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass

from harkback.candidates import Candidate
from harkback.config import PIECE_CODE_POINTS, PIECES
from harkback.engine import Engine
from harkback.errors import QueryError
from harkback.model import ABANDONED, KINDS, AttachmentPart, Entry, Gap, Hits, Row, StoredMessage
from harkback.projection import project
from harkback.query import heed
from harkback.redaction import Redaction

_KIND_INDEX = {kind: index for index, kind in enumerate(KINDS)}
_AT_ONCE = 1024  # Messages made ready between two looks at whether the caller gave up


@dataclass(slots=True)
class Segment:
    """What is known of one segment beside the engine's own part of it."""

    key: str
    place: tuple[str, str]
    fingerprint: bytes
    epoch: Hashable  # the last state of the Source that it was found equal to
    bytes: int
    gaps: tuple[Gap, ...]
    damage: tuple[Gap, ...]  # told only of a Session with a Hit
    #: Places of the Messages that have files; None: not known, any may have some.
    files: frozenset[int] | None = None
    holders: int = 0


class Corpus:
    """The segments of one Recall. Safe to call from several threads."""

    def __init__(self, engine: Engine, redaction: Redaction, memory_bytes: int) -> None:
        self._redaction = redaction
        self._segments = engine.corpus(redaction.redactor)
        self._memory_bytes = memory_bytes
        self._lock = threading.Lock()  # guards what follows; never held while reading or folding
        self._known: dict[str, Segment] = {}  # by key
        self._idle: OrderedDict[str, Segment] = OrderedDict()  # held by nobody, least recent first
        self._current: dict[tuple[str, str], str] = {}  # newest state of a Session -> its key
        self._bytes = 0
        self._puts = itertools.count()  # keys are never used twice, so a drop cannot hit a new put

    @property
    def bytes(self) -> int:
        """Bytes held in segments."""
        return self._bytes

    def has_room(self) -> bool:
        """Whether another Session can be kept without dropping one."""
        return self._bytes < self._memory_bytes

    def current(self, candidate: Candidate) -> bool:
        """Whether this Session is held, and its Source says that nothing has changed since."""
        with self._lock:
            segment = self._known.get(self._current.get(candidate.place, ""))
            return segment is not None and segment.epoch == candidate.view.epoch

    @contextmanager
    def hold(
        self, candidate: Candidate, cancel: threading.Event | None = None
    ) -> Iterator[Segment]:
        """The segment of this Session, put if it is missing, kept until the end of the block.

        Raises:
            QueryError: ``cancelled``, also between the steps of putting it.
        """
        heed(cancel)
        segment = self._find(candidate) or self._put(candidate, cancel)
        try:
            yield segment
        finally:
            with self._lock:
                self._let_go(segment)

    def search(self, terms: Sequence[str], segments: Sequence[Segment]) -> Hits:
        """The Hits of held segments, ``key`` an index into ``segments``."""
        return self._segments.search(terms, [segment.key for segment in segments])

    def rows(self, segment: Segment, start: int, stop: int) -> list[Row]:
        """What a held segment keeps of the Messages ``start`` up to ``stop``."""
        return self._segments.rows(segment.key, start, stop)

    def _find(self, candidate: Candidate) -> Segment | None:
        with self._lock:
            segment = self._known.get(self._current.get(candidate.place, ""))
            if segment is None:
                return None
            segment.holders += 1
            self._idle.pop(segment.key, None)
        same = segment.epoch == candidate.view.epoch
        try:
            same = same or segment.fingerprint == candidate.view.fingerprint(candidate.session.id)
        finally:
            with self._lock:
                if same:
                    segment.epoch = candidate.view.epoch
                else:
                    self._let_go(segment)
        return segment if same else None

    def _put(self, candidate: Candidate, cancel: threading.Event | None) -> Segment:
        transcript = candidate.view.read(candidate.session.id)
        made: list[tuple[Entry, int]] = []
        for start in range(0, len(transcript.messages), _AT_ONCE):
            heed(cancel)
            made += map(self._entry, transcript.messages[start : start + _AT_ONCE])
        key = self._folded([entry for entry, _ in made], cancel)
        failed = sum(count for _, count in made)
        message = "A finder of the host raised on pieces of text; each was taken out whole."
        failures = (Gap("finder_failed", message, failed),) if failed else ()
        segment = Segment(
            key=key,
            place=candidate.place,
            fingerprint=transcript.fingerprint,
            epoch=candidate.view.epoch,
            bytes=self._segments.size(key),
            gaps=transcript.gaps,
            damage=transcript.damage + failures,
            files=frozenset(
                place
                for place, message in enumerate(transcript.messages)
                if any(isinstance(part, AttachmentPart) for part in message.parts)
            ),
            holders=1,
        )
        with self._lock:
            before = self._known.get(self._current.get(candidate.place, ""))
            self._known[key] = segment
            self._bytes += segment.bytes
            self._current[candidate.place] = key
            if before is not None and not before.holders:
                self._forget(before)
        return segment

    def _folded(self, entries: list[Entry], cancel: threading.Event | None) -> str:
        """The key of a new segment of ``entries``; put piece by piece where that may be given up.

        Every piece but the first copies those before it: so there are few, and all are large.
        """
        key = str(next(self._puts))
        heed(cancel)
        pieces = _pieces(entries) if cancel is not None else iter([entries])
        self._segments.put(key, next(pieces, []))
        for piece in pieces:
            try:
                heed(cancel)
            except QueryError:
                self._segments.drop(key)
                raise
            self._segments.extend(key, piece, [])
        return key

    def _entry(self, stored: StoredMessage) -> tuple[Entry, int]:
        """The Message, redacted as far as finders have to, and the leaves one failed on."""
        leaves = self._redaction.prepare(project(stored))
        cuts, failed = self._redaction.cuts(leaves, in_progress=stored.in_progress)
        entry = Entry(
            stored.id,
            stored.turn,
            stored.timestamp,
            _KIND_INDEX[stored.kind] + (ABANDONED if stored.abandoned else 0),
            stored.locator,
            leaves,
            cuts,
        )
        return entry, failed

    def _let_go(self, segment: Segment) -> None:
        segment.holders -= 1
        if not segment.holders:
            self._idle[segment.key] = segment
            if self._current.get(segment.place) != segment.key:
                self._forget(segment)  # a newer state took its place while it was held
        while self._idle and self._bytes > self._memory_bytes:
            self._forget(next(iter(self._idle.values())))

    def _forget(self, segment: Segment) -> None:
        del self._known[segment.key]
        self._idle.pop(segment.key, None)
        if self._current.get(segment.place) == segment.key:
            del self._current[segment.place]
        self._bytes -= segment.bytes
        self._segments.drop(segment.key)


def _pieces(entries: Sequence[Entry]) -> Iterator[list[Entry]]:
    """At most ``PIECES`` and one, of about equal text, none below ``PIECE_CODE_POINTS`` but one."""
    sizes = [sum(len(text) for text, _ in entry.leaves) for entry in entries]
    room = max(PIECE_CODE_POINTS, sum(sizes) // PIECES)
    piece: list[Entry] = []
    taken = 0
    for entry, size in zip(entries, sizes, strict=True):
        piece.append(entry)
        taken += size
        if taken >= room:
            yield piece
            piece, taken = [], 0
    if piece:
        yield piece
