"""The corpus: segments by key, each verified once.

The one implementation of the predicate: a term lies inside one span of surviving text. A segment
never changes; a writer swaps in a new one, and a search holds the segments it began with.
Proof: tests/unit/test_corpus.py, tests/differential/test_corpus.py,
tests/unit/test_corpus_threads.py.
"""

from __future__ import annotations

import os
import sys
import threading
from collections.abc import Sequence

from harkback.errors import SegmentDamaged
from harkback.model import Entry, Hits, Row, Scope
from harkback.reference import layout
from harkback.reference.attached import Attached, Packs
from harkback.reference.redact import Redactor
from harkback.reference.search import search
from harkback.reference.segment import Segment, build
from harkback.reference.surviving import require_terms
from harkback.reference.varint import Malformed


class Corpus:
    """Segments by key, behind one redactor; ``harkback.engine.Corpus`` is its contract."""

    def __init__(self, redactor: Redactor) -> None:
        self._redactor = redactor
        self._segments: dict[str, Segment | Attached] = {}
        self._packs = Packs()
        self._lock = threading.Lock()

    def put(self, key: str, entries: Sequence[Entry]) -> None:
        """Redacts, folds and keeps ``entries`` in their order; replaces what the key held."""
        segment = build(entries, self._redactor)
        with self._lock:
            self._segments[key] = segment

    def extend(self, key: str, entries: Sequence[Entry], retracted: Sequence[str]) -> None:
        """Takes out the Messages with these ids, then appends ``entries``.

        Raises:
            KeyError: the key is not held.
            SegmentDamaged: it is attached, and cannot be read whole.
        """
        self._segment(key)
        added = build(entries, self._redactor)
        gone = frozenset(retracted)
        with self._lock:
            kept = (message for message in self._messages(key) if message.row.id not in gone)
            self._segments[key] = (*kept, *added)

    def dump(self, key: str) -> bytes:
        """The segment of ``key`` as one piece of bytes. Raises KeyError, SegmentDamaged."""
        return layout.write(self._messages(key))

    def attach(self, key: str, path: str | os.PathLike[str], offset: int, length: int) -> None:
        """Keeps the segment that lies in a file where it lies; replaces what the key held.

        Raises:
            ValueError: no whole segment of this format lies there.
            OSError: the file cannot be read.
        """
        segment = Attached(self._packs.open(os.fspath(path)), offset, length)
        with self._lock:
            self._segments[key] = segment

    def drop(self, key: str) -> None:
        """Forgets a key; one that is not held is no error."""
        with self._lock:
            self._segments.pop(key, None)

    def size(self, key: str) -> int:
        """Bytes that the segment of ``key`` occupies. Raises KeyError."""
        segment = self._segment(key)
        if isinstance(segment, Attached):
            return segment.size()
        return sys.getsizeof(segment) + sum(message.size() for message in segment)

    def search(self, terms: Sequence[str], keys: Sequence[str], scope: Scope | None = None) -> Hits:
        """Every Message of ``keys`` in scope that holds at least one of the folded ``terms``.

        Raises:
            KeyError: a key is not held.
            ValueError: a term is empty.
            SegmentDamaged: a block of an attached segment is not what was written.
        """
        require_terms(terms)
        with self._lock:
            segments = [(key, self._segment(key)) for key in keys]
        return search(segments, terms, scope)

    def rows(self, key: str, start: int, stop: int) -> list[Row]:
        """What is kept of Messages ``start`` up to ``stop``, cut to what the segment has.

        Offsets are not negative. Raises KeyError, SegmentDamaged.
        """
        segment = self._segment(key)
        if isinstance(segment, Attached):
            try:
                return segment.rows(start, stop)
            except Malformed:
                raise SegmentDamaged(key) from None
        return [
            message.row._replace(spans=[list(cuts) for cuts in message.row.spans])
            for message in segment[start:stop]
        ]

    def _messages(self, key: str) -> Segment:
        segment = self._segment(key)
        try:
            return segment.messages() if isinstance(segment, Attached) else segment
        except Malformed:
            raise SegmentDamaged(key) from None

    def _segment(self, key: str) -> Segment | Attached:
        segment = self._segments.get(key)
        if segment is None:
            raise KeyError("no segment is held for this key")
        return segment
