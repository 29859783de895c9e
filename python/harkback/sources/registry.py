"""What a path is: the one place that maps a path to the Source that reads it.

Invariant: it looks at names and kinds of files, never into one; a reader is imported when there is
something for it to read. Proof: tests/unit/sources/test_registry.py.
"""

from __future__ import annotations

import os
from collections.abc import Mapping
from pathlib import Path
from typing import Any, Final

from harkback.errors import SourceError
from harkback.sources.base import Source
from harkback.sources.transcripts.known import formats

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
                source = _of_agent(place, name)
                if source is not None:
                    return source
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
    from harkback.sources.sqlite.source import SqliteSource

    if mapping is None:
        return SqliteSource(place, name=name)
    from harkback.sources.sqlite import generic
    from harkback.sources.sqlite.mapping import load

    return SqliteSource(place, name=name, schema=generic.Generic(load(mapping)))


def _of_agent(folder: Path, name: str | None) -> Source | None:
    """The Source of a folder that is an agent's own. Raises OSError."""
    for known in formats():
        if known.owns(folder):
            from harkback.sources.transcripts.source import TranscriptSource

            return TranscriptSource(known.format(), folder, name=name)
    from harkback.sources.opencode.source import OpenCodeSource, is_data_folder

    return OpenCodeSource(folder, name=name) if is_data_folder(folder) else None
