"""Rows of Codex rollouts, by hand, and what a reader makes of them."""

from __future__ import annotations

import base64
import json
from collections import Counter
from typing import Any

from harkback.model import StoredMessage
from harkback.sources.transcripts.base import Outline
from harkback.sources.transcripts.codex import Codex
from support.transcripts import MemoryFiles, decoded, found, lines

PARENT = "019eb93c-5740-7f74-b4a3-e0cdde5c33ad"
CHILD = "019eb946-6960-72ca-b62c-d58e97e0dff5"
TURN_1 = "019eb93c-5750-7ffd-b8cf-0c8478ca4efc"
TURN_2 = "019eb93c-cc70-7da2-b70f-400106760ad1"
CHILD_TURN = "019eb946-6960-7928-b82f-adfdbdf46c06"
PIXELS = b"\x89PNG not really"
IMAGE = "data:image/png;base64," + base64.b64encode(PIXELS).decode()


def row(kind: str, payload: Any, second: int = 0) -> dict[str, Any]:
    return {"timestamp": f"2026-06-12T00:30:{second:02}.000Z", "type": kind, "payload": payload}


def meta(session: str = PARENT, **more: Any) -> dict[str, Any]:
    head = {"id": session, "timestamp": "2026-06-12T00:30:00.000Z", "cwd": "/srv/app"}
    return row("session_meta", {**head, "base_instructions": {"text": "Be brief."}, **more})


def context(turn: str) -> dict[str, Any]:
    return row("turn_context", {"turn_id": turn, "cwd": "/srv/app", "model": "m"})


def item(kind: str, **more: Any) -> dict[str, Any]:
    return row("response_item", {"type": kind, **more})


def event(kind: str, **more: Any) -> dict[str, Any]:
    return row("event_msg", {"type": kind, **more})


def message(role: str, *texts: str) -> dict[str, Any]:
    block = "output_text" if role == "assistant" else "input_text"
    content = [{"type": block, "text": text} for text in texts]
    return item("message", role=role, content=content)


def call(name: str, arguments: Any, call_id: str = "call_1") -> dict[str, Any]:
    return item("function_call", name=name, arguments=json.dumps(arguments), call_id=call_id)


def output(value: Any, call_id: str = "call_1") -> dict[str, Any]:
    return item("function_call_output", output=value, call_id=call_id)


def rollout(*rows: Any, session: str = PARENT) -> dict[str, bytes]:
    return {f"sessions/2026/06/12/rollout-2026-06-12T09-30-00-{session}.jsonl": lines(*rows)}


def read(*rows: Any) -> tuple[StoredMessage, ...]:
    return decoded(Codex(), rollout(*rows)).messages


def outline(contents: dict[str, bytes], session: str = PARENT) -> Outline:
    files = MemoryFiles(contents)
    return Codex().outline(files, found(Codex(), files)[session])


def problems(*rows: Any) -> Counter[str]:
    files = MemoryFiles(rollout(*rows))
    (session,) = found(Codex(), files).values()
    Codex().decode(files, session)
    return files.problems


PARENT_ROWS = [
    context(TURN_1),
    message("user", "Why is it slow?"),
    call("exec", {"cmd": "rg x"}),
    output("3 matches"),
    message("assistant", "No index."),
    message("assistant", "None at all."),
]
OWN_ROWS = [context(CHILD_TURN), message("user", "Look for keys."), message("assistant", "None.")]


def later(rows: list[Any]) -> list[Any]:
    return [{**row_, "timestamp": "2026-06-12T00:41:30.000Z"} for row_ in rows]


def forked(*head: Any, session: str = CHILD) -> dict[str, bytes]:
    return rollout(*head, *later([meta(), *PARENT_ROWS, *OWN_ROWS]), session=session)
