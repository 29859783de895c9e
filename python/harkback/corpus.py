"""Verified text, kept: which Sessions the engine's Corpus holds, of which state, in what memory.

A segment that is held never changes: a Session that moved is another segment under another key,
and a search on an older state keeps the one it holds. One that nobody holds is added to, if its
Session only grew. Segments nobody holds are dropped, least recently used
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
from harkback.engine import Engine
from harkback.model import ABANDONED, KINDS, Entry, Gap, Hits, Row, StoredMessage
from harkback.projection import project
from harkback.redaction import Redaction
from harkback.sources.base import Transcript

_KIND_INDEX = {kind: index for index, kind in enumerate(KINDS)}


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
    failed: int = 0  # leaves that a finder raised on
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
        """Whether this Session is held, and its Source says at once that it has not changed."""
        with self._lock:
            segment = self._known.get(self._current.get(candidate.place, ""))
        return segment is not None and self._unchanged(segment, candidate) is True

    @contextmanager
    def hold(self, candidate: Candidate) -> Iterator[Segment]:
        """The segment of this Session, put if it is missing, kept until the end of the block."""
        segment = self._find(candidate) or self._extend(candidate) or self._put(candidate)
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

    def distrust(self, segment: Segment) -> None:
        """Never finds this segment again: its Session reads otherwise, whatever its Source says."""
        with self._lock:
            if self._current.get(segment.place) == segment.key:
                del self._current[segment.place]
                if not segment.holders:
                    self._forget(segment)

    def _find(self, candidate: Candidate) -> Segment | None:
        with self._lock:
            segment = self._known.get(self._current.get(candidate.place, ""))
            if segment is None:
                return None
            segment.holders += 1
            self._idle.pop(segment.key, None)
        same: bool | None = False
        try:
            same = self._unchanged(segment, candidate)
            if same is None:
                fingerprint = candidate.view.fingerprint(candidate.session.id)
                same = segment.fingerprint == fingerprint
        finally:
            with self._lock:
                if same:
                    segment.epoch = candidate.view.epoch
                else:
                    self._let_go(segment)
        return segment if same else None

    @staticmethod
    def _unchanged(segment: Segment, candidate: Candidate) -> bool | None:
        view = candidate.view
        if segment.epoch == view.epoch:
            return True
        return view.unchanged(candidate.session.id, segment.fingerprint)

    def _extend(self, candidate: Candidate) -> Segment | None:
        """The segment of a Session that only grew, with what was added; None if it is held.

        Nobody finds it meanwhile: what others hold, or hold from now on, stays as it is.
        """
        with self._lock:
            before = self._known.get(self._current.get(candidate.place, ""))
        if before is None:
            return None
        grown = candidate.view.grown(candidate.session.id, before.fingerprint)
        if grown is None:
            return None
        entries, failed = self._entries(grown.transcript)
        with self._lock:
            if before.holders or self._current.get(before.place) != before.key:
                return None
            self._take_out(before)
        try:
            self._segments.extend(before.key, entries, grown.retracted)
        except BaseException:
            self._segments.drop(before.key)
            raise
        segment = _segment(before.key, candidate, grown.transcript, before.failed + failed)
        segment.bytes = self._segments.size(segment.key)
        self._keep(segment)
        return segment

    def _put(self, candidate: Candidate) -> Segment:
        transcript = candidate.view.read(candidate.session.id)
        key = str(next(self._puts))
        entries, failed = self._entries(transcript)
        segment = _segment(key, candidate, transcript, failed)
        self._segments.put(key, entries)
        segment.bytes = self._segments.size(key)
        self._keep(segment)
        return segment

    def _keep(self, segment: Segment) -> None:
        """Makes a segment known that is whole now."""
        with self._lock:
            before = self._known.get(self._current.get(segment.place, ""))
            self._known[segment.key] = segment
            self._bytes += segment.bytes
            self._current[segment.place] = segment.key
            if before is not None and not before.holders:
                self._forget(before)

    def _entries(self, transcript: Transcript) -> tuple[list[Entry], int]:
        """The Messages as the engine takes them, and the leaves that a finder failed on."""
        made = [self._entry(message) for message in transcript.messages]
        return [entry for entry, _ in made], sum(failed for _, failed in made)

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
        self._take_out(segment)
        self._segments.drop(segment.key)

    def _take_out(self, segment: Segment) -> None:
        """Makes a segment unknown."""
        del self._known[segment.key]
        self._idle.pop(segment.key, None)
        if self._current.get(segment.place) == segment.key:
            del self._current[segment.place]
        self._bytes -= segment.bytes


def _segment(key: str, candidate: Candidate, transcript: Transcript, failed: int) -> Segment:
    """What is known of a segment that its caller holds and the engine does not know yet."""
    message = "A finder of the host raised on pieces of text; each was taken out whole."
    failures = (Gap("finder_failed", message, failed),) if failed else ()
    return Segment(
        key=key,
        place=candidate.place,
        fingerprint=transcript.fingerprint,
        epoch=candidate.view.epoch,
        bytes=0,
        gaps=transcript.gaps,
        damage=transcript.damage + failures,
        failed=failed,
        holders=1,
    )
