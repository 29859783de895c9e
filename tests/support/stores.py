"""Builds host stores row by row: every shape a reader may meet, the damaged ones too."""

from __future__ import annotations

import hashlib
import json
import os
import re
import sqlite3
from pathlib import Path
from typing import Any

from harkback.sources.sqlite.schema import CHUNK_BYTES, CHUNK_MARKER, SCHEMA

BASE_MS = 1_780_000_000_000


def dumps(value: object, ascii_only: bool = False) -> str:
    """JSON as a JavaScript host writes it: raw, but for lone surrogates, which are escaped."""
    text = json.dumps(value, ensure_ascii=ascii_only, separators=(",", ":"))
    return re.sub("[\ud800-\udfff]", lambda found: f"\\u{ord(found[0]):04x}", text)


class StoreBuilder:
    """A store under construction; rows are committed as they are added."""

    def __init__(self, path: Path, schema: str = SCHEMA, ascii_only: bool = False) -> None:
        self.path = path
        self._ascii_only = ascii_only
        self.db = sqlite3.connect(path, isolation_level=None)
        self.db.execute("PRAGMA synchronous=OFF")  # durability is not what is tested
        self.db.executescript(schema)
        self._clock = BASE_MS
        self._event = 0

    def close(self) -> None:
        self.db.close()

    def tick(self) -> int:
        self._clock += 1000
        return self._clock

    def session(
        self,
        id: str,
        *,
        ledger: bool = True,
        name: str = "",
        header: dict[str, Any] | None = None,
        columns: dict[str, Any] | None = None,
        payload: Any = None,
    ) -> str:
        at = self.tick()
        full = {"id": id, "cwd": "/home/dev/shop", "isArchived": False, "backend": "ai-sdk"}
        if ledger:
            full["transcriptLedgerVersion"] = 1
        full.update(header or {})
        values = {
            "session_id": id,
            "payload_json": dumps(full) if payload is None else payload,
            "created_at": at,
            "last_used_at": at,
            "last_message_at": at,
            "name": name,
            "is_flagged": 0,
            "is_archived": 0,
            "has_unread": 0,
            "backend": "ai-sdk",
            "llm_connection_slug": "x",
            "model": "m",
            "metadata_version": 1,
            "committed_at": at,
            **(columns or {}),
        }
        self._insert("session_metadata", values)
        return id

    def run(self, session: str, run: str, at: int | None = None, **header: Any) -> str:
        record = dumps({"runId": run, **header})
        values = (session, run, self.tick() if at is None else at, record, None)
        self.db.execute("INSERT INTO core_agent_runs VALUES (?,?,?,?,?)", values)
        return run

    def event(
        self,
        session: str,
        content: dict[str, Any] | None,
        *,
        role: str = "model",
        run: str = "run-1",
        seq: int | None = None,
        id: str | None = None,
        ts: int | None = None,
        kind: str | None = None,
        payload: Any = None,
        **more: Any,
    ) -> str:
        """One event; ``payload`` replaces the whole record, of whatever type."""
        self._event += 1
        event = id or f"event-{self._event}"
        at = self.tick() if ts is None else ts
        record = {"id": event, "ts": at, "partial": False, "role": role, "content": content, **more}
        self._insert(
            "runtime_events",
            {
                "event_id": event,
                "session_id": session,
                "invocation_id": f"inv-{event}",
                "run_id": run,
                "turn_id": "turn-1",
                "event_seq": self._event if seq is None else seq,
                "event_kind": kind or (content or {}).get("kind", "runtime_fact"),
                "payload_json": dumps(record, self._ascii_only) if payload is None else payload,
                "committed_at": at,
            },
        )
        return event

    def text(self, session: str, text: str, role: str = "model", **more: Any) -> str:
        return self.event(session, {"kind": "text", "text": text}, role=role, **more)

    def result(self, session: str, result: Any, **more: Any) -> str:
        content = {"kind": "function_response", "id": "call", "name": "Bash", "result": result}
        return self.event(session, content, role="tool", **more)

    def stream(
        self,
        session: str,
        key: str,
        segments: list[str],
        *,
        base: str = "",
        after: str | None = None,
        run: str = "run-1",
        **record: Any,
    ) -> str:
        full = {"id": f"of-{key}", "role": "model", "partial": True, **record}
        full.setdefault("content", {"kind": "text", "text": ""})
        at = self.tick()
        self.db.execute(
            "INSERT INTO runtime_partial_snapshots VALUES (?,?,?,?,?,?,?,?,?)",
            (key, session, "inv", run, "turn-1", after, dumps(full), base, at),
        )
        for number, text in reversed(list(enumerate(segments, 1))):
            self.db.execute(
                "INSERT INTO runtime_partial_segments VALUES (?,?,?,?)",
                (key, number, text, at + number),
            )
        return key

    def message(
        self,
        session: str,
        sequence: int,
        type: str,
        record: dict[str, Any] | None = None,
        *,
        id: str | None = None,
        raw: Any = None,
    ) -> None:
        """One pre-ledger row; ``raw`` replaces the record, of whatever type."""
        at = self.tick()
        name = id or f"message-{sequence}"
        full = {"type": type, "id": name, "turnId": "turn-1", "ts": at, **(record or {})}
        text = dumps(full, self._ascii_only) if raw is None else raw
        if isinstance(text, str) and len(text.encode()) > CHUNK_BYTES:
            self._row(session, sequence, name, type, at, CHUNK_MARKER)
            self.chunks(session, sequence, text.encode())
        else:
            self._row(session, sequence, name, type, at, text)

    def chunks(self, session: str, sequence: int, body: bytes) -> None:
        digest = hashlib.sha256(body).hexdigest()
        self.db.execute(
            "INSERT INTO session_message_payloads VALUES (?,?,?,?)",
            (session, sequence, len(body), digest),
        )
        for index, start in enumerate(range(0, len(body), CHUNK_BYTES)):
            piece = body[start : start + CHUNK_BYTES]
            self.db.execute(
                "INSERT INTO session_message_chunks VALUES (?,?,?,?,?)",
                (session, sequence, index, piece, hashlib.sha256(piece).hexdigest()),
            )

    def _row(self, *values: Any) -> None:
        self.db.execute("INSERT INTO session_messages VALUES (?,?,?,?,?,?)", values)

    def _insert(self, table: str, values: dict[str, Any]) -> None:
        names, marks = ", ".join(values), ", ".join("?" * len(values))
        self.db.execute(f"INSERT INTO {table} ({names}) VALUES ({marks})", list(values.values()))


def texts(messages: Any) -> list[str]:
    """The text of each Message's text parts, joined."""
    return ["".join(p.text for p in m.parts if hasattr(p, "text")) for m in messages]


def tree(folder: Path) -> dict[str, tuple[str, int, int]]:
    """Digest, size and mtime of every file under a folder, read by another process."""
    import subprocess
    import sys

    script = (
        "import hashlib,json,os,sys\n"
        "out={}\n"
        "for base,_,files in os.walk(sys.argv[1]):\n"
        "  for f in files:\n"
        "    p=os.path.join(base,f); s=os.stat(p)\n"
        "    d=hashlib.sha256(open(p,'rb').read()).hexdigest()\n"
        "    out[p]=(d,s.st_size,s.st_mtime_ns)\n"
        "s=os.stat(sys.argv[1]); out['.']=('',0,s.st_mtime_ns)\n"
        "print(json.dumps(out))"
    )
    found = subprocess.run(
        [sys.executable, "-c", script, os.fspath(folder)], capture_output=True, check=True
    )
    return {name: tuple(value) for name, value in json.loads(found.stdout).items()}
