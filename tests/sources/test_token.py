"""A token is an epoch written down: equal in two processes only if nothing has changed."""

from __future__ import annotations

import sqlite3
import subprocess
import sys
import time
from collections.abc import Callable
from contextlib import closing
from pathlib import Path

import pytest

from harkback.config import SETTLED_NS
from harkback.engine import Engine
from harkback.sources.base import Source
from harkback.sources.opencode.source import OpenCodeSource
from harkback.sources.registry import open_source
from harkback.sources.sqlite import mapping
from harkback.sources.sqlite.generic import Generic
from harkback.sources.sqlite.source import SqliteSource
from harkback.sources.transcripts.source import TranscriptSource
from support import writers
from support.claude_rows import Chain
from support.opencode import OpenCodeBuilder
from support.plain import Plain
from support.stores import StoreBuilder

AGENTS = """
CREATE TABLE agent_sessions (session_id TEXT PRIMARY KEY, created_at TEXT, updated_at TEXT);
CREATE TABLE agent_messages (id INTEGER PRIMARY KEY, session_id TEXT, message_data TEXT,
  created_at TEXT);
"""
Make = Callable[..., SqliteSource]

_ASK = """
import sys
from pathlib import Path
from harkback import engine
from harkback.sources.registry import open_source
with open_source(Path(sys.argv[1])).view(engine.load()) as view:
    print(view.token.hex() if view.token else None)
"""


def elsewhere(path: Path) -> str:
    """The token that another process gets, with another seed of its hashes."""
    command = [sys.executable, "-c", _ASK, str(path)]
    return subprocess.run(command, capture_output=True, check=True, text=True).stdout.strip()


def token(source: Source, engine: Engine) -> str:
    with source.view(engine) as view:
        return view.token.hex() if view.token else "None"


def settle() -> None:
    time.sleep(SETTLED_NS / 1e9 * 1.5)


@pytest.mark.parametrize("journal", ["delete", "wal"])
def test_of_a_database(
    builder: StoreBuilder, source_of: Make, chosen: Engine, journal: str
) -> None:
    builder.db.execute(f"PRAGMA journal_mode={journal}")
    builder.session("s")
    builder.text("s", "one")
    source = source_of(builder.path)
    assert token(source, chosen) == "None"  # written a moment ago: it may be written again unseen
    settle()
    first = token(source, chosen)
    assert first != "None"
    assert first == token(source, chosen) == elsewhere(builder.path)
    builder.db.execute(
        "UPDATE runtime_events SET payload_json = replace(payload_json, 'one', 'two')"
    )
    assert token(source, chosen) == "None"
    settle()
    assert first != token(source, chosen) == elsewhere(builder.path) != "None"


def test_of_a_live_store(builder: StoreBuilder, source_of: Make, chosen: Engine) -> None:
    builder.session("s")
    seen = set()
    with writers.live(builder.path) as writer:
        for number in range(3):
            writer.execute(f"UPDATE session_metadata SET name = 'name {number}'")
            settle()
            seen.add(token(source_of(builder.path), chosen))
            writer.execute("PRAGMA wal_checkpoint(PASSIVE)")
    assert len(seen) == 3
    assert "None" not in seen


def test_of_a_connection_of_the_host(
    builder: StoreBuilder, source_of: Make, chosen: Engine
) -> None:
    builder.session("s")
    settle()
    with closing(sqlite3.connect(builder.path)) as connection:
        source = source_of(builder.path, connect=lambda: connection)
        assert token(source, chosen) == "None"


def test_what_a_mapping_says_is_part_of_it(tmp_path: Path, source_of: Make, chosen: Engine) -> None:
    path = tmp_path / "notes.db"
    with closing(sqlite3.connect(path)) as db:
        db.execute("CREATE TABLE m (id INTEGER PRIMARY KEY, s TEXT, body TEXT)")
        db.execute("INSERT INTO m (s, body) VALUES ('s', 'text')")
        db.commit()
    settle()

    def of(kind: str) -> tuple[str, bytes]:
        messages = {"table": "m", "session": "s", "id": "id", "order": "id"}
        shown = [{"kind": kind, "text": "body"}]
        table = mapping.load({"agent": "notes", "messages": {**messages, "shown": shown}})
        source = source_of(path, schema=Generic(table))
        with source.view(chosen) as view:
            return token(source, chosen), view.fingerprint("s")

    user, assistant = of("user"), of("assistant")
    assert user == of("user")
    assert user[0] != assistant[0]
    assert user[1] != assistant[1]


def test_of_a_mapping_that_comes_with_the_package(tmp_path: Path, chosen: Engine) -> None:
    path = tmp_path / "agents.db"
    with closing(sqlite3.connect(path)) as db:
        db.executescript(AGENTS)
    settle()
    assert token(open_source(path), chosen) == elsewhere(path) != "None"


def test_of_files_beside_a_database(tmp_path: Path, chosen: Engine) -> None:
    built = OpenCodeBuilder(tmp_path)
    built.session("s")
    built.close()
    settle()
    source = OpenCodeSource(tmp_path)
    first = token(source, chosen)
    assert first == elsewhere(tmp_path) != "None"
    built.spill("tool_1", "whole")
    settle()
    assert first != token(source, chosen) != "None"
    source.close()


def test_of_transcripts(tmp_path: Path, chosen: Engine) -> None:
    chain = Chain()
    chain.user("one")
    path = tmp_path / next(iter(chain.files()))
    path.parent.mkdir(parents=True)
    path.write_bytes(chain.files()[next(iter(chain.files()))])
    source = open_source(tmp_path)
    assert token(source, chosen) == "None"
    settle()
    first = token(source, chosen)
    assert first == token(source, chosen) == elsewhere(tmp_path) != "None"
    path.with_name("other.jsonl").write_bytes(path.read_bytes())
    settle()
    assert first != token(source, chosen) != "None"
    path.with_name("other.jsonl").unlink()
    assert token(source, chosen) == first


def test_titles_of_an_index_are_part_of_it(tmp_path: Path, chosen: Engine) -> None:
    (tmp_path / "p").mkdir()
    (tmp_path / "p" / "a.jsonl").write_bytes(b'{"t": "one"}\n')
    settle()
    plain = Plain()
    source = TranscriptSource(plain, tmp_path)
    first = token(source, chosen)
    plain.titles["a"] = "Title"
    assert first != token(source, chosen) != "None"
