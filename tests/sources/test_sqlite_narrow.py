"""The raw scan rules out what it has seen whole, and offers everything else."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import pytest

from harkback.engine import Engine
from harkback.sources.sqlite.records import BATCH_ROWS
from harkback.sources.sqlite.schema import SCHEMA
from harkback.sources.sqlite.source import SqliteSource
from support.stores import StoreBuilder, texts

Make = Callable[..., SqliteSource]


class Literal:
    """An engine whose scanner looks for ASCII terms in the raw bytes, and counts what it saw."""

    def __init__(self, engine: Engine) -> None:
        self.engine = engine
        self.seen = 0

    def __getattr__(self, name: str) -> Any:
        return getattr(self.engine, name)

    def scanner(self, terms: Sequence[str]) -> Any:
        wanted = [term.encode() for term in terms]
        outer = self

        class Scanner:
            def first(self, records: Sequence[bytes]) -> int | None:
                outer.seen += len(records)
                for index, record in enumerate(records):
                    if any(term in record for term in wanted):
                        return index
                return None

        return Scanner()


class Failing(Literal):
    def scanner(self, terms: Sequence[str]) -> Any:
        class Scanner:
            def first(self, records: Sequence[bytes]) -> int | None:
                raise RuntimeError("on purpose")

        return Scanner()


@pytest.fixture
def literal(chosen: Engine) -> Literal:
    return Literal(chosen)


def test_only_sessions_that_hold_a_term_are_offered(
    builder: StoreBuilder, source_of: Make, literal: Literal
) -> None:
    for number in range(4):
        builder.session(f"led{number}")
        builder.session(f"pre{number}", ledger=False)
    builder.text("led0", "some apple")
    builder.text("led1", "some pear")
    builder.message("pre0", 0, "user", {"text": "some apple"})
    builder.message("pre1", 0, "user", {"text": "some pear"})
    builder.message("pre2", 0, "user", {"text": "x" * 70_000 + "apple"})
    builder.message("pre3", 0, "user", {"text": "x" * 70_000})
    everything = [f"{kind}{number}" for number in range(4) for kind in ("led", "pre")]
    with source_of(builder.path).view(literal) as view:
        assert view.scan(["apple"], everything).offered == {"led0", "pre0", "pre2"}
        assert view.scan(["pear", "apple"], everything).offered == {
            "led0",
            "led1",
            "pre0",
            "pre1",
            "pre2",
        }
        assert view.scan(["apple"], ["led1", "unknown"]).offered == frozenset()
        assert [view.record_count(name) for name in everything] == [1, 1, 1, 1, 0, 1, 0, 1]


def test_the_records_of_the_other_owner_are_not_scanned(
    builder: StoreBuilder, source_of: Make, literal: Literal
) -> None:
    builder.session("led")
    builder.message("led", 0, "user", {"text": "stale apple"})
    builder.session("pre", ledger=False)
    builder.text("pre", "foreign apple")
    with source_of(builder.path).view(literal) as view:
        assert view.scan(["apple"], ["led", "pre"]).offered == frozenset()


def test_what_cannot_be_vouched_for_is_offered(
    builder: StoreBuilder, source_of: Make, literal: Literal
) -> None:
    builder.session("streaming")
    builder.stream("streaming", "k", ["app", "le"])
    builder.session("torn", ledger=False)
    builder.message("torn", 0, "user", {"text": "x" * 70_000})
    builder.db.execute("DELETE FROM session_message_chunks WHERE chunk_index = 0")
    builder.session("plain")
    builder.text("plain", "nothing")
    with source_of(builder.path).view(literal) as view:
        offered = view.scan(["apple"], ["streaming", "torn", "plain"]).offered
        assert offered == {"streaming", "torn"}


def test_a_payload_that_is_no_text_costs_itself(
    tmp_path: Path, source_of: Make, literal: Literal
) -> None:
    typed = "payload_json TEXT NOT NULL,\n  committed_at"
    assert SCHEMA.count(typed) == 1
    builder = StoreBuilder(tmp_path / "loose", SCHEMA.replace(typed, "payload_json, committed_at"))
    builder.session("number")
    builder.event("number", None, kind="text", payload=5)
    builder.text("number", "apple")
    builder.close()
    with source_of(builder.path).view(literal) as view:
        assert view.scan(["apple"], ["number"]).offered == {"number"}
        transcript = view.read("number")
        assert texts(transcript.messages) == ["apple"]
        assert [gap.code for gap in transcript.gaps] == ["record_damaged"]


def test_bytes_that_are_no_text_never_hide_a_record(
    builder: StoreBuilder, source_of: Make, literal: Literal
) -> None:
    """A record and an id that hold the byte which both are joined by, in one window."""
    for session in ("plain", "broken", "odd", "last"):
        builder.session(session)
        builder.text(session, "pear" if session != "last" else "apple")
    builder.db.execute(
        "UPDATE runtime_events SET payload_json = CAST(REPLACE(payload_json, 'pear', X'FF') "
        "AS TEXT) WHERE session_id = 'broken'"
    )
    for table in ("runtime_events", "session_metadata"):
        builder.db.execute(
            f"UPDATE {table} SET session_id = CAST(X'6FFF64' AS TEXT) WHERE session_id = 'odd'"
        )
    with source_of(builder.path).view(literal) as view:
        sessions = [session.id for session in view.sessions().sessions]
        assert "o\ufffdd" in sessions
        assert view.scan(["apple"], sessions).offered == {"last"}
        assert [view.record_count(session) for session in sessions] == [1, 1, 1, 1]


def test_it_stops_at_the_first_match_and_counts_what_it_saw_whole(
    builder: StoreBuilder, source_of: Make, literal: Literal
) -> None:
    builder.session("early")
    builder.session("never")
    builder.db.execute("BEGIN")
    for number in range(BATCH_ROWS * 20):
        builder.text("early", "apple" if number == 0 else "pear")
    for _ in range(BATCH_ROWS * 3 + 1):
        builder.text("never", "plum")
    builder.db.execute("COMMIT")
    with source_of(builder.path).view(literal) as view:
        assert view.scan(["apple"], ["early", "never"]).offered == {"early"}
        assert literal.seen < BATCH_ROWS * 14
        kept = view._kept.counts
        assert kept == {"never": BATCH_ROWS * 3 + 1}
        assert view.record_count("early") == BATCH_ROWS * 20


def test_a_failing_scan_leaves_a_usable_view(
    builder: StoreBuilder, source_of: Make, chosen: Engine
) -> None:
    builder.session("s")
    builder.db.execute("BEGIN")
    for _ in range(BATCH_ROWS * 20):
        builder.text("s", "pear")
    builder.db.execute("COMMIT")
    with source_of(builder.path).view(Failing(chosen)) as view:
        with pytest.raises(RuntimeError, match="on purpose"):
            view.scan(["apple"], ["s"])
        assert view.record_count("s") == BATCH_ROWS * 20


def test_pages_that_cannot_be_read_offer_their_session(
    tmp_path: Path, source_of: Make, literal: Literal
) -> None:
    builder = StoreBuilder(tmp_path / "damaged.sqlite")
    builder.session("s")
    builder.session("t")
    builder.db.execute("BEGIN")
    for _ in range(200):
        builder.text("s", "pear " * 100)
    builder.text("t", "pear")
    builder.db.execute("COMMIT")
    builder.close()
    raw = bytearray(builder.path.read_bytes())
    at = raw.index(b"pear pear") // 4096 * 4096
    raw[at : at + 64] = b"\xff" * 64
    builder.path.write_bytes(raw)
    with source_of(builder.path).view(literal) as view:
        assert "s" in view.scan(["apple"], ["s", "t"]).offered
        transcript = view.read("s")
        assert [(gap.code, gap.count) for gap in transcript.gaps] == [("session_unreadable", 1)]
        assert view.fingerprint("s") != transcript.fingerprint  # equal to no other
