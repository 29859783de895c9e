"""Rows as Claude Code writes them, chained to one another."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from harkback.model import StoredMessage
from harkback.sources.transcripts.claude_code import ClaudeCode
from support.transcripts import MemoryFiles, decoded, found, lines

SESSION = "5f0c2c1e-0000-4000-8000-000000000001"
FOLDER = "projects/-home-ada-engine"
PATH = f"{FOLDER}/{SESSION}.jsonl"


class Chain:
    """A transcript under way: each row hangs below the last one, unless told otherwise."""

    def __init__(self, session: str = SESSION, version: str = "2.1.160", **common: Any) -> None:
        self.session = session
        self.rows: list[Any] = []
        self._last: str | None = None
        self._common = {"cwd": "/home/ada/engine", "version": version, **common}

    def row(self, type_: str, uuid: str | None = None, **fields: Any) -> str:
        """Adds a row of any type; gives its uuid."""
        uuid = uuid or f"{type_}-{len(self.rows)}"
        row = {
            "parentUuid": self._last,
            "isSidechain": False,
            **self._common,
            "sessionId": self.session,
            "type": type_,
            "uuid": uuid,
            "timestamp": f"2026-02-03T04:{len(self.rows) // 60:02}:{len(self.rows) % 60:02}.500Z",
            **fields,
        }
        self.rows.append(row)
        self._last = uuid
        return uuid

    def bare(self, type_: str, **fields: Any) -> None:
        """Adds a row without an id, outside of the chain."""
        self.rows.append({"type": type_, "sessionId": self.session, **fields})

    def user(self, content: object, **fields: Any) -> str:
        return self.row("user", message={"role": "user", "content": content}, **fields)

    def assistant(self, *blocks: object, id: object = None, **fields: Any) -> str:
        message = {"role": "assistant", "model": "m", "content": list(blocks)}
        message["id"] = f"msg_{len(self.rows)}" if id is None else id
        return self.row("assistant", message=message, **fields)

    def result(self, call: str, content: object, **fields: Any) -> str:
        block = {"type": "tool_result", "tool_use_id": call, "content": content}
        return self.user([block], **fields)

    def queued(self, prompt: object, **attached: Any) -> str:
        return self.row(
            "attachment", attachment={"type": "queued_command", "prompt": prompt, **attached}
        )

    def bytes(self) -> bytes:
        return lines(*self.rows)

    def files(self) -> dict[str, bytes]:
        return {f"{FOLDER}/{self.session}.jsonl": self.bytes()}

    def messages(self) -> tuple[StoredMessage, ...]:
        return decoded(ClaudeCode(), self.files()).messages

    def title(self) -> str:
        return decoded(ClaudeCode(), self.files()).title


def text(said: str) -> dict[str, Any]:
    return {"type": "text", "text": said}


def call(id: object, name: str = "Bash", **given: Any) -> dict[str, Any]:
    return {"type": "tool_use", "id": id, "name": name, "input": given}


def image(data: str = "aGFyaw==", kind: str = "image", **fields: Any) -> dict[str, Any]:
    mime = "image/png" if kind == "image" else "application/pdf"
    return {
        "type": kind,
        "source": {"type": "base64", "media_type": mime, "data": data},
        **fields,
    }


def outlines(contents: Mapping[str, bytes], modified: Mapping[str, int] = {}) -> dict[str, Any]:
    """The outline of each Session that is one."""
    files = MemoryFiles(contents, modified)
    reader = ClaudeCode()
    every = {id_: reader.outline(files, one) for id_, one in found(reader, files).items()}
    return {id_: outline for id_, outline in every.items() if not outline.empty}
