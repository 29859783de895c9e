"""Verified text, kept: how the engine's Corpus comes to hold Sessions, each as it is now.

A segment that is held never changes: a Session that moved is another segment under another key,
and a search on an older state keeps the one it holds. One that nobody holds is added to, if its
Session only grew. Secrets never enter (the engine redacts before it folds). With a shelf, a segment
that is stored there and current is attached instead of made; one that turns out to be damaged is
made from the Source, under the same key, while it is held.
Proof: tests/unit/test_corpus.py, tests/differential/test_paths.py,
tests/differential/test_paths_stored.py.
"""

from __future__ import annotations

import builtins
import itertools
import threading
from collections.abc import Callable, Hashable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from typing import TYPE_CHECKING, TypeAlias, TypeVar

from harkback import entries as entries_of
from harkback.candidates import Candidate, Eligible
from harkback.engine import Engine, Tally
from harkback.errors import SegmentDamaged, SourceError
from harkback.held import Held
from harkback.model import Entry, Hits, Row, Scope
from harkback.query import heed
from harkback.redaction import Redaction
from harkback.segment import Segment, segment_of
from harkback.sources.base import Transcript
from harkback.stored import Stored

if TYPE_CHECKING:  # who has no cache does not load what it is made of
    from harkback.cache import Shelf

__all__ = ["Corpus", "Segment"]

T = TypeVar("T")
_Group: TypeAlias = tuple[Sequence[Segment | None], Sequence[Candidate]]


class Corpus:
    """The segments of one Recall. Safe to call from several threads."""

    def __init__(
        self,
        engine: Engine,
        redaction: Redaction,
        memory_bytes: int,
        shelf: Shelf | None = None,
    ) -> None:
        self._redaction = redaction
        self._shelf = shelf
        self.stored = Stored(shelf)
        self._holding = threading.local()  # what this thread holds, and for which Candidates
        self._segments = engine.corpus(redaction.redactor)
        self.held = Held(memory_bytes, self._segments.drop)
        self._puts = itertools.count()  # keys are never used twice, so a drop cannot hit a new put

    def current(self, candidates: Sequence[Candidate]) -> set[Candidate]:
        """Those that are held or stored, and of which the Source says at once that so they are now.

        Also looks whether another process stored something in the meantime.
        """
        same = self._same(self.held.newest(candidates), candidates)
        known = {c for c, segment in zip(candidates, same, strict=True) if segment is not None}
        return known | self.kept([c for c in candidates if c not in known])

    def kept(self, candidates: Sequence[Candidate]) -> set[Candidate]:
        """Those that are stored as they are now, by whichever process."""
        if self._shelf is None:
            return set()
        self._shelf.renew()
        return {c for c, place in self.stored.now(candidates) if place is not None}

    @contextmanager
    def known(self, found: Eligible) -> Iterator[Sequence[Segment | None]]:
        """The segments that are held as they are now, None for others; kept until the block ends.

        ``hold`` for all at once, without what has to be read or put first.
        """
        roster = self.held.join(found) or self.held.muster(found, self._same)
        try:
            with self._for_these(roster.segments, found.candidates):
                yield roster.segments
        finally:
            self.held.leave(roster)

    @contextmanager
    def _for_these(
        self, segments: Sequence[Segment | None], candidates: Sequence[Candidate]
    ) -> Iterator[None]:
        """This thread holds these segments, for these Candidates."""
        groups: list[_Group] = self._holding.__dict__.setdefault("groups", [])
        groups.append((segments, candidates))
        try:
            yield
        finally:
            groups.pop()

    @contextmanager
    def hold(
        self, candidate: Candidate, cancel: threading.Event | None = None
    ) -> Iterator[Segment]:
        """The segment of this Session, put if it is missing, kept until the end of the block.

        Raises:
            QueryError: ``cancelled``, also between the steps of putting it.
        """
        heed(cancel)
        segment = (
            self._find(candidate)
            or self._extend(candidate)
            or self._attach(candidate)
            or self._put(candidate, cancel)
        )
        try:
            with self._for_these([segment], [candidate]):
                yield segment
        finally:
            self.held.let_go(segment)

    def search(self, terms: Sequence[str], segments: Sequence[Segment], scope: Scope) -> Hits:
        """The Hits of held segments, ``key`` an index into ``segments``."""
        keys = [segment.key for segment in segments]
        return self._whole(lambda: self._segments.search(terms, keys, scope))

    def count(
        self, tally: Tally, terms: Sequence[str], segments: Sequence[Segment], scope: Scope
    ) -> tuple[list[int], int, int]:
        """The same, added to a tally: segments that hold a term, Hits out of time, abandoned."""
        keys = [segment.key for segment in segments]
        return self._whole(lambda: tally.take(self._segments, terms, keys, scope))

    def rows(self, segment: Segment, start: int, stop: int) -> list[Row]:
        """What a held segment keeps of the Messages ``start`` up to ``stop``."""
        return self._whole(lambda: self._segments.rows(segment.key, start, stop))

    def dump(self, segment: Segment) -> builtins.bytes:
        """A held segment as it is stored."""
        return self._whole(lambda: self._segments.dump(segment.key))

    def _whole(self, ask: Callable[[], T]) -> T:
        """What is asked of held segments, those that turn out to be damaged made anew."""
        while True:
            try:
                return ask()
            except SegmentDamaged as error:
                damaged = error.key
            self._mend(damaged)

    def _mend(self, key: str) -> None:
        """Puts a segment of this state again; its rows are the same, so nobody else notices.

        Raises:
            SourceError: ``source_unsettled``: the Session moved since.
        """
        segment, candidate = next(
            (segment, candidate)
            for segments, candidates in reversed(self._holding.groups)
            for segment, candidate in zip(segments, candidates, strict=True)
            if segment is not None and segment.key == key
        )
        transcript = candidate.view.read(candidate.session.id)
        if transcript.fingerprint != segment.fingerprint:
            raise SourceError("source_unsettled", "A Session moved while it was read; ask again.")
        self._segments.put(key, entries_of.made(self._redaction, transcript.messages)[0])
        self._reject(segment)
        self.held.resize(segment, self._segments.size(key))
        segment.stored = None

    def _attach(self, candidate: Candidate) -> Segment | None:
        """The segment that is stored of this Session, if it is of its present state and whole.

        What another process read is taken on the word of a token or a fingerprint, no less: who
        missed a change then would miss it for good.
        """
        if self._shelf is None:
            return None
        place = self._shelf.find(*candidate.place)
        if place is None or (
            place.token != candidate.view.token
            and place.fingerprint != candidate.view.fingerprint(candidate.session.id)
        ):
            return None
        key = str(next(self._puts))
        try:
            self._segments.attach(key, self._shelf.path(place), place.start, place.length)
        except (ValueError, OSError):
            self._shelf.reject(place)
            return None
        gaps, damage = place.gaps()
        segment = Segment(
            key=key,
            place=candidate.place,
            fingerprint=place.fingerprint,
            epoch=candidate.view.epoch,
            bytes=self._segments.size(key),
            gaps=gaps,
            damage=damage,
            stored=place,
            holders=1,
        )
        self.held.keep(segment)
        return segment

    def distrust(self, segment: Segment) -> None:
        """Never finds this segment again: its Session reads otherwise, whatever its Source says."""
        self.held.hide(segment)
        self._reject(segment)

    def _reject(self, segment: Segment) -> None:
        """What this segment is attached from is not given out again."""
        if segment.stored is not None and self._shelf is not None:
            self._shelf.reject(segment.stored)

    def _find(self, candidate: Candidate) -> Segment | None:
        segment = self.held.find(candidate)
        if segment is None:
            return None
        same: bool | None = False
        try:
            same = self._unchanged(segment, candidate)
            if same is None:
                fingerprint = candidate.view.fingerprint(candidate.session.id)
                same = segment.fingerprint == fingerprint
        finally:
            if same:
                segment.epoch = candidate.view.epoch
            else:
                self.held.let_go(segment)
        return segment if same else None

    def _same(
        self, segments: Iterable[Segment | None], candidates: Iterable[Candidate]
    ) -> list[Segment | None]:
        """The segments that the Source says at once to be current, None in place of others."""
        then: Hashable = None
        now: Hashable = None
        equal = True  # these two; most segments were last looked at in one state
        same: list[Segment | None] = []
        for segment, candidate in zip(segments, candidates, strict=True):
            epoch = candidate.view.epoch
            if segment is not None and segment.epoch is not epoch:
                if segment.epoch is not then or epoch is not now:
                    then, now = segment.epoch, epoch
                    equal = then == now
                if equal or candidate.view.unchanged(candidate.session.id, segment.fingerprint):
                    segment.epoch = epoch
                else:
                    segment = None
            same.append(segment)
        return same

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
        (before,) = self.held.newest([candidate])
        if before is None:
            return None
        grown = candidate.view.grown(candidate.session.id, before.fingerprint)
        if grown is None:
            return None
        entries, failed = entries_of.made(self._redaction, grown.transcript.messages)
        if not self.held.take_out(before):
            return None
        try:
            self._segments.extend(before.key, entries, grown.retracted)
        except SegmentDamaged:
            self._segments.drop(before.key)
            self._reject(before)
            return None
        except BaseException:
            self._segments.drop(before.key)
            raise
        segment = segment_of(before.key, candidate, grown.transcript, before.failed + failed)
        segment.files = None  # what was taken out has moved those behind it
        segment.storable = before.storable and self._storable(grown.transcript, entries)
        segment.bytes = self._segments.size(segment.key)
        self.held.keep(segment)
        return segment

    def _put(self, candidate: Candidate, cancel: threading.Event | None) -> Segment:
        transcript = candidate.view.read(candidate.session.id)
        key = str(next(self._puts))
        entries, failed = entries_of.made(self._redaction, transcript.messages, cancel)
        segment = segment_of(key, candidate, transcript, failed)
        segment.storable = not failed and self._storable(transcript, entries)
        entries_of.put(self._segments, key, entries, cancel)
        segment.bytes = self._segments.size(key)
        self.held.keep(segment)
        return segment

    def _storable(self, transcript: Transcript, entries: Sequence[Entry]) -> bool:
        """Whether it is worth storing, and holds nothing but surviving text.

        What was not readable may be tomorrow. Ids and locators stand in a segment as they are.
        """
        if self._shelf is None or any(g.code == "session_unreadable" for g in transcript.gaps):
            return False
        names = {entry.id: None for entry in entries}
        names.update((entry.locator, None) for entry in entries)
        names.update((entry.turn or "", None) for entry in entries)
        return not self._redaction.spans("\n".join(names))
