"""The reference engine: standard library only, one file per Rust file, checked by reading.

Invariant: every function returns what its Rust twin returns. Proof: tests/differential.
"""

from __future__ import annotations

from harkback.reference.redact import redactor

name = "reference"

__all__ = ["name", "redactor"]
