"""GitHub Copilot CLI: an event log per session, in one of three layouts.

Invariant: one Session per id: a folder before a flat log, both before what versions without an
event log left. Proof: tests/unit/sources/transcripts/test_copilot_cli.py.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Final

from harkback.sources.transcripts.base import Decoded, Entry, FileRef, Files, Form, Found, Outline
from harkback.sources.transcripts.copilot_cli.damage import Mender
from harkback.sources.transcripts.copilot_cli.events import Events, is_message
from harkback.sources.transcripts.copilot_cli.workspace import values

_HEAD_RECORDS: Final = 64
_EVENTS: Final = "events.jsonl"
_WORKSPACE: Final = "workspace.yaml"
_NAME: Final = re.compile(r"[A-Za-z0-9._-]+")
_LEGACY: Final = re.compile(r"session_(.+?)(?:_[0-9]+)?")


def roots(environ: Mapping[str, str], home: Path) -> list[Path]:
    """Where Copilot CLI keeps its history on this machine."""
    return [Path(environ["COPILOT_HOME"]) if environ.get("COPILOT_HOME") else home / ".copilot"]


class CopilotCli:
    """Sessions of Copilot CLI."""

    agent = "copilot-cli"
    nested = True  # arguments that are JSON inside a string, in what the first versions left

    def find(self, files: Files) -> Iterator[Found]:
        found: dict[str, tuple[FileRef, ...]] = {}
        for entry in files.listing("session-state", "*"):
            name = entry.path.rpartition("/")[2]
            if entry.is_folder and _NAME.fullmatch(name):
                folder = [
                    _file(beside, form)
                    for pattern, form in _FOLDER
                    for beside in files.listing(entry.path, pattern)
                    if not beside.is_folder
                ]
                if folder and folder[0].form == "lines" and folder[0].size:
                    found[name] = tuple(folder)
        for place in ("session-state", "history-session-state"):
            for pattern, form in _FLAT:
                for entry in files.listing(place, pattern):
                    flat = _flat_name(entry)
                    if flat and entry.size and not entry.is_folder:
                        found.setdefault(flat, (_file(entry, form),))
        for name, refs in found.items():
            yield Found(name, refs)

    def outline(self, files: Files, found: Found) -> Outline:
        damage = files.problems.total()
        events = Events(Counter())
        read = _read(files, found, events, limit=_HEAD_RECORDS)
        parent = events.parent if events.parent != found.id else ""
        return Outline(
            project=events.project or _workspace(files, found).get("cwd") or None,
            started_at=events.started_at,
            parent=parent or None,
            parent_kind="subagent" if parent else None,
            origin=parent or found.id,
            empty=not any(map(is_message, events.messages))
            and read < _HEAD_RECORDS
            and files.problems.total() == damage,  # what cannot be read may be a Message
        )

    def decode(self, files: Files, found: Found) -> Decoded:
        events = Events(files.problems)
        _read(files, found, events)
        title = _workspace(files, found).get("name") or events.title.strip()
        return Decoded(tuple(events.messages), title)


_FOLDER: Final[tuple[tuple[str, Form], ...]] = ((_EVENTS, "lines"), (_WORKSPACE, "text"))
_FLAT: Final[tuple[tuple[str, Form], ...]] = (("*.jsonl", "lines"), ("*.json", "json"))


def _file(entry: Entry, form: Form) -> FileRef:
    return FileRef(entry.path, form, entry.size, entry.modified)


def _flat_name(entry: Entry) -> str | None:
    stem = entry.path.rpartition("/")[2].rpartition(".")[0]
    legacy = _LEGACY.fullmatch(stem)
    name = legacy[1] if legacy else stem
    return name if _NAME.fullmatch(name) else None


def _workspace(files: Files, found: Found) -> dict[str, str]:
    for file in found.files[1:]:
        return values(files.text(file.path) or "")
    return {}


def _read(files: Files, found: Found, events: Events, limit: int | None = None) -> int:
    """Hands the events of a session to ``events``; how many there were, at most ``limit``."""
    file = found.files[0]
    read = 0
    if file.form == "json":
        events.chat(files.document(file.path) or {})
    else:
        mender = Mender(files.problems)
        for record in files.records(file.path, limit=limit, broken=mender):
            read += 1
            events.event(record.value)
        mender.close()
    events.close()
    return read
