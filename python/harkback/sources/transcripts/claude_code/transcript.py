"""Rows of one transcript become its Messages.

A row is looked at once and let go: what stays is its visible text and its place in the tree.
Invariant: order is that of the rows, the first row of a uuid wins, an answer stands where its first
row stands, and a row of whatever shape costs only itself. Ids are those that a fork or a resume
copies, so a replayed Message has the id of the original.
Proof: tests/unit/sources/transcripts/claude_code/test_transcript.py.
"""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any, Final, Literal, TypeAlias

from harkback.model import Kind, Part, StoredMessage, TextPart
from harkback.sources import attachments
from harkback.sources.transcripts import values
from harkback.sources.transcripts.claude_code import blocks, injected, tree
from harkback.sources.transcripts.claude_code.titles import Titles

#: Which rows of a file are the Session's: up to 1.x those of a subagent stood in its parent's.
Side: TypeAlias = Literal["all", "main", "sidechains"]
#: How a prompt came: on a row of its own, beside results of tools, typed while the agent worked and
#: sent, or waiting to be sent.
_Way: TypeAlias = Literal["prompt", "beside", "queued", "waiting"]

#: Types of rows that hold nothing anybody said.
_SILENT: Final = frozenset(
    {
        "agent-name",
        "agent-setting",
        "content-replacement",
        "file-history-snapshot",
        "frame-link",
        "mode",
        "permission-mode",
        "pr-link",
        "progress",
        "relocated",
        "system",
        "tag",
        "worktree-state",
    }
)
_SPILLED: Final = re.compile(r"\s*<persisted-output>[^\n]*\n[^\n]* saved to: ([^\n]+)")


@dataclass(slots=True)
class Draft:
    """A Message that later rows may still add to; without parts it will be none."""

    id: str
    kind: Kind
    timestamp: int
    row: str | None  # its place in the tree
    parts: list[Part] = field(default_factory=list)
    opens_turn: bool = False
    is_prompt: bool = False  # not a command, not mail


@dataclass(slots=True)
class _Answer:
    """One answer of the model, which comes as several rows."""

    draft: Draft
    texts: dict[str, int] = field(default_factory=dict)  # by text: its place in the draft's parts
    last: str = ""


class Transcript:
    """The rows of one Session, taken in order."""

    def __init__(
        self,
        session: str,
        side: Side,
        problems: Counter[str],
        spilled: Callable[[str], str | None],
    ) -> None:
        """
        Args:
            problems: where rows and blocks of unknown types are counted.
            spilled: gives the whole of a cut tool output, by the name of its file.
        """
        self._session = session
        self._side = side
        self._problems = problems
        self._spilled = spilled
        self._titles = Titles()
        self._drafts: list[Draft] = []
        self._parents: dict[str, str | None] = {}
        self._prompts: defaultdict[str, list[str]] = defaultdict(list)  # by parent
        self._answers: dict[str, _Answer] = {}  # since the last prompt, by message id
        self._calls: dict[str, Draft] = {}
        self._waiting: defaultdict[str, list[Draft]] = defaultdict(list)  # not seen sent, by text
        self._chains: dict[str, int] = {}  # of a row: which of the sidechains it belongs to
        self._chain_of: list[int] = []  # the same of each draft
        self._copied = 0  # drafts of a history that was copied from another file
        self._time = 0

    def takes(self, row: dict[str, Any]) -> bool:
        """Whether a row is of this Session."""
        return self._side == "all" or (row.get("isSidechain") is True) is (
            self._side == "sidechains"
        )

    def add(self, offset: int, row: dict[str, Any]) -> None:
        """Takes the next row; ``offset`` is where it lies in its file."""
        if self._side != "all" and not self.takes(row):
            return
        kind = row.get("type")
        uuid = row.get("uuid")
        known = uuid if isinstance(uuid, str) and uuid else None
        if known is not None:
            if known in self._parents:
                return  # written again
            parent = row.get("parentUuid")
            if not isinstance(parent, str):
                parent = row.get("logicalParentUuid") if kind == "system" else None
            self._parents[known] = parent if isinstance(parent, str) else None
        if kind == "assistant":
            self._assistant(known, offset, row)
        elif kind == "user":
            self._user(known, offset, row)
        elif not isinstance(kind, str):
            values.count_unknown(self._problems, row)
        elif kind not in _SILENT:
            self._other(kind, known, offset, row)
        if self._side == "sidechains":
            self._place(known)
        if known is not None and self._titles.ends_history(known):
            self._copied = len(self._drafts)

    def shows_last(self) -> bool:
        """Whether the last row that began a Message showed something."""
        return bool(self._drafts and self._drafts[-1].parts)

    def messages(self) -> tuple[StoredMessage, ...]:
        abandoned = tree.abandoned(self._parents, self._prompts)
        chains = self._chain_of or [0] * len(self._drafts)
        found: list[StoredMessage] = []
        turn: str | None = None
        chain = 0
        for position in sorted(range(len(chains)), key=chains.__getitem__):
            draft = self._drafts[position]
            if not draft.parts:
                continue
            if draft.opens_turn:
                turn = draft.id
            elif chains[position] != chain:
                turn = None
            chain = chains[position]
            found.append(
                StoredMessage(
                    id=draft.id,
                    kind=draft.kind,
                    turn=None if draft.kind == "summary" else turn,
                    timestamp=draft.timestamp,
                    parts=tuple(draft.parts),
                    locator="",
                    abandoned=draft.row in abandoned,
                )
            )
        return tuple(found)

    def title(self, elsewhere: str) -> str:
        """See ``Titles.best``."""
        said = [draft for draft in self._drafts if draft.kind == "user" and draft.parts]
        own = [draft for draft in self._drafts[self._copied :] if draft.is_prompt and draft.parts]
        texts = (part.text for draft in own for part in draft.parts if isinstance(part, TextPart))
        return self._titles.best(elsewhere, next(texts, ""), bool(own) and own[0] is said[0])

    # --- rows, by type ------------------------------------------------------------------------

    def _user(self, uuid: str | None, offset: int, row: dict[str, Any]) -> None:
        if row.get("isMeta") is True:
            return
        content = blocks.content(values.mapping(row.get("message")).get("content"))
        identity = self._identity(uuid, offset, row)
        if row.get("isCompactSummary") is True:
            texts = (values.text(block.get("text")) for block in content)
            parts: list[Part] = [TextPart("text", text) for text in texts if text]
            self._drafts.append(Draft(identity, "summary", self._when(row), uuid, parts))
            return
        others = []
        for block in content:
            kind = block.get("type")
            if isinstance(kind, str) and blocks.is_result(kind):
                self._result(uuid, identity, row, block)
            else:
                others.append(block)
        if others and row.get("promptSource") != "system" and _origin(row) != "task-notification":
            way: _Way = "prompt" if len(others) == len(content) else "beside"
            self._said(uuid, identity, row, others, way)

    def _assistant(self, uuid: str | None, offset: int, row: dict[str, Any]) -> None:
        message = values.mapping(row.get("message"))
        if row.get("isApiErrorMessage") is True or message.get("model") == "<synthetic>":
            return
        identity = self._identity(uuid, offset, row)
        answer = self._answer(uuid, identity, row, message.get("id"))
        for block in blocks.content(message.get("content")):
            kind = block.get("type")
            if kind == "text":
                self._text(answer, values.text(block.get("text")), row)
            elif not isinstance(kind, str):
                values.count_unknown(self._problems, block)
            elif blocks.is_call(kind):
                self._call(uuid, identity, row, block)
            elif blocks.is_result(kind):
                self._result(uuid, identity, row, block)
            elif blocks.is_media(kind):
                answer.draft.parts += blocks.media(block)
            elif not blocks.is_silent(kind):
                values.count_unknown(self._problems, block)

    def _other(self, kind: str, uuid: str | None, offset: int, row: dict[str, Any]) -> None:
        identity = self._identity(uuid, offset, row)
        if kind == "attachment":
            attached = values.mapping(row.get("attachment"))
            # A prompt that was typed while the agent worked; no other attachment was typed.
            if (
                attached.get("type") == "queued_command"
                and attached.get("commandMode") != "task-notification"
                and True not in (attached.get("isMeta"), row.get("isMeta"))
                and "task-notification" not in (_origin(attached), _origin(row))
            ):
                self._said(uuid, identity, row, blocks.content(attached.get("prompt")), "queued")
        elif kind == "queue-operation":
            if row.get("operation") == "enqueue":
                self._said(None, identity, row, blocks.content(row.get("content")), "waiting")
        elif kind == "summary":
            self._titles.summarise(row, self._parents)
        elif not self._titles.add(kind, row):
            values.count_unknown(self._problems, row)

    # --- what rows hold -----------------------------------------------------------------------

    def _said(
        self,
        uuid: str | None,
        identity: str,
        row: dict[str, Any],
        content: list[dict[str, Any]],
        way: _Way,
    ) -> None:
        """What somebody typed, if anything is left when injected text is cut off."""
        draft = Draft(identity, "user", 0, uuid, opens_turn=way != "beside")
        for block in content:
            kind = block.get("type")
            if kind == "text":
                self._typed(draft, values.text(block.get("text")))
            elif not isinstance(kind, str):
                values.count_unknown(self._problems, block)
            elif blocks.is_media(kind):
                draft.parts += blocks.media(block)
                draft.is_prompt = True
            elif not blocks.is_silent(kind):
                values.count_unknown(self._problems, block)
        if not draft.parts:
            return
        draft.timestamp = self._when(row)
        self._drafts.append(draft)
        if way == "waiting":
            self._waiting[_words(draft)].append(draft)
        elif self._waiting and (sent := self._waiting.get(_words(draft))):
            sent.pop(0).parts.clear()
        if way == "prompt":
            self._answers.clear()
            parent = self._parents.get(uuid) if uuid is not None else None
            if uuid is not None and parent is not None and draft.is_prompt:
                self._prompts[parent].append(uuid)

    def _typed(self, draft: Draft, text: str) -> None:
        command = injected.command(text)
        if command is not None:
            draft.parts.append(TextPart("command", command.name))
            if command.arguments:
                draft.parts.append(TextPart("arguments", command.arguments))
                if command.name == "/rename":
                    self._titles.rename(command.arguments)
        elif mail := injected.mail(text):
            draft.parts += [TextPart("text", said) for said in mail if said]
        elif shown := injected.typed(text):
            draft.parts.append(TextPart("text", shown))
            draft.is_prompt = True

    def _answer(self, uuid: str | None, identity: str, row: dict[str, Any], key: object) -> _Answer:
        """The answer that a row is part of. An id that comes again after a prompt is another's."""
        if not isinstance(key, str) or not key:
            key = identity
        answer = self._answers.get(key)
        if answer is None:
            answer = self._answers[key] = _Answer(Draft(identity, "assistant", 0, uuid))
            self._drafts.append(answer.draft)
        return answer

    def _text(self, answer: _Answer, text: str, row: dict[str, Any]) -> None:
        """A block of an answer; a row may repeat what earlier ones gave, and go on from there."""
        last = answer.last
        if not text or text.isspace() or text in answer.texts or last.startswith(text):
            return
        parts = answer.draft.parts
        if last and text.startswith(last):
            at = answer.texts.pop(last)
            parts[at] = TextPart("text", text)
        else:
            at = len(parts)
            parts.append(TextPart("text", text))
        answer.texts[text] = at
        answer.last = text
        answer.draft.timestamp = answer.draft.timestamp or self._when(row)

    def _call(
        self, uuid: str | None, identity: str, row: dict[str, Any], block: dict[str, Any]
    ) -> None:
        key = block.get("id")
        if not isinstance(key, str) or not key:
            key = f"{identity}/call"
        known = self._calls.get(key)
        if known is None:
            known = self._calls[key] = Draft(key, "tool_call", self._when(row), uuid)
            self._drafts.append(known)
        elif not block.get("input"):
            return  # what came before says more
        known.parts = blocks.call(block)

    def _result(
        self, uuid: str | None, identity: str, row: dict[str, Any], block: dict[str, Any]
    ) -> None:
        key = block.get("tool_use_id")
        id_ = f"{key if isinstance(key, str) and key else identity}/result"
        draft = Draft(id_, "tool_result", self._when(row), uuid)
        draft.parts = blocks.result(block, self._problems)
        first = draft.parts[0] if draft.parts else None
        named = _SPILLED.match(first.text) if isinstance(first, TextPart) else None
        if named is not None:
            # The path may be of another machine: only its last name counts.
            file = re.split(r"[/\\]", named[1].strip())[-1]
            whole = self._spilled(file)
            if whole:
                draft.parts.append(TextPart("spilled", whole))
            draft.parts.append(attachments.spilled(file, whole))
        self._drafts.append(draft)

    def _place(self, uuid: str | None) -> None:
        """Which sidechain the row and its drafts belong to: that of its parent, else a new one."""
        chain = max(self._chain_of[-1:] or [0])
        if uuid is not None:
            known = self._chains.get(self._parents[uuid] or "")
            chain = len(self._chains) if known is None else known
            self._chains[uuid] = chain
        self._chain_of += [chain] * (len(self._drafts) - len(self._chain_of))

    def _identity(self, uuid: str | None, offset: int, row: dict[str, Any]) -> str:
        """An id that copies of the row have too: a fork by the SDK names the row it copied."""
        if "forkedFrom" in row:
            original = values.text(values.mapping(row["forkedFrom"]).get("messageUuid"))
            if original:
                return original
        return f"{self._session}@{offset}" if uuid is None else uuid

    def _when(self, row: dict[str, Any]) -> int:
        """Time of the row, else of the one before."""
        self._time = values.milliseconds(row.get("timestamp")) or self._time
        return self._time


def _origin(row: dict[str, Any]) -> object:
    return values.mapping(row.get("origin")).get("kind")


def _words(draft: Draft) -> str:
    """What a prompt says, however it is written: a queued command has no envelope yet."""
    return " ".join(word for p in draft.parts if isinstance(p, TextPart) for word in p.text.split())
