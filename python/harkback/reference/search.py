"""Search over segments: every Message that holds a term, and how often.

``str.count`` is the whole of it: non-overlapping, left to right, inside one surviving span.
Proof: tests/differential/test_corpus.py.
"""

from __future__ import annotations

from collections.abc import Sequence

from harkback.model import Hits
from harkback.reference.segment import Segment, turn_ordinals


def search(segments: Sequence[Segment], terms: Sequence[str]) -> Hits:
    """Every Message of ``segments`` that holds at least one of the folded ``terms``."""
    hits = Hits([], [], [], [], [], [], [], [], [[] for _ in terms])
    for key, segment in enumerate(segments):
        turns = turn_ordinals(segment)
        for row, message in enumerate(segment):
            frequency = [sum(span.count(term) for span in message.folded) for term in terms]
            if not any(frequency):
                continue
            hits.key.append(key)
            hits.row.append(row)
            hits.turn.append(turns[row])
            hits.timestamp.append(message.row.timestamp)
            hits.kind.append(message.row.kind)
            hits.length.append(message.length)
            hits.ident.append(message.ident)
            hits.digest.append(message.digest)
            for column, count in zip(hits.frequency, frequency, strict=True):
                column.append(count)
    return hits
