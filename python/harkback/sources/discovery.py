"""Where history lies on this machine: the folders of known agents that are there.

Each agent's own environment variables are honoured. Invariant: it looks at names, opens nothing,
and imports no format of an agent that is not there. Proof: tests/unit/sources/test_discovery.py.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Iterator, Mapping
from functools import partial
from pathlib import Path
from typing import Final, NamedTuple

from harkback.sources.base import Source
from harkback.sources.registry import STORE_NAME, open_source
from harkback.sources.transcripts.known import Known, formats

HERMES_DATABASE: Final = "state.db"


class Place(NamedTuple):
    """History of one agent in one place."""

    agent: str
    path: Path
    open: Callable[[], Source]


def discover(environment: Mapping[str, str] | None = None, home: Path | None = None) -> list[Place]:
    """What is there, by agent and path.

    Args:
        environment, home: of the process and the user, unless given.
    """
    given = os.environ if environment is None else environment
    own = Path.home() if home is None else home
    found = [*_transcripts(given, own), *_opencode(given, own), *_maka(given, own)]
    found += _hermes(given, own)
    return sorted(found, key=lambda place: (place.agent, place.path))


def _transcripts(environment: Mapping[str, str], home: Path) -> Iterator[Place]:
    for known in formats():
        for root in known.roots(environment, home):
            if _is_there(root.is_dir):
                yield Place(known.agent, root, partial(_transcript, known, root))


def _transcript(known: Known, root: Path) -> Source:
    from harkback.sources.transcripts.source import TranscriptSource

    return TranscriptSource(known.format(), root)


def _opencode(environment: Mapping[str, str], home: Path) -> Iterator[Place]:
    from harkback.sources.opencode.source import (
        OpenCodeSource,
        data_folder,
        is_data_folder,
        named_database,
    )

    folder, named = data_folder(environment, home), named_database(environment, home)
    there = named if named is not None and _is_there(named.is_file) else None
    if there is not None or _is_there(lambda: is_data_folder(folder)):
        yield Place("opencode", folder, lambda: OpenCodeSource(folder, database=there))


def _maka(environment: Mapping[str, str], home: Path) -> Iterator[Place]:
    for base in _applications(environment, home):
        workspaces = base / "Maka" / "workspaces"
        if _is_there(workspaces.is_dir):
            for store in sorted(workspaces.glob(f"*/{STORE_NAME}")):
                yield Place("maka", store, partial(open_source, store))


def _hermes(environment: Mapping[str, str], home: Path) -> Iterator[Place]:
    folder = Path(environment.get("HERMES_HOME") or home / ".hermes")
    database = folder / HERMES_DATABASE
    if _is_there(database.is_file):
        yield Place("hermes", database, partial(open_source, database))


def _applications(environment: Mapping[str, str], home: Path) -> Iterator[Path]:
    """Where applications keep their data on this system."""
    if sys.platform == "darwin":
        yield home / "Library" / "Application Support"
    elif sys.platform == "win32":
        roaming = environment.get("APPDATA")
        yield Path(roaming) if roaming else home / "AppData" / "Roaming"
    else:
        configured = environment.get("XDG_CONFIG_HOME", "")
        yield Path(configured) if configured.startswith("/") else home / ".config"


def _is_there(asked: Callable[[], bool]) -> bool:
    """What may not be looked at is not there."""
    try:
        return asked()
    except OSError:
        return False
