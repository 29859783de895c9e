"""The JSON that a host writes: ledger events, pre-ledger records, run and Session headers.

Invariant: a message id is the same however a reader finds it: the stored or provider id of an
event, the call id of a tool call. Proof: tests/unit/test_bench_corpus.py.
"""

from __future__ import annotations

import json
from dataclasses import dataclass, field
from typing import Final, Literal, TypeAlias

from corpus_text import Json

Kind: TypeAlias = Literal["user", "assistant", "tool_call", "tool_result"]
MODEL: Final = "claude-opus-4-8"
EVENT_KINDS: Final[dict[Kind, str]] = {
    "user": "text",
    "assistant": "text",
    "tool_call": "function_call",
    "tool_result": "function_response",
}
COMPLETED: Final[dict[str, Json]] = {
    "role": "system",
    "author": "system",
    "status": "completed",
    "actions": {"endInvocation": True, "tokenUsage": {"input": 1200, "output": 240}},
}
_UUID: Final = "00000000-0000-0000-0000-000000000000"


@dataclass(frozen=True, slots=True)
class Ids:
    """What an event belongs to. The defaults are as long as real ones."""

    event: str = _UUID
    invocation: str = "inv-" + _UUID
    run: str = _UUID
    turn: str = _UUID


@dataclass(slots=True)
class Planted:
    """What one message has to hold."""

    sentences: list[str] = field(default_factory=list)
    terms: list[str] = field(default_factory=list)


@dataclass(slots=True)
class Draft:
    """One message on its way to a row."""

    id: str
    kind: Kind
    turn: int
    planted: Planted | None
    call_id: str = ""  # of the tool call that a call or its result belongs to
    tool: str = ""  # of a call or its result
    value: Json = ""  # text, arguments or content
    visible: str = ""
    attachments: list[Json] = field(default_factory=list)


def event(ids: Ids, session: str, draft: Draft, at: int) -> dict[str, Json]:
    """A message as an event of the ledger."""
    role, author = "model", "agent"
    content: dict[str, Json]
    refs: dict[str, Json]
    if draft.kind == "tool_call":
        content = {"kind": "function_call", "id": draft.call_id, "name": draft.tool}
        content["args"] = draft.value
        refs = {"toolCallId": draft.call_id}
    elif draft.kind == "tool_result":
        role = author = "tool"
        content = {"kind": "function_response", "id": draft.call_id, "name": draft.tool}
        content["result"] = draft.value
        refs = {"storedMessageId": draft.id, "toolCallId": draft.call_id}
    else:
        content = {"kind": "text", "text": draft.value}
        refs = {"providerEventId": draft.id}
    if draft.kind == "user":
        role = author = "user"
        refs = {"storedMessageId": draft.id}
        if draft.attachments:
            content["attachments"] = draft.attachments
    about: dict[str, Json] = {"role": role, "author": author, "content": content, "refs": refs}
    return {**envelope(ids, session, at), **about}


def envelope(ids: Ids, session: str, at: int) -> dict[str, Json]:
    """What every event opens with."""
    return {
        "id": ids.event,
        "invocationId": ids.invocation,
        "runId": ids.run,
        "sessionId": session,
        "turnId": ids.turn,
        "ts": at,
        "partial": False,
    }


def thinking(draft: Draft, text: str) -> dict[str, Json]:
    """What the model thought before an assistant message: never visible."""
    content: Json = {"kind": "thinking", "text": text, "signature": "c2ln"}
    refs: Json = {"providerEventId": draft.id}
    return {"role": "model", "author": "agent", "content": content, "refs": refs}


def dispatch(draft: Draft) -> dict[str, Json]:
    """The host's own note that a tool was started."""
    fact: Json = {
        "protocol": "t1_after_preflight_v1",
        "operationId": f"op-{draft.call_id}",
        "providerToolCallId": draft.call_id,
        "toolName": draft.tool,
        "recoveryMode": "never_auto_retry",
    }
    return {"role": "system", "author": "system", "actions": {"toolDispatch": fact}}


def run_record(ids: Ids, session: str, at: int) -> dict[str, Json]:
    """The header of one run."""
    return {
        "runId": ids.run,
        "invocationId": ids.invocation,
        "sessionId": session,
        "turnId": ids.turn,
        "status": "completed",
        "backendKind": "ai-sdk",
        "llmConnectionSlug": "anthropic",
        "modelId": MODEL,
        "createdAt": at,
        "updatedAt": at,
    }


def record(draft: Draft, turn: str, at: int) -> dict[str, Json]:
    """A message as a record from before the ledger."""
    kept: dict[str, Json] = {"type": draft.kind, "id": draft.id, "turnId": turn, "ts": at}
    if draft.kind == "tool_call":
        return {**kept, "toolName": draft.tool, "args": draft.value}
    if draft.kind == "tool_result":
        about: dict[str, Json] = {"toolUseId": draft.call_id, "isError": False}
        return {**kept, **about, "content": draft.value}
    kept["text"] = draft.value
    if draft.kind == "assistant":
        kept["modelId"] = MODEL
    if draft.attachments:
        kept["attachments"] = draft.attachments
    return kept


def header(session: str, name: str, started: int, last: int, *, ledger: bool) -> dict[str, Json]:
    """The header of one Session."""
    kept: dict[str, Json] = {
        "id": session,
        "workspaceRoot": "/home/dev/.config/host/workspaces/default",
        "cwd": "/home/dev/shop",
        "projectId": "prj_1",
        "createdAt": started,
        "lastUsedAt": last,
        "lastMessageAt": last,
        "name": name,
        "isArchived": False,
        "backend": "ai-sdk",
        "llmConnectionSlug": "anthropic",
        "model": MODEL,
        "schemaVersion": 1,
    }
    if ledger:
        kept["transcriptLedgerVersion"] = 1
    return kept


def dumps(value: Json) -> str:
    """JSON as a host writes it: compact, text outside ASCII as it stands."""
    return json.dumps(value, ensure_ascii=False, separators=(",", ":"))
