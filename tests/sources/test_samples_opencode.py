"""A whole sample of OpenCode's data folder: every Session, entry and attachment that it holds.

The samples are not part of the package: HARKBACK_SAMPLES names the folder that holds them.
"""

from __future__ import annotations

import hashlib
import os
from collections.abc import Iterator
from datetime import datetime
from pathlib import Path
from typing import Any

import pytest

from harkback import QueryError, Recall
from harkback.engine import Engine
from harkback.model import AttachmentPart, JsonPart, StoredMessage, TextPart
from harkback.sources.registry import open_source
from harkback.verification import Path as SearchPath
from support.samples import copied, expectation, holds, sent
from support.stores import tree


@pytest.fixture
def sample(samples: Path, tmp_path: Path) -> Path:
    """A copy with the rights of a user's own files."""
    return copied(samples, "opencode", tmp_path)


@pytest.fixture
def expected(sample: Path) -> Any:
    return expectation(sample)


@pytest.fixture
def home(sample: Path, expected: Any) -> Iterator[Path]:
    """The data folder; whatever a test does with it, nothing in it changes."""
    folder: Path = sample / expected["root"]
    before = tree(folder)
    yield folder
    assert tree(folder) == before


def is_credential(term: str) -> bool:
    return term.startswith("AK" + "IA")


def text_of(message: StoredMessage, *, whole: bool = False) -> str:
    fields = ("content.whole",) if whole else ("text", "content.output", "content.error")
    parts = (p.text for p in message.parts if isinstance(p, TextPart) and p.field in fields)
    return "\n".join(parts)


def test_every_session_and_entry(chosen: Engine, home: Path, expected: Any) -> None:
    source = open_source(home)
    with source.view(chosen) as view:
        found = {session.id: session for session in view.sessions().sessions}
        assert set(found) == {entry["session_id"] for entry in expected["sessions"]}
        for wanted in expected["sessions"]:
            session = found[wanted["session_id"]]
            own = wanted["title_source"] in ("session.title", "JSON title")
            assert view.title(session.id) == wanted["title"]
            assert session.title in ("", wanted["title"] if own else "")
            shown = [
                t for m in view.read(session.id).messages if m.kind == "title" for t in m.parts
            ]
            assert shown == ([TextPart("title", wanted["title"])] if own else [])
            session = view.describe(session.id)
            assert session.project == wanted["cwd"]
            assert session.archived == wanted["archived"]
            assert session.parent == wanted["parent_session_id"]
            assert session.parent_kind == wanted["parent_kind"]
            messages = [m for m in view.read(session.id).messages if m.kind != "title"]
            assert [m.kind for m in messages] == [e["kind"] for e in wanted["entries"]]
            for message, entry in zip(messages, wanted["entries"], strict=True):
                check(message, entry)
    source.close()


def check(message: StoredMessage, entry: Any) -> None:
    at = datetime.fromisoformat(entry["ts"]).timestamp() * 1000
    assert message.timestamp == round(at)
    assert message.abandoned == (entry.get("branch") == "abandoned")
    call = entry.get("call_id")
    ids = {"tool_call": call, "tool_result": f"{call}#result"}
    assert message.id == ids.get(entry["kind"], entry["id"])
    if entry["kind"] == "tool_call":
        assert message.parts == (TextPart("tool", entry["tool"]), JsonPart("args", entry["input"]))
        return
    text = text_of(message)
    holds(text, entry)
    if spill := entry.get("spill"):
        whole = text_of(message, whole=True).encode()
        assert len(whole) == spill["utf8_bytes"]
        assert hashlib.sha256(whole).hexdigest() == spill["sha256"]
    attachments = [
        AttachmentPart(a["name"], KINDS[a["mime"]], a["mime"], a.get("bytes"))
        for a in entry.get("attachments", ())
    ]
    assert sent(message) == attachments


KINDS = {"image/png": "image", "text/plain": "doc"}


def test_what_must_and_must_not_be_found(
    engine: Engine, home: Path, expected: Any, opens: list[str]
) -> None:
    with Recall(home, engine=engine.name) as recall:
        for path in (SearchPath.NARROWED, SearchPath.FULL, SearchPath.AUTO):
            recall._path = path
            for wanted in expected["must_find"]:
                if is_credential(wanted["query"]):
                    continue
                answer = recall.search([wanted["query"]], include_archived=True, limit=25)
                found = [passage.session.id for passage in answer.passages]
                times = wanted.get("times", 0)  # what was undone is out of scope
                assert found == [wanted["session_id"]] * times, wanted["query"]
            (spilled,) = recall.search(["NEEDLE-OC-SPILL-8814"]).passages
            assert spilled.session.id == "ses_17cf1e5ff52cBM6tlGfaBhVfEC"
            for marker in expected["must_not_find"]:
                answer = recall.search([marker], include_archived=True, limit=25)
                assert answer.passages == (), marker
                assert "term_without_match" in {gap.code for gap in answer.gaps}
    inside = [Path(p).relative_to(home) for p in opens if p.startswith(f"{home}{os.sep}")]
    assert not [p for p in inside if p.parts[0] in ("auth.json", "log") or "todo" in p.parts]
    assert not [p for p in inside if p.suffix == ".db"]


def test_a_credential_is_refused_and_shown_redacted(engine: Engine, home: Path) -> None:
    key = "AK" + "IAIOSFODNN7EXAMPLE"
    with Recall(home, engine=engine.name) as recall:
        with pytest.raises(QueryError) as caught:
            recall.search([key])
        assert caught.value.reason == "term_credential"
        answer = recall.search(["find worker"], kinds=["tool_result"], limit=25)
        assert answer.passages
        assert key not in answer.text() + answer.to_json()
