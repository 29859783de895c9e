"""A segment: the folded surviving text of one (source, Session), and its positions.

Text that redaction takes out never enters it. Here a Message is a value with its folded spans side
by side; a term cannot match across two of them because they are two strings.
Proof: tests/unit/test_corpus.py and tests/differential/test_corpus.py.
"""

from __future__ import annotations

import hashlib
import sys
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Final, TypeAlias

from harkback.model import Entry, Row, Span
from harkback.reference.fold import fold
from harkback.reference.redact import Redactor
from harkback.reference.surviving import surviving

BARRIER: Final = b"\xff"  # follows every surviving span as bytes; in no UTF-8 string


@dataclass(frozen=True, slots=True)
class Verified:
    """One Message of a segment."""

    row: Row
    folded: tuple[str, ...]  # surviving spans of all leaves, each folded on its own
    length: int  # code points of surviving text, before the fold
    ident: int
    digest: int

    def text(self) -> bytes:
        """The surviving spans as bytes."""
        return b"".join(span.encode() + BARRIER for span in self.folded)

    def size(self) -> int:
        """Bytes that this value occupies, without the interpreter's shared objects."""
        texts = (self.row.id, self.row.locator, *self.folded)
        tables = (self, self.row, self.row.spans, *self.row.spans, self.folded)
        return sum(map(sys.getsizeof, (*texts, *tables)))


Segment: TypeAlias = tuple[Verified, ...]


def build(entries: Iterable[Entry], redactor: Redactor) -> Segment:
    """The segment of ``entries``, in their order."""
    return tuple(_verify(entry, redactor) for entry in entries)


def _verify(entry: Entry, redactor: Redactor) -> Verified:
    folded: list[str] = []
    cuts_per_leaf: list[list[Span]] = []
    length = 0
    for text, sensitive, known in _known(entry):
        cuts = known
        if cuts is None:
            cuts = [(span.start, span.end) for span in redactor.spans(text, sensitive)]
        cuts_per_leaf.append(cuts)
        for start, end in surviving(len(text), cuts):
            length += end - start
            folded.append(fold(text[start:end]))
    return Verified(
        row=Row(entry.id, entry.turn, entry.timestamp, entry.kind, entry.locator, cuts_per_leaf),
        folded=tuple(folded),
        length=length,
        ident=prefix_of_sha256(entry.id.encode()),
        digest=prefix_of_sha256(BARRIER.join(span.encode() for span in folded)),
    )


def _known(entry: Entry) -> Iterable[tuple[str, bool, list[Span] | None]]:
    """Each leaf with its cuts, None where they are still to be found."""
    if entry.cuts is None:
        return [(text, sensitive, None) for text, sensitive in entry.leaves]
    if len(entry.cuts) != len(entry.leaves):
        raise ValueError("cuts are not given for each leaf")
    return [(*leaf, list(cuts)) for leaf, cuts in zip(entry.leaves, entry.cuts, strict=True)]


def turn_ordinals(segment: Sequence[Verified]) -> list[int]:
    """Per Message, its Turn counted in the order of first Messages; -1 without a Turn."""
    ordinals: dict[str, int] = {}
    return [
        -1 if message.row.turn is None else ordinals.setdefault(message.row.turn, len(ordinals))
        for message in segment
    ]


def prefix_of_sha256(data: bytes) -> int:
    """The first 8 bytes of its SHA-256, big-endian."""
    return int.from_bytes(hashlib.sha256(data).digest()[:8], "big")
