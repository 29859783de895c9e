"""A whole sample store, held against the list of what a correct reader finds in it.

The samples are not part of the package: HARKBACK_SAMPLES names the folder that holds them.
"""

from __future__ import annotations

import datetime
import json
import os
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from harkback.engine import Engine
from harkback.model import JsonPart, StoredMessage, TextPart
from harkback.sources.registry import open_source
from harkback.sources.sqlite.source import SqliteSource, SqliteView
from support.samples import copied, expectation, holds, sent
from support.stores import texts, tree

SAMPLES = os.environ.get("HARKBACK_SAMPLES", "")
pytestmark = pytest.mark.skipif(not SAMPLES, reason="HARKBACK_SAMPLES is not set")

Make = Callable[..., SqliteSource]


@pytest.fixture
def sample(tmp_path: Path) -> Path:
    """A copy with the rights of a user's own files."""
    return copied(Path(SAMPLES), "maka", tmp_path)


@pytest.fixture
def expected(sample: Path) -> Any:
    return expectation(sample)


@pytest.fixture
def view(sample: Path, expected: Any, chosen: Engine) -> Iterator[SqliteView]:
    source = open_source(sample / expected["root"])
    assert isinstance(source, SqliteSource)
    with source.view(chosen) as opened:
        yield opened
    source.close()


def leaves(value: Any) -> list[str]:
    if isinstance(value, str):
        return [value]
    items = value.values() if isinstance(value, dict) else value if isinstance(value, list) else ()
    return [leaf for item in items for leaf in leaves(item)]


def visible(message: StoredMessage) -> list[str]:
    found: list[str] = []
    for part in message.parts:
        if isinstance(part, TextPart):
            found.append(part.text)
        elif isinstance(part, JsonPart):
            found += leaves(part.value)
    return found


def shown(message: StoredMessage) -> str:
    """The text of an entry as the list gives it: JSON compact, streams on lines."""
    found: list[str] = []
    for part in message.parts:
        if isinstance(part, TextPart):
            found.append(part.text)
        elif isinstance(part, JsonPart):
            found.append(json.dumps(part.value, ensure_ascii=False, separators=(",", ":")))
    return "\n".join(found)


def milliseconds(iso: str) -> int:
    return round(datetime.datetime.fromisoformat(iso).timestamp() * 1000)


def test_the_sessions(view: SqliteView, expected: Any) -> None:
    found = {session.id: session for session in view.sessions().sessions}
    assert set(found) == {entry["session_id"] for entry in expected["sessions"]}
    for entry in expected["sessions"]:
        session = found[entry["session_id"]]
        assert session.title == entry["title"]
        assert session.project == entry["cwd"]
        assert session.archived == entry["archived"]
        assert session.parent == entry["parent_session_id"]
        assert session.parent_kind == entry["parent_kind"]
    for text in expected["not_sessions"]:
        assert text.split()[0] not in found


def test_every_entry(view: SqliteView, expected: Any) -> None:
    seen = 0
    for session in expected["sessions"]:
        read = view.read(session["session_id"]).messages
        messages = [m for m in read if not m.in_progress and m.kind != "title"]
        assert len(messages) == len(session["entries"])
        for message, entry in zip(messages, session["entries"], strict=True):
            seen += 1
            assert (message.id, message.kind) == (entry["id"], entry["kind"])
            assert message.timestamp == milliseconds(entry["ts"])
            assert message.turn == entry["turn_id"]
            if entry["kind"] == "tool_call":
                tool = [TextPart("tool", entry["tool"])]
                intent = [TextPart("intent", entry["intent"])] if "intent" in entry else []
                assert list(message.parts) == [*tool, *intent, JsonPart("args", entry["input"])]
                continue
            text = shown(message)
            holds(text, entry)
            files = sent(message)
            wanted = entry.get("attachments", [])
            assert [p.mime for p in files] == [a["mime"] for a in wanted]
            assert [p.bytes for p in files] == [a.get("bytes") for a in wanted]
            assert [p.name for p in files] == [a.get("name", "") for a in wanted]
    assert seen == 19


def test_what_must_and_must_not_be_found(view: SqliteView, expected: Any) -> None:
    everything = {
        session.id: [text for m in view.read(session.id).messages for text in visible(m)]
        for session in view.sessions().sessions
    }
    for wanted in expected["must_find"]:
        found = {
            name: sum(wanted["query"] in text for text in held) for name, held in everything.items()
        }
        assert {name: n for name, n in found.items() if n} == {
            wanted["session_id"]: wanted["times"]
        }
        folded = [view._engine.fold(wanted["query"])]
        assert wanted["session_id"] in view.scan(folded, list(everything)).offered
    together = "\n".join(text for held in everything.values() for text in held)
    for marker in expected["must_not_find"]:
        assert marker not in together or marker.startswith("PARTIAL-")


def test_the_stream_in_flight(view: SqliteView) -> None:
    flying = [
        message
        for session in view.sessions().sessions
        for message in view.read(session.id).messages
        if message.in_progress
    ]
    assert texts(flying) == ["各位好,PARTIAL-MK-STREAM 附件是"]


def test_what_only_the_wal_holds(sample: Path, source_of: Make, chosen: Engine) -> None:
    before = tree(sample / "live-wal")
    with source_of(sample / "live-wal" / "runtime.sqlite").view(chosen) as view:
        (session,) = view.sessions().sessions
        assert texts(view.read(session.id).messages) == [
            "in the main file",
            "only in the WAL 仅在WAL",
        ]
        assert [gap.code for gap in view.sessions().gaps] == ["source_incomplete"]
    assert tree(sample / "live-wal") == before
