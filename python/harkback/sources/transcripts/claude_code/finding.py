"""Where Claude Code keeps transcripts, and which Sessions the files are.

``projects/<folder>/<session>.jsonl`` is a Session. What belongs to it lies in a folder of its name:
``subagents/**/agent-*.jsonl``, Sessions of their own, and ``tool-results``, outputs too long for
their rows. Invariant: no name but these is opened, and a Session is found once, in however many
project folders it lies. Proof: tests/unit/sources/transcripts/claude_code/test_finding.py.
"""

from __future__ import annotations

import re
import unicodedata
from collections import defaultdict
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final, NamedTuple

from harkback.decoding import Damaged, parse
from harkback.sources.transcripts import values
from harkback.sources.transcripts.base import Entry, FileRef, Files, Form, Found

#: Of the child Session that holds the subagents of a file of 1.x.
SIDECHAINS: Final = "/sidechains"
_AGENT: Final = "agent-*"
_COMPACTION: Final = "agent-acompact-"  # the transcript of the helper that writes summaries
_DEPTH: Final = 4  # of folders below ``subagents``, and of the desktop's above its Sessions
_START: Final = 64  # of a line: its type stands there
_HEAD: Final = 16 << 10
_SPILLED: Final = (".txt", ".json")
#: Bytes without which a file holds no Message, whoever wrote it. An escape may hide them.
_SAID: Final = re.compile(rb'"type"\s*:\s*"(?:user|assistant|attachment|queue-operation)"|\\u')
_SIDECHAIN: Final = re.compile(rb'"isSidechain"\s*:\s*true')
_VERSION: Final = re.compile(rb'"version"\s*:\s*"(\d+)\.')


@dataclass(slots=True)
class _Files:
    """The files of one Session, from all folders in which it lies."""

    lines: list[Entry] = field(default_factory=list)
    metas: list[Entry] = field(default_factory=list)
    spills: list[Entry] = field(default_factory=list)

    def refs(self, spills: list[Entry]) -> tuple[FileRef, ...]:
        """Transcripts first, the oldest first: rows that a later one repeats are its."""
        forms: tuple[tuple[Form, list[Entry]], ...] = (
            ("lines", sorted(self.lines, key=lambda entry: (entry.modified, entry.path))),
            ("json", self.metas),
            ("text", spills),
        )
        return tuple(
            FileRef(entry.path, form, entry.size, entry.modified)
            for form, entries in forms
            for entry in entries
        )


class _Head(NamedTuple):
    """What the first bytes of a transcript tell."""

    summaries: tuple[tuple[str, str], ...]
    may_say: bool
    may_hold_sidechains: bool


def roots(environ: Mapping[str, str], home: Path) -> list[Path]:
    """Where its history may lie: its own folder, then what the desktop application keeps."""
    configured = environ.get("CLAUDE_CONFIG_DIR")
    own = Path(unicodedata.normalize("NFC", configured)) if configured else home / ".claude"
    applications = [home / "Library" / "Application Support"]
    xdg = environ.get("XDG_CONFIG_HOME", "")
    applications.append(Path(xdg) if xdg.startswith("/") else home / ".config")
    if roaming := environ.get("APPDATA"):
        applications.append(Path(roaming))
    if local := environ.get("LOCALAPPDATA"):
        packages = sorted((Path(local) / "Packages").glob("Claude_*"))
        applications += [package / "LocalCache" / "Roaming" for package in packages]
    return [own, *(folder / "Claude" / "local-agent-mode-sessions" for folder in applications)]


def find(files: Files) -> Iterator[Found]:
    """Every Session, from names, stats and the first bytes of transcripts."""
    sessions: defaultdict[str, _Files] = defaultdict(_Files)
    agents: defaultdict[str, defaultdict[str, _Files]] = defaultdict(lambda: defaultdict(_Files))
    heads: dict[str, _Head] = {}
    titles: dict[str, str] = {}
    for folder in _projects(files):
        summaries: dict[str, str] = {}
        ours: list[tuple[str, Entry]] = []
        for entry in files.listing(folder, "*"):
            name = entry.path.rpartition("/")[2]
            if entry.is_folder:
                _side_folder(files, entry.path, sessions[name], agents, name)
            elif name.startswith("agent-"):
                _agent(name, entry, agents, "")
            elif name.endswith(".jsonl") and entry.size:
                head = heads[entry.path] = files.of_head(entry.path, _read_head)
                summaries.update(head.summaries)
                ours.append((name.removesuffix(".jsonl"), entry))
        for session, entry in ours:
            if heads[entry.path].may_say:
                sessions[session].lines.append(entry)
                if summaries and (title := summaries.get(_last_row(files.tail(entry.path)))):
                    titles[session] = title
    for session, its in sessions.items():
        if its.lines:
            refs = its.refs(its.spills)
            yield Found(session, refs, title=titles.get(session, ""))
            if any(heads[entry.path].may_hold_sidechains for entry in its.lines):
                lines = tuple(ref for ref in refs if ref.form == "lines")
                yield Found(session + SIDECHAINS, lines, parent=session, parent_kind="subagent")
    yield from _subagents(sessions, agents)


def _read_head(head: bytes) -> _Head:
    may_say = len(head) == _HEAD or _SAID.search(head) is not None
    return _Head(tuple(_summaries(head)), may_say, holds_sidechains(head))


def holds_sidechains(head: bytes) -> bool:
    """Whether a transcript that begins so may hold those of its subagents: up to 1.x they did."""
    version = _VERSION.search(head)  # of the first row that has one
    return (version is not None and version[1] in (b"0", b"1")) and (
        len(head) == _HEAD or _SIDECHAIN.search(head) is not None
    )


def _projects(files: Files) -> Iterator[str]:
    """Folders of projects. The desktop keeps a ``.claude`` for each of its Sessions."""
    above = [entry.path for entry in files.listing("", "projects") if entry.is_folder]
    if not above:
        level = [entry.path for entry in files.listing("", "*") if entry.is_folder]
        for _ in range(_DEPTH):
            below: list[str] = []
            for folder in level:
                if folder.rpartition("/")[2].startswith("local_"):
                    for own in files.listing(folder, ".claude"):
                        above += [e.path for e in files.listing(own.path, "projects")]
                else:
                    below += [e.path for e in files.listing(folder, "*") if e.is_folder]
            level = below
    for projects in above:
        yield from (entry.path for entry in files.listing(projects, "*") if entry.is_folder)


def _side_folder(
    files: Files,
    folder: str,
    session: _Files,
    agents: defaultdict[str, defaultdict[str, _Files]],
    name: str,
) -> None:
    for below in files.listing(folder, "*"):
        kind = below.path.rpartition("/")[2]
        if below.is_folder and kind == "tool-results":
            session.spills += [
                entry
                for entry in files.listing(below.path, "*")
                if entry.path.endswith(_SPILLED) and not entry.is_folder
            ]
        elif below.is_folder and kind == "subagents":
            level = [below.path]
            for _ in range(_DEPTH):
                for entry in [e for each in level for e in files.listing(each, _AGENT)]:
                    if not entry.is_folder:
                        _agent(entry.path.rpartition("/")[2], entry, agents, name)
                level = [e.path for each in level for e in files.listing(each, "*") if e.is_folder]


def _agent(
    name: str, entry: Entry, agents: defaultdict[str, defaultdict[str, _Files]], parent: str
) -> None:
    if name.startswith(_COMPACTION):
        return
    if name.endswith(".meta.json"):
        agents[name.removesuffix(".meta.json")][parent].metas.append(entry)
    elif name.endswith(".jsonl") and entry.size:
        agents[name.removesuffix(".jsonl")][parent].lines.append(entry)


def _subagents(
    sessions: Mapping[str, _Files], agents: Mapping[str, Mapping[str, _Files]]
) -> Iterator[Found]:
    """Subagents. The id of one is its own, unless a copy of its parent's folder has it too."""
    for agent, parents in agents.items():
        taken = False
        for parent in sorted(parents):
            its = parents[parent]
            if its.lines:
                # Its long outputs lie with those of its parent.
                spills = sessions[parent].spills if parent in sessions else []
                id_ = f"{parent}/{agent}" if taken else agent
                yield Found(id_, its.refs(spills), parent=parent or None, parent_kind="subagent")
                taken = True


def _summaries(head: bytes) -> Iterator[tuple[str, str]]:
    """Summaries at the top of a file, by the last row of the history that each tells of."""
    if b'"summary"' not in head[:_START]:
        return
    for line in head.split(b"\n")[:-1]:
        if b'"summary"' not in line[:_START]:
            return
        try:
            row = parse(line)
        except Damaged:
            return
        leaf, summary = values.text(row.get("leafUuid")), values.text(row.get("summary")).strip()
        if leaf and summary:
            yield leaf, summary


def _last_row(tail: bytes) -> str:
    """Id of the last row of a transcript that has one; "" if it is not among its last bytes."""
    for line in reversed(tail.split(b"\n")):
        if b'"uuid"' in line:
            try:
                return values.text(parse(line).get("uuid"))
            except Damaged:
                continue
    return ""
