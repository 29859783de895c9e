"""Bad input of every sort: a typed error or a Gap that names it, and nothing else is lost.

No message of an error or a Gap repeats a term, save the ones that were asked and not found, nor
any text of a transcript.
"""

from __future__ import annotations

import sqlite3
from contextlib import closing
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, NoReturn

import pytest

from harkback import (
    HarkbackError,
    QueryError,
    Recall,
    SourceError,
    SqliteSource,
    Store,
    UsageError,
)
from harkback.engine import Engine
from harkback.errors import Reason
from support.asking import WORD, good, search
from support.stores import StoreBuilder
from support.writers import Process, live


class Untouchable:
    """A Source that must not be opened."""

    name = "untouchable"

    def view(self, engine: Engine) -> NoReturn:
        raise AssertionError("the Source was touched")

    def close(self) -> None:
        return


def refuse(recall: Recall, reason: Reason, *terms: Any, **options: Any) -> HarkbackError:
    """The search is refused for this reason, in words that give nothing away."""
    with pytest.raises(HarkbackError) as caught:
        recall.search(list(terms) or [WORD], **options)
    assert caught.value.reason == reason
    assert str(caught.value) == caught.value.message != ""
    assert WORD not in str(caught.value)
    for term in terms:
        assert not isinstance(term, str) or not term.strip() or term not in str(caught.value)
    return caught.value


# --- the question ---------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("reason", "terms", "options"),
    [
        ("no_terms", [], {}),
        ("no_terms", [], {"question": " \n\u3000 "}),
        ("too_many_terms", [f"word{n}" for n in range(9)], {}),
        ("term_empty", [WORD, ""], {}),
        ("term_empty", [" \t\n "], {}),
        ("term_too_long", ["z" * 501], {}),
        ("term_not_text", [5], {}),
        ("term_not_text", [b"bytes"], {}),
        ("term_not_text", "astringisnolist", {}),
        ("term_not_text", None, {}),
        ("term_not_text", {WORD: 1}, {}),
        ("term_credential", ["gh" + "p_" + "x" * 36], {}),
        ("term_credential", ["AK" + "IA" + "Q3EGPJ2MTZ5RLK7B"], {}),
        ("term_credential", ["password=" + "hunter2horse"], {}),
        ("limit_out_of_range", [WORD], {"limit": 0}),
        ("limit_out_of_range", [WORD], {"limit": 26}),
        ("limit_out_of_range", [WORD], {"limit": -1}),
        ("limit_out_of_range", [WORD], {"limit": True}),
        ("limit_out_of_range", [WORD], {"limit": 2.0}),
        ("time_range", [WORD], {"since": 2, "until": 1}),
        ("time_range", [WORD], {"since": "yesterday"}),
        ("time_range", [WORD], {"until": datetime(2020, 1, 1, tzinfo=UTC), "since": 1 << 50}),
        ("unknown_kind", [WORD], {"kinds": ["thinking"]}),
        ("unknown_kind", [WORD], {"kinds": []}),
        ("unknown_kind", [WORD], {"kinds": [["user"]]}),
        ("unknown_order", [WORD], {"order": "oldest"}),
        ("deadline_invalid", [WORD], {"deadline": 0}),
        ("deadline_invalid", [WORD], {"deadline": -1}),
        ("deadline_invalid", [WORD], {"deadline": float("nan")}),
        ("deadline_invalid", [WORD], {"deadline": float("inf")}),
        ("deadline_invalid", [WORD], {"deadline": "soon"}),
        ("deadline_invalid", [WORD], {"deadline": 10**400}),
        ("active_invalid", [WORD], {"active": ("s",)}),
        ("active_invalid", [WORD], {"active": "st"}),
        ("unknown_kind", [WORD], {"kinds": 5}),
        ("unknown_kind", [WORD], {"kinds": "user"}),
        ("term_not_text", [], {"question": 5}),
    ],
)
def test_a_question_that_cannot_be_asked_touches_no_source(
    engine: Engine, reason: str, terms: Any, options: dict[str, Any]
) -> None:
    recall = Recall(Untouchable(), engine=engine.name)
    with pytest.raises(QueryError) as caught:
        recall.search(terms, **options)
    assert caught.value.reason == reason
    for term in [terms] if isinstance(terms, str) else terms or ():
        assert not isinstance(term, str) or not term.strip() or term not in str(caught.value)


def test_what_only_just_can_be_asked(engine: Engine, builder: StoreBuilder) -> None:
    good(builder)
    with Recall(builder.path, engine=engine.name) as recall:
        recall.search(["z" * 500])
        assert len(recall.search([WORD, *map(str, range(10, 17))], limit=25).passages) == 1
        # Terms are counted once they are told apart: nine spellings of one term are one term.
        assert recall.search([WORD + " " * n for n in range(9)], limit=1).passages
        assert recall.search([WORD], since=5, until=5).passages == ()
        assert recall.search([WORD], within="unknown").passages == ()


# --- the Recall -----------------------------------------------------------------------------


def test_a_closed_recall(engine: Engine, builder: StoreBuilder) -> None:
    good(builder)
    recall = Recall(builder.path, engine=engine.name)
    recall.search([WORD])
    recall.close()
    recall.close()
    assert isinstance(refuse(recall, "closed"), UsageError)


def test_two_sources_of_one_name(builder: StoreBuilder, tmp_path: Path) -> None:
    with pytest.raises(SourceError) as caught:
        Recall(builder.path, SqliteSource(builder.path))
    assert caught.value.reason == "source_duplicate"
    other = SqliteSource(tmp_path / "other", name="same")
    with pytest.raises(SourceError):
        Recall(SqliteSource(builder.path, name="same"), other)


def test_no_source_at_all(engine: Engine) -> None:
    with Recall(engine=engine.name) as recall:
        answer = recall.search([WORD])
    assert answer.passages == ()
    assert answer.searched.sessions == 0


# --- the store as a whole -------------------------------------------------------------------


def test_no_database(engine: Engine, tmp_path: Path) -> None:
    for path in (tmp_path / "absent.sqlite", tmp_path / "no" / "folder"):
        with pytest.raises(SourceError) as caught:
            Recall(path, engine=engine.name)
        assert caught.value.reason == "source_missing"
    with pytest.raises(SourceError) as caught:
        Recall(tmp_path, engine=engine.name)
    assert caught.value.reason == "source_not_a_store"
    with Recall(SqliteSource(tmp_path / "absent.sqlite"), engine=engine.name) as recall:
        refuse(recall, "source_missing")


def test_one_of_two_sources_is_gone(engine: Engine, builder: StoreBuilder, tmp_path: Path) -> None:
    good(builder)
    absent = SqliteSource(tmp_path / "absent.sqlite")
    found, gaps = search(engine, builder.path, absent)
    assert (found, gaps) == (["good"], {"source_failed": 1})


def test_an_empty_file_and_a_file_that_is_no_database(engine: Engine, tmp_path: Path) -> None:
    for name, content, reason in (
        ("empty", b"", "source_not_a_store"),
        ("text", b"pomegranate " * 1000, "source_damaged"),
        ("short", b"SQLite format 3\x00", "source_damaged"),
    ):
        path = tmp_path / name
        path.write_bytes(content)
        with Recall(path, engine=engine.name) as recall:
            refuse(recall, reason)  # type: ignore[arg-type]


def test_a_database_that_is_no_store(engine: Engine, tmp_path: Path) -> None:
    with closing(sqlite3.connect(tmp_path / "other")) as other:
        other.execute("CREATE TABLE notes (pomegranate TEXT)")
    with Recall(tmp_path / "other", engine=engine.name) as recall:
        refuse(recall, "source_not_a_store")


def test_an_empty_store_and_one_whose_sessions_are_empty(engine: Engine, tmp_path: Path) -> None:
    store = Store.create(tmp_path / "runtime.sqlite")
    assert search(engine, tmp_path) == ([], {"term_without_match": 1})
    store.session("nothing was said")
    assert search(engine, tmp_path) == ([], {"term_without_match": 1})
    store.close()
    assert search(engine, tmp_path) == ([], {"term_without_match": 1})


@pytest.mark.parametrize(
    "table",
    [
        "session_message_chunks",
        "session_message_payloads",
        "runtime_partial_segments",
        "runtime_partial_snapshots",
        "core_agent_runs",
        "session_metadata_tombstones",
        "session_messages",
        "runtime_events",
        "session_metadata",
    ],
)
def test_a_missing_table(engine: Engine, builder: StoreBuilder, table: str) -> None:
    good(builder, "led")
    builder.session("pre", ledger=False)
    builder.message("pre", 0, "user", {"text": f"also {WORD}"})
    builder.db.execute("PRAGMA foreign_keys=OFF")
    builder.db.execute(f"DROP TABLE {table}")
    found, gaps = search(engine, builder.path)
    gone = {"session_messages": "pre", "runtime_events": "led"}.get(table)
    assert found == sorted({"led", "pre"} - {gone})
    assert gaps["source_incomplete"] is None
    assert "fast_path_declined" in gaps


def test_a_newer_schema(engine: Engine, builder: StoreBuilder) -> None:
    good(builder)
    builder.db.execute("PRAGMA user_version=9999")
    builder.db.execute("UPDATE session_metadata_schema SET version = 9999")
    builder.db.execute("ALTER TABLE runtime_events ADD COLUMN novelty TEXT DEFAULT 'x'")
    builder.db.execute("ALTER TABLE session_metadata DROP COLUMN model")
    builder.db.execute("CREATE TABLE novelties (id TEXT)")
    assert search(engine, builder.path)[0] == ["good"]


def test_a_locked_store(engine: Engine, builder: StoreBuilder, tmp_path: Path) -> None:
    good(builder)
    builder.close()
    holder = "locking_mode=EXCLUSIVE"
    other = Store.create(tmp_path / "other.sqlite")
    other.session("s", id="other").turn().user(WORD)
    with live(builder.path, holder) as writer:
        writer.execute("CREATE TABLE t (x)")
        with Recall(builder.path, engine=engine.name) as recall:
            try:
                answer = recall.search([WORD])
            except SourceError as error:
                failure: SourceError | None = error
            else:  # what was committed can be read beside the lock
                failure = None
                assert [p.session.id for p in answer.passages] == ["good"]
        if failure is not None:
            assert failure.reason == "source_locked"
            found, gaps = search(engine, builder.path, tmp_path / "other.sqlite")
            assert (found, gaps) == (["other"], {"source_locked": 1})
    other.close()


def test_a_rollback_writer_in_the_middle_of_a_transaction(
    engine: Engine, builder: StoreBuilder
) -> None:
    good(builder)
    builder.close()
    script = (
        "import sqlite3, sys\n"
        "db = sqlite3.connect(sys.argv[1], isolation_level=None)\n"
        "db.execute('PRAGMA journal_mode=DELETE').fetchone()\n"
        "db.execute('BEGIN EXCLUSIVE')\n"
        "print('ready', flush=True)\n"
        "sys.stdin.read()\n"
    )
    with Process(script, str(builder.path)):
        assert search(engine, builder.path)[0] == ["good"]


@pytest.mark.parametrize("share", [0.3, 0.6, 0.9])
def test_a_truncated_file(engine: Engine, tmp_path: Path, share: float) -> None:
    """An error or a Gap, whatever is left of the file; never an answer that looks whole."""
    builder = StoreBuilder(tmp_path / "runtime.sqlite")
    builder.db.execute("BEGIN")
    for number in range(60):
        good(builder, f"s{number:02}")
        builder.text(f"s{number:02}", "filler " * 300)
    builder.db.execute("COMMIT")
    builder.close()
    raw = builder.path.read_bytes()
    builder.path.write_bytes(raw[: int(len(raw) * share) // 4096 * 4096])
    with Recall(tmp_path, engine=engine.name) as recall:
        try:
            answer = recall.search([WORD], limit=25)
        except SourceError as error:
            failure: SourceError | None = error
        else:
            failure = None
            damage = [gap for gap in answer.gaps if gap.code == "session_unreadable"]
            shown = {passage.session.id for passage in answer.passages}
            hidden = sum(gap.count or 0 for gap in answer.gaps if gap.code == "hits_not_shown")
            assert damage
            assert len(shown) + hidden + sum(gap.count or 0 for gap in damage) >= 60
    if failure is not None:
        assert failure.reason == "source_damaged"
        assert WORD not in str(failure)
