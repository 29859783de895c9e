"""A database is told by its tables."""

from __future__ import annotations

import sqlite3
from contextlib import closing

import pytest

from harkback.errors import SourceError
from harkback.sources.sqlite.schema import SCHEMA
from harkback.sources.sqlite.schemas import known, recognise
from support.opencode import SCHEMA as OPENCODE

TABLES = {
    "maka": SCHEMA,
    "opencode": OPENCODE,
    "openai-agents": (
        "CREATE TABLE agent_sessions (session_id, created_at, updated_at);"
        "CREATE TABLE agent_messages (id, session_id, message_data, created_at);"
    ),
    "hermes": (
        "CREATE TABLE sessions (id, started_at);"
        "CREATE TABLE messages (id, session_id, role, content, timestamp);"
    ),
}


def told(script: str) -> str:
    with closing(sqlite3.connect(":memory:")) as connection:
        connection.executescript(script)
        connection.text_factory = bytes
        return recognise(connection).agent


def test_every_schema_is_told() -> None:
    assert [schema.agent for schema in known()] == list(TABLES)
    for agent, script in TABLES.items():
        assert told(script) == agent


@pytest.mark.parametrize(
    "script",
    [
        "",
        "CREATE TABLE sessions (id, started_at)",
        "CREATE TABLE session (id, title); CREATE TABLE message (id, session_id)",
        "CREATE TABLE sessions (id); CREATE TABLE messages (id, text)",
    ],
)
def test_other_tables_are_none(script: str) -> None:
    with pytest.raises(SourceError) as caught:
        told(script)
    assert caught.value.reason == "source_not_a_store"
