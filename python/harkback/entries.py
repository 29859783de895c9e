"""Entries: Messages as the engine's Corpus takes them, and how a long Session is put in pieces.

Invariant: put in pieces or at once, a segment is the same. Proof: tests/unit/test_corpus.py,
tests/surfaces/test_cancelling.py.
"""

from __future__ import annotations

import threading
from collections.abc import Iterator, Sequence
from typing import Final

from harkback.config import PIECE_CODE_POINTS, PIECES
from harkback.engine import Corpus
from harkback.errors import QueryError
from harkback.model import ABANDONED, KINDS, Entry, StoredMessage
from harkback.projection import project
from harkback.query import heed
from harkback.redaction import Redaction

_KIND_INDEX: Final = {kind: index for index, kind in enumerate(KINDS)}
_AT_ONCE: Final = 1024  # Messages made ready between two looks at whether the caller gave up


def made(
    redaction: Redaction,
    messages: Sequence[StoredMessage],
    cancel: threading.Event | None = None,
) -> tuple[list[Entry], int]:
    """The Messages as Entries, and the leaves that a finder failed on.

    Raises:
        QueryError: ``cancelled``.
    """
    pairs: list[tuple[Entry, int]] = []
    for start in range(0, len(messages), _AT_ONCE):
        heed(cancel)
        pairs += [_entry(redaction, message) for message in messages[start : start + _AT_ONCE]]
    return [entry for entry, _ in pairs], sum(failed for _, failed in pairs)


def put(
    segments: Corpus, key: str, entries: list[Entry], cancel: threading.Event | None = None
) -> None:
    """Puts a segment; piece by piece where that may be given up, and nothing of it is left then.

    Every piece but the first copies those before it: so there are few, and all are large.

    Raises:
        QueryError: ``cancelled``.
    """
    heed(cancel)
    pieces = _pieces(entries) if cancel is not None else iter([entries])
    segments.put(key, next(pieces, []))
    for piece in pieces:
        try:
            heed(cancel)
        except QueryError:
            segments.drop(key)
            raise
        segments.extend(key, piece, [])


def _entry(redaction: Redaction, stored: StoredMessage) -> tuple[Entry, int]:
    """The Message, redacted as far as finders have to, and the leaves one failed on."""
    leaves = redaction.prepare(project(stored))
    cuts, failed = redaction.cuts(leaves, in_progress=stored.in_progress)
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
