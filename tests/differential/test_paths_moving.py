"""A store that changes between searches: what stays in memory never outlives the truth.

A Recall that lives through every change gives, each time, the answer of one that was just made
and reads everything. Changes are of every sort a host makes and some that only a repair would:
appended, rewritten in place with equal lengths and counts, removed, moved between Sessions.
"""

from __future__ import annotations

import itertools
import json
import sqlite3
import tempfile
import uuid
from collections.abc import Callable, Iterable
from contextlib import closing
from functools import partial
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from differential.test_paths import shown
from harkback import Recall
from harkback.sources.registry import open_source
from harkback.verification import Path as SearchPath
from support.opencode import OpenCodeBuilder
from support.plain import settle
from support.stores import StoreBuilder

TERMS = ["apple", "pear", "plum"]
WORDS = ("apple", "pear.", "plum!", "apple", "grape")
SESSIONS = ("led0", "led1", "pre0", "pre1")
Change = Callable[[StoreBuilder, int, str], None]


def append(builder: StoreBuilder, number: int, word: str) -> None:
    session = SESSIONS[number % 4]
    if session.startswith("led"):
        builder.text(session, f"more {word}")
    else:
        builder.message(session, builder.tick(), "user", {"text": f"more {word}"})


def rewrite(builder: StoreBuilder, number: int, word: str) -> None:
    """Equal count, equal length, equal times: only the bytes are others."""
    for table, column in (("runtime_events", "payload_json"), ("session_messages", "record_json")):
        builder.db.execute(
            f"UPDATE {table} SET {column} = replace({column}, ?, ?) WHERE session_id = ?",
            (WORDS[number % 5], word, SESSIONS[number % 4]),
        )


def remove(builder: StoreBuilder, number: int, word: str) -> None:
    session = SESSIONS[number % 4]
    for table in ("runtime_events", "session_messages"):
        builder.db.execute(
            f"DELETE FROM {table} WHERE rowid IN"
            f" (SELECT MAX(rowid) FROM {table} WHERE session_id = ?)",
            (session,),
        )


def archive(builder: StoreBuilder, number: int, word: str) -> None:
    builder.db.execute(
        "UPDATE session_metadata SET payload_json ="
        " json_set(payload_json, '$.isArchived', json(?)) WHERE session_id = ?",
        ("true" if number % 3 else "false", SESSIONS[number % 4]),
    )


def delete(builder: StoreBuilder, number: int, word: str) -> None:
    session = SESSIONS[number % 4]
    if number % 2:
        builder.db.execute(
            "DELETE FROM session_metadata_tombstones WHERE session_id = ?", (session,)
        )
    else:
        builder.db.execute(
            "INSERT OR IGNORE INTO session_metadata_tombstones (session_id, deleted_at)"
            " VALUES (?, 1)",
            (session,),
        )


def rename(builder: StoreBuilder, number: int, word: str) -> None:
    values = (word, SESSIONS[number % 4])
    builder.db.execute("UPDATE session_metadata SET name = ? WHERE session_id = ?", values)


def stream(builder: StoreBuilder, number: int, word: str) -> None:
    """Begins, grows in place, or goes away."""
    key = f"key{number % 2}"
    if not builder.db.execute(
        "SELECT 1 FROM runtime_partial_snapshots WHERE stream_key = ?", (key,)
    ).fetchone():
        builder.stream(SESSIONS[number % 2], key, [word])
    elif number % 3:
        builder.db.execute(
            "UPDATE runtime_partial_segments SET text_content = ? WHERE stream_key = ?", (word, key)
        )
    else:
        builder.db.execute("PRAGMA foreign_keys=ON")
        builder.db.execute("DELETE FROM runtime_partial_snapshots WHERE stream_key = ?", (key,))


def change_owner(builder: StoreBuilder, number: int, word: str) -> None:
    """A Session is converted: another table owns its transcript."""
    version = "1" if number % 2 else "0"
    how = (
        "json_remove(payload_json, '$.transcriptLedgerVersion')"
        if number % 3 == 0
        else f"json_set(payload_json, '$.transcriptLedgerVersion', {version})"
    )
    builder.db.execute(
        f"UPDATE session_metadata SET payload_json = {how} WHERE session_id = ?",
        (SESSIONS[number % 4],),
    )


def tear(builder: StoreBuilder, number: int, word: str) -> None:
    """A long record: written, torn, or changed in the middle."""
    if number % 2:
        builder.db.execute("DELETE FROM session_message_chunks WHERE chunk_index = 1")
        return
    builder.db.execute("PRAGMA foreign_keys=ON")
    builder.db.execute("DELETE FROM session_messages WHERE session_id = 'pre0' AND sequence = 99")
    builder.message("pre0", 99, "user", {"text": word + " " + "x" * 66_000})


CHANGES: tuple[Change, ...] = (
    append, rewrite, remove, archive, delete, rename, stream, change_owner, tear,
)  # fmt: skip


def first_state(path: Path) -> StoreBuilder:
    builder = StoreBuilder(path)
    for number, session in enumerate(SESSIONS):
        builder.session(session, ledger=session.startswith("led"))
        builder.text(session, f"an {WORDS[number]} in the ledger")
        builder.message(session, 0, "user", {"text": f"an {WORDS[number + 1]} in a row"})
    return builder


def changes_of(kinds: tuple[Any, ...]) -> st.SearchStrategy[list[Any]]:
    """Some changes, each with a number and a word."""
    one = st.tuples(st.sampled_from(kinds), st.integers(0, 11), st.sampled_from(WORDS))
    return st.lists(one, min_size=1, max_size=6)


def holds_its_own(path: Path, steps: Iterable[Callable[[], object]]) -> None:
    """Behind each step, those that lived through all of them answer like a new one."""
    with (
        Recall(open_source(path), engine="native") as living,
        Recall(open_source(path), engine="native", memory_bytes=1500) as forgetful,
    ):
        assert living.search(TERMS).passages
        for step in itertools.chain([lambda: None], steps):
            step()
            with Recall(open_source(path), engine="native", memory_bytes=0) as fresh:
                fresh._path = SearchPath.FULL
                expected = shown(fresh.search(TERMS, limit=25))
            for recall in (living, forgetful, living):
                assert shown(recall.search(TERMS, limit=25)) == expected


FEW = settings(max_examples=settings.default.max_examples // 5)


@FEW
@given(st.sampled_from(("wal", "delete")), changes_of(CHANGES))
def test_a_living_recall_answers_like_a_new_one(
    journal: str, changes: list[tuple[Change, int, str]]
) -> None:
    with (
        tempfile.TemporaryDirectory() as folder,
        closing(first_state(Path(folder, "runtime.sqlite"))) as builder,
    ):
        builder.db.execute(f"PRAGMA journal_mode={journal}")
        steps = [partial(change, builder, number, word) for change, number, word in changes]
        holds_its_own(builder.path, steps)


#: What happens to rows that are parts of messages; ``{}`` is a word, ``?`` a time.
PARTS = (
    "INSERT INTO part SELECT 'p' || hex(randomblob(8)), id, session_id, ?, ?,"
    " json_object('type', 'text', 'text', 'more {}') FROM message WHERE rowid = {row}",
    "UPDATE part SET data = replace(data, 'an', '{}'), time_updated = ? WHERE rowid = {row}",
    "UPDATE part SET data = replace(data, 'apple', '{} {}') WHERE rowid = {row}",
    "DELETE FROM part WHERE rowid = {row}",
    "UPDATE part SET session_id = 's0' WHERE rowid = {row}",
    "UPDATE session SET title = '{}' WHERE rowid = {row}",
    "UPDATE session SET time_archived = ? WHERE rowid = {row}",
    "DELETE FROM session WHERE rowid = {row}",
)


@FEW
@given(changes_of(PARTS))
def test_of_opencode(changes: list[tuple[str, int, str]]) -> None:
    with tempfile.TemporaryDirectory() as folder, closing(OpenCodeBuilder(Path(folder))) as built:
        for number, word in enumerate(WORDS):
            built.session(f"s{number}")
            built.say(f"s{number}", f"an {word}")

        def step(statement: str, number: int, word: str) -> None:
            filled = statement.replace("{}", word).replace("{row}", str(number % 6 + 1))
            built.db.execute(filled, [built.tick()] * statement.count("?"))

        holds_its_own(built.path, [partial(step, *change) for change in changes])


ITEMS = (
    "INSERT INTO agent_messages (session_id, message_data) VALUES ('s{n}', '{item}')",
    "UPDATE agent_messages SET message_data = '{item}' WHERE id = {n} + 1",
    "DELETE FROM agent_messages WHERE id = {n} + 1",
    "DELETE FROM agent_messages WHERE session_id = 's{n}'",
    "UPDATE agent_messages SET session_id = 's0' WHERE id = {n} + 1",
)


@FEW
@given(changes_of(ITEMS))
def test_of_a_mapping(changes: list[tuple[str, int, str]]) -> None:
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, "agents.db")
        with closing(sqlite3.connect(path, isolation_level=None)) as db:
            db.executescript(
                "CREATE TABLE agent_sessions (session_id TEXT, created_at TEXT, updated_at TEXT);"
                "CREATE TABLE agent_messages (id INTEGER PRIMARY KEY, session_id TEXT NOT NULL,"
                " message_data TEXT NOT NULL, created_at TEXT DEFAULT '2026-01-02 03:04:05');"
            )

            def step(statement: str, number: int, word: str) -> None:
                item = json.dumps({"role": "user", "content": word})
                db.execute(statement.replace("{n}", str(number % 4)).replace("{item}", item))

            for number, word in enumerate(WORDS):
                step(ITEMS[0], number, word)
            holds_its_own(path, [partial(step, *change) for change in changes])


def grow(file: Path, word: str) -> None:
    with file.open("ab") as opened:
        opened.write(transcript(word))


def shrink(file: Path, word: str) -> None:
    file.write_bytes(b"".join(file.read_bytes().splitlines(keepends=True)[:-1]))


def write(file: Path, word: str) -> None:
    file.write_bytes(transcript(word))


def replace(file: Path, word: str) -> None:
    """Another file under its name."""
    fresh = file.with_suffix(".tmp")
    fresh.write_bytes(transcript(word))
    fresh.replace(file)


def remove_file(file: Path, word: str) -> None:
    file.unlink(missing_ok=True)


def tear_off(file: Path, word: str) -> None:
    """The end of a line is not written yet."""
    with file.open("ab") as opened:
        opened.write(transcript(word).rstrip(b"\n}"))


def transcript(word: str) -> bytes:
    message = {"role": "user", "content": f"an {word}"}
    row = {"type": "user", "uuid": str(uuid.uuid4()), "parentUuid": None, "message": message}
    return json.dumps({**row, "sessionId": "s", "version": "2.1.0"}).encode() + b"\n"


@FEW
@given(st.booleans(), changes_of((grow, shrink, write, replace, remove_file, tear_off)))
def test_of_transcripts(settled: bool, changes: list[tuple[Any, int, str]]) -> None:
    """Settled: nobody wrote for a while before each search, so that times alone are trusted."""
    with tempfile.TemporaryDirectory() as folder:
        project = Path(folder, "projects", "-home-ada")
        project.mkdir(parents=True)
        files = [project / f"5f0c2c1e-0000-4000-8000-00000000000{n}.jsonl" for n in range(4)]
        for file, word in zip(files, WORDS, strict=False):
            write(file, word)

        def step(change: Callable[[Path, str], None], number: int, word: str) -> None:
            file = files[number % 4]
            if not file.exists():
                write(file, word)
            change(file, word)
            if settled and file.exists():
                settle(file)

        holds_its_own(Path(folder), [partial(step, *change) for change in changes])


@pytest.mark.parametrize("change", CHANGES)
def test_every_change_can_change_an_answer(change: Change, tmp_path: Path) -> None:
    """A change that changes nothing would hold nobody to anything."""
    with closing(first_state(tmp_path / "runtime.sqlite")) as builder:

        def answer() -> object:
            with Recall(builder.path) as recall:
                return shown(recall.search(TERMS, limit=25))

        before = answer()
        after = []
        for number in range(12):
            change(builder, number, WORDS[(number + 2) % 5])
            after.append(answer())
        assert any(state != before for state in after)


def test_a_fingerprint_that_is_not_looked_at_is_caught(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The test above fails when a Session that changed passes for the same."""
    monkeypatch.setattr(
        "harkback.sources.sqlite.view.SqliteView.fingerprint", lambda self, session: b"same"
    )
    monkeypatch.setattr("harkback.sources.sqlite.records.Fingerprint.digest", lambda self: b"same")
    with closing(first_state(tmp_path / "runtime.sqlite")) as builder:
        with Recall(builder.path) as living:
            living.search(TERMS)
            for number in range(4):
                rewrite(builder, number, "plum!")
            stale = shown(living.search(TERMS))
        with Recall(builder.path) as fresh:
            assert shown(fresh.search(TERMS)) != stale
