"""The writer of history: creates a host store and appends to it. See ``store.database``."""

from harkback.store.database import Store
from harkback.store.turns import SessionWriter, Stream, Turn

__all__ = ["SessionWriter", "Store", "Stream", "Turn"]
