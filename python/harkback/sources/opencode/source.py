"""All of OpenCode's history on a machine as one Source: its databases, and the tree of before.

Builds of several channels have databases of their own. Invariant: a Session is read from one
place: of several databases that have it from the one where it was used last, from the tree only
if none has it. A part that cannot be read is a Gap; the others are read.
Proof: tests/sources/test_opencode_tree.py, tests/sources/test_samples_opencode.py.
"""

from __future__ import annotations

import contextlib
import hashlib
import os
import threading
from collections.abc import Hashable, Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Final

from harkback.engine import Engine
from harkback.errors import SourceError, UsageError
from harkback.model import Gap, Session, StoredMessage
from harkback.sources.base import Catalog, Grown, ScanResult, Transcript, View
from harkback.sources.sqlite.lineage import placed
from harkback.sources.sqlite.opencode import OpenCode
from harkback.sources.sqlite.source import SqliteSource
from harkback.sources.transcripts.opencode_tree import SESSIONS, OpenCodeTree
from harkback.sources.transcripts.source import TranscriptSource

DATABASES: Final = "opencode*.db"


def data_folder(environment: Mapping[str, str], home: Path) -> Path:
    """Where OpenCode keeps its history, on every system."""
    base = environment.get("XDG_DATA_HOME")
    return (Path(base) if base else home / ".local" / "share") / "opencode"


def named_database(environment: Mapping[str, str], home: Path) -> Path | None:
    """The database that the environment names, relative to the data folder; not one in memory."""
    name = environment.get("OPENCODE_DB", "")
    return data_folder(environment, home) / name if name and name != ":memory:" else None


def is_data_folder(folder: Path) -> bool:
    """Whether there is anything of OpenCode's in a folder."""
    return (folder / SESSIONS).is_dir() or any(folder.glob(DATABASES))


class OpenCodeSource:
    """OpenCode's history.

    Args:
        folder: its data folder.
        name: unique among the Sources of one Recall and stable; made of the folder if not given.
        database: one more, wherever it lies.
    """

    def __init__(
        self,
        folder: str | os.PathLike[str],
        *,
        name: str | None = None,
        database: str | os.PathLike[str] | None = None,
    ) -> None:
        self._folder = Path(os.path.realpath(folder))
        self.name = name or f"opencode:{self._folder}"
        self._named = [] if database is None else [os.path.realpath(database)]
        self._format = OpenCodeTree()
        self._tree = TranscriptSource(self._format, self._folder, name=self.name)
        self._databases: dict[str, SqliteSource] = {}
        self._lock = threading.Lock()  # guards the databases
        self._closed = False

    @contextlib.contextmanager
    def view(self, engine: Engine) -> Iterator[OpenCodeView]:
        """One state of each part; they are looked at one after another, databases first.

        Raises:
            SourceError: no part can be read.
            UsageError: the Source was closed.
        """
        if self._closed:
            raise UsageError("closed", "This Source was closed.")
        views: list[View] = []
        failures: list[SourceError] = []
        with contextlib.ExitStack() as opened:
            for source in self._sources():
                try:
                    views.append(opened.enter_context(source.view(engine)))
                except SourceError as error:
                    failures.append(error)
            if (self._folder / SESSIONS).is_dir():
                self._format.owned = {s.id for view in views for s in view.sessions().sessions}
                views.append(opened.enter_context(self._tree.view(engine)))
            if not views:
                missing = SourceError("source_missing", "OpenCode has no history in this folder.")
                raise failures[0] if failures else missing
            yield OpenCodeView(views, failures)

    def _sources(self) -> list[SqliteSource]:
        paths = {os.path.realpath(path) for path in self._folder.glob(DATABASES)}
        with self._lock:
            for path in sorted({*paths, *self._named}):
                if path not in self._databases:
                    self._databases[path] = SqliteSource(path, name=self.name, schema=OpenCode())
            return [self._databases[path] for path in sorted({*paths, *self._named})]

    def close(self) -> None:
        self._closed = True
        self._tree.close()
        for source in self._databases.values():
            source.close()


class OpenCodeView:
    """The Views of all parts as one. Not for two threads at once."""

    def __init__(self, views: Sequence[View], failures: Sequence[SourceError]) -> None:
        self.epoch: Hashable = (
            tuple(view.epoch for view in views),
            tuple(error.reason for error in failures),
        )
        self._failures = len(failures)
        self._parts = tuple(views)
        found: dict[str, tuple[Session, View]] = {}
        gaps: list[Gap] = [Gap("source_incomplete", error.message, 1) for error in failures]
        for view in views:
            catalog = view.sessions()
            gaps += catalog.gaps
            for session in catalog.sessions:
                known = found.get(session.id)
                if known is None or known[0].last_activity_at < session.last_activity_at:
                    found[session.id] = (session, view)
        sessions = placed(session for session, _ in found.values())
        sessions.sort(key=lambda session: (-session.last_activity_at, session.id))
        self._views = {name: view for name, (_, view) in found.items()}
        self._sessions = {session.id: session for session in sessions}
        self._catalog = Catalog(tuple(sessions), tuple(gaps))

    @property
    def token(self) -> bytes | None:
        tokens = [view.token for view in self._parts]
        if self._failures or None in tokens:
            return None
        return hashlib.sha256(repr(tokens).encode()).digest()

    def sessions(self) -> Catalog:
        return self._catalog

    def describe(self, session: str) -> Session:
        listed = self._sessions[session]
        known = self._views[session].describe(session)
        return replace(known, lineage=listed.lineage, generation=listed.generation)

    def title(self, session: str) -> str:
        return self._views[session].title(session)

    def size(self) -> int:
        return sum(view.size() for view in self._parts)

    def record_count(self, session: str) -> int:
        return self._views[session].record_count(session)

    def fingerprint(self, session: str) -> bytes:
        return self._views[session].fingerprint(session)

    def unchanged(self, session: str, fingerprint: bytes) -> bool | None:
        return self._views[session].unchanged(session, fingerprint)

    def scan(self, terms: Sequence[str], sessions: Sequence[str]) -> ScanResult:
        offered: set[str] = set()
        declined: Gap | None = None
        asked: dict[View, list[str]] = {}
        for session in sessions:
            asked.setdefault(self._views[session], []).append(session)
        for view, names in asked.items():
            result = view.scan(terms, names)
            offered |= result.offered
            declined = declined or result.declined
        return ScanResult(frozenset(offered), declined)

    def read(self, session: str) -> Transcript:
        return self._views[session].read(session)

    def grown(self, session: str, fingerprint: bytes) -> Grown | None:
        return self._views[session].grown(session, fingerprint)

    def read_around(self, session: str, locators: Sequence[str]) -> list[StoredMessage]:
        return self._views[session].read_around(session, locators)

    def material(self, session: str, ref: str, limit: int) -> bytes | None:
        return self._views[session].material(session, ref, limit)
