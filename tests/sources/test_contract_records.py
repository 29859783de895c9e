"""What every View owes, of OpenCode's two places and of mapped tables: the superset law, one story
from all calls, and records of any shape, which never raise and cost only themselves.
"""

from __future__ import annotations

import json
import sqlite3
import tempfile
from collections.abc import Callable, Iterator
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from harkback import engine as engines
from harkback.engine import Engine
from harkback.model import JsonPart, TextPart
from harkback.sources.base import Source, View
from harkback.sources.opencode.source import OpenCodeSource
from harkback.sources.sqlite import generic, narrow
from harkback.sources.sqlite.source import SqliteSource
from support.opencode import OpenCodeBuilder, TreeBuilder
from support.stores import dumps

ENGINES = [engines.load(name) for name in ("native", "reference")]
TEXT = st.text(alphabet="aAbß/\\\"'\n\tİiée\u0301中字ｱﾞ😀\ud83d\x00[{: ", min_size=1, max_size=12)
SAID = st.tuples(st.sampled_from(["user", "assistant", "call", "result", "error", "cut"]), TEXT)
HISTORY = st.lists(st.lists(SAID, max_size=3), min_size=1, max_size=4)

Write = Callable[[Path, list[list[tuple[str, str]]], bool], Source]


def database(folder: Path, history: list[list[tuple[str, str]]], escaped: bool) -> Source:
    with closing(OpenCodeBuilder(folder)) as built:
        for number, said in enumerate(history):
            session = built.session(f"ses_{number}", title=f"Title {number}")
            for how, (kind, text) in enumerate(said):
                role = "user" if kind == "user" else "assistant"
                message = built.message(session, role)
                record = part_of(kind, text)
                if kind == "cut":
                    path = built.spill(
                        f"tool_{number}_{how}", text.encode("utf-8", "replace").decode()
                    )
                    record["state"]["metadata"] = {"outputPath": path}
                    record["state"]["output"] = "cut"
                built.part(message, raw=dumps(record, escaped))
    return SqliteSource(folder / "opencode.db")


def grown(folder: Path, history: list[list[tuple[str, str]]], escaped: bool) -> Source:
    built = TreeBuilder(folder)
    for number, said in enumerate(history):
        session = built.session(f"ses_{number}", title=f"Title {number}")
        for how, (kind, text) in enumerate(said):
            message = built.message(session, "user" if kind == "user" else "assistant")
            built.write(f"part/{message}/prt_{how}.json", dumps(part_of(kind, text), escaped))
    return OpenCodeSource(folder)


def part_of(kind: str, text: str) -> dict[str, Any]:
    if kind in ("user", "assistant"):
        return {"type": "text", "text": text}
    state: dict[str, Any] = {"status": "completed", "input": {"deep": [{"x": text}]}}
    if kind == "cut":
        state["input"] = {}
    elif kind == "error":
        state = {"status": "error", "error": text}
    elif kind == "result":
        state["output"] = text
    return {"type": "tool", "tool": "bash", "state": state}


def mapped(folder: Path, history: list[list[tuple[str, str]]], escaped: bool) -> Source:
    path = folder / "agents.db"
    with closing(sqlite3.connect(path, isolation_level=None)) as db:
        db.execute("PRAGMA synchronous=OFF")
        db.execute("CREATE TABLE agent_sessions (session_id, created_at, updated_at)")
        db.execute("CREATE TABLE agent_messages (id, session_id, message_data, created_at)")
        at = 0
        for number, said in enumerate(history):
            db.execute("INSERT INTO agent_sessions VALUES (?, NULL, NULL)", (f"ses_{number}",))
            for kind, text in said:
                at += 1
                row = (at, f"ses_{number}", dumps(item_of(kind, text, escaped), escaped))
                db.execute("INSERT INTO agent_messages VALUES (?, ?, ?, NULL)", row)
    return SqliteSource(path)


def item_of(kind: str, text: str, escaped: bool) -> dict[str, Any]:
    match kind:
        case "user" | "assistant":
            return {"role": kind, "content": text}
        case "call":
            inner = dumps({"deep": [text, {"k": text}]}, escaped)
            return {"type": "function_call", "name": text, "arguments": inner}
        case "error":
            return {"type": "function_call", "name": "x", "arguments": text}
    return {"type": "function_call_output", "output": [{"type": "input_text", "text": text}]}


def leaves(value: Any) -> Iterator[str]:
    if isinstance(value, str):
        yield value
    for item in (
        value.values() if isinstance(value, dict) else value if isinstance(value, list) else ()
    ):
        yield from leaves(item)


def tell(view: View) -> dict[str, list[str]]:
    """All visible text per Session; every call of the View tells the same."""
    held: dict[str, list[str]] = {}
    for session in view.sessions().sessions:
        transcript = view.read(session.id)
        assert view.fingerprint(session.id) == transcript.fingerprint
        assert view.describe(session.id).id == session.id
        assert view.record_count(session.id) >= 0
        names = [message.id for message in transcript.messages]
        assert len(set(names)) == len(names)
        texts = held[session.id] = []
        for message in transcript.messages:
            assert view.read_around(session.id, [message.locator]) == [message]
            for part in message.parts:
                if isinstance(part, TextPart):
                    texts.append(part.text)
                elif isinstance(part, JsonPart):
                    texts += leaves(part.value)
    return held


@pytest.mark.parametrize("write", [database, grown, mapped])
@given(history=HISTORY, term=TEXT, escaped=st.booleans())
def test_candidates_are_a_superset(
    write: Write, history: list[list[tuple[str, str]]], term: str, escaped: bool
) -> None:
    with tempfile.TemporaryDirectory() as folder:
        source = write(Path(folder), history, escaped)
        with closing(source), source.view(ENGINES[0]) as view:
            held = tell(view)
            assert set(held) == {f"ses_{n}" for n in range(len(history))}
            terms = {term, *(text[:3] for texts in held.values() for text in texts)}
            for each in sorted(terms):
                missed = _missed(source, ENGINES[0], view, held, each)
                assert not missed, (each, missed)


def _missed(
    source: Source, engine: Engine, view: View, held: dict[str, list[str]], term: str
) -> set[str]:
    folded = engine.fold(term.encode("utf-8", "replace").decode().replace("\0", "\ufffd"))
    if not folded:
        return set()
    wanted = {n for n, texts in held.items() if any(folded in engine.fold(t) for t in texts)}
    missed = wanted - view.scan([folded], list(held)).offered
    return missed | {n for n in wanted if view.scan([folded], [n]).offered != {n}}


@settings(max_examples=settings.default.max_examples // 4)
@given(history=HISTORY)
def test_both_engines_tell_the_same(history: list[list[tuple[str, str]]]) -> None:
    for write in (database, grown, mapped):
        with tempfile.TemporaryDirectory() as folder:
            source = write(Path(folder), history, False)
            told = []
            for engine in ENGINES:
                with source.view(engine) as view:
                    told.append(tell(view))
            source.close()
            assert told[0] == told[1]


# --- any shape ------------------------------------------------------------------------------

KEYS = [
    "type",
    "text",
    "content",
    "role",
    "time",
    "created",
    "completed",
    "parentID",
    "summary",
    "state",
    "status",
    "input",
    "output",
    "error",
    "metadata",
    "outputPath",
    "attachments",
    "url",
    "mime",
    "filename",
    "synthetic",
    "ignored",
    "tool",
    "callID",
    "name",
    "arguments",
    "image_url",
    "tool_calls",
    "function",
]
VALUES = st.recursive(
    st.none()
    | st.booleans()
    | st.integers()
    | st.floats()
    | st.sampled_from(["text", "tool", "file", "user", "assistant", "completed", "data:,x", ""])
    | TEXT,
    lambda inner: (
        st.lists(inner, max_size=3) | st.dictionaries(st.sampled_from(KEYS), inner, max_size=5)
    ),
    max_leaves=12,
)


@settings(max_examples=settings.default.max_examples // 2)
@given(records=st.lists(VALUES | st.binary(max_size=20), max_size=6))
def test_no_shape_of_a_record_raises(records: list[Any]) -> None:
    raws = [r if isinstance(r, bytes) else json.dumps(r) for r in records]
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        with closing(OpenCodeBuilder(folder)) as built:
            built.session("s")
            message = built.message("s", "assistant")
            for raw in raws:
                built.part(message, raw=raw)
                built.message("s", raw=raw)
                built.session(built.id("ses"), revert=raw, title=raw)
            built.part(message, text="whole")
        tree = TreeBuilder(folder)
        tree.session("ses_tree")
        header = tree.message("ses_tree", "assistant")
        for number, record in enumerate(records):
            if not isinstance(record, bytes):
                tree.write(f"part/{header}/prt_{number}.json", record)
                tree.write(f"message/ses_tree/msg_x{number}.json", record)
                tree.write(f"session/p/ses_{number}.json", record)
        tree.part(header, text="whole")
        with closing(OpenCodeSource(folder)) as source, source.view(ENGINES[0]) as view:
            held = tell(view)
            assert "whole" in held["s"]
            assert "whole" in held["ses_tree"]


@settings(max_examples=settings.default.max_examples // 2)
@given(records=st.lists(VALUES | st.binary(max_size=20), max_size=6))
def test_no_shape_of_a_mapped_row_raises(records: list[Any]) -> None:
    with tempfile.TemporaryDirectory() as name:
        path = Path(name, "state.db")
        with closing(sqlite3.connect(path, isolation_level=None)) as db:
            db.execute("PRAGMA synchronous=OFF")
            db.execute("CREATE TABLE sessions (id, started_at, model_config, title)")
            db.execute(
                "CREATE TABLE messages (id, session_id, role, content, timestamp, tool_calls)"
            )
            for number, record in enumerate(records):
                raw = record if isinstance(record, bytes) else json.dumps(record)
                scalar = record if isinstance(record, str | float) else raw
                scalar = scalar.encode("utf-8", "replace") if isinstance(scalar, str) else scalar
                values = (number, scalar, raw, raw)
                db.execute("INSERT INTO sessions VALUES (?, ?, ?, ?)", values)
                values = (scalar, "s", "assistant", raw, scalar, raw)
                db.execute("INSERT INTO messages VALUES (?, ?, ?, ?, ?, ?)", values)
            db.execute("INSERT INTO messages VALUES (1, 's', 'user', 'whole', 1, NULL)")
        with closing(SqliteSource(path)) as source, source.view(ENGINES[0]) as view:
            held = tell(view)
            assert "whole" in held["s"]
            assert "s" in view.scan(["whole"], list(held)).offered


# --- what the law is worth ------------------------------------------------------------------


def breaks(write: Write, said: tuple[str, str], term: str) -> bool:
    """Whether the scan misses a term that reading shows."""
    with tempfile.TemporaryDirectory() as folder:
        source = write(Path(folder), [[said], []], False)
        with closing(source), source.view(ENGINES[0]) as view:
            held = tell(view)
            assert any(term in text for text in held["ses_0"])
            return bool(_missed(source, ENGINES[0], view, held, term))


def test_leaving_out_whole_outputs_is_caught(monkeypatch: pytest.MonkeyPatch) -> None:
    from harkback.sources.sqlite.opencode import OpenCodeReader

    assert not breaks(database, ("cut", "needle"), "needle")
    monkeypatch.setattr(OpenCodeReader, "_matching_files", lambda self, terms: iter(()))
    assert breaks(database, ("cut", "needle"), "needle")


def test_leaving_out_json_in_strings_is_caught(monkeypatch: pytest.MonkeyPatch) -> None:
    arguments = ("error", json.dumps({"k": "a\nb"}))
    assert not breaks(mapped, arguments, "a\nb")
    monkeypatch.setattr(generic, "_inner", lambda value: iter(()))
    assert breaks(mapped, arguments, "a\nb")


def test_one_by_one_is_as_in_one_go(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(narrow, "SWEEP_SHARE", 0)
    monkeypatch.setattr(generic, "SWEEP_SHARE", 0)
    for write in (database, mapped):
        assert not breaks(write, ("call", "needle"), "needle")
