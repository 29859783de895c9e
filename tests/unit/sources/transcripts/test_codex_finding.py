"""Which rollouts are Sessions, which copy of one is read, and what it is called."""

from __future__ import annotations

import itertools
import sqlite3
from pathlib import Path

import pytest

from harkback.sources.transcripts.codex import Codex, roots
from support.transcripts import MemoryFiles, found, lines

THREAD = "019eb93c-5740-7f74-b4a3-e0cdde5c33ad"
OTHER = "019eb946-6960-72ca-b62c-d58e97e0dff5"
NAME = f"rollout-2026-06-12T09-30-00-{THREAD}"
COPIES = [  # the one that is read first
    f"sessions/2026/06/12/{NAME}.jsonl",
    f"sessions/2026/06/12/{NAME}.jsonl.zst",
    f"archived_sessions/{NAME}.jsonl",
    f"archived_sessions/{NAME}.jsonl.zst",
]


@pytest.mark.parametrize("pair", list(itertools.combinations(COPIES, 2)))
def test_a_live_rollout_before_an_archived_one_a_plain_one_before_a_compressed(
    pair: tuple[str, str],
) -> None:
    files = MemoryFiles(dict.fromkeys(pair, b"x"), {pair[1]: 9})
    (session,) = found(Codex(), files).values()
    assert session.files[0].path == pair[0]
    assert session.archived == pair[0].startswith("archived")


def test_the_newer_of_two_equals() -> None:
    older, newer = (f"sessions/2026/06/{day}/{NAME}.jsonl" for day in ("13", "12"))
    files = MemoryFiles({older: b"x", newer: b"x"}, {newer: 9})
    assert found(Codex(), files)[THREAD].files[0].path == newer


def test_only_rollouts_are_sessions() -> None:
    legacy = f"sessions/rollout-2025-04-20-{OTHER}.json"
    contents = dict.fromkeys(
        [
            COPIES[0],
            legacy,
            "sessions/2026/06/12/notes.jsonl",
            "sessions/2026/06/12/rollout-2026-06-12T09-30-00.jsonl",
            f"sessions/2026/06/{NAME}.jsonl",
            f"sessions/backup/06/12/{NAME}.jsonl",
            "archived_sessions/rollout-compress-9f2.tmp",
            "history.jsonl",
            "auth.json",
        ],
        b"x",
    )
    contents[f"sessions/2026/06/12/rollout-2026-06-12T09-30-00-{OTHER[:-1]}0.jsonl"] = b""
    sessions = found(Codex(), MemoryFiles(contents))
    assert {(s.files[0].path, s.files[0].form) for s in sessions.values()} == {
        (COPIES[0], "lines"),
        (legacy, "json"),
    }


def database(tmp_path: Path, title: str) -> bytes:
    path = tmp_path / "state.sqlite"
    path.unlink(missing_ok=True)
    connection = sqlite3.connect(path)
    with connection:
        connection.execute("CREATE TABLE threads (id TEXT PRIMARY KEY, title TEXT)")
        connection.execute("INSERT INTO threads VALUES (?, ?)", (THREAD, title))
    connection.close()
    return path.read_bytes()


def test_a_title_from_the_newest_database_and_the_last_name_before_it(tmp_path: Path) -> None:
    contents = {COPIES[0]: b"x", "state_9.sqlite": database(tmp_path, "from nine")}
    contents["state_10.sqlite"] = database(tmp_path, "from ten")
    files = MemoryFiles(contents)
    assert found(Codex(), files)[THREAD].title == "from ten"
    assert files.opened == ["state_10.sqlite"]
    index = lines(
        {"id": THREAD, "thread_name": "first"},
        {"id": THREAD, "thread_name": "last"},
        {"id": THREAD, "thread_name": ["no", "name"]},
        {"id": OTHER, "thread_name": "of another"},
    )
    files = MemoryFiles({**contents, "session_index.jsonl": index})
    assert found(Codex(), files)[THREAD].title == "last"


def test_a_database_that_cannot_be_read_costs_only_its_titles() -> None:
    files = MemoryFiles({COPIES[0]: b"x", "state_5.sqlite": b"no database"})
    assert found(Codex(), files)[THREAD].title == ""
    assert files.problems == {"index_unreadable": 1}


def test_where_it_keeps_them(tmp_path: Path) -> None:
    assert roots({}, tmp_path) == [tmp_path / ".codex"]
    assert roots({"CODEX_HOME": ""}, tmp_path) == [tmp_path / ".codex"]
    assert roots({"CODEX_HOME": "/srv/codex"}, tmp_path) == [Path("/srv/codex")]
