"""A folder of Claude Code on disk, through the raw scan and ``Recall``."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from harkback import Recall
from harkback.engine import Engine
from harkback.projection import project
from harkback.sources.transcripts.claude_code import ClaudeCode
from harkback.sources.transcripts.source import TranscriptSource
from support.claude_rows import FOLDER, SESSION, Chain, call, image, text

SIDE = f"{FOLDER}/{SESSION}"
FORK = "5f0c2c1e-0000-4000-8000-000000000002"
RESUME = "5f0c2c1e-0000-4000-8000-000000000003"


def history() -> dict[str, bytes]:
    """A Session with everything beside it, a fork of it, and one from before with a resume."""
    chain = Chain()
    above = chain.user("修复税率 <b>now</b>\n<system-reminder>not this</system-reminder>")
    chain.assistant(text("Looking\tat \\ it\u2028here."), call("t1", path="src/\ud83d.ts"))
    chain.result("t1", "<persisted-output>\nToo large. Full output saved to: /x/t1.txt\n")
    chain.user("<command-name>/model</command-name><command-args>opus</command-args>")
    chain.user("Abandoned idea", parentUuid=above)
    chain.user("Better idea \x00 here", parentUuid=above)
    chain.user([text("see"), image("QUJD", "document", title="Bill of sale")])
    chain.bare("queue-operation", operation="enqueue", content="Never sent")
    chain.bare("custom-title", customTitle="Steuersätze")
    agent = Chain(isSidechain=True)
    agent.user("Look around")
    fork = Chain(FORK, sessionKind="bg")
    fork.rows = [{**row, "sessionId": FORK, "sessionKind": "bg"} for row in chain.rows[:2]]
    fork.user("Only in the fork")
    old = Chain("old", version="1.0.43")
    old.user("Set up")
    old.user("Side errand", isSidechain=True, parentUuid=None)
    last = old.assistant(text("It is set up."), parentUuid="user-0")
    resume = Chain(RESUME, version="1.0.44")
    resume.bare("summary", summary="How it was set up", leafUuid=last)
    resume.user("Go on")
    return {
        **chain.files(),
        **fork.files(),
        **old.files(),
        **resume.files(),
        f"{SIDE}/subagents/agent-a1.jsonl": agent.bytes(),
        f"{SIDE}/subagents/agent-a1.meta.json": json.dumps({"description": "Errand"}).encode(),
        f"{SIDE}/tool-results/t1.txt": "whole output, 全部\n".encode(),
    }


@pytest.fixture
def source(tmp_path: Path) -> Iterator[TranscriptSource]:
    for name, content in history().items():
        file = tmp_path / name
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_bytes(content)
    source = TranscriptSource(ClaudeCode(), tmp_path)
    yield source
    source.close()


def test_whatever_is_read_was_offered(engine: Engine, source: TranscriptSource) -> None:
    with source.view(engine) as view:
        sessions = [session.id for session in view.sessions().sessions]
        leaves = 0
        for session in sessions:
            for message in view.read(session).messages:
                for leaf in project(message):
                    for line in (leaf.text, leaf.text[:9], leaf.text[-9:]):
                        term = engine.fold(line)
                        assert not term or view.scan([term], sessions).offered >= {session}, line
                    leaves += 1
    assert leaves > 25


def test_titles(engine: Engine, source: TranscriptSource) -> None:
    with source.view(engine) as view:
        titles = {s.id: view.title(s.id) for s in view.sessions().sessions}
    assert titles == {
        SESSION: "Steuersätze",
        FORK: "修复税率 <b>now</b>",
        "agent-a1": "Errand",
        "old": "How it was set up",
        "old/sidechains": "Side errand",
        RESUME: "Go on",
    }


def found(recall: Recall, term: str, **options: Any) -> list[tuple[str, tuple[str, ...]]]:
    answer = recall.search([term], limit=25, **options)
    return [(passage.session.id, passage.also_in) for passage in answer.passages]


def test_a_replay_is_one_hit_of_the_original(engine: Engine, source: TranscriptSource) -> None:
    with Recall(source, engine=engine.name) as recall:
        assert found(recall, "修复税率") == [(SESSION, (FORK,))]
        assert found(recall, "Only in the fork") == [(FORK, ())]


def test_what_is_found_and_what_is_not(engine: Engine, source: TranscriptSource) -> None:
    with Recall(source, engine=engine.name) as recall:
        assert found(recall, "whole output, 全部") == [(SESSION, ())]
        assert found(recall, "Bill of sale") == [(SESSION, ())]
        assert found(recall, "Never sent") == [(SESSION, ())]
        assert found(recall, "Look around") == [("agent-a1", ())]
        assert found(recall, "Side errand") == [("old/sidechains", ())]
        assert found(recall, "not this") == []
        assert found(recall, "Abandoned idea") == []
        assert found(recall, "Abandoned idea", include_abandoned=True) == [(SESSION, ())]
