"""Search over segments: every Message that holds a term, and how often.

``str.count`` is the whole of it: non-overlapping, left to right, inside one surviving span.
Proof: tests/differential/test_corpus.py, tests/differential/test_segments.py.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from harkback.errors import SegmentDamaged
from harkback.model import ABANDONED, Hits, Row, Scope
from harkback.reference.attached import Attached
from harkback.reference.segment import Segment, Verified, turn_ordinals
from harkback.reference.varint import Malformed


def search(
    segments: Sequence[tuple[str, Segment | Attached]],
    terms: Sequence[str],
    scope: Scope | None,
) -> Hits:
    """Every Message of ``segments`` in scope that holds at least one of ``terms``.

    Args:
        segments: each with its key.
        scope: None is everything.

    Raises:
        SegmentDamaged: of the first segment a block of which cannot be read.
    """
    hits = Hits([], [], [], [], [], [], [], [], [[] for _ in terms], [], 0, 0)
    for index, (key, segment) in enumerate(segments):
        try:
            for row, turn, message in _offered(segment, terms):
                hits = _judge(hits, terms, scope, index, row, turn, message)
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


def _judge(
    hits: Hits,
    terms: Sequence[str],
    scope: Scope | None,
    key: int,
    row: int,
    turn: int,
    message: Verified,
) -> Hits:
    """``hits`` with this Message, if it is one."""
    frequency = [sum(span.count(term) for span in message.folded) for term in terms]
    if not any(frequency):
        return hits
    if hits.holding[-1:] != [key]:
        hits.holding.append(key)
    if scope is not None:
        if not _asked(scope, key, message.row):
            return hits
        if not _timely(scope, message.row.timestamp):
            return hits._replace(outside_time=hits.outside_time + 1)
        if message.row.kind >= ABANDONED and not scope.abandoned:
            return hits._replace(abandoned=hits.abandoned + 1)
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
    return hits


def _asked(scope: Scope, key: int, row: Row) -> bool:
    """Whether it is of a kind asked for, and not of the Turn under way."""
    keys, turn = scope.active or ((), None)
    return row.kind % ABANDONED in scope.kinds and not (key in keys and row.turn == turn)


def _timely(scope: Scope, timestamp: int) -> bool:
    early = scope.since is not None and timestamp < scope.since
    late = scope.until is not None and timestamp > scope.until
    return not (early or late)
