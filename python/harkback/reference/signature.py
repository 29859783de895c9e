"""Signatures: which runs of four bytes a block of text has, hashed into a bitset.

Invariant: a block that holds a term passes it; one that does not may pass too. A term shorter than
a run passes every block. Runs that hold a barrier are left out: no term has one.
Proof: tests/properties/test_signature.py, tests/differential/test_segments.py.
"""

from __future__ import annotations

from typing import Final

from harkback.reference.segment import BARRIER

RUN: Final = 4  # bytes of a run
TEXT_PER_BYTE: Final = 32  # bytes of text per byte of signature


def size(text: int) -> int:
    """Bytes of the signature of ``text`` bytes."""
    return -(-text // TEXT_PER_BYTE)


def sign(text: bytes) -> bytes:
    """The signature of ``text``."""
    bits = bytearray(size(len(text)))
    for run in {run for span in text.split(BARRIER) for run in runs(span)}:
        at = place(run, len(bits))
        bits[at // 8] |= 1 << at % 8
    return bytes(bits)


def passes(term: str, bits: bytes) -> bool:
    """Whether a text of this signature may hold ``term``."""
    places = [place(run, len(bits)) for run in runs(term.encode())]
    return all(at // 8 < len(bits) and bits[at // 8] >> at % 8 & 1 for at in places)


def runs(span: bytes) -> list[bytes]:
    """Every four bytes that follow each other."""
    return [span[at : at + RUN] for at in range(len(span) - RUN + 1)]


def place(run: bytes, size: int) -> int:
    """The bit of a run in a signature of ``size`` bytes."""
    digest = int.from_bytes(run, "little") * 0x9E3779B1 % 2**32
    return digest * size * 8 >> 32
