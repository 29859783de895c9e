"""Builds OpenCode databases and trees row by row: every shape a reader may meet."""

from __future__ import annotations

import sqlite3
from pathlib import Path
from typing import Any

from support.stores import BASE_MS, dumps

SCHEMA = """
CREATE TABLE project (id text PRIMARY KEY, worktree text NOT NULL, name text);
CREATE TABLE session (id text PRIMARY KEY, project_id text, parent_id text, directory text,
  title text, revert text, time_created integer, time_updated integer, time_archived integer);
CREATE TABLE message (id text PRIMARY KEY, session_id text NOT NULL, time_created integer,
  time_updated integer, data text);
CREATE TABLE part (id text PRIMARY KEY, message_id text NOT NULL, session_id text NOT NULL,
  time_created integer, time_updated integer, data text);
CREATE INDEX message_session_time_created_id_idx ON message (session_id, time_created, id);
CREATE INDEX part_message_id_id_idx ON part (message_id, id);
CREATE INDEX part_session_idx ON part (session_id);
"""


class OpenCodeBuilder:
    """A database under construction; rows are committed as they are added."""

    def __init__(self, folder: Path, name: str = "opencode.db", schema: str = SCHEMA) -> None:
        folder.mkdir(parents=True, exist_ok=True)
        self.path = folder / name
        self.db = sqlite3.connect(self.path, isolation_level=None)
        self.db.execute("PRAGMA synchronous=OFF")
        self.db.executescript(schema)
        self._clock = BASE_MS
        self._number = 0
        self._sessions: dict[str, str] = {}

    def close(self) -> None:
        self.db.close()

    def tick(self) -> int:
        self._clock += 1000
        return self._clock

    def id(self, prefix: str) -> str:
        self._number += 1
        return f"{prefix}_{self._number:04}"

    def session(self, id: str, **columns: Any) -> str:
        at = self.tick()
        values = {"id": id, "title": "A title", "directory": "/home/dev/shop", "project_id": "p"}
        values |= {"time_created": at, "time_updated": at, **columns}
        self._insert("session", values)
        return id

    def message(self, session: str, role: str = "user", *, id: str = "", **record: Any) -> str:
        at = record.pop("at", None) or self.tick()
        name = id or self.id("msg")
        data = record.pop("raw", None)
        if data is None:
            time = {"created": at, "completed": at + 1}
            data = dumps({"role": role, "time": time, **record})
        self._sessions[name] = session
        values = {"id": name, "session_id": session, "time_created": at, "time_updated": at}
        self._insert("message", {**values, "data": data})
        return name

    def part(self, message: str, type: str = "text", *, id: str = "", **record: Any) -> str:
        at = record.pop("at", None) or self.tick()
        name = id or self.id("prt")
        data = record.pop("raw", None)
        if data is None:
            data = dumps({"type": type, **record})
        values = {"id": name, "message_id": message, "session_id": self._sessions[message]}
        self._insert("part", {**values, "time_created": at, "time_updated": at, "data": data})
        return name

    def say(self, session: str, text: str, role: str = "user", **record: Any) -> str:
        """A message with one text part; gives the id of the message."""
        message = self.message(session, role, **record)
        self.part(message, text=text)
        return message

    def tool(self, message: str, call: str = "call_1", **state: Any) -> str:
        full = {"status": "completed", "input": {"command": "ls"}, "output": "done", **state}
        return self.part(message, "tool", tool="bash", callID=call, state=full)

    def spill(self, name: str, text: str) -> str:
        """A whole output beside the database; gives the path that a record would tell."""
        folder = self.path.parent / "tool-output"
        folder.mkdir(exist_ok=True)
        (folder / name).write_text(text, encoding="utf-8")
        return f"C:\\elsewhere\\tool-output\\{name}"

    def _insert(self, table: str, values: dict[str, Any]) -> None:
        names, marks = ", ".join(values), ", ".join("?" * len(values))
        self.db.execute(f"INSERT INTO {table} ({names}) VALUES ({marks})", list(values.values()))


class TreeBuilder:
    """The tree of before, file by file."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder / "storage"
        self._clock = BASE_MS
        self._number = 0

    def session(self, id: str, project: str = "p", **record: Any) -> str:
        self._clock += 1000
        time = {"created": self._clock, "updated": self._clock}
        full = {"id": "stale", "title": "A title", "directory": "/home/dev/shop", "time": time}
        self.write(f"session/{project}/{id}.json", {**full, **record})
        return id

    def message(self, session: str, role: str = "user", *, id: str = "", **record: Any) -> str:
        self._clock += 1000
        self._number += 1
        name = id or f"msg_{self._number:04}"
        full = {"id": "stale", "role": role, "time": {"created": self._clock}, **record}
        self.write(f"message/{session}/{name}.json", full)
        return name

    def part(self, message: str, type: str = "text", *, id: str = "", **record: Any) -> str:
        self._number += 1
        name = id or f"prt_{self._number:04}"
        self.write(f"part/{message}/{name}.json", {"type": type, **record})
        return name

    def say(self, session: str, text: str, role: str = "user", **record: Any) -> str:
        message = self.message(session, role, **record)
        self.part(message, text=text)
        return message

    def write(self, path: str, value: Any) -> None:
        file = self.folder / path
        file.parent.mkdir(parents=True, exist_ok=True)
        text = value if isinstance(value, str) else dumps(value)
        file.write_text(text, encoding="utf-8", errors="surrogatepass")
