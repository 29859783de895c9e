"""OpenCode's history from before it had a database: a JSON file per Session, message and part.

A migration copied the tree into the database once and left it; what it skipped lies here alone.
Ids are those of the file names, as the migration took them. Invariant: a Session that a database
has is the database's. Proof: tests/sources/test_opencode_tree.py.
"""

from __future__ import annotations

import threading
from collections.abc import Container, Iterator
from pathlib import PurePosixPath
from typing import Any, Final

from harkback.sources.opencode.messages import (
    Decoder,
    MessageRow,
    PartRow,
    created,
    own_title,
    revert_of,
)
from harkback.sources.sqlite.decode import milliseconds
from harkback.sources.transcripts.base import Decoded, Entry, FileRef, Files, Found, Outline

SESSIONS: Final = "storage/session"


class OpenCodeTree:
    """See ``harkback.sources.transcripts.base.Format``.

    ``owned`` are the Sessions that a database has, in the eyes of the thread that sets it.
    """

    agent = "opencode"
    nested = False

    def __init__(self) -> None:
        self._local = threading.local()

    @property
    def owned(self) -> Container[str]:
        found: Container[str] = getattr(self._local, "owned", ())
        return found

    @owned.setter
    def owned(self, sessions: Container[str]) -> None:
        self._local.owned = sessions

    def find(self, files: Files) -> Iterator[Found]:
        for project in files.listing(SESSIONS, "*"):
            if not project.is_folder:
                continue
            for entry in files.listing(project.path, "ses_*.json"):
                name = PurePosixPath(entry.path).stem
                if not entry.is_folder and name not in self.owned:
                    yield self._found(files, name, _ref(entry))

    def _found(self, files: Files, name: str, session: FileRef) -> Found:
        refs = [session]
        for entry in files.listing(f"storage/message/{name}", "msg_*.json"):
            if not entry.is_folder:
                refs.append(_ref(entry))
                parts = files.listing(
                    f"storage/part/{PurePosixPath(entry.path).stem}", "prt_*.json"
                )
                refs += [_ref(part) for part in parts if not part.is_folder]
        record = files.document(session.path) or {}
        parent = record.get("parentID")
        spawned = isinstance(parent, str) and parent not in ("", name)
        return Found(
            name,
            tuple(refs),
            archived=_time(record, "archived") is not None,
            parent=parent if spawned else None,
            parent_kind="subagent" if spawned else None,
        )

    def outline(self, files: Files, found: Found) -> Outline:
        record = files.document(found.files[0].path) or {}
        directory = record.get("directory")
        if not (isinstance(directory, str) and directory):
            directory = self._worktree(files, PurePosixPath(found.files[0].path).parent.name)
        return Outline(directory, milliseconds(_time(record, "created"), 0))

    def _worktree(self, files: Files, project: str) -> str | None:
        for entry in files.listing("storage/project", f"{project}.json"):
            worktree = (files.document(entry.path) or {}).get("worktree")
            if isinstance(worktree, str) and worktree:
                return worktree
        return None

    def decode(self, files: Files, found: Found) -> Decoded:
        session, *others = found.files
        headers: list[MessageRow] = []
        parts: dict[str, list[PartRow]] = {}
        for ref in others:
            path = PurePosixPath(ref.path)
            record = files.document(ref.path)
            if record is None:
                continue
            if path.parts[1] == "message":
                at = created(record, ref.modified)
                headers.append(MessageRow(path.stem, path.stem, record, at, path.stem))
            else:
                row = PartRow(path.stem, path.stem, record)
                parts.setdefault(path.parent.name, []).append(row)
        headers.sort(key=lambda header: (header.created, header.id))
        record = files.document(session.path) or {}
        decoder = Decoder(headers, revert_of(record.get("revert")), lambda _: None)
        if decoder.in_flight:
            files.problems["in_flight"] += 1
        messages = [
            message
            for header in headers
            for message in decoder.decode(header, sorted(parts.get(header.id, ()), key=_id))
        ]
        return Decoded(tuple(messages), _title(record))


def _id(part: PartRow) -> str:
    return part.id


def _ref(entry: Entry) -> FileRef:
    return FileRef(entry.path, "json", entry.size, entry.modified)


def _title(record: dict[str, Any]) -> str:
    title = record.get("title")
    return own_title(title) if isinstance(title, str) else ""


def _time(record: dict[str, Any], name: str) -> object:
    time = record.get("time")
    return time.get(name) if isinstance(time, dict) else None
