"""The reference engine: the twin of the native one, standard library only.

Naive on purpose: each file is plain enough to be checked by reading, and says what its Rust
namesake must do. Invariant: every function returns what the native one returns.
Proof: tests/differential.
"""

from __future__ import annotations

from typing import Final, Literal

from harkback.reference.bm25 import bm25, bm25_terms
from harkback.reference.corpus import Corpus as corpus
from harkback.reference.fold import fold
from harkback.reference.redact import Redactor as redactor
from harkback.reference.surviving import locate

name: Final[Literal["reference"]] = "reference"

__all__ = ["bm25", "bm25_terms", "corpus", "fold", "locate", "name", "redactor"]
