"""Codex: the CLI, the app and the editor extension, which share one home folder.

Invariant: what is decoded of a rollout depends on its rows alone, and is the same whether it lies
in ``sessions``, in ``archived_sessions`` or compressed. Proof:
tests/unit/sources/transcripts/test_codex.py, tests/sources/test_samples_codex.py.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any, Final, Literal

from harkback.sources.transcripts.base import Decoded, Files, Found, Outline
from harkback.sources.transcripts.codex import finding
from harkback.sources.transcripts.codex.rows import Rows
from harkback.sources.transcripts.values import mapping, mappings, milliseconds, text

_HEAD_RECORDS: Final = (
    64  # enough for the copied heads of any chain of forks, and for a first prompt
)


def roots(environ: Mapping[str, str], home: Path) -> list[Path]:
    """Where Codex keeps its history on this machine."""
    return [Path(environ["CODEX_HOME"]) if environ.get("CODEX_HOME") else home / ".codex"]


class Codex:
    """Rollouts of Codex."""

    agent = "codex"
    nested = True  # the arguments of a call are JSON inside a string

    def find(self, files: Files) -> Iterator[Found]:
        return finding.find(files)

    def outline(self, files: Files, found: Found) -> Outline:
        damage = files.problems.total()
        rows = Rows(found.id, Counter())
        read = _read(files, found, rows, limit=_HEAD_RECORDS)
        head = rows.head
        parent, kind = _parent(head, found.id)
        return Outline(
            project=text(head.get("cwd")) or rows.folder,
            started_at=milliseconds(head.get("timestamp")),
            parent=parent,
            parent_kind=kind,
            origin=rows.origin if rows.copied else parent or found.id,
            copied=rows.copied,
            empty=not rows.messages
            and read < _HEAD_RECORDS
            and files.problems.total() == damage,  # what cannot be read may be a Message
        )

    def decode(self, files: Files, found: Found) -> Decoded:
        rows = Rows(found.id, files.problems)
        _read(files, found, rows)
        prompt = rows.own_prompt.strip()
        # Until somebody names a thread, its title in the database is its first prompt.
        title = "" if prompt.startswith(found.title) else found.title
        # A copy begins with its parent's prompt, which would pass for its own.
        return Decoded(tuple(rows.messages), title or (prompt if rows.copied else ""))


def _read(files: Files, found: Found, rows: Rows, limit: int | None = None) -> int:
    """Hands the records of a rollout to ``rows``; how many there were, at most ``limit``."""
    file = found.files[0]
    if file.form == "json":
        document = files.document(file.path) or {}
        rows.old_head(mapping(document.get("session")))
        for item in mappings(document.get("items")):
            rows.bare(item)
        return 0
    read = 0
    for record in files.records(file.path, limit=limit):
        read += 1
        rows.row(record.value)
    return read


def _parent(
    head: dict[str, Any], own: str
) -> tuple[str | None, Literal["subagent", "branch"] | None]:
    """The Session that started this one, or that it was forked from."""
    source = mapping(head.get("source")).get("subagent")
    spawn = mapping(mapping(source).get("thread_spawn"))
    for name in (head.get("parent_thread_id"), spawn.get("parent_thread_id")):
        if text(name) and name != own:
            return text(name), "subagent"
    forked = text(head.get("forked_from_id"))
    return (forked, "branch") if forked and forked != own else (None, None)
