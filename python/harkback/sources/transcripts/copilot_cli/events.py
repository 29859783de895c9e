"""The events of a session become its Messages, in one pass.

Invariant: each thing said is shown once: a call by its request or, in older logs, by its start; a
prompt as it was typed, never as it was sent. Bytes of images never become text.
Proof: tests/unit/sources/transcripts/test_copilot_cli.py.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import replace
from typing import Any, Final

from harkback.model import AttachmentPart, Kind, MaterialKind, Part, StoredMessage, TextPart
from harkback.sources import attachments
from harkback.sources.transcripts.values import (
    arguments,
    count_unknown,
    mapping,
    mappings,
    milliseconds,
    text,
    visible,
)

#: Families of events whose text is the harness's own, or a twin of a call and its result.
_SILENT_FAMILIES: Final = frozenset(
    {
        "abort",
        "command",
        "elicitation",
        "exit_plan_mode",
        "external_tool",
        "hook",
        "mcp",
        "permission",
        "skill",
        "subagent",
        "system",
        "user_input",
    }
)
_SILENT: Final = frozenset(
    {
        "assistant.intent",
        "assistant.reasoning",
        "assistant.turn_end",
        "assistant.turn_start",
        "assistant.usage",
        "session.background_tasks_changed",
        "session.compaction_start",
        "session.context_changed",
        "session.context_cleared",
        "session.error",
        "session.idle",
        "session.info",
        "session.mode_changed",
        "session.model_change",
        "session.plan_changed",
        "session.shutdown",
        "session.skills_loaded",
        "session.task_complete",
        "session.tools_updated",
        "session.truncation",
        "session.usage_info",
        "session.warning",
        "session.workspace_file_changed",
        "tool.execution_partial_result",
        "tool.execution_progress",
        "tool.user_requested",
    }
)


class Events:
    """Reads events in order; ``messages`` grows with them."""

    def __init__(self, problems: Counter[str]) -> None:
        self.messages: list[StoredMessage] = []
        self.title = ""
        self.project = ""
        self.started_at = 0
        self.parent = ""
        self._problems = problems
        self._time = 0
        self._turns: dict[str, str | None] = {"": None}  # by agent; "" is the main one
        self._prompts: Counter[str] = Counter()
        self._answers: dict[str, int] = {}  # messageId -> index of its Message
        self._calls: set[str] = set()
        self._events: set[str] = set()
        self._assets: dict[str, AttachmentPart] = {}
        self._waiting: list[tuple[int, int, str]] = []  # Message, part, id of its asset

    def event(self, event: dict[str, Any]) -> None:
        kind, name = text(event.get("type")), text(event.get("id"))
        if name and name in self._events:
            return  # a record written twice
        self._events.add(name)
        data = mapping(event.get("data"))
        self._time = milliseconds(event.get("timestamp")) or self._time
        self.started_at = self.started_at or self._time
        agent = text(event.get("agentId")) or text(data.get("parentToolCallId"))
        if kind == "user.message":
            self._user(name, data, agent)
        elif kind == "assistant.message":
            self._assistant(name, data, agent)
        elif kind == "tool.execution_start":
            self._call(data, text(data.get("toolName")), agent)
        elif kind == "tool.execution_complete":
            self._result(data, agent)
        elif kind.startswith("session."):
            self._session(kind, name, data)
        elif kind not in _SILENT and kind.partition(".")[0] not in _SILENT_FAMILIES:
            count_unknown(self._problems, event)

    def close(self) -> None:
        """Fills in the attachments whose bytes came after they were named."""
        for index, place, asset in self._waiting:
            held = self._assets.get(asset)
            message = self.messages[index]
            part = message.parts[place]
            if isinstance(part, AttachmentPart) and held is not None:
                whole = replace(
                    part if part.mime else replace(part, kind=held.kind, mime=held.mime),
                    bytes=held.bytes,
                    ref=held.ref,
                    pixels=held.pixels,
                )
                parts = (*message.parts[:place], whole, *message.parts[place + 1 :])
                self.messages[index] = message._replace(parts=parts)

    def chat(self, chat: dict[str, Any]) -> None:
        """A whole session as versions before the event log wrote it."""
        self._time = milliseconds(chat.get("startTime")) or self._time
        self.started_at = self.started_at or self._time
        for message in mappings(chat.get("chatMessages")):
            role, content = text(message.get("role")), message.get("content")
            if role == "user":
                self._user("", {"content": content}, "")
            elif role == "assistant":
                self._assistant("", {"content": content}, "")
                for call in mappings(message.get("tool_calls")):
                    made = mapping(call.get("function"))
                    request = {"toolCallId": call.get("id"), "arguments": made.get("arguments")}
                    self._call(request, text(made.get("name")), "")
            elif role == "tool":
                answered = {"toolCallId": message.get("tool_call_id")}
                self._result(answered | {"result": {"content": content}}, "")
            elif role not in ("system", "developer"):
                count_unknown(self._problems, message)

    def _user(self, name: str, data: dict[str, Any], agent: str) -> None:
        content, source = text(data.get("content")), text(data.get("source"))
        if (
            source.startswith("skill-")
            or content.startswith("<skill-context")
            or data.get("isAutopilotContinuation") is True
        ):
            return
        if source.startswith("agent-"):
            agent = agent or source.removeprefix("agent-")
        files: list[Part] = []
        assets: list[tuple[int, str]] = []
        shown = visible("content", content)
        for item in mappings(data.get("attachments")):
            assets += [(len(shown) + len(files), a) for a in [text(item.get("assetId"))] if a]
            files.append(_attachment(item))
        if shown or files:
            self._turns[agent] = self._new_turn(name or "turn")
            self._add(name or "user", "user", (*shown, *files), agent, assets)

    def _assistant(self, name: str, data: dict[str, Any], agent: str) -> None:
        parts = tuple(visible("content", text(data.get("content"))))
        answer = text(data.get("messageId"))
        held = self._answers.get(answer) if answer and "chunkIndex" in data else None
        if parts and held is not None:
            message = self.messages[held]
            self.messages[held] = message._replace(parts=(*message.parts, *parts))
        elif parts:
            self._answers[answer] = len(self.messages)
            self._add(answer or name or "assistant", "assistant", parts, agent)
        for request in mappings(data.get("toolRequests")):
            self._call(request, text(request.get("name")), agent)

    def _call(self, data: dict[str, Any], tool: str, agent: str) -> None:
        call = text(data.get("toolCallId"))
        if call in self._calls:
            return  # its start repeats its request
        if call:
            self._calls.add(call)
        parts = (
            *visible("name", tool),
            *visible("intentionSummary", text(data.get("intentionSummary"))),
            *arguments("arguments", data.get("arguments")),
        )
        self._add(f"{call}/tool_call", "tool_call", parts, agent)

    def _result(self, data: dict[str, Any], agent: str) -> None:
        result = mapping(data.get("result"))
        parts: list[Part] = []
        for field in ("detailedContent", "content"):
            if not parts:
                parts += visible(f"result.{field}", text(result.get(field)))
        if not parts:
            for block in mappings(result.get("contents")):
                parts += visible("result.contents.text", text(block.get("text")))
        if not parts:
            message = text(mapping(data.get("error")).get("message"))
            parts += visible("error.message", message)
        assets: list[tuple[int, str]] = []
        for item in mappings(result.get("binaryResultsForLlm")):
            assets += [(len(parts), a) for a in [text(item.get("assetId"))] if a]
            parts.append(_attachment(item))
        call = text(data.get("toolCallId"))
        self._add(f"{call}/tool_result", "tool_result", tuple(parts), agent, assets)

    def _session(self, kind: str, name: str, data: dict[str, Any]) -> None:
        if kind in ("session.start", "session.resume"):
            self.project = self.project or text(mapping(data.get("context")).get("cwd"))
            parent = text(data.get("detachedFromSpawningParentSessionId"))
            self.parent = self.parent or parent
        elif kind == "session.title_changed":
            self.title = text(data.get("title")) or self.title
        elif kind == "session.binary_asset":
            held = attachments.inline("", text(data.get("mimeType")), _given(data.get("data")))
            told = data.get("byteLength")
            if held.bytes is None and type(told) is int and told >= 0:
                held = replace(held, bytes=told)
            self._assets[text(data.get("assetId"))] = held
        elif kind == "session.compaction_complete":
            summary = visible("summaryContent", text(data.get("summaryContent")))
            if summary:
                self._add(name or "summary", "summary", tuple(summary), "")
        elif kind == "session.import_legacy":
            self.chat(mapping(data.get("legacySession")))
        elif kind not in _SILENT:
            count_unknown(self._problems, data)

    def _add(
        self,
        name: str,
        kind: Kind,
        parts: tuple[Part, ...],
        agent: str,
        assets: list[tuple[int, str]] | None = None,
    ) -> None:
        turn = self._turns.get(agent)
        if turn is None and agent:  # an agent whose prompt is only in the call that started it
            main = self._turns[""]
            turn = self._turns[agent] = agent if main is None else f"{main}/{agent}"
        self._waiting += [(len(self.messages), place, asset) for place, asset in assets or ()]
        self.messages.append(StoredMessage(name, kind, turn, self._time, parts, ""))

    def _new_turn(self, prompt: str) -> str:
        self._prompts[prompt] += 1
        return f"{prompt}#{self._prompts[prompt]}" if self._prompts[prompt] > 1 else prompt


def _attachment(item: dict[str, Any]) -> AttachmentPart:
    """A file, folder, selection or picture that came with a prompt, or with an answer of a tool."""
    named = text(item.get("displayName")) or text(item.get("path")).rpartition("/")[2]
    otherwise: MaterialKind = "image" if item.get("type") == "image" else "other"
    mime = text(item.get("mimeType"))
    return attachments.inline(named, mime, _given(item.get("data")), otherwise)


def _given(data: object) -> object:
    """What stands in the place of data that was left out is no data."""
    return None if data in ("", "omitted") else data


def is_message(message: StoredMessage) -> bool:
    """Whether it makes a session: one that nobody said anything in is none."""
    return message.kind in ("user", "assistant") and any(
        isinstance(part, TextPart | AttachmentPart) for part in message.parts
    )
