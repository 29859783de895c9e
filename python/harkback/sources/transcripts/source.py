"""A folder of transcripts as a Source: Views over one listing, scanned raw, decoded when needed.

What is costly to get is kept between Views by the states of the files it came from: counts of
lines, outlines, titles, and the Sessions decoded last. Invariant: two Views have equal epochs only
if no file changed in between, as far as settled times, sizes and inodes tell; and what a View
reads of a Session twice is the same, or it raises ``source_unsettled``.
Proof: tests/sources/test_transcripts_source.py, tests/sources/test_contract_transcripts.py.
"""

from __future__ import annotations

import contextlib
import hashlib
import os
from collections.abc import Hashable, Iterator, Sequence
from dataclasses import replace
from functools import cached_property
from pathlib import Path
from typing import Final

from harkback.engine import Engine
from harkback.errors import SourceError, UsageError
from harkback.model import Gap, Session, StoredMessage
from harkback.sources.base import (
    TITLE,
    Catalog,
    ScanResult,
    Transcript,
    first_prompt,
    names,
    own_name,
    title_message,
)
from harkback.sources.transcripts import problems
from harkback.sources.transcripts.base import Format, Found, Outline
from harkback.sources.transcripts.files import End, FolderFiles, end_of, reason_of, standing
from harkback.sources.transcripts.held import fetch
from harkback.sources.transcripts.kept import Kept, Read, serials
from harkback.sources.transcripts.lineage import Kin, place
from harkback.sources.transcripts.listing import Listed, Listing, State

ATTEMPTS: Final = 4
WHOLE: Final = (1 << 63) - 1
#: Changes when the same files decode to other Messages than before.
_READER: Final = "harkback-transcripts-1"


class TranscriptSource:
    """The history that one agent keeps under one folder.

    Args:
        format: how the agent keeps it.
        root: the agent's folder.
        name: unique among the Sources of one Recall and stable; agent and folder when not given.
    """

    def __init__(
        self, format: Format, root: str | os.PathLike[str], *, name: str | None = None
    ) -> None:
        self.root = os.path.realpath(root)
        self.format = format
        self.name = name or f"{format.agent}:{self.root}"
        self.kept = Kept()
        self._closed = False

    @contextlib.contextmanager
    def view(self, engine: Engine) -> Iterator[TranscriptView]:
        """One consistent state.

        Raises:
            SourceError: the folder is missing or cannot be listed.
            UsageError: the Source was closed.
        """
        if self._closed:
            raise UsageError("closed", "This Source was closed.")
        try:
            with os.scandir(self.root):
                pass
        except (FileNotFoundError, NotADirectoryError):
            raise SourceError("source_missing", "There is no folder at this path.") from None
        except OSError:
            raise SourceError(
                "source_unreadable", "The folder cannot be listed; check its permissions."
            ) from None
        yield TranscriptView(self, engine, Listing(self.root, self.kept.heads))

    def close(self) -> None:
        self._closed = True


class TranscriptView:
    """One listing of the folder, and what was read of its files. Not for two threads at once."""

    def __init__(self, source: TranscriptSource, engine: Engine, listing: Listing) -> None:
        self._source = source
        self._format = source.format
        self._kept = source.kept
        self._engine = engine
        self._listing = listing
        self._lines: dict[str, int] = {}
        self._fingerprints: dict[str, bytes] = {}
        self._ends: dict[tuple[str, State], End] = {}
        self._places: dict[str, tuple[str, int]] | None = None
        files = FolderFiles(engine, listing)
        self._found: dict[str, Found] = {}
        for found in self._format.find(files):
            self._found.setdefault(found.id, found)
        self._catalog = self._list(problems.of_listing(files.problems))
        self._sessions = {session.id: session for session in self._catalog.sessions}
        states = tuple((path, at.state) for path, at in sorted(listing.files.items()))
        settled = all(listing.settled(state) for _, state in states)
        self._states = states if settled else None
        #: Of the files' states, once all are settled; of this View alone until then.
        self.epoch: Hashable = (
            self._kept.epoch((states, self._catalog)) if settled else next(serials)
        )

    @cached_property
    def token(self) -> bytes | None:
        if self._states is None:
            return None
        listed = [
            (s.id, s.title, s.archived, s.parent, s.parent_kind) for s in self._catalog.sessions
        ]
        told = (_READER, self._format.agent, self._states, listed, self._catalog.gaps)
        return hashlib.sha256(repr(told).encode()).digest()

    def _list(self, gaps: tuple[Gap, ...]) -> Catalog:
        kin = (Kin(each.id, each.parent, "", False, 0) for each in self._found.values())
        places = place(kin)
        sessions = [
            Session(
                source=self._source.name,
                agent=self._format.agent,
                id=found.id,
                title=found.title,
                project=None,
                started_at=0,
                last_activity_at=max((ref.modified for ref in found.files), default=0),
                archived=found.archived,
                parent=found.parent,
                parent_kind=found.parent_kind,
                lineage=places[found.id][0],
                generation=places[found.id][1],
            )
            for found in self._found.values()
        ]
        sessions.sort(key=lambda session: (-session.last_activity_at, session.id))
        return Catalog(tuple(sessions), gaps)

    def sessions(self) -> Catalog:
        """What names and stats tell; ``describe`` tells the rest of one Session."""
        return self._catalog

    def describe(self, session: str) -> Session:
        """What its first records tell, and where it lies."""
        listed, outline = self._sessions[session], self._outline(session)
        lineage, generation = self._lineage(session, outline)
        parent = listed.parent or outline.parent
        kind = listed.parent_kind or outline.parent_kind
        if parent is None and outline.copied and lineage != session:
            parent, kind = lineage, "branch"  # a copy that names no parent
        return replace(
            listed,
            place=str(Path(self._source.root, self._found[session].files[0].path)),
            project=outline.project,
            started_at=outline.started_at or self._known(session)[1],
            parent=parent,
            parent_kind=kind,
            lineage=lineage,
            generation=generation,
            copied=outline.copied,
        )

    def title(self, session: str) -> str:
        """Title, or the first prompt."""
        known = self._known(session)[0]
        return known if known else self._read(session).title

    def size(self) -> int:
        """Bytes of the files of all Sessions."""
        refs = {ref.path: ref.size for found in self._found.values() for ref in found.files}
        return sum(refs.values())

    def record_count(self, session: str) -> int:
        """Lines of a Session's files, and one for each file that is not of lines."""
        refs = [ref for ref in self._found[session].files if ref.form == "lines"]
        if any(self._count(ref.path) is None for ref in refs):
            self._scan_files((), list(self._found))
        lines = sum(self._count(ref.path) or 0 for ref in refs)
        return lines + len(self._found[session].files) - len(refs)

    def fingerprint(self, session: str) -> bytes:
        """Of the states and last bytes of its files, without decoding."""
        if session not in self._fingerprints:
            self._fingerprints[session] = fingerprint = self._hash(session)
            state = self._state(session)
            if all(at is not None and self._listing.settled(at.state) for at in state[1]):
                self._kept.fingerprints[session] = (state, fingerprint)
        return self._fingerprints[session]

    def unchanged(self, session: str, fingerprint: bytes) -> bool:
        """By the states of its files, if they were settled when the fingerprint was taken."""
        state = self._state(session)
        known = self._kept.fingerprints.get(session)
        if known is not None and known[0] == state:
            return known[1] == fingerprint
        return self.fingerprint(session) == fingerprint

    def scan(self, terms: Sequence[str], sessions: Sequence[str]) -> ScanResult:
        """The Sessions of whose files one may match, or cannot be read as it was listed."""
        offered = self._scan_files(terms, sessions)
        listed = (self._sessions[session] for session in sessions)  # with titles of other places
        return ScanResult(
            frozenset(offered.union(s.id for s in listed if names(self._engine, terms, s)))
        )

    def read(self, session: str) -> Transcript:
        return self._read(session).transcript

    def grown(self, session: str, fingerprint: bytes) -> None:
        """None: what a line says of those before it only the format knows."""

    def read_around(self, session: str, locators: Sequence[str]) -> list[StoredMessage]:
        messages = self._read(session).transcript.messages
        return [messages[-1 if at == TITLE else int(at)] for at in locators]

    def material(self, session: str, ref: str, limit: int) -> bytes | None:
        """From the files as they are: what was listed is known again by its digest."""
        return fetch(FolderFiles(self._engine, self._listing), self._found[session], ref)

    def _count(self, path: str) -> int | None:
        if path in self._lines:
            return self._lines[path]
        listed = self._listing.files.get(path)
        if listed is None:
            return 0
        state, lines = self._kept.lines.get(listed.place, (None, 0))
        return lines if state == listed.state else None

    def _scan_files(self, terms: Sequence[str], sessions: Sequence[str]) -> set[str]:
        """Counts lines on the way. A file that was replaced after it was scanned is offered."""
        listing = self._listing.files
        wanted = {ref.path: ref for name in sessions for ref in self._found[name].files}
        files = [(ref, listing[ref.path]) for ref in wanted.values() if ref.path in listing]
        answers = self._engine.scanner(terms).files(
            [
                (at.place, ref.form, at.state.size if ref.form == "lines" else WHOLE)
                for ref, at in files
            ],
            self._format.nested,
        )
        ruled_out = set()
        for (ref, at), (may_match, lines) in zip(files, answers, strict=True):
            self._lines[ref.path] = lines
            try:
                same = standing(at, ref.form) is at
            except OSError:
                same = False
            if same:
                if lines or not may_match:  # else it may be one that could not be opened
                    self._kept.lines[at.place] = (at.state, lines)
                if not may_match:
                    ruled_out.add(ref.path)
        return {
            name
            for name in sessions
            if not all(ref.path in ruled_out for ref in self._found[name].files)
        }

    def _read(self, session: str) -> Read:
        for _ in range(ATTEMPTS):
            fingerprint = self._hash(session)
            read = self._kept.find(session, fingerprint)
            if read is None:
                read = self._decode(session, fingerprint)
                if self._hash(session) != fingerprint:
                    continue
                self._kept.keep(session, read)
            if self._fingerprints.setdefault(session, fingerprint) != fingerprint:
                break
            return read
        raise SourceError(
            "source_unsettled", "A transcript was rewritten while it was read; ask again."
        )

    def _decode(self, session: str, fingerprint: bytes) -> Read:
        files = FolderFiles(self._engine, self._listing)
        found = self._found[session]
        decoded = self._format.decode(files, found)
        gaps, damage = problems.of_session(files.problems)
        started_at = next((m.timestamp for m in decoded.messages if m.timestamp), 0)
        titled = replace(self._sessions[session], title=decoded.title, started_at=started_at)
        messages = (*_located(decoded.messages), *title_message(titled))
        return Read(
            Transcript(messages, fingerprint, gaps, damage),
            decoded.title or first_prompt(messages),
            started_at,
            sum(ref.size for ref in found.files),
        )

    def _hash(self, session: str) -> bytes:
        """Of the state of each file, its last bytes, and whether its tail is read."""
        found = self._found[session]
        digest = hashlib.sha256(repr((_READER, self._format.agent, found.title)).encode())
        for ref in found.files:
            listed = self._listing.files.get(ref.path)
            try:
                if listed is None:
                    raise FileNotFoundError
                at = standing(listed, ref.form)
                key = (at.place, at.state)
                if key not in self._ends:
                    self._ends[key] = end_of(at)
                end = self._ends[key]
                pending = end.torn and not self._listing.settled(at.state)
                digest.update(repr((ref.path, ref.form, at.state, end.digest, pending)).encode())
            except OSError as error:
                digest.update(repr((ref.path, reason_of(error))).encode())
        return digest.digest()

    def _state(self, session: str) -> tuple[str, tuple[Listed | None, ...]]:
        """The title that an index gives a Session, and its files as they were listed."""
        found, files = self._found[session], self._listing.files
        return found.title, tuple(files.get(ref.path) for ref in found.files)

    def _outline(self, session: str) -> Outline:
        found, (_, state) = self._found[session], self._state(session)
        kept = self._kept.outlines.get(session)
        if kept is None or kept[0] != state:
            outline = self._format.outline(FolderFiles(self._engine, self._listing), found)
            kept = self._kept.outlines[session] = (state, outline)
        return kept[1]

    def _known(self, session: str) -> tuple[str, int]:
        """Title and time of the first Message, of what was read before and has not changed."""
        fingerprint, title, started_at = self._kept.titles.get(session, (b"", "", 0))
        return (title, started_at) if fingerprint == self.fingerprint(session) else ("", 0)

    def _lineage(self, session: str, outline: Outline) -> tuple[str, int]:
        listed = self._sessions[session]
        if outline.origin in ("", session) and not (outline.parent or listed.parent):
            return session, 0
        if self._places is None:
            self._places = place(self._kin(name) for name in self._found)
        return self._places[session]

    def _kin(self, session: str) -> Kin:
        outline = self._outline(session)
        parent = self._found[session].parent or outline.parent
        return Kin(session, parent, outline.origin, outline.copied, outline.started_at)


def _located(messages: Sequence[StoredMessage]) -> Iterator[StoredMessage]:
    """With ids of their own, and their positions as locators."""
    taken: dict[str, int] = {}
    for position, message in enumerate(messages):
        yield message._replace(id=own_name(taken, message.id), locator=str(position))
