"""The table of a block: what is kept of its Messages beside their text, in columns.

Bytes of text, code points, times, kinds, digests, Turns, ids, locators, redacted spans; format:
docs/segments.md. Proof: tests/differential/test_segments.py.
"""

from __future__ import annotations

import uuid
from collections.abc import Sequence
from itertools import pairwise, takewhile
from typing import Final, NamedTuple

from harkback.model import Row, Span
from harkback.reference.segment import BARRIER, Verified, prefix_of_sha256
from harkback.reference.varint import Malformed, Reader, number, signed, wrapped

UUID: Final = 1  # stands for the 36 characters of a UUID, whose 16 bytes follow
MOST_SHARED: Final = 255  # bytes that a locator may have in common with the one before


def write(messages: Sequence[Verified], ordinals: Sequence[int]) -> bytes:
    """The table of ``messages``, whose Turns have these ordinals in their segment."""
    rows = [message.row for message in messages]
    out = bytearray()
    for message in messages:
        out += number(len(message.text()))
    for message in messages:
        out += signed(len(message.text()) - message.length)
    for before, row in pairwise([None, *rows]):
        assert row is not None
        out += signed(row.timestamp - (before.timestamp if before else 0))
    out += bytes(row.kind for row in rows)
    for message in messages:
        out += message.digest.to_bytes(8, "little")
    turns = {
        ordinal: row.turn
        for ordinal, row in zip(ordinals, rows, strict=True)
        if row.turn is not None
    }
    out += number(len(turns))
    for ordinal, turn in turns.items():
        out += number(ordinal) + _name(turn)
    places = {ordinal: place for place, ordinal in enumerate([-1, *turns])}
    for ordinal in ordinals:
        out += number(places[ordinal])
    for row in rows:
        out += _name(row.id)
    locators = [row.locator.encode() for row in rows]
    for previous, locator in pairwise([b"", *locators]):
        alike = takewhile(lambda pair: pair[0] == pair[1], zip(previous, locator, strict=False))
        shared = min(len(list(alike)), MOST_SHARED)
        out += number(shared) + number(len(locator) - shared) + locator[shared:]
    for row in rows:
        out += _spans(row.spans)
    return bytes(out)


def _spans(leaves: Sequence[Sequence[Span]]) -> bytes:
    """Leaves, then per leaf how many, then each as a step from the one before, and a length."""
    out = bytearray(number(len(leaves)))
    for spans in leaves:
        out += number(len(spans))
        at = 0
        for start, end in spans:
            out += number(start - at) + number(end - start)
            at = end
    return bytes(out)


def _name(name: str) -> bytes:
    """An id; a UUID in its one canonical spelling as its bytes."""
    try:
        value = uuid.UUID(name)
    except ValueError:
        value = None
    if value is not None and str(value) == name:
        return number(UUID) + value.bytes
    data = name.encode()
    return number(2 * len(data)) + data


class Table(NamedTuple):
    """What a block keeps of its Messages, column by column."""

    sizes: list[int]  # bytes of text
    lengths: list[int]  # code points of surviving text
    digests: list[int]
    ordinals: list[int]  # of the Turn in its segment, -1 without one
    rows: list[Row]

    def messages(self, text: bytes) -> list[Verified]:
        """The Messages of the block with this text."""
        messages: list[Verified] = []
        start = 0
        for size, length, digest, _, row in zip(*self, strict=True):
            folded = tuple(_text(span) for span in text[start : start + size].split(BARRIER)[:-1])
            ident = prefix_of_sha256(row.id.encode())
            messages.append(Verified(row, folded, length, ident, digest))
            start += size
        return messages


def read(data: bytes, count: int, text_bytes: int) -> Table:
    """The table of ``count`` Messages.

    Raises:
        Malformed: the bytes are no such table.
    """
    reader = Reader(data)
    if count > len(data):
        raise Malformed
    sizes = [reader.number() for _ in range(count)]
    if sum(sizes) != text_bytes:
        raise Malformed
    lengths = [(size - reader.signed()) % 2**64 for size in sizes]
    timestamps: list[int] = []
    for _ in range(count):
        timestamps.append(wrapped((timestamps[-1] if timestamps else 0) + reader.signed()))
    kinds = reader.bytes(count)
    digests = [int.from_bytes(reader.bytes(8), "little") for _ in range(count)]
    turns: list[tuple[int, str | None]] = [(-1, None)]
    for _ in range(reader.count()):
        ordinal = reader.number()
        if ordinal >= 2**32:
            raise Malformed
        turns.append((ordinal, _read_name(reader)))
    places = [reader.number() for _ in range(count)]
    if any(place >= len(turns) for place in places):
        raise Malformed
    ids = [_read_name(reader) for _ in range(count)]
    locators = _read_locators(reader, count)
    spans = [_read_spans(reader) for _ in range(count)]
    rows = [
        Row(ids[at], turns[places[at]][1], timestamps[at], kinds[at], locators[at], spans[at])
        for at in range(count)
    ]
    return Table(sizes, lengths, digests, [turns[place][0] for place in places], rows)


def _read_name(reader: Reader) -> str:
    head = reader.number()
    if head == UUID:
        return str(uuid.UUID(bytes=reader.bytes(16)))
    if head % 2:
        raise Malformed
    return _text(reader.bytes(head // 2))


def _read_locators(reader: Reader, count: int) -> list[str]:
    locators: list[str] = []
    locator = b""
    for _ in range(count):
        shared = reader.number()
        if shared > min(len(locator), MOST_SHARED):
            raise Malformed
        locator = locator[:shared] + reader.bytes(reader.count())
        locators.append(_text(locator))
    return locators


def _read_spans(reader: Reader) -> list[list[Span]]:
    leaves: list[list[Span]] = []
    for _ in range(reader.count()):
        spans: list[Span] = []
        at = 0
        for _ in range(reader.count()):
            start = at + reader.number()
            at = start + reader.number()
            if at >= 2**64:
                raise Malformed
            spans.append((start, at))
        leaves.append(spans)
    return leaves


def _text(data: bytes) -> str:
    try:
        return data.decode()
    except UnicodeDecodeError:
        raise Malformed from None
