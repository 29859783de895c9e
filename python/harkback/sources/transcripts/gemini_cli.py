"""Gemini CLI: one log of versions per chat, and the whole documents that came before it.

A record is a Message, a newer version of one, a change of the metadata (``$set``) or a rewind
(``$rewindTo``). Invariant: a Message stands where its first version stood and shows its last one,
unless the last only masks what an earlier one said in full; what a compression takes out of the
conversation stays, what a rewind or a rollback takes out is abandoned.
Proof: tests/unit/sources/transcripts/test_gemini_cli.py.
"""

from __future__ import annotations

import hashlib
import re
from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final, NamedTuple

from harkback.model import JsonPart, Kind, Part, StoredMessage, TextPart
from harkback.sources import attachments
from harkback.sources.transcripts.base import Decoded, Entry, FileRef, Files, Found, Outline
from harkback.sources.transcripts.values import (
    count_unknown,
    mapping,
    mappings,
    milliseconds,
    text,
    visible,
)

_HEAD_RECORDS: Final = 64
_CHAT: Final = re.compile(r"(session-[0-9T-]+-([0-9a-zA-Z]{8}))\.(jsonl|json)")
_FOLDER: Final = re.compile(r"[A-Za-z0-9._-]+")
_SUBAGENT: Final = re.compile(r"([A-Za-z0-9_-]+)\.(jsonl|json)")
_HASH: Final = re.compile(r"[0-9a-f]{64}")
_COMMAND: Final = re.compile(r"/[a-z][\w:-]*(\s|$)|\?\s*$")
_INJECTED: Final = ("<session_context>", "<hook_context>")
_SUMMARY: Final = "<state_snapshot>"
_ACKNOWLEDGEMENT: Final = "Got it. Thanks for the additional context!"
_SILENT_TYPES: Final = frozenset({"info", "warning", "error"})


def roots(environ: Mapping[str, str], home: Path) -> list[Path]:
    """Where Gemini CLI keeps its history on this machine."""
    return [Path(environ.get("GEMINI_CLI_HOME") or home) / ".gemini"]


class GeminiCli:
    """Chats of Gemini CLI."""

    agent = "gemini-cli"
    nested = False

    def find(self, files: Files) -> Iterator[Found]:
        """Chats by file name, which holds the start of the id; subagents by their folder."""
        best: dict[str, tuple[tuple[bool, int], Found]] = {}
        for project in files.listing("tmp", "*"):
            if project.is_folder:
                for rank, found in _chats(files, f"{project.path}/chats"):
                    # A project's folder is renamed from its hash to its name: both may be there.
                    held = best.get(found.id)
                    if held is None or rank > held[0]:
                        best[found.id] = (rank, found)
        for _, found in best.values():
            yield found

    def outline(self, files: Files, found: Found) -> Outline:
        damage = files.problems.total()
        chat = _Chat(Counter())
        read = _read(files, found, chat, limit=_HEAD_RECORDS)
        return Outline(
            project=_project(files, found.files[0].path, chat.metadata),
            started_at=milliseconds(chat.metadata.get("startTime")),
            parent=found.parent,
            parent_kind=found.parent_kind,
            origin=found.parent or found.id,
            empty=not any(entry.said for entry in chat.entries.values())
            and read < _HEAD_RECORDS
            and files.problems.total() == damage,  # what cannot be read may be a Message
        )

    def decode(self, files: Files, found: Found) -> Decoded:
        chat = _Chat(files.problems)
        _read(files, found, chat)
        return Decoded(tuple(_messages(chat)), text(chat.metadata.get("summary")).strip())


def _chats(files: Files, folder: str) -> Iterator[tuple[tuple[bool, int], Found]]:
    parents: dict[str, str] = {}  # the start of a Session's id -> its name as a Session
    for entry in files.listing(folder, "session-*"):
        matched = _CHAT.fullmatch(entry.path.rpartition("/")[2])
        if matched is not None and not entry.is_folder and entry.size:
            parents[matched[2]] = matched[1]
            yield _found(matched[1], entry)
    for parent in files.listing(folder, "*"):
        name = parent.path.rpartition("/")[2]
        if not parent.is_folder or not _FOLDER.fullmatch(name):
            continue
        for entry in files.listing(parent.path, "*.json*"):
            matched = _SUBAGENT.fullmatch(entry.path.rpartition("/")[2])
            if matched is not None and not entry.is_folder and entry.size:
                yield _found(matched[1], entry, parents.get(name[:8], name))


def _found(name: str, entry: Entry, parent: str | None = None) -> tuple[tuple[bool, int], Found]:
    """A Session, and how it ranks among copies of it: the log goes before the older document."""
    is_log = entry.path.endswith(".jsonl")
    file = FileRef(entry.path, "lines" if is_log else "json", entry.size, entry.modified)
    found = Found(name, (file,), parent=parent, parent_kind="subagent" if parent else None)
    return (is_log, entry.modified), found


def _project(files: Files, path: str, metadata: Mapping[str, Any]) -> str | None:
    """The folder that the chat ran in: records name only a digest of it."""
    folder = path.split("/")[1]
    known: dict[str, str] = {}
    for entry in files.listing("", "projects.json"):
        for root, name in mapping(mapping(files.document(entry.path)).get("projects")).items():
            known[root] = text(name)
    for root, name in known.items():
        if name == folder:
            return root
    for entry in files.listing(f"tmp/{folder}", ".project_root"):
        if root := (files.text(entry.path) or "").strip():
            return root
    digests = {text(metadata.get("projectHash")), folder}
    for root in known if any(map(_HASH.fullmatch, digests)) else ():
        if hashlib.sha256(root.encode("utf-8", "surrogatepass")).hexdigest() in digests:
            return root
    directories = metadata.get("directories")
    first = text(directories[0]) if isinstance(directories, list) and directories else ""
    return first or None


class _Said(NamedTuple):
    """One visible Message of an entry; ``id`` is its place among the others of the entry."""

    id: str
    kind: Kind
    parts: tuple[Part, ...]


@dataclass(slots=True)
class _Entry:
    """A record of a Message in the version that is shown; the others are not kept."""

    time: int
    said: list[_Said]
    size: int  # code points of its visible strings
    abandoned: bool = False


@dataclass(slots=True)
class _Chat:
    """The entries of a chat by id, in the order of their first versions."""

    problems: Counter[str]
    metadata: dict[str, Any] = field(default_factory=dict)
    entries: dict[str, _Entry] = field(default_factory=dict)

    def record(self, record: dict[str, Any]) -> None:
        if "$rewindTo" in record:
            self._rewind(text(record["$rewindTo"]))
        elif "$set" in record:
            self.update(mapping(record["$set"]))
        elif "sessionId" in record or "projectHash" in record:
            self.update(record)
        elif isinstance(record.get("id"), str):
            self._version(record, masked=False)
        else:
            count_unknown(self.problems, record)

    def update(self, metadata: dict[str, Any]) -> None:
        """Takes over metadata, and the Messages that it may carry."""
        messages = metadata.get("messages")
        self.metadata |= {k: v for k, v in metadata.items() if k != "messages"}
        if isinstance(messages, list):
            self._rebuild(list(mappings(messages)))

    def _rewind(self, target: str) -> None:
        """The target and all after it leave the conversation; all of it if it is not there."""
        found = target not in self.entries
        for name, entry in self.entries.items():
            found = found or name == target
            entry.abandoned = entry.abandoned or found

    def _rebuild(self, messages: list[dict[str, Any]]) -> None:
        """The list as a compression, a masking or a rollback leaves it.

        A compression puts something new in the place of what it takes out, which was said all the
        same. A rollback only shortens the list at its end.
        """
        kept = [name for m in messages if (name := text(m.get("id"))) in self.entries]
        if kept and len(kept) == len(messages):
            last = kept[-1]
            after = False
            for name, entry in self.entries.items():
                entry.abandoned = entry.abandoned or after
                after = after or name == last
        for message in messages:
            self._version(message, masked=True)

    def _version(self, message: dict[str, Any], masked: bool) -> None:
        name = text(message.get("id"))
        said = _said(message, self.problems)
        held = self.entries.get(name)
        if held is None:
            time = milliseconds(message.get("timestamp"))
            self.entries[name or f"#{len(self.entries)}"] = _Entry(time, said, _size(said))
            return
        size = _size(said)
        if not masked or size >= held.size:
            held.said, held.size = said, size
        if not masked:
            held.abandoned = False  # it is being written, so it is in the conversation


def _size(said: list[_Said]) -> int:
    total = 0
    stack: list[object] = [part for one in said for part in one.parts]
    while stack:
        node = stack.pop()
        if isinstance(node, TextPart):
            total += len(node.text)
        elif isinstance(node, JsonPart):
            stack.append(node.value)
        elif isinstance(node, str):
            total += len(node)
        elif isinstance(node, dict):
            stack += node.values()
        elif isinstance(node, list):
            stack += node
    return total


def _said(message: dict[str, Any], problems: Counter[str]) -> list[_Said]:
    """The Messages of one version: a prompt, or an answer and the calls that it made."""
    kind = text(message.get("type"))
    if kind == "user":
        shown = message.get("displayContent")
        parts = _parts(message.get("content") if shown is None else shown, problems)
        opening = next((part.text for part in parts if isinstance(part, TextPart)), "")
        if not parts or opening.startswith(_INJECTED) or _COMMAND.match(opening):
            return []
        return [_Said("", "summary" if opening.startswith(_SUMMARY) else "user", tuple(parts))]
    if kind == "gemini":
        parts = _parts(message.get("content"), problems)
        said = [_Said("", "assistant", tuple(parts))] if parts else []
        names: set[str] = set()
        for index, call in enumerate(mappings(message.get("toolCalls"))):
            name = text(call.get("id"))
            name = f"{name}#{index}" if name in names or not name else name
            names.add(name)
            said += _call(name, call, problems)
        return said
    if kind not in _SILENT_TYPES:
        count_unknown(problems, message)
    return []


def _parts(content: object, problems: Counter[str]) -> list[Part]:
    """Text and files of a string, a part or a list of parts; each string a leaf of its own."""
    found: list[Part] = []
    for part in content if isinstance(content, list) else [content]:
        if not isinstance(part, dict):
            found += visible("content", text(part))
            continue
        if part.get("thought") is True or "functionCall" in part or "functionResponse" in part:
            continue  # thinking, and twins of ``toolCalls``
        inline, reference = mapping(part.get("inlineData")), mapping(part.get("fileData"))
        if inline:
            name = text(inline.get("displayName"))
            found.append(attachments.inline(name, text(inline.get("mimeType")), inline.get("data")))
        elif reference:
            name = text(reference.get("displayName")) or text(reference.get("fileUri"))
            name = name.rpartition("/")[2]
            found.append(attachments.attachment(name, text(reference.get("mimeType")), None))
        elif isinstance(part.get("text"), str):
            found += visible("content.text", part["text"])
        elif part:
            count_unknown(problems, part)
    return found


def _call(name: str, call: dict[str, Any], problems: Counter[str]) -> list[_Said]:
    parts = (*visible("name", text(call.get("name"))), *visible("args", call.get("args")))
    said = [_Said(f"/{name}/tool_call", "tool_call", parts)]
    result = call.get("result")
    if result is None:
        result = call.get("resultDisplay")
        answer: list[Part] = [*visible("resultDisplay", result)]
    else:
        answer = _result(result, problems)
    if answer:
        said.append(_Said(f"/{name}/tool_result", "tool_result", tuple(answer)))
    return said


def _result(result: object, problems: Counter[str]) -> list[Part]:
    """What a tool answered: its output or error, and what came beside it."""
    found: list[Part] = []
    for part in [result] if isinstance(result, dict) else mappings(result):
        response = mapping(mapping(part.get("functionResponse")).get("response"))
        told = [name for name in ("output", "error") if response.get(name)]
        if told:
            for key in told:
                found += visible(f"result.response.{key}", response[key])
        else:
            found += visible("result.response", response)
    return found + _parts(result, problems)


def _messages(chat: _Chat) -> Iterator[StoredMessage]:
    turn: str | None = None
    after_summary = False
    for name, entry in chat.entries.items():
        for said in entry.said:
            if after_summary and said.kind == "assistant" and _acknowledges(said):
                continue
            if said.kind == "user":
                turn = name
            yield StoredMessage(
                name + said.id,
                said.kind,
                turn,
                entry.time,
                said.parts,
                "",
                abandoned=entry.abandoned,
            )
        after_summary = any(said.kind == "summary" for said in entry.said)


def _acknowledges(said: _Said) -> bool:
    """Whether it is the answer that a compression puts in the model's mouth."""
    first = said.parts[0]
    return isinstance(first, TextPart) and first.text.startswith(_ACKNOWLEDGEMENT)


def _read(files: Files, found: Found, chat: _Chat, limit: int | None = None) -> int:
    """Hands the records of a chat to ``chat``; how many there were, at most ``limit``."""
    file = found.files[0]
    if file.form == "json":
        chat.update(files.document(file.path) or {})
        return 0
    read = 0
    for record in files.records(file.path, limit=limit):
        read += 1
        chat.record(record.value)
    return read
