"""Databases that a mapping describes: the two that come ready, and one of somebody's own."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from harkback import Recall
from harkback.engine import Engine
from harkback.errors import SourceError
from harkback.model import AttachmentPart, JsonPart, StoredMessage, TextPart
from harkback.sources.registry import open_source
from harkback.sources.sqlite.source import SqliteSource
from support.stores import texts, tree

Make = Callable[..., SqliteSource]

AGENTS = """
CREATE TABLE agent_sessions (session_id TEXT PRIMARY KEY,
  created_at TIMESTAMP DEFAULT CURRENT_TIMESTAMP, updated_at TIMESTAMP DEFAULT CURRENT_TIMESTAMP);
CREATE TABLE agent_messages (id INTEGER PRIMARY KEY AUTOINCREMENT, session_id TEXT NOT NULL,
  message_data TEXT NOT NULL, created_at TIMESTAMP DEFAULT CURRENT_TIMESTAMP);
"""
HERMES = """
CREATE TABLE sessions (id TEXT PRIMARY KEY, source TEXT, model_config TEXT, cwd TEXT, title TEXT,
  parent_session_id TEXT, started_at REAL, ended_at REAL, archived INTEGER, hidden INTEGER);
CREATE TABLE messages (id INTEGER PRIMARY KEY AUTOINCREMENT, session_id TEXT, role TEXT,
  content TEXT, tool_call_id TEXT, tool_calls TEXT, tool_name TEXT, timestamp REAL,
  active INTEGER DEFAULT 1, compacted INTEGER DEFAULT 0, display_kind TEXT,
  _compressed_summary INTEGER DEFAULT 0);
"""


class Database:
    def __init__(self, path: Path, schema: str) -> None:
        self.path = path
        self.db = sqlite3.connect(path, isolation_level=None)
        self.db.execute("PRAGMA synchronous=OFF")
        self.db.executescript(schema)

    def add(self, table: str, **values: Any) -> None:
        names, marks = ", ".join(values), ", ".join("?" * len(values))
        self.db.execute(f"INSERT INTO {table} ({names}) VALUES ({marks})", list(values.values()))

    def item(self, session: str, item: Any) -> None:
        self.add("agent_messages", session_id=session, message_data=json.dumps(item))


@pytest.fixture
def agents(tmp_path: Path) -> Iterator[Database]:
    database = Database(tmp_path / "agents.db", AGENTS)
    database.add("agent_sessions", session_id="s", created_at="2026-01-02 03:04:05")
    yield database
    database.db.close()


@pytest.fixture
def hermes(tmp_path: Path) -> Iterator[Database]:
    database = Database(tmp_path / "state.db", HERMES)
    database.add("sessions", id="s", title="Talk", cwd="/home/dev/shop", started_at=10.5)
    yield database
    database.db.close()


def read(source: SqliteSource, engine: Engine, session: str = "s") -> list[StoredMessage]:
    with source.view(engine) as view:
        transcript = view.read(session)
        assert view.fingerprint(session) == transcript.fingerprint
        for message in transcript.messages:
            assert view.read_around(session, [message.locator]) == [message]
        assert len({m.id for m in transcript.messages}) == len(transcript.messages)
        return [message for message in transcript.messages if message.kind != "title"]


# --- OpenAI Agents SDK ----------------------------------------------------------------------


def test_items_of_the_agents_sdk(agents: Database, source_of: Make, chosen: Engine) -> None:
    agents.item("s", {"role": "user", "content": "查一下天气"})
    image = {"type": "input_image", "image_url": "data:image/png;base64,aGVsbG8="}
    blocks = [{"type": "input_text", "text": "one"}, {"type": "input_text", "text": "two"}, image]
    agents.item("s", {"role": "user", "content": blocks})
    agents.item("s", {"type": "reasoning", "summary": [{"text": "hidden"}]})
    arguments = json.dumps({"city": "上海\n", "deep": [{"x": '"quoted"'}]})
    call = {"type": "function_call", "name": "weather", "arguments": arguments, "call_id": "c"}
    agents.item("s", call)
    agents.item("s", {"type": "function_call_output", "call_id": "c", "output": "sunny"})
    answer = [{"type": "output_text", "text": "It is sunny."}]
    agents.item("s", {"type": "message", "role": "assistant", "content": answer})
    agents.item("s", {"role": "system", "content": "hidden"})
    found = read(source_of(agents.path), chosen)
    assert [(m.id, m.kind, m.turn) for m in found] == [
        ("1", "user", "1"),
        ("2", "user", "2"),
        ("4", "tool_call", "2"),
        ("5", "tool_result", "2"),
        ("6", "assistant", "2"),
    ]
    assert texts(found) == ["查一下天气", "onetwo", "weather", "sunny", "It is sunny."]
    assert found[1].parts[-1] == AttachmentPart("", "image", "image/png", 5)
    assert found[2].parts[1] == JsonPart("args", {"city": "上海\n", "deep": [{"x": '"quoted"'}]})
    assert found[0].timestamp > 1_700_000_000_000


@pytest.mark.parametrize("term", ["查一下", "海\n", '"quoted', "weather", "sunny"])
def test_escaped_text_is_found(agents: Database, engine: Engine, term: str) -> None:
    test_items_of_the_agents_sdk(agents, SqliteSource, engine)
    agents.item("other", {"role": "user", "content": "nothing of it"})
    with Recall(agents.path, engine=engine.name) as recall:
        assert {p.session.id for p in recall.search([term]).passages} == {"s"}
    with SqliteSource(agents.path).view(engine) as view:
        folded = [engine.fold(term)]
        assert view.scan(folded, ["s", "other"]).offered == {"s"}
        assert view.scan(folded, ["other"]).offered == set()
        assert view.record_count("s") == 7


def test_sealed_items_are_counted(agents: Database, source_of: Make, chosen: Engine) -> None:
    agents.item("s", {"__enc__": 1, "v": 1, "kid": "k", "payload": "gAAA", "role": "user"})
    agents.item("s", {"role": "user", "content": "plain"})
    with source_of(agents.path).view(chosen) as view:
        transcript = view.read("s")
        assert texts(transcript.messages) == ["plain"]
        assert [(g.code, g.count) for g in transcript.damage] == [("record_damaged", 1)]


def test_sessions_of_the_agents_sdk(agents: Database, source_of: Make, chosen: Engine) -> None:
    agents.item("unlisted", {"role": "user", "content": "the prompt"})
    agents.db.execute("UPDATE agent_messages SET created_at = '2026-01-01 00:00:00'")
    with source_of(agents.path).view(chosen) as view:
        found = {session.id: session for session in view.sessions().sessions}
        assert found["s"].started_at == 1_767_323_045_000
        assert found["unlisted"].last_activity_at == 1_767_225_600_000
        assert view.title("unlisted") == "the prompt"
        assert view.title("s") == ""


# --- Hermes ---------------------------------------------------------------------------------


def test_rows_of_hermes(hermes: Database, source_of: Make, chosen: Engine) -> None:
    def row(role: str, content: Any, **more: Any) -> None:
        hermes.add("messages", session_id="s", role=role, content=content, **more)

    row("system", "hidden")
    row("user", "a prompt", timestamp=1.5)
    calls = [{"id": "c", "function": {"name": "sh", "arguments": '{"cmd":"ls\\n"}'}}]
    row("assistant", "I look.", tool_calls=json.dumps([*calls, *calls, 5]))
    row("tool", "output", tool_call_id="c")
    row("user", "hidden", display_kind="hidden")
    row("user", "Review the conversation above hidden")
    row("user", "rewound", active=0)
    row("user", "compacted away", active=0, compacted=1)
    row("assistant", "what was done", _compressed_summary=1)
    row("user", '["a list", "that was pasted"]')
    row("user", '{"json": "that was pasted"}')
    parts = [{"type": "text", "text": "seen"}, {"type": "image_url", "image_url": {"url": "x"}}]
    row("user", json.dumps(parts), timestamp=5e246)
    row("user", json.dumps(parts[1:]))
    found = read(source_of(hermes.path), chosen)
    assert "hidden" not in repr(found)
    assert [(m.kind, text, m.abandoned) for m, text in zip(found, texts(found), strict=True)] == [
        ("user", "a prompt", False),
        ("assistant", "I look.", False),
        ("tool_call", "sh", False),
        ("tool_call", "sh", False),
        ("tool_result", "output", False),
        ("user", "rewound", True),
        ("user", "compacted away", False),
        ("summary", "what was done", False),
        ("user", '["a list", "that was pasted"]', False),
        ("user", '{"json": "that was pasted"}', False),
        ("user", "seen", False),
        ("user", "", False),
    ]
    assert found[2].parts == (TextPart("tool", "sh"), JsonPart("args", {"cmd": "ls\n"}))
    assert (found[0].timestamp, found[-2].timestamp) == (1500, 0)
    assert found[-1].parts == (AttachmentPart("", "image", "", None),)


def test_sessions_of_hermes(hermes: Database, source_of: Make, chosen: Engine) -> None:
    hermes.add("sessions", id="d", model_config='{"_delegate_from":"s"}', parent_session_id="s")
    hermes.add("sessions", id="b", model_config='{"_branched_from":"s"}', archived=1)
    hermes.add("sessions", id="c", model_config="{", parent_session_id="s")
    hermes.add("sessions", id="hidden", hidden=1)
    hermes.add("messages", session_id="hidden", role="user", content="x")
    with source_of(hermes.path).view(chosen) as view:
        found = {session.id: session for session in view.sessions().sessions}
        assert {name: s.parent_kind for name, s in found.items()} == {
            "s": None,
            "d": "subagent",
            "b": "branch",
            "c": "revision",
        }
        assert {s.lineage for s in found.values()} == {"s"}
        assert [s.id for s in found.values() if s.archived] == ["b"]
        assert (found["s"].title, found["s"].project) == ("Talk", "/home/dev/shop")
        assert found["s"].started_at == 10_500
        assert view.scan([chosen.fold("TALK")], list(found)).offered == {"s"}


def test_columns_that_a_version_lacks(tmp_path: Path, source_of: Make, chosen: Engine) -> None:
    database = Database(
        tmp_path / "old.db",
        "CREATE TABLE sessions (id TEXT, started_at REAL);"
        "CREATE TABLE messages (id INTEGER PRIMARY KEY, session_id TEXT, role TEXT, content TEXT,"
        " timestamp REAL);",
    )
    database.add("messages", session_id="s", role="user", content="of old", timestamp=1)
    assert texts(read(source_of(database.path), chosen)) == ["of old"]


# --- a mapping of one's own -----------------------------------------------------------------

OWN = {
    "agent": "mine",
    "messages": {
        "table": 'odd "table"',
        "session": "chat id",
        "id": "n",
        "order": ["at", "n"],
        "time": "at",
        "unit": "us",
        "when": {"deleted": ["", 0]},
        "shown": [
            {"kind": "user", "when": {"who": ["me", "us"]}, "text": "said"},
            {"kind": "assistant", "unless": {"who": ["me", "us"]}, "text": ["said", "j:a.b[].c"]},
        ],
    },
}


def test_a_mapping_of_ones_own(tmp_path: Path, engine: Engine) -> None:
    path = tmp_path / "mine.db"
    db = sqlite3.connect(path, isolation_level=None)
    db.execute('CREATE TABLE "odd ""table""" ("chat id", n, at, who, said, j, deleted)')
    rows = [
        (7, 1, 3_000_000, "me", "third", None, None),
        (7, 2, 1_000_000, "it", "first", '{"a":{"b":[{"c":"in\\nside"},{"c":5},7]}}', 0),
        (7, 3, 2_000_000, "us", "second", None, 0),
        (7, 4, 2_000_000, "us", "gone", None, 1),
        ("'; DROP TABLE x --", 5, "x", None, b"blob \xff", "[", None),
        (None, 6, 0, "me", "of nobody", None, None),
        (1.5, 7, 0, "me", "of nobody", None, None),
    ]
    db.executemany('INSERT INTO "odd ""table""" VALUES (?,?,?,?,?,?,?)', rows)
    db.close()
    before = tree(tmp_path)
    source = open_source(path, mapping=OWN)
    assert isinstance(source, SqliteSource)
    assert texts(read(source, engine, "7")) == ["firstin\nside", "second", "third"]
    assert [m.timestamp for m in read(source, engine, "7")] == [1000, 2000, 3000]
    assert texts(read(source, engine, "'; DROP TABLE x --")) == ["blob \ufffd["]
    with Recall(source, engine=engine.name) as recall:
        assert [p.session.id for p in recall.search(["in\nside"]).passages] == ["7"]
        assert [p.session.id for p in recall.search(["third"]).passages] == ["7"]
        assert recall.search(["gone"]).passages == ()
        assert recall.search(["of nobody"]).passages == ()
    assert tree(tmp_path) == before


def test_a_mapping_that_does_not_fit(tmp_path: Path, agents: Database, chosen: Engine) -> None:
    source = open_source(agents.path, mapping=OWN)
    with pytest.raises(SourceError) as caught, source.view(chosen):
        pass
    assert caught.value.reason == "source_not_a_store"
    source.close()


def test_a_change_is_another_fingerprint(agents: Database, source_of: Make, chosen: Engine) -> None:
    agents.item("s", {"role": "user", "content": "one"})
    source = source_of(agents.path)
    with source.view(chosen) as view:
        before = view.fingerprint("s")
    for change in (
        "UPDATE agent_messages SET message_data = replace(message_data, 'one', 'two')",
        "UPDATE agent_messages SET created_at = 'x'",
        "UPDATE agent_messages SET id = 9",
        "DELETE FROM agent_messages",
    ):
        agents.db.execute(change)
        with source.view(chosen) as view:
            assert view.fingerprint("s") not in (before, b"")
            before = view.fingerprint("s")
