"""Search over segments: every Message that holds a term, and how often.

``str.count`` is the whole of it: non-overlapping, left to right, inside one surviving span.
Proof: tests/differential/test_corpus.py, tests/differential/test_segments.py.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from harkback.errors import SegmentDamaged
from harkback.model import Hits
from harkback.reference.attached import Attached
from harkback.reference.segment import Segment, Verified, turn_ordinals
from harkback.reference.varint import Malformed


def search(segments: Sequence[tuple[str, Segment | Attached]], terms: Sequence[str]) -> Hits:
    """Every Message of ``segments``, given with their keys, that holds at least one of ``terms``.

    Raises:
        SegmentDamaged: of the first segment a block of which cannot be read.
    """
    hits = Hits([], [], [], [], [], [], [], [], [[] for _ in terms])
    for index, (key, segment) in enumerate(segments):
        try:
            for row, turn, message in _offered(segment, terms):
                _count(hits, terms, index, row, turn, message)
        except Malformed:
            raise SegmentDamaged(key) from None
    return hits


def _offered(
    segment: Segment | Attached, terms: Sequence[str]
) -> Iterator[tuple[int, int, Verified]]:
    """Index, ordinal of the Turn, and Message, of all that may hold a term."""
    if isinstance(segment, Attached):
        return segment.holding(terms)
    return zip(range(len(segment)), turn_ordinals(segment), segment, strict=True)


def _count(
    hits: Hits, terms: Sequence[str], key: int, row: int, turn: int, message: Verified
) -> None:
    frequency = [sum(span.count(term) for span in message.folded) for term in terms]
    if not any(frequency):
        return
    hits.key.append(key)
    hits.row.append(row)
    hits.turn.append(turn)
    hits.timestamp.append(message.row.timestamp)
    hits.kind.append(message.row.kind)
    hits.length.append(message.length)
    hits.ident.append(message.ident)
    hits.digest.append(message.digest)
    for column, count in zip(hits.frequency, frequency, strict=True):
        column.append(count)
