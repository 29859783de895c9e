"""Persisting: Sessions are stored on the shelf, those at hand first, then newest first.

What was verified for a search is stored as it is; the rest is read for it. Invariant: at most one
batch of segments is held that the manifest does not know, and no Session is stored that may not be
read, nor one that its Source could not read whole or a finder failed on.
Proof: tests/unit/persisting.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Iterable, Sequence
from contextlib import suppress
from dataclasses import dataclass
from typing import Final, TypeAlias

from harkback.cache import Place, Shelf, digest
from harkback.cache.writing import Writing
from harkback.candidates import Candidate, listed, newest_first
from harkback.config import QUIET_MS
from harkback.corpus import Corpus
from harkback.errors import CacheError, QueryError, SourceError
from harkback.model import Session
from harkback.projects import Globs
from harkback.sources.base import View
from harkback.stored import Stored

#: Sessions that were looked at, and how many there are.
Progress: TypeAlias = Callable[[int, int], None]

_BATCH_BYTES: Final = 32 << 20
_BATCH_SECONDS: Final = 2.0  # so much work is lost at most when the process is stopped


@dataclass(frozen=True, slots=True)
class Persisted:
    """What became of it.

    Attributes:
        stored: Sessions that were stored.
        left: Sessions that are not stored as they are now.
        trouble: why the cache took no more, if it did not.
        more: whether there was no time for some of those left, though others were settled.
    """

    stored: int = 0
    left: int = 0
    trouble: CacheError | None = None
    more: bool = False


@dataclass(frozen=True, slots=True)
class Coverage:
    """Sessions that may be stored, those that are stored as they are now, and those that are
    stored as they were, or that may not be stored any more.
    """

    sessions: int
    current: int
    stale: int


def coverage(
    views: Sequence[View],
    allowed: Callable[[Session], bool] | None,
    projects: Globs,
    shelf: Shelf,
) -> Coverage:
    """How much of the history is stored. Raises SourceError."""
    shelf.renew()
    sessions = current = stale = 0
    for view in views:
        found = listed(view, allowed, projects)
        sessions += len(found)
        stale += len(_gone(view, found, shelf))
        for candidate, now in Stored(shelf).now(found):
            place = now or shelf.find(*candidate.place)
            if place is None:
                continue
            if now or place.fingerprint == view.fingerprint(candidate.session.id):
                current += 1
            else:
                stale += 1
    return Coverage(sessions, current, stale)


def persist(
    views: Sequence[View],
    allowed: Callable[[Session], bool] | None,
    projects: Globs,
    corpus: Corpus,
    shelf: Shelf,
    *,
    until: float | None,
    progress: Progress | None,
    cancel: threading.Event | None,
) -> Persisted:
    """Stores what is not stored yet, and takes out what may not be stored any more.

    Args:
        until: moment of the monotonic clock after which no other Session is begun; None: all.
        cancel: once it is set, nothing else is begun and a Session that is being read is let go.

    Raises:
        SourceError: a Source cannot be listed.
    """
    shelf.renew()
    candidates: list[Candidate] = []
    gone: list[Place] = []
    for view in views:
        found = listed(view, allowed, projects)
        candidates += found
        gone += _gone(view, found, shelf)
    candidates.sort(key=newest_first)
    missing = [candidate for candidate, now in corpus.stored.now(candidates) if now is None]
    if not missing and not gone and shelf.is_tidy():
        return Persisted()
    # Those at hand cost no reading; the order is that of the list otherwise.
    at_hand = corpus.current(missing)
    missing.sort(key=lambda candidate: candidate not in at_hand)
    work = _Work(corpus, until, progress, cancel, len(candidates))
    try:
        with shelf.writing() as writing:
            for place in gone:
                writing.forget(place)
            for source in sorted({candidate.session.source for candidate in candidates}):
                writing.use(digest(source))
            writing.clear_out(until)  # before: storing may take all the time, every time
            work.store(missing, writing, shelf)
            writing.clear_out(until)
    except CacheError as error:
        return Persisted(work.stored, len(missing) - work.settled, error)
    more = work.is_over() and 0 < work.settled < len(missing)
    return Persisted(work.stored, len(missing) - work.settled, more=more)


def _gone(view: View, found: Iterable[Candidate], shelf: Shelf) -> list[Place]:
    """What is stored of a Source beside ``found``.

    What it does not list may only be out of reach, if it cannot list all; what it lists, but may
    not be read, is not.
    """
    catalog = view.sessions()
    wanted = {digest(candidate.session.id) for candidate in found}
    listed = {digest(session.id) for session in catalog.sessions} if catalog.gaps else None
    return [
        place
        for session, place in shelf.stored(view.name).items()
        if session not in wanted and (listed is None or session in listed)
    ]


class _Work:
    """What was done so far."""

    def __init__(
        self,
        corpus: Corpus,
        until: float | None,
        progress: Progress | None,
        cancel: threading.Event | None,
        total: int,
    ) -> None:
        self._corpus = corpus
        self._until = until
        self._progress = progress
        self._cancel = cancel
        self._total = total
        self.stored = 0
        self.settled = 0

    def is_over(self) -> bool:
        late = self._until is not None and time.monotonic() >= self._until
        return late or (self._cancel is not None and self._cancel.is_set())

    def store(self, missing: Sequence[Candidate], writing: Writing, shelf: Shelf) -> None:
        waiting, since = 0, time.monotonic()
        for done, candidate in enumerate(missing, self._total - len(missing) + 1):
            if self.is_over():
                return
            # It moved while it was read, or that was given up: there will be another time.
            with suppress(SourceError, QueryError):
                waiting += self._store(candidate, writing, shelf)
            if self._progress is not None:
                self._progress(done, self._total)
            now = time.monotonic()
            if waiting >= _BATCH_BYTES or now - since >= _BATCH_SECONDS:
                writing.commit()
                waiting, since = 0, now

    def _store(self, candidate: Candidate, writing: Writing, shelf: Shelf) -> int:
        """Bytes that were written."""
        view, session = candidate.view, candidate.session
        quiet = time.time() * 1000 - session.last_activity_at >= QUIET_MS
        if view.token is None and not quiet:
            return 0
        known = shelf.find(*candidate.place)
        if known is not None and known.fingerprint == view.fingerprint(session.id):
            self.settled += 1
            if view.token is not None:
                count = view.record_count(session.id)
                writing.confirm(known._replace(token=view.token, records=count))
            return 0
        with self._corpus.hold(candidate, self._cancel) as segment:
            if not segment.storable:
                return 0
            block = self._corpus.dump(segment)
            place = Place(
                source=digest(session.source),
                session=digest(session.id),
                fingerprint=segment.fingerprint,
                token=view.token or b"",
                pack="",
                start=0,
                length=0,
                records=view.record_count(session.id) if view.token else 0,
                told=Place.telling(segment.gaps, segment.damage),
            )
        writing.add(place, block)
        self.settled += 1
        self.stored += 1
        return len(block)
