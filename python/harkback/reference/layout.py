"""A segment as bytes: a head, then blocks of text, each with its table behind it.

Format: docs/segments.md. Proof: tests/unit/test_segments.py, tests/differential/test_segments.py.
"""

from __future__ import annotations

import struct
import zlib
from collections.abc import Sequence
from typing import Final, NamedTuple

from harkback.reference import signature, table
from harkback.reference.segment import Verified, turn_ordinals
from harkback.reference.varint import Malformed

FORMAT: Final = 1  # version of the format; another one is a foreign one
MAGIC: Final = b"HARKSEG\0"
BLOCK_BYTES: Final = 128 << 10  # of text; a longer Message is a block by itself
MOST_ROWS: Final = 256  # Messages of a block

_OPENING: Final = struct.Struct("<8sII")  # magic, version, checksum of what follows
_REST: Final = struct.Struct("<QII")  # bytes of all, blocks, Messages
_ENTRY: Final = struct.Struct("<IIQII")  # of a block; the fields of Block, in order
FIXED: Final = _OPENING.size + _REST.size


class Block(NamedTuple):
    """What the head says of a block."""

    messages: int
    table_bytes: int
    text_bytes: int
    text_sum: int
    table_sum: int


class Head(NamedTuple):
    """What an attached segment keeps in memory."""

    blocks: list[Block]
    signatures: list[bytes]
    size: int  # bytes of the head itself: where the first block begins


def write(messages: Sequence[Verified]) -> bytes:
    """The segment of ``messages``."""
    ordinals = turn_ordinals(messages)
    blocks: list[Block] = []
    signatures = bytearray()
    body = bytearray()
    first = 0
    while first < len(messages):
        text = messages[first].text()
        after = first + 1
        while after < len(messages) and after - first < MOST_ROWS:
            more = messages[after].text()
            if len(text) + len(more) > BLOCK_BYTES:
                break
            text += more
            after += 1
        kept = table.write(messages[first:after], ordinals[first:after])
        sums = zlib.crc32(text), zlib.crc32(kept)
        blocks.append(Block(after - first, len(kept), len(text), *sums))
        signatures += signature.sign(text)
        body += text + kept
        first = after
    size = FIXED + len(blocks) * _ENTRY.size + len(signatures)
    checked = _REST.pack(size + len(body), len(blocks), len(messages))
    checked += b"".join(_ENTRY.pack(*block) for block in blocks) + signatures
    return _OPENING.pack(MAGIC, FORMAT, zlib.crc32(checked)) + checked + body


def read_opening(data: bytes, length: int) -> int:
    """Of the first ``FIXED`` bytes of a segment of ``length`` bytes: bytes of the directory.

    Raises:
        Malformed: no segment of this length begins so.
    """
    if len(data) < FIXED:
        raise Malformed
    magic, version, _ = _OPENING.unpack_from(data)
    whole, blocks, _ = _REST.unpack_from(data, _OPENING.size)
    directory: int = blocks * _ENTRY.size
    if (magic, version, whole) != (MAGIC, FORMAT, length) or directory > length - FIXED:
        raise Malformed
    return directory


def read_directory(data: bytes, length: int) -> tuple[list[Block], int]:
    """Of the head up to its directory: the blocks, and bytes of their signatures.

    Raises:
        Malformed: the blocks do not make up the segment.
    """
    _, _, messages = _REST.unpack_from(data, _OPENING.size)
    if len(data) < FIXED + read_opening(data, length):
        raise Malformed
    blocks = [Block(*entry) for entry in _ENTRY.iter_unpack(data[FIXED:])]
    signed = sum(signature.size(block.text_bytes) for block in blocks)
    body = sum(block.text_bytes + block.table_bytes for block in blocks)
    counted = sum(block.messages for block in blocks) == messages
    sized = all(1 <= block.messages <= MOST_ROWS for block in blocks)
    if not (counted and sized and len(data) + signed + body == length):
        raise Malformed
    return blocks, signed


def read_head(data: bytes, blocks: list[Block]) -> Head:
    """The whole head, held against its checksum.

    Raises:
        Malformed: it is not what was written.
    """
    _, _, checksum = _OPENING.unpack_from(data)
    if zlib.crc32(data[_OPENING.size :]) != checksum:
        raise Malformed
    signatures: list[bytes] = []
    at = FIXED + len(blocks) * _ENTRY.size
    for block in blocks:
        size = signature.size(block.text_bytes)
        signatures.append(data[at : at + size])
        at += size
    if at != len(data):
        raise Malformed
    return Head(blocks, signatures, at)
