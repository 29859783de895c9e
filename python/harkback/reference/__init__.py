"""The reference engine, as far as it exists."""

from harkback.reference.chunks import reassemble
from harkback.reference.scan import scanner

name = "reference"

__all__ = ["name", "reassemble", "scanner"]
