"""A whole home folder of Codex: every Session and Message of it, what is found and what is not.

The samples are not part of the package: HARKBACK_SAMPLES names the folder that holds them.
"""

from __future__ import annotations

import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest

from harkback import Recall
from harkback.engine import Engine
from harkback.model import AttachmentPart, StoredMessage
from harkback.projection import project
from harkback.sources.transcripts.codex import Codex
from harkback.sources.transcripts.files import FolderFiles
from harkback.sources.transcripts.listing import Listing
from harkback.sources.transcripts.source import TranscriptSource
from harkback.sources.transcripts.values import milliseconds
from harkback.verification import Path as SearchPath
from support.samples import copied, expectation, holds
from support.stores import tree

PARENT_KINDS = {"subagent": "subagent", "fork": "branch", "resume": "branch", None: None}


@pytest.fixture
def sample(samples: Path, tmp_path: Path) -> Path:
    """A copy with the rights of a user's own files."""
    return copied(samples, "codex", tmp_path)


@pytest.fixture
def expected(sample: Path) -> Any:
    return expectation(sample)


def can_read(engine: Engine, file: str) -> bool:
    """The reference engine decompresses only where Python itself can."""
    return not file.endswith(".zst") or engine.name == "native" or sys.version_info >= (3, 14)


def string_leaves(value: Any) -> list[str]:
    if isinstance(value, str):
        return [value] if value else []
    children = value.values() if isinstance(value, dict) else value
    return [leaf for child in children for leaf in string_leaves(child)]


def is_as_expected(message: StoredMessage, entry: dict[str, Any]) -> None:
    leaves = [leaf.text for leaf in project(message)]
    assert message.kind == entry["kind"]
    assert message.abandoned == (entry.get("branch") == "abandoned")
    if entry["ts"]:
        assert message.timestamp == milliseconds(entry["ts"])
    if entry["kind"] == "tool_call":
        assert leaves == [entry["tool"], *string_leaves(entry["input"])]
    else:
        holds("\n".join(leaves), entry)
    if "call_id" in entry:
        assert entry["call_id"] in message.id
    attached = [part for part in message.parts if isinstance(part, AttachmentPart)]
    assert [(part.mime, part.bytes, part.name) for part in attached] == [
        (wanted["mime"], wanted["bytes"], wanted["name"] or "")
        for wanted in entry.get("attachments", [])
    ]


def without_replays(
    messages: Sequence[StoredMessage], parent: Sequence[StoredMessage]
) -> list[StoredMessage]:
    """Messages that are no replay: a search shows one of equal id and text only once."""
    replayed = {(message.id, repr(message.parts)) for message in parent}
    return [message for message in messages if (message.id, repr(message.parts)) not in replayed]


def test_every_session_and_message(engine: Engine, sample: Path, expected: Any) -> None:
    home = sample / expected["root"]
    before = tree(home)
    source = TranscriptSource(Codex(), home)
    with source.view(engine) as view:
        catalog = view.sessions()
        wanted = {session["session_id"]: session for session in expected["sessions"]}
        assert {session.id for session in catalog.sessions} == wanted.keys()
        assert catalog.gaps == ()
        read = {name: view.read(name) for name in wanted}
        for name, session in wanted.items():
            if not can_read(engine, session["files"][0]):
                assert [gap.code for gap in read[name].gaps] == ["session_unreadable"]
                continue
            described = view.describe(name)
            assert view.title(name) == session["title"]
            assert described.project == session["cwd"]
            assert described.archived == session["archived"]
            assert described.parent == session["parent_session_id"]
            assert described.parent_kind == PARENT_KINDS[session["parent_kind"]]
            messages = [m for m in read[name].messages if m.kind != "title"]
            if "inherited" in session:
                assert described.copied
                assert described.lineage == session["inherited"]["from"]
                every = len(messages)
                messages = without_replays(messages, read[session["inherited"]["from"]].messages)
                assert len(messages) < every
            assert len(messages) == len(session["entries"])
            for message, entry in zip(messages, session["entries"], strict=True):
                is_as_expected(message, entry)
            assert len({message.id for message in messages}) == len(messages)
            # The one with a torn tail also holds an array, NUL bytes and bytes that are no text.
            assert bool(read[name].damage) == ("pending_tail_bytes" in session)
    source.close()
    assert tree(home) == before


def test_what_must_and_must_not_be_found(engine: Engine, sample: Path, expected: Any) -> None:
    home = sample / expected["root"]
    before = tree(home)
    files = {session["session_id"]: session["files"][0] for session in expected["sessions"]}
    with Recall(TranscriptSource(Codex(), home), engine=engine.name) as recall:
        for path in (SearchPath.NARROWED, SearchPath.FULL, SearchPath.AUTO):
            recall._path = path
            for wanted in expected["must_find"]:
                if wanted["query"].startswith("AK" + "IA"):
                    continue  # refused as a term: see what is asked of the host store
                if not can_read(engine, files[wanted["session_id"]]):
                    continue
                answer = recall.search(
                    [wanted["query"]], include_archived=True, include_abandoned=True, limit=25
                )
                found = [passage.session.id for passage in answer.passages]
                assert found == [wanted["session_id"]] * wanted.get("times", 1), wanted["query"]
            for marker in expected["must_not_find"]:
                answer = recall.search(
                    [marker], include_archived=True, include_abandoned=True, limit=25
                )
                assert answer.passages == (), marker
    assert tree(home) == before


def test_a_rewound_turn_is_left_out_unless_it_is_asked_for(
    engine: Engine, sample: Path, expected: Any
) -> None:
    (wanted,) = (w for w in expected["must_find"] if w.get("branch") == "abandoned")
    home = sample / expected["root"]
    with Recall(TranscriptSource(Codex(), home), engine=engine.name) as recall:
        answer = recall.search([wanted["query"]])
        assert answer.passages == ()
        assert "abandoned_excluded" in {gap.code for gap in answer.gaps}


class Watched(FolderFiles):
    """Notes the names that a format asks for."""

    asked: list[str]

    def at(self, path, form):  # type: ignore[no-untyped-def]
        self.asked.append(path)
        return super().at(path, form)


def test_what_is_no_session_is_not_opened(engine: Engine, sample: Path, expected: Any) -> None:
    home = sample / expected["root"]
    listing = Listing(str(home))
    files = Watched(engine, listing)
    files.asked = []
    format_ = Codex()
    sessions = list(format_.find(files))
    for found in sessions:
        format_.outline(files, found)
        format_.decode(files, found)
    names = {ref.path for found in sessions for ref in found.files} | set(files.asked)
    assert "session_index.jsonl" in names  # read for its titles
    assert not names & (set(expected["not_sessions"]) - {"session_index.jsonl"})
