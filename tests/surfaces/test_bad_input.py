"""Bad input of every sort: a typed error or a Gap that names it, and nothing else is lost.

No message of an error or a Gap repeats a term, save the ones that were asked and not found, nor
any text of a transcript.
"""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Iterator
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
from support.stores import BASE_MS, StoreBuilder
from support.writers import Process, live

WORD = "pomegranate"


class Untouchable:
    """A Source that must not be opened."""

    name = "untouchable"

    def view(self, engine: Engine) -> NoReturn:
        raise AssertionError("the Source was touched")

    def close(self) -> None:
        return


@pytest.fixture
def builder(tmp_path: Path) -> Iterator[StoreBuilder]:
    built = StoreBuilder(tmp_path / "runtime.sqlite")
    yield built
    built.close()


def good(builder: StoreBuilder, session: str = "good") -> None:
    builder.session(session)
    builder.text(session, f"the {WORD} is here")


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


def search(engine: Engine, *sources: Any, **options: Any) -> tuple[list[str], dict[str, Any]]:
    """Sessions found, and the counts of the Gaps that are not about versions."""
    with Recall(*sources, engine=engine.name) as recall:
        answer = recall.search([WORD], **options)
    for gap in answer.gaps:
        assert gap.code == "term_without_match" or WORD not in gap.message
    gaps = {gap.code: gap.count for gap in answer.gaps if gap.code != "not_searched"}
    return sorted(passage.session.id for passage in answer.passages), gaps


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
                assert error.reason == "source_locked"
                found, gaps = search(engine, builder.path, tmp_path / "other.sqlite")
                assert (found, gaps) == (["other"], {"source_failed": 1})
            else:  # what was committed can be read beside the lock
                assert [p.session.id for p in answer.passages] == ["good"]
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
            assert error.reason == "source_damaged"
            assert WORD not in str(error)
        else:
            damage = [gap for gap in answer.gaps if gap.code == "session_unreadable"]
            shown = {passage.session.id for passage in answer.passages}
            hidden = sum(gap.count or 0 for gap in answer.gaps if gap.code == "hits_not_shown")
            assert damage
            assert len(shown) + hidden + sum(gap.count or 0 for gap in damage) >= 60


# --- one record -----------------------------------------------------------------------------


def test_a_missing_chunk_costs_its_record(engine: Engine, builder: StoreBuilder) -> None:
    builder.session("torn", ledger=False)
    builder.message("torn", 0, "user", {"text": f"{WORD} " + "x" * 70_000})
    builder.message("torn", 1, "user", {"text": f"{WORD} after"})
    builder.db.execute("DELETE FROM session_message_chunks WHERE chunk_index = 1")
    good(builder)
    assert search(engine, builder.path) == (["good", "torn"], {"record_damaged": 1})


def test_a_changed_chunk_costs_its_record(engine: Engine, builder: StoreBuilder) -> None:
    builder.session("torn", ledger=False)
    builder.message("torn", 0, "user", {"text": f"{WORD} " + "x" * 70_000})
    builder.db.execute(
        "UPDATE session_message_chunks SET data = CAST(replace(CAST(data AS TEXT), 'xxx', 'yyy')"
        " AS BLOB) WHERE chunk_index = 0"
    )
    good(builder)
    assert search(engine, builder.path) == (["good"], {"record_damaged": 1})


def test_bytes_that_are_no_utf8(engine: Engine, builder: StoreBuilder) -> None:
    record = json.dumps({"id": "e", "role": "user", "content": {"kind": "text", "text": "A?B"}})
    for number, damage in enumerate((b"\xff\xfe", b"\xe6\xa8", b"\xf0\x9f\x98", b"\xc0\xaf")):
        raw = record.encode().replace(b"?", f" {WORD}".encode() + damage)
        builder.session(f"bad{number}")
        builder.event(f"bad{number}", None, kind="text", payload="")
        builder.db.execute(
            "UPDATE runtime_events SET payload_json = CAST(? AS TEXT) WHERE session_id = ?",
            (raw, f"bad{number}"),
        )
    good(builder)
    found, gaps = search(engine, builder.path)
    assert found == ["bad0", "bad1", "bad2", "bad3", "good"]
    assert gaps == {}


def test_a_name_that_is_no_utf8(engine: Engine, builder: StoreBuilder) -> None:
    good(builder)
    good(builder, "second")
    builder.db.execute(
        "UPDATE session_metadata SET name = CAST(? AS TEXT) WHERE session_id = 'good'",
        (b"t\xff\xfe\x00itle",),
    )
    assert search(engine, builder.path)[0] == ["good", "second"]


def test_lone_surrogates(engine: Engine, builder: StoreBuilder) -> None:
    for number, escape in enumerate(("\\ud83d", "\\ude00", "\\ud83d\\ud83d", "\\uD83Dx")):
        text = f"a {WORD} {escape}"
        payload = f'{{"id":"e{number}","role":"user","content":{{"kind":"text","text":"{text}"}}}}'
        builder.session(f"lone{number}")
        builder.event(f"lone{number}", None, kind="text", payload=payload)
    good(builder)
    found, gaps = search(engine, builder.path)
    assert found == ["good", "lone0", "lone1", "lone2", "lone3"]
    assert gaps == {}
    with Recall(builder.path, engine=engine.name) as recall:
        answer = recall.search(["\ufffd"])
        assert len(answer.passages) == 4
        answer.to_json().encode()
        answer.text().encode()
        assert len(recall.search(["\ud83d"]).passages) == 4  # a caller's lone half is one too


@pytest.mark.parametrize(
    "raw",
    [
        "",
        "{",
        "null",
        "[1]",
        '"pomegranate"',
        '{"content": {"kind": "text", "text": "pomegranate}}',
        '{"content": {"kind": "text", "text": "pomegranate"}',
        "[" * 100_000,
        '{"a":' * 100_000,
        '{"content": {"kind": "text", "text": "pomegranate\\x"}}',
    ],
    ids=range(10),
)
def test_a_row_that_does_not_parse(engine: Engine, builder: StoreBuilder, raw: str) -> None:
    for ledger in (True, False):
        name = "led" if ledger else "pre"
        builder.session(name, ledger=ledger)
        for number, record in enumerate((raw, None)):
            text = {"text": f"{WORD} beside it"}
            if ledger:
                content = {"kind": "text", **text}
                builder.event(name, content, kind="text", payload=record)
            else:
                builder.message(name, number, "user", text, raw=record)
    found, gaps = search(engine, builder.path)
    assert found == ["led", "pre"]
    assert gaps == {"record_damaged": 2}


def test_a_session_header_that_does_not_parse(engine: Engine, builder: StoreBuilder) -> None:
    builder.session("odd", payload="{not json")
    builder.text("odd", f"{WORD} anyway")
    good(builder)
    assert search(engine, builder.path) == (["good", "odd"], {"record_damaged": 1})


def test_values_of_other_types(engine: Engine, builder: StoreBuilder) -> None:
    """Numbers, lists and nulls where a host writes strings cost nothing but themselves."""
    builder.session("odd", header={"cwd": 5, "name": None, "parentSessionId": ["x"]})
    odd: tuple[Any, ...] = (5, None, [], {}, [WORD], True, 1e308)
    for value in odd:
        builder.event("odd", {"kind": "text", "text": value}, role="user")
        builder.event("odd", {"kind": "function_call", "id": value, "name": value, "args": value})
        builder.result("odd", value)
    builder.event("odd", {"kind": "text", "text": f"{WORD} it is"}, role="user", ts=BASE_MS)
    good(builder)
    with Recall(builder.path, engine=engine.name) as recall:
        answer = recall.search([WORD], limit=25)
        assert {passage.session.id for passage in answer.passages} == {"good", "odd"}
        answer.text()
        json.loads(answer.to_json())
