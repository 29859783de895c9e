"""What a path is: the one place that maps a path to the Source that reads it.

Invariant: it looks at names and kinds of files, never into one. Proof:
tests/unit/sources/test_registry.py.
"""

from __future__ import annotations

import os
from collections.abc import Mapping
from pathlib import Path
from typing import Any, Final

from harkback.errors import SourceError
from harkback.sources.base import Source
from harkback.sources.opencode.source import OpenCodeSource, is_data_folder
from harkback.sources.sqlite.source import SqliteSource
from harkback.sources.transcripts.known import formats
from harkback.sources.transcripts.source import TranscriptSource

STORE_NAME: Final = "runtime.sqlite"


def open_source(
    path: str | os.PathLike[str],
    *,
    name: str | None = None,
    mapping: str | os.PathLike[str] | Mapping[str, Any] | None = None,
) -> Source:
    """The Source for a database file, or a folder: a host's workspace, or an agent's own.

    Args:
        mapping: what the tables of a database mean, as a TOML file or as what one says; told by
            the tables when not given.

    Raises:
        SourceError: nothing is there, or it is nothing that Harkback reads.
        UsageError: ``mapping_invalid``.
    """
    place = Path(path)
    try:
        if place.is_dir():
            if not (place / STORE_NAME).is_file():
                if is_data_folder(place):
                    return OpenCodeSource(place, name=name)
                for known in formats():
                    if known.owns(place):
                        return TranscriptSource(known.format(), place, name=name)
                raise SourceError(
                    "source_not_a_store",
                    f"The folder holds no {STORE_NAME} and is no agent's; name a store in it.",
                )
            place = place / STORE_NAME
        elif not place.exists():
            raise SourceError("source_missing", "There is nothing at this path.")
    except OSError:
        raise SourceError(
            "source_unreadable", "The path cannot be looked at; check its permissions."
        ) from None
    if mapping is None:
        return SqliteSource(place, name=name)
    from harkback.sources.sqlite import generic
    from harkback.sources.sqlite.mapping import load

    return SqliteSource(place, name=name, schema=generic.Generic(load(mapping)))
