"""Zstandard frames without a compressor (RFC 8878): blocks that are stored as they are."""

from __future__ import annotations


def frame(content: bytes) -> bytes:
    """One frame, its content in raw blocks, without a checksum."""
    size = 100_000
    blocks = [content[at : at + size] for at in range(0, len(content), size)] or [b""]
    written = b"\x28\xb5\x2f\xfd" + bytes([0b10100000]) + len(content).to_bytes(4, "little")
    for number, block in enumerate(blocks, 1):
        header = len(block) << 3 | (number == len(blocks))
        written += header.to_bytes(3, "little") + block
    return written


def skippable(content: bytes) -> bytes:
    """A frame that a decoder skips."""
    return b"\x50\x2a\x4d\x18" + len(content).to_bytes(4, "little") + content
