"""Which store of facts a path is, and which one lies beside a host store.

Invariant: it looks at names, never into a file; the reader of databases is imported when there is
something for it to read. Proof: tests/unit/facts/test_registry.py.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator
from pathlib import Path

from harkback.facts.base import FactSource
from harkback.facts.schema import MEMORY_NAME
from harkback.sources.base import Source
from harkback.sources.registry import STORE_NAME


def open_facts(path: str | os.PathLike[str]) -> FactSource:
    """The store of facts at a path: a database, or the folder that holds a ``memory.sqlite``.

    Whether there is one a search tells.
    """
    from harkback.facts.memory import MemoryStore

    return MemoryStore(path)


def beside(sources: Iterable[Source]) -> Iterator[FactSource]:
    """The stores of facts that hosts keep beside their history."""
    for source in sources:
        store = Path(source.name)
        if store.name == STORE_NAME and store.with_name(MEMORY_NAME).is_file():
            yield open_facts(store.with_name(MEMORY_NAME))
