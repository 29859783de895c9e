"""Stand-in until the reassembly lands: joins chunks and checks them, naively."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from typing import Literal


def reassemble(
    chunks: Sequence[tuple[int, bytes, str]], length: int, sha256: str
) -> tuple[bytes | None, Literal["chunk_gap", "chunk_length", "chunk_digest"] | None]:
    ordered = sorted(chunks)
    if not ordered or [index for index, _, _ in ordered] != list(range(len(ordered))):
        return None, "chunk_gap"
    body = b"".join(data for _, data, _ in ordered)
    if len(body) != length:
        return None, "chunk_length"
    if any(hashlib.sha256(data).hexdigest() != digest for _, data, digest in ordered):
        return None, "chunk_digest"
    if hashlib.sha256(body).hexdigest() != sha256:
        return None, "chunk_digest"
    return body, None
