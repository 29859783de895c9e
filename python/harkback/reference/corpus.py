"""The corpus: segments by key, each verified once.

The one implementation of the predicate: a term lies inside one span of surviving text. A segment
never changes; a writer swaps in a new one, and a search holds the segments it began with.
Proof: tests/unit/test_corpus.py, tests/differential/test_corpus.py,
tests/unit/test_corpus_threads.py.
"""

from __future__ import annotations

import sys
import threading
from collections.abc import Sequence

from harkback.model import Entry, Hits, Row
from harkback.reference.redact import Redactor
from harkback.reference.search import search
from harkback.reference.segment import Segment, build
from harkback.reference.surviving import require_terms


class Corpus:
    """Segments by key, behind one redactor; ``harkback.engine.Corpus`` is its contract."""

    def __init__(self, redactor: Redactor) -> None:
        self._redactor = redactor
        self._segments: dict[str, Segment] = {}
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
        """
        self._segment(key)
        added = build(entries, self._redactor)
        gone = frozenset(retracted)
        with self._lock:
            kept = (message for message in self._segment(key) if message.row.id not in gone)
            self._segments[key] = (*kept, *added)

    def drop(self, key: str) -> None:
        """Forgets a key; one that is not held is no error."""
        with self._lock:
            self._segments.pop(key, None)

    def size(self, key: str) -> int:
        """Bytes that the segment of ``key`` occupies. Raises KeyError."""
        segment = self._segment(key)
        return sys.getsizeof(segment) + sum(message.size() for message in segment)

    def search(self, terms: Sequence[str], keys: Sequence[str]) -> Hits:
        """Every Message of ``keys`` that holds at least one of the folded ``terms``.

        Raises:
            KeyError: a key is not held.
            ValueError: a term is empty.
        """
        require_terms(terms)
        with self._lock:
            segments = [self._segment(key) for key in keys]
        return search(segments, terms)

    def rows(self, key: str, start: int, stop: int) -> list[Row]:
        """What is kept of Messages ``start`` up to ``stop``, cut to what the segment has.

        Offsets are not negative. Raises KeyError.
        """
        return [
            message.row._replace(spans=[list(cuts) for cuts in message.row.spans])
            for message in self._segment(key)[start:stop]
        ]

    def _segment(self, key: str) -> Segment:
        segment = self._segments.get(key)
        if segment is None:
            raise KeyError("no segment is held for this key")
        return segment
