"""Chunked bodies: joined only if every chunk is there and every digest is right.

Invariant: what comes back is the body that was recorded, or the reason why it cannot be.
Proof: tests/unit/reference/test_chunks.py.
"""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from typing import Literal


def reassemble(
    chunks: Sequence[tuple[int, bytes, str]], length: int, sha256: str
) -> tuple[bytes | None, Literal["chunk_gap", "chunk_length", "chunk_digest"] | None]:
    """Joins chunks, given in any order, into the body they are.

    Args:
        chunks: (index, data, hex SHA-256 of the data) each.
        length: bytes of the whole body.
        sha256: hex SHA-256 of the whole body, in either case.

    Returns:
        (body, None), or (None, damage): an index is missing or doubled; else the joined length is
        another; else a digest is.
    """
    ordered = sorted(chunks, key=lambda chunk: chunk[0])
    if [index for index, _, _ in ordered] != list(range(len(ordered))):
        return None, "chunk_gap"
    body = b"".join(data for _, data, _ in ordered)
    if len(body) != length:
        return None, "chunk_length"
    recorded = [(data, digest) for _, data, digest in ordered] + [(body, sha256)]
    if all(_is_digest(digest, data) for data, digest in recorded):
        return body, None
    return None, "chunk_digest"


def _is_digest(digest: str, data: bytes) -> bool:
    # Upper case of the computed one: on bytes and ASCII only, whatever ``digest`` holds.
    return digest.encode().upper() == hashlib.sha256(data).hexdigest().encode().upper()
