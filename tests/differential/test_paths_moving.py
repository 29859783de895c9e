"""A store that changes between searches: what stays in memory never outlives the truth.

A Recall that lives through every change gives, each time, the answer of one that was just made
and reads everything. Changes are of every sort a host makes and some that only a repair would:
appended, rewritten in place with equal lengths and counts, removed, moved between Sessions.
"""

from __future__ import annotations

import tempfile
from collections.abc import Callable
from contextlib import closing
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from differential.test_paths import shown
from harkback import Recall
from harkback.verification import Path as SearchPath
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
        (last,) = builder.db.execute("SELECT MAX(sequence) FROM session_messages").fetchone()
        builder.message(session, 100 + (last or 0), "user", {"text": f"more {word}"})


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


@settings(max_examples=settings.default.max_examples // 5)
@given(
    st.sampled_from(("wal", "delete")),
    st.lists(
        st.tuples(st.sampled_from(CHANGES), st.integers(0, 11), st.sampled_from(WORDS)),
        min_size=1,
        max_size=6,
    ),
)
def test_a_living_recall_answers_like_a_new_one(
    journal: str, changes: list[tuple[Change, int, str]]
) -> None:
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, "runtime.sqlite")
        with closing(first_state(path)) as builder:
            builder.db.execute(f"PRAGMA journal_mode={journal}")
            with (
                Recall(path, engine="native") as living,
                Recall(path, engine="native", memory_bytes=1500) as forgetful,
            ):
                for step in [None, *changes]:
                    if step is not None:
                        change, number, word = step
                        change(builder, number, word)
                    with Recall(path, engine="native", memory_bytes=0) as fresh:
                        fresh._path = SearchPath.FULL
                        expected = shown(fresh.search(TERMS, limit=25))
                    for recall in (living, forgetful, living):
                        assert shown(recall.search(TERMS, limit=25)) == expected


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
        "harkback.sources.sqlite.source.SqliteView.fingerprint", lambda self, session: b"same"
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
