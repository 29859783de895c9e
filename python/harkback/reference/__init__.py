"""The reference engine: the pure-Python twin of ``rust/core``, standard library only.

Plain enough to be checked by reading; one file per Rust file. This module is an
``harkback.engine.Engine``.
"""

from harkback.reference.chunks import reassemble as reassemble
from harkback.reference.fold import fold as fold
from harkback.reference.scan import scanner as scanner

name = "reference"
