"""The SQL baseline names exactly the Sessions that its own rule names, checked in plain Python."""

from __future__ import annotations

import contextlib
import hashlib
import shutil
import sqlite3
import unicodedata
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

import sql_narrowing
from corpus import ABSENT, Manifest, build
from harkback.sources.sqlite.schema import CHUNK_BYTES, CHUNK_MARKER
from sql_narrowing import fold_unstable, narrow

Open = Callable[[Path], sqlite3.Connection]
ASCII_LOWER = {code: code + 32 for code in range(ord("A"), ord("Z") + 1)}
SEARCHED = ("user", "assistant", "tool_call", "tool_result")


@pytest.fixture(scope="module")
def small(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Manifest]:
    path = tmp_path_factory.mktemp("stores") / "small.sqlite"
    return path, build("small", path)


@pytest.fixture
def copy(small: tuple[Path, Manifest], tmp_path: Path) -> Path:
    return Path(shutil.copy(small[0], tmp_path / "copy.sqlite"))


@pytest.fixture
def connect() -> Iterator[Open]:
    with contextlib.ExitStack() as opened:
        yield lambda path: opened.enter_context(contextlib.closing(sql_narrowing.connect(path)))


def change(path: Path, *statements: tuple[str, tuple[object, ...]]) -> None:
    connection = sqlite3.connect(path)
    for statement, values in statements:
        connection.execute(statement, values)
    connection.commit()
    connection.execute("PRAGMA journal_mode = DELETE").fetchone()
    connection.close()


def differs(text: str) -> bool:
    return unicodedata.normalize("NFC", text).lower() != text.translate(ASCII_LOWER)


def texts(connection: sqlite3.Connection) -> Iterator[tuple[str, str]]:
    """(Session, JSON) of every row that the statements look at, bodies whole."""
    yield from connection.execute("SELECT session_id, payload_json FROM runtime_events")
    for session, sequence, kind, record in connection.execute(
        "SELECT session_id, sequence, message_type, record_json FROM session_messages"
    ).fetchall():
        chunks = connection.execute(
            "SELECT data FROM session_message_chunks"
            " WHERE session_id = ? AND sequence = ? ORDER BY chunk_index",
            (session, sequence),
        ).fetchall()
        if kind in SEARCHED:
            whole = b"".join(data for (data,) in chunks).decode() if chunks else record
            yield session, whole


@pytest.mark.parametrize(
    "terms",
    [
        ["模型"],
        ["图片"],
        ["context window"],
        [ABSENT],
        ["error"],
        ["模型", "context window"],
        ["đường"],
    ],
)
def test_names_what_a_plain_check_names(
    small: tuple[Path, Manifest], connect: Open, terms: list[str]
) -> None:
    path, _ = small
    connection = connect(path)
    rows = list(texts(connection))
    plain = {
        session
        for session, text in rows
        if any(term in text.translate(ASCII_LOWER) for term in terms)
    }
    offered = {session for session, text in rows if differs(text)}
    true = {
        session
        for session, text in rows
        if any(term in unicodedata.normalize("NFC", text).lower() for term in terms)
    }
    assert narrow(connection, terms, with_function=False) == plain
    assert narrow(connection, terms) == plain | offered
    assert narrow(connection, terms) >= true
    assert offered
    assert len(offered) < 6


def test_finds_every_planted_session(small: tuple[Path, Manifest], connect: Open) -> None:
    path, manifest = small
    connection = connect(path)
    for term, planted in manifest.terms.items():
        assert narrow(connection, [term], with_function=False) == set(planted.sessions)


def test_a_term_across_a_chunk_border_is_found(
    small: tuple[Path, Manifest], copy: Path, connect: Open
) -> None:
    session = small[1].pre_ledger[0]
    head = b'{"type":"tool_result","content":"'
    body = head + b"x" * (CHUNK_BYTES - len(head) - 1) + "边界词".encode() + b"x" * 99 + b'"}'
    assert "边".encode()[:1] == body[CHUNK_BYTES - 1 : CHUNK_BYTES]
    key = (session, 9_000)
    digest = hashlib.sha256(body).hexdigest()
    chunk = "INSERT INTO session_message_chunks VALUES (?, ?, ?, ?, ?)"
    change(
        copy,
        (
            "INSERT INTO session_messages VALUES (?, ?, 'm', 'tool_result', 1, ?)",
            (*key, CHUNK_MARKER),
        ),
        ("INSERT INTO session_message_payloads VALUES (?, ?, ?, ?)", (*key, len(body), digest)),
        (chunk, (*key, 1, body[CHUNK_BYTES:], digest)),
        (chunk, (*key, 0, body[:CHUNK_BYTES], digest)),
    )
    assert narrow(connect(copy), ["边界词"], with_function=False) == {session}


def test_a_missing_chunk_offers_every_session(
    small: tuple[Path, Manifest], copy: Path, connect: Open
) -> None:
    change(copy, ("DELETE FROM session_message_chunks WHERE chunk_index = 1", ()))
    assert narrow(connect(copy), [ABSENT]) == set(small[1].sessions)


def test_an_escaped_term_offers_every_session(small: tuple[Path, Manifest], connect: Open) -> None:
    path, manifest = small
    for term in ('a"b', "a\\b", "a\nb"):
        assert narrow(connect(path), [term]) == set(manifest.sessions)


def test_a_stream_in_flight_is_offered_and_a_deleted_session_is_not(
    small: tuple[Path, Manifest], copy: Path, connect: Open
) -> None:
    streaming, deleted = small[1].sessions[0], small[1].terms["模型"].sessions[0]
    change(
        copy,
        (
            "INSERT INTO runtime_partial_snapshots"
            " VALUES ('k', ?, 'i', 'r', 't', NULL, '{}', '', 1)",
            (streaming,),
        ),
        ("INSERT INTO session_metadata_tombstones VALUES (?, 1, NULL, 0)", (deleted,)),
    )
    connection = connect(copy)
    assert narrow(connection, [ABSENT], with_function=False) == {streaming} - {deleted}
    assert deleted not in narrow(connection, ["模型"])


@pytest.mark.parametrize("base", ["", "e", "か", "\u1100", "\u0439"])
def test_no_record_that_sqlite_folds_otherwise_is_called_stable(base: str) -> None:
    scalars = [chr(code) for code in range(0x110000) if not 0xD800 <= code < 0xE000]
    missed: list[str] = []
    for start in range(0, len(scalars), 512):
        batch = [base + char for char in scalars[start : start + 512]]
        whole = "\n".join(batch)
        if fold_unstable(whole):
            missed += [text for text in batch if differs(text) and not fold_unstable(text)]
        elif differs(whole):
            missed.append(whole)
    assert missed == []


def test_text_of_every_day_is_called_stable() -> None:
    for text in (
        "plain ASCII \u001b[0m",
        "先看日志，再改。“好”（可以）",
        "größer, später",
        "ログは。",
    ):
        assert not fold_unstable(text)
    assert not fold_unstable(None)


def test_the_report_refuses_a_wrong_answer(
    small: tuple[Path, Manifest], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sql_narrowing, "cached", lambda shape: small)
    monkeypatch.setattr(sql_narrowing, "narrow", lambda *_, **__: set())
    monkeypatch.setattr("sys.argv", ["sql_narrowing.py", "small"])
    with pytest.raises(SystemExit, match="was not named"):
        sql_narrowing.main()
