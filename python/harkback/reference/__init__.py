"""The reference engine: the pure-Python twin of ``rust/core``, standard library only.

Naive on purpose: each file is plain enough to be checked by reading, and says what its Rust
namesake must do. This module is an ``harkback.engine.Engine``. Proof: tests/differential.
"""

from __future__ import annotations

from typing import Final, Literal

from harkback.reference.bm25 import bm25_terms
from harkback.reference.chunks import reassemble
from harkback.reference.corpus import Corpus as corpus
from harkback.reference.fold import fold
from harkback.reference.layout import FORMAT
from harkback.reference.lines import lines
from harkback.reference.redact import redactor
from harkback.reference.scan import scanner
from harkback.reference.surviving import grow, locate
from harkback.reference.tally import Tally as tally

name: Final[Literal["reference"]] = "reference"

__all__ = [
    "FORMAT",
    "bm25_terms",
    "corpus",
    "fold",
    "grow",
    "lines",
    "locate",
    "name",
    "reassemble",
    "redactor",
    "scanner",
    "tally",
]
