"""Codex, Gemini CLI and Copilot CLI through ``Recall``: what their rules are there for."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

import pytest

from harkback import Recall
from harkback.engine import Engine
from harkback.sources.transcripts.base import Format
from harkback.sources.transcripts.codex import Codex
from harkback.sources.transcripts.copilot_cli import CopilotCli
from harkback.sources.transcripts.gemini_cli import GeminiCli
from harkback.sources.transcripts.source import TranscriptSource
from support.stores import tree
from support.transcripts import lines

PARENT = "019eb93c-5740-7f74-b4a3-e0cdde5c33ad"
CHILD = "019eb946-6960-72ca-b62c-d58e97e0dff5"


def write(home: Path, contents: Mapping[str, bytes]) -> Path:
    for name, content in contents.items():
        (home / name).parent.mkdir(parents=True, exist_ok=True)
        (home / name).write_bytes(content)
    return home


def recall(reader: Format, home: Path, engine: Engine) -> Recall:
    return Recall(TranscriptSource(reader, home), engine=engine.name)


def row(kind: str, **payload: object) -> dict[str, object]:
    return {"timestamp": "2026-06-12T00:30:00.000Z", "type": kind, "payload": payload}


def prompt(text: str) -> dict[str, object]:
    block = {"type": "input_text", "text": text}
    return row("response_item", type="message", role="user", content=[block])


def rollout(thread: str) -> str:
    return f"sessions/2026/06/12/rollout-2026-06-12T09-30-00-{thread}.jsonl"


FAMILY = {
    rollout(PARENT): lines(
        row("session_meta", id=PARENT, timestamp="2026-06-12T00:30:00.000Z", cwd="/srv/app"),
        row("turn_context", turn_id="019eb93c-5750-7ffd-b8cf-0c8478ca4efc"),
        prompt("why is the tokenizer slow"),
        prompt("and the parser"),
    ),
    rollout(CHILD): lines(
        row("session_meta", id=CHILD, timestamp="2026-06-12T00:41:00.000Z", forked_from_id=PARENT),
        row("session_meta", id=PARENT, timestamp="2026-06-12T00:30:00.000Z"),
        row("turn_context", turn_id="019eb93c-5750-7ffd-b8cf-0c8478ca4efc"),
        prompt("why is the tokenizer slow"),
        row("turn_context", turn_id="019eb946-6970-7928-b82f-adfdbdf46c06"),
        prompt("make the tokenizer fast"),
    ),
}


def test_a_fork_shows_only_what_is_its_own(engine: Engine, tmp_path: Path) -> None:
    with recall(Codex(), write(tmp_path, FAMILY), engine) as asked:
        answer = asked.search(["tokenizer"], limit=25)
        (replayed,) = [p for p in answer.passages if p.session.id == PARENT]
        (own,) = [p for p in answer.passages if p.session.id == CHILD]
        assert len(replayed.also_in) == 1
        assert [m.text for m in own.messages] == ["make the tokenizer fast"]
        assert own.session.title == "make the tokenizer fast"
        # The parent alone goes on: nothing of the child answers for it.
        (passage,) = asked.search(["parser"]).passages
        assert (passage.session.id, passage.also_in) == (PARENT, ())


def test_without_its_parent_a_fork_shows_all(engine: Engine, tmp_path: Path) -> None:
    home = write(tmp_path, {rollout(CHILD): FAMILY[rollout(CHILD)]})
    with recall(Codex(), home, engine) as asked:
        answer = asked.search(["why is the"])
        assert [p.session.id for p in answer.passages] == [CHILD]


def test_a_name_is_found_as_soon_as_it_is_given(engine: Engine, tmp_path: Path) -> None:
    home = write(tmp_path, FAMILY)
    with recall(Codex(), home, engine) as asked:
        assert asked.search(["Renamed"], kinds=["title"]).passages == ()
        write(home, {"session_index.jsonl": lines({"id": PARENT, "thread_name": "Renamed today"})})
        (passage,) = asked.search(["Renamed"], kinds=["title"]).passages
        assert (passage.session.id, passage.session.title) == (PARENT, "Renamed today")


def test_archiving_leaves_an_anchor_as_it_was(engine: Engine, tmp_path: Path) -> None:
    home = write(tmp_path, {rollout(PARENT): FAMILY[rollout(PARENT)]})
    with recall(Codex(), home, engine) as asked:
        (before,) = asked.search(["parser"]).passages
        (home / "archived_sessions").mkdir()
        name = rollout(PARENT)
        (home / name).rename(home / "archived_sessions" / name.rpartition("/")[2])
        assert asked.search(["parser"]).passages == ()
        (after,) = asked.search(["parser"], include_archived=True).passages
        assert after.anchor == before.anchor


CHAT = "tmp/app/chats/session-2026-03-04T09-30-1f0c9a52.jsonl"


def test_what_a_rewind_took_out_is_counted_and_left_out(engine: Engine, tmp_path: Path) -> None:
    chat = lines(
        {"sessionId": "s", "projectHash": "h"},
        {"id": "u1", "type": "user", "content": "keep the tokenizer"},
        {"id": "u2", "type": "user", "content": "drop the tokenizer"},
        {"$rewindTo": "u2"},
    )
    projects = b'{"projects": {"/srv/app": "app"}}'
    home = write(tmp_path, {CHAT: chat, "projects.json": projects})
    with recall(GeminiCli(), home, engine) as asked:
        answer = asked.search(["tokenizer"])
        (passage,) = answer.passages
        assert [m.text for m in passage.messages if m.is_anchor] == ["keep the tokenizer"]
        assert passage.session.project == "/srv/app"
        assert [gap.count for gap in answer.gaps if gap.code == "abandoned_excluded"] == [1]
        assert len(asked.search(["tokenizer"], include_abandoned=True).passages) == 2


EVENTS = "session-state/s/events.jsonl"


def test_damage_is_mended_where_it_can_be_and_named_where_not(
    engine: Engine, tmp_path: Path
) -> None:
    said = {"type": "user.message", "id": "e1", "data": {"content": "the tokenizer\nis slow"}}
    split = lines(said).replace(b"\\n", b"\n")
    home = write(tmp_path, {EVENTS: split + b'{"type":"lost\n'})
    with recall(CopilotCli(), home, engine) as asked:
        answer = asked.search(["tokenizer\nis"])
        assert [p.session.id for p in answer.passages] == ["s"]
        assert [gap.count for gap in answer.gaps if gap.code == "record_damaged"] == [1]


@pytest.mark.parametrize(
    ("reader", "contents"),
    [
        (Codex(), FAMILY),
        (GeminiCli(), {CHAT: lines({"id": "u1", "type": "user", "content": "x"})}),
        (CopilotCli(), {EVENTS: lines({"type": "user.message", "data": {"content": "x"}})}),
    ],
)
def test_nothing_is_written(
    engine: Engine, tmp_path: Path, reader: Format, contents: Mapping[str, bytes]
) -> None:
    home = write(tmp_path, contents)
    before = tree(home)
    with recall(reader, home, engine) as asked:
        asked.search(["x"], include_archived=True, kinds=["user", "title", "summary"])
    assert tree(home) == before
