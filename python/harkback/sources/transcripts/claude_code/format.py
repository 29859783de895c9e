"""Claude Code as a Format: a Session's files, read in three depths.

Invariant: ``decode`` depends on the files of its Session alone, and holds no row longer than it
takes to look at it. Proof: tests/unit/sources/transcripts/claude_code/test_format.py.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any, Final

from harkback.sources.transcripts import values
from harkback.sources.transcripts.base import Decoded, FileRef, Files, Found, Outline, Record
from harkback.sources.transcripts.claude_code import finding
from harkback.sources.transcripts.claude_code.transcript import Side, Transcript

_HOPS: Final = 16  # resumes, each in a file of its own, back to the first


@dataclass(slots=True)
class _Opening:
    """What the rows up to the first Message tell."""

    first: dict[str, Any] = field(default_factory=dict)  # the first row that has an id
    project: str | None = None
    started_at: int = 0
    summarised: bool = False  # a summary stands ahead of all rows, as resumes wrote it


class ClaudeCode:
    """How Claude Code keeps its history."""

    agent: Final = "claude-code"
    nested: Final = False

    def find(self, files: Files) -> Iterator[Found]:
        return finding.find(files)

    def outline(self, files: Files, found: Found) -> Outline:
        opening = _opening(files, found)
        if opening is None:
            return Outline(empty=True)
        first = opening.first
        session = values.text(first.get("sessionId"))
        if found.parent_kind == "subagent":
            parent = found.parent or session or None
            return Outline(
                project=opening.project,
                started_at=opening.started_at,
                parent=parent,
                parent_kind="subagent" if parent else None,
            )
        fork = values.mapping(first.get("forkedFrom"))
        origin = values.text(fork.get("messageUuid")) or values.text(first.get("uuid"))
        parent = values.text(fork.get("sessionId")) or None
        if parent is None and session and session != _stem(found.files[0].path):
            # The file goes on where that of another Session ends.
            parent = session
            if isinstance(first.get("parentUuid"), str):
                origin = _origin(files, found, session) or origin
        return Outline(
            project=opening.project,
            started_at=opening.started_at,
            parent=parent,
            parent_kind="branch" if parent else None,
            origin=origin,
            copied=parent is not None or opening.summarised or first.get("sessionKind") == "bg",
        )

    def decode(self, files: Files, found: Found) -> Decoded:
        spills = {_name(ref.path): ref.path for ref in found.files if ref.form == "text"}

        def spilled(name: str) -> str | None:
            if name in spills:
                return files.text(spills[name])
            files.problems["spilled_output_missing"] += 1
            return None

        transcript = Transcript(found.id, _side(files, found), files.problems, spilled)
        for record in _records(files, found):
            transcript.add(record.offset, record.value)
        return Decoded(
            transcript.messages(), _description(files, found) or transcript.title(found.title)
        )


def _opening(files: Files, found: Found) -> _Opening | None:
    """Reads on to the first Message; None if there is none."""
    transcript = Transcript(found.id, _side(files, found), files.problems, lambda _: None)
    opening = _Opening()
    for record in _records(files, found):
        row = record.value
        if not transcript.takes(row):
            continue
        if not opening.first:
            opening.summarised |= row.get("type") == "summary"
            opening.first = row if values.text(row.get("uuid")) else {}
        opening.project = opening.project or values.text(row.get("cwd")) or None
        opening.started_at = opening.started_at or values.milliseconds(row.get("timestamp"))
        transcript.add(record.offset, row)
        if transcript.shows_last():
            return opening
    return opening if transcript.messages() else None


def _side(files: Files, found: Found) -> Side:
    if found.id.endswith(finding.SIDECHAINS):
        return "sidechains"
    if found.parent_kind != "subagent":
        for ref in _lines(found):
            if finding.holds_sidechains(files.head(ref.path)):
                return "main"
    return "all"


def _lines(found: Found) -> list[FileRef]:
    return [ref for ref in found.files if ref.form == "lines"]


def _records(files: Files, found: Found) -> Iterator[Record]:
    for ref in _lines(found):
        yield from files.records(ref.path)


def _description(files: Files, found: Found) -> str:
    """What the agent that called a subagent called its task."""
    for ref in found.files:
        if ref.form == "json":
            meta = files.document(ref.path)
            description = values.text(meta.get("description")).strip() if meta else ""
            if description:
                return description
    return ""


def _origin(files: Files, found: Found, session: str) -> str:
    """The first row of the history that ``session`` goes on with, file by file."""
    folder = found.files[0].path.rpartition("/")[0]
    origin = ""
    for _ in range(_HOPS):
        first = next(
            (r.value for r in files.records(f"{folder}/{session}.jsonl") if r.value.get("uuid")), {}
        )
        origin = values.text(first.get("uuid")) or origin
        above = values.text(first.get("sessionId"))
        if not isinstance(first.get("parentUuid"), str) or above in ("", session):
            break
        session = above
    return origin


def _name(path: str) -> str:
    return path.rpartition("/")[2]


def _stem(path: str) -> str:
    return _name(path).removesuffix(".jsonl")
