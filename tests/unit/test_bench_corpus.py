"""The bench corpus holds its promises: counts, sizes, shares, tables, the same text every time."""

from __future__ import annotations

import contextlib
import hashlib
import json
import random
import sqlite3
import unicodedata
from collections import Counter
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

import corpus
import corpus_records
from corpus import ABSENT, SHAPES, Manifest, build, cached, from_json, to_json
from corpus_text import POOL_SENTENCES, SENTENCES, Filler, Json
from harkback.sources.sqlite.schema import CHUNK_BYTES, CHUNK_MARKER

Open = Callable[[Path], sqlite3.Connection]
SMALL_SHAPES = ("small", "dense", "quota", "sparse")


@pytest.fixture(scope="module")
def stores(tmp_path_factory: pytest.TempPathFactory) -> dict[str, tuple[Path, Manifest]]:
    folder = tmp_path_factory.mktemp("stores")
    paths = {shape: folder / f"{shape}.sqlite" for shape in SMALL_SHAPES}
    return {shape: (path, build(shape, path)) for shape, path in paths.items()}


@pytest.fixture
def open_store() -> Iterator[Open]:
    with contextlib.ExitStack() as opened:

        def connect(path: Path) -> sqlite3.Connection:
            connection = sqlite3.connect(f"{path.as_uri()}?mode=ro&immutable=1", uri=True)
            return opened.enter_context(contextlib.closing(connection))

        yield connect


def bodies(connection: sqlite3.Connection) -> Iterator[tuple[str, str, str]]:
    """(Session, kind, JSON) of every row that a reader of either store may meet, bodies whole."""
    yield from connection.execute(
        "SELECT session_id, event_kind, payload_json FROM runtime_events ORDER BY rowid"
    )
    rows = connection.execute(
        "SELECT session_id, sequence, message_type, record_json FROM session_messages"
    )
    for session, sequence, kind, record in rows.fetchall():
        if record == CHUNK_MARKER:
            chunks = connection.execute(
                "SELECT data FROM session_message_chunks"
                " WHERE session_id = ? AND sequence = ? ORDER BY chunk_index",
                (session, sequence),
            )
            record = b"".join(data for (data,) in chunks).decode()
        yield session, kind, record


def message_id(kind: str, row: dict[str, Json]) -> str | None:
    """The id that a reader gives the message of a row; None for a row that shows nothing."""
    refs = row.get("refs")
    if "type" in row:
        return str(row["id"])
    if kind not in ("text", "function_call", "function_response") or not isinstance(refs, dict):
        return None
    return str(refs.get("storedMessageId") or refs.get("providerEventId") or refs["toolCallId"])


def leaves(value: Json) -> Iterator[str]:
    if isinstance(value, str):
        yield value
    elif isinstance(value, dict):
        for key, inner in value.items():
            if key != "kind":
                yield from leaves(inner)
    elif isinstance(value, list):
        for inner in value:
            yield from leaves(inner)


def folded(text: str) -> str:
    return unicodedata.normalize("NFC", text).lower()


@pytest.mark.parametrize("shape", SMALL_SHAPES)
def test_planted_terms_lie_where_the_manifest_says_and_nowhere_else(
    stores: dict[str, tuple[Path, Manifest]], open_store: Open, shape: str
) -> None:
    path, manifest = stores[shape]
    connection = open_store(path)
    found: dict[str, list[tuple[str, str]]] = {term: [] for term in manifest.terms}
    for session, kind, text in bodies(connection):
        row = json.loads(text)
        whole = folded("\n".join(leaves(row)))
        for term, ids in found.items():
            if term in whole:
                shown = message_id(kind, row)
                assert shown is not None, f"{term} in a {kind} row"
                ids.append((session, shown))
    for term, ids in found.items():
        planted = manifest.terms[term]
        assert sorted(ids) == sorted(planted.ids)
        assert len(ids) == planted.messages
        assert {session for session, _ in ids} == set(planted.sessions)
    assert manifest.terms[ABSENT].messages == 0


@pytest.mark.parametrize("shape", SMALL_SHAPES)
def test_sizes_and_counts_are_what_the_rows_hold(
    stores: dict[str, tuple[Path, Manifest]], open_store: Open, shape: str
) -> None:
    path, manifest = stores[shape]
    connection = open_store(path)
    measured = sum(
        connection.execute(f"SELECT SUM(LENGTH(CAST({column} AS BLOB))) FROM {table}").fetchone()[0]
        or 0
        for column, table in (
            ("payload_json", "runtime_events"),
            ("record_json", "session_messages"),
            ("data", "session_message_chunks"),
        )
    )
    assert measured == manifest.bytes
    assert abs(measured - SHAPES[shape].bytes) <= 0.03 * SHAPES[shape].bytes
    kinds = Counter(
        kind for _, kind, text in bodies(connection) if message_id(kind, json.loads(text))
    )
    assert kinds.total() == manifest.messages == sum(SHAPES[shape].sizes)
    assert len(manifest.sessions) == len(SHAPES[shape].sizes)
    newest_first = connection.execute(
        "SELECT session_id FROM session_metadata ORDER BY last_message_at DESC"
    )
    assert [session for (session,) in newest_first] == manifest.sessions


def test_the_small_store_is_the_sample_workspace_in_little(
    stores: dict[str, tuple[Path, Manifest]], open_store: Open
) -> None:
    _, manifest = stores["small"]
    assert 0.84 <= manifest.tool_result_bytes / manifest.searchable_bytes <= 0.88
    counts = {term: (kept.messages, len(kept.sessions)) for term, kept in manifest.terms.items()}
    assert counts == {"模型": (35, 2), "图片": (35, 2), "context window": (3, 1), ABSENT: (0, 0)}
    assert len(manifest.pre_ledger) == 1


def test_shapes_keep_the_stated_rates() -> None:
    for shape, sessions in (("medium", 14), ("large", 100)):
        spec = SHAPES[shape]
        total = sum(spec.sizes)
        assert (len(spec.sizes), total) == (sessions, sessions * 1265)
        rates = {plant.term: plant.messages / total for plant in spec.plants}
        assert rates == pytest.approx(
            {"模型": 0.028, "图片": 0.028, "context window": 0.002}, rel=0.02
        )
    assert [plant.sessions for plant in SHAPES["large"].plants] == [40, 40, 10]
    assert len(corpus._pre_ledger(SHAPES["large"])) == 20


def test_quota_store_tells_its_story(
    stores: dict[str, tuple[Path, Manifest]], open_store: Open
) -> None:
    path, manifest = stores["quota"]
    counts = Counter(session for session, _ in manifest.terms["模型"].ids)
    assert [counts[session] for session in manifest.sessions] == [29, 0, 4, 0, 0, 1, 0, 0]
    answer = [
        text
        for session, _, text in bodies(open_store(path))
        if session == manifest.sessions[5] and "模型" in text
    ]
    assert len(answer) == 1
    assert "模型的上下文窗口" in answer[0]


def test_sparse_and_dense_stores_match_as_stated(
    stores: dict[str, tuple[Path, Manifest]], open_store: Open
) -> None:
    _, sparse = stores["sparse"]
    assert (len(sparse.sessions), len(sparse.terms["needle-term"].sessions)) == (200, 3)
    turns = open_store(stores["sparse"][0]).execute(
        "SELECT COUNT(DISTINCT turn_id) FROM runtime_events GROUP BY session_id"
    )
    assert {count for (count,) in turns} == {10}
    _, dense = stores["dense"]
    assert (len(dense.sessions), len(dense.terms["模型"].sessions), dense.messages) == (6, 5, 1265)


def test_rows_are_what_a_host_writes(
    stores: dict[str, tuple[Path, Manifest]], open_store: Open
) -> None:
    path, manifest = stores["small"]
    connection = open_store(path)
    assert connection.execute("PRAGMA integrity_check").fetchall() == [("ok",)]
    assert connection.execute("PRAGMA foreign_key_check").fetchall() == []
    markers = dict(
        connection.execute(
            "SELECT session_id, json_extract(payload_json, '$.transcriptLedgerVersion')"
            " FROM session_metadata"
        )
    )
    assert {session for session, marker in markers.items() if marker is None} == set(
        manifest.pre_ledger
    )
    gaps = connection.execute(
        "SELECT session_id FROM runtime_session_event_ordinals GROUP BY session_id"
        " HAVING MIN(ordinal) <> 1 OR MAX(ordinal) <> COUNT(*)"
    )
    assert gaps.fetchall() == []
    kinds = {kind for (kind,) in connection.execute("SELECT event_kind FROM runtime_events")}
    assert {"thinking", "runtime_fact", "completed"} < kinds
    for event, session, run, turn, text in connection.execute(
        "SELECT event_id, session_id, run_id, turn_id, payload_json FROM runtime_events"
    ):
        row = json.loads(text)
        assert (row["id"], row["sessionId"], row["runId"], row["turnId"]) == (
            event,
            session,
            run,
            turn,
        )
    orphans = "SELECT run_id FROM runtime_events EXCEPT SELECT run_id FROM core_agent_runs"
    assert connection.execute(orphans).fetchall() == []


def test_large_bodies_are_cut_in_exact_slices(
    stores: dict[str, tuple[Path, Manifest]], open_store: Open
) -> None:
    connection = open_store(stores["small"][0])
    payloads = connection.execute(
        "SELECT session_id, sequence, record_bytes, sha256 FROM session_message_payloads"
    ).fetchall()
    assert payloads
    for session, sequence, size, digest in payloads:
        chunks = connection.execute(
            "SELECT chunk_index, data, sha256 FROM session_message_chunks"
            " WHERE session_id = ? AND sequence = ? ORDER BY chunk_index",
            (session, sequence),
        ).fetchall()
        assert [index for index, _, _ in chunks] == list(range(-(-size // CHUNK_BYTES)))
        assert {len(data) for _, data, _ in chunks[:-1]} == {CHUNK_BYTES}
        assert all(hashlib.sha256(data).hexdigest() == own for _, data, own in chunks)
        body = b"".join(data for _, data, _ in chunks)
        assert (len(body), hashlib.sha256(body).hexdigest()) == (size, digest)
        assert json.loads(body)["type"] == "tool_result"
    inline = connection.execute(
        "SELECT MAX(LENGTH(CAST(record_json AS BLOB))) FROM session_messages"
    ).fetchone()[0]
    assert inline <= CHUNK_BYTES


def test_filler_speaks_every_language_and_escape(
    stores: dict[str, tuple[Path, Manifest]], open_store: Open
) -> None:
    text = "\n".join(body for _, _, body in bodies(open_store(stores["small"][0])))
    signs = ("\\n", "\\u001b[", '\\"', "，", "（", "Đ", "ü", "は", "@@ -")
    assert [sign for sign in signs if sign not in text] == []
    filler = Filler(random.Random(1))
    for language in SENTENCES:
        assert len(set(filler._sentences[language])) > POOL_SENTENCES // 8


def test_the_same_seed_gives_the_same_store(
    stores: dict[str, tuple[Path, Manifest]], tmp_path: Path, open_store: Open
) -> None:
    path, manifest = stores["small"]
    again = build("small", tmp_path / "again.sqlite")
    other = build("small", tmp_path / "other.sqlite", seed=7)
    assert again == manifest
    assert other.sessions != manifest.sessions
    dump = "\n".join(open_store(path).iterdump())
    assert dump == "\n".join(open_store(tmp_path / "again.sqlite").iterdump())


def test_a_store_that_breaks_its_shape_is_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(corpus.SENTENCES, "needle-term", ("nothing of the kind",))
    with pytest.raises(corpus.CorpusError, match="needle-term"):
        build("sparse", tmp_path / "broken.sqlite")


def test_filler_that_holds_a_planted_term_is_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(corpus_records.COMPLETED, "status", "模型")
    with pytest.raises(corpus.CorpusError, match="outside visible text"):
        build("dense", tmp_path / "broken.sqlite")


def test_cached_builds_once_and_keeps_the_manifest(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(corpus, "DATA", tmp_path / "data")
    path, manifest = cached("quota")
    written = path.stat().st_mtime_ns
    assert cached("quota") == (path, manifest)
    assert path.stat().st_mtime_ns == written
    assert from_json(to_json(manifest)) == manifest
    assert sorted(file.suffix for file in (tmp_path / "data").iterdir()) == [".json", ".sqlite"]
