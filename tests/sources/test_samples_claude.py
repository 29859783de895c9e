"""A whole home folder of Claude Code: every Session and Message of it, what is found and what not.

The samples are not part of the package: HARKBACK_SAMPLES names the folder that holds them.
"""

from __future__ import annotations

import hashlib
import os
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest

from harkback import QueryError, Recall
from harkback.engine import Engine
from harkback.model import KINDS, AttachmentPart, JsonPart, StoredMessage, TextPart
from harkback.projection import project
from harkback.sources.transcripts.claude_code import ClaudeCode
from harkback.sources.transcripts.source import TranscriptSource
from harkback.verification import Path as SearchPath
from support.samples import copied, expectation, holds, sent
from support.stores import tree

#: Kinds whose names are the sample's own.
KIND = {"command": "user"}


@pytest.fixture
def sample(samples: Path, tmp_path: Path) -> Path:
    """A copy with the rights and the age of a user's own files."""
    copy = copied(samples, "claude_code", tmp_path)
    for file in copy.rglob("*"):
        os.utime(file, (1_782_000_000, 1_782_000_000))
    return copy


@pytest.fixture
def expected(sample: Path) -> Any:
    return expectation(sample)


def ours(session: str) -> str:
    """The sample says that any stable id of the sidechains will do."""
    return session.replace("/sidechain-1", "/sidechains")


def said(message: StoredMessage) -> str:
    texts = [part.text for part in message.parts if isinstance(part, TextPart)]
    if message.parts[0].field == "command":  # type: ignore[union-attr]
        return " ".join(texts)
    spilled = message.kind == "tool_result" and len(texts) > 1 and "<persisted-output>" in texts[0]
    return "\n".join(texts[:1] if spilled else texts)


def is_as_expected(message: StoredMessage, entry: dict[str, Any], home: Path) -> None:
    assert message.kind == KIND.get(entry["kind"], entry["kind"])
    assert message.abandoned == (entry.get("branch") == "abandoned")
    if entry["kind"] == "tool_call":
        assert message.id == entry["call_id"]
        name, given = message.parts
        assert name == TextPart("tool", entry["tool"])
        assert given == JsonPart("input", entry["input"])
        return
    if entry["kind"] == "tool_result":
        assert message.id == entry["call_id"] + "/result"
    else:
        assert message.id == entry["id"]
    attached = sent(message)
    assert [(a.mime, a.bytes, a.name or None) for a in attached] == [
        (a["mime"], a["bytes"], a["name"]) for a in entry.get("attachments", [])
    ]
    text = "" if attached == list(message.parts) else said(message)
    holds(text, entry)
    if "spill" in entry:
        whole, file = message.parts[-2:]
        assert isinstance(whole, TextPart)
        assert isinstance(file, AttachmentPart)
        assert (file.kind, file.bytes) == ("output", len(whole.text.encode()))
        assert hashlib.sha256(whole.text.encode()).hexdigest() == entry["spill"]["sha256"]


def in_sample_order(entries: Sequence[dict[str, Any]]) -> list[dict[str, Any]]:
    """A queued prompt interrupts an answer: the sample lists it behind, a reader may before."""
    ordered = list(entries)
    for at, entry in enumerate(ordered):
        if entry.get("source") == "queued":
            ordered[at - 1], ordered[at] = ordered[at], ordered[at - 1]
    return ordered


def test_every_session_and_message(engine: Engine, sample: Path, expected: Any) -> None:
    home = sample / expected["root"]
    before = tree(home)
    wanted = {ours(session["session_id"]): session for session in expected["sessions"]}
    with TranscriptSource(ClaudeCode(), home).view(engine) as view:
        assert {session.id for session in view.sessions().sessions} == wanted.keys()
        assert view.sessions().gaps == ()
        read = {name: view.read(name) for name in wanted}
        for name, session in wanted.items():
            told = view.describe(name)
            assert view.title(name) == session["title"]
            assert told.project == session["cwd"]
            assert told.archived == session["archived"]
            assert view.read(name).gaps == ()
            messages = [m for m in read[name].messages if m.kind != "title"]
            if session["parent_kind"] == "subagent":
                assert (told.parent, told.parent_kind) == (session["parent_session_id"], "subagent")
            elif session["parent_kind"] is not None:
                parent = session["parent_session_id"]
                assert (told.lineage, told.copied) == (parent, True)
                assert (told.parent, told.parent_kind) == (parent, "branch")
                replayed = {m.id: m.parts for m in read[parent].messages if m.kind != "title"}
                own = [m for m in messages if replayed.get(m.id) != m.parts]
                assert len(own) < len(messages)
                messages = own
            else:
                assert (told.lineage, told.copied) == (name, False)
            entries = in_sample_order(session["entries"])
            assert len(messages) == len(entries)
            for message, entry in zip(messages, entries, strict=True):
                is_as_expected(message, entry, home)
            assert view.scan([], [name]).offered <= {name}
    assert tree(home) == before


def is_credential(term: str) -> bool:
    return term.startswith("AK" + "IA")


def test_what_must_and_must_not_be_found(engine: Engine, sample: Path, expected: Any) -> None:
    home = sample / expected["root"]
    before = tree(home)
    with Recall(TranscriptSource(ClaudeCode(), home), engine=engine.name) as recall:
        for path in (SearchPath.NARROWED, SearchPath.FULL, SearchPath.AUTO):
            recall._path = path
            for wanted in expected["must_find"]:
                if is_credential(wanted["query"]) or wanted.get("branch") == "abandoned":
                    continue
                answer = recall.search([wanted["query"]], limit=25)
                found = [passage.session.id for passage in answer.passages]
                assert ours(wanted["session_id"]) in found, wanted["query"]
                if "times" in wanted:
                    assert len(found) == wanted["times"], wanted["query"]
            markers = expected["must_not_find"]
            for at in range(0, len(markers), 8):
                answer = recall.search(markers[at : at + 8], kinds=KINDS, limit=25)
                assert answer.passages == ()
    assert tree(home) == before


def test_a_credential_is_refused_and_shown_redacted(
    engine: Engine, sample: Path, expected: Any
) -> None:
    (wanted,) = (w for w in expected["must_find"] if is_credential(w["query"]))
    source = TranscriptSource(ClaudeCode(), sample / expected["root"])
    with Recall(source, engine=engine.name) as recall:
        with pytest.raises(QueryError):
            recall.search([wanted["query"]])
        with source.view(engine) as view:
            leaves = [
                leaf.text
                for message in view.read(wanted["session_id"]).messages
                for leaf in project(message)
                if wanted["query"] in leaf.text
            ]
        assert leaves
        line_before = leaves[0][: leaves[0].index(wanted["query"])].split("\n")[-2]
        answer = recall.search([line_before], limit=25)
        assert "[redacted]" in answer.to_json()
        assert wanted["query"] not in answer.text() + answer.to_json()


def test_what_was_rewound_is_read_and_marked(engine: Engine, sample: Path, expected: Any) -> None:
    (wanted,) = (w for w in expected["must_find"] if w.get("branch") == "abandoned")
    source = TranscriptSource(ClaudeCode(), sample / expected["root"])
    with source.view(engine) as view:
        assert view.scan([engine.fold(wanted["query"])], [wanted["session_id"]]).offered
        (message,) = (
            message
            for message in view.read(wanted["session_id"]).messages
            if any(wanted["query"] in leaf.text for leaf in project(message))
        )
        assert message.abandoned


def test_what_is_no_session_is_not_opened(
    engine: Engine, sample: Path, expected: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Whatever is no transcript, and no empty one, could as well not be readable."""
    home = sample / expected["root"]
    names = [line.split(" (")[0] for line in expected["not_sessions"]]
    opened: list[str] = []
    real = os.open

    def traced(path: Any, *args: Any, **kwargs: Any) -> int:
        opened.append(os.fspath(path))
        return real(path, *args, **kwargs)

    monkeypatch.setattr(os, "open", traced)
    with TranscriptSource(ClaudeCode(), home).view(engine) as view:
        for session in view.sessions().sessions:
            view.read(session.id)
            assert Path(session.id).name not in names
    assert opened
    for name in names:
        if "metadata only" not in next(n for n in expected["not_sessions"] if n.startswith(name)):
            assert not [path for path in opened if path.endswith(name)], name
