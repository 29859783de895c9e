"""An agent whose context was compacted gets back, by asking, what it needs and not a page more.

A log of 140,000 characters was in its context once. What is left of it is a pointer. It is asked
for a command and a path out of that log, finds them with two calls, and quotes them.
"""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from harkback import Recall, Store
from harkback.config import POINTER_CODE_POINTS, TEXT_BUDGET, WINDOW_CODE_POINTS
from harkback.engine import Engine
from harkback.store import Turn
from harkback.tools import ToolAnswer, Toolset

COMMAND = "mirrorctl gc --keep 14d --root '/srv/registry mirror'"
PATH = "/srv/registry mirror/blobs/Größe/index-0017.db"
LOG = (
    f"$ {COMMAND}\n"
    + "".join(f"{n:05} swept blob {n * 7919 % 104729:06x}, nothing to do\n" for n in range(2000))
    + f"cannot open {PATH}: ENOSPC (no space left on device)\n"
    + "".join(f"{n:05} swept blob {n * 7907 % 104729:06x}, nothing to do\n" for n in range(1800))
)
QUESTION = "Which command was that on the mirror, and which file could it not open?"

Entry = dict[str, Any]
Model = Callable[[list[Entry]], Entry]


class Agent:
    """Keeps what is said both in its context and in the host's store."""

    def __init__(self, store: Store) -> None:
        self.session = store.session("Registry mirror", project="/srv/atlas")
        self.context: list[Entry] = []

    def say(self, turn: Turn, role: str, text: str) -> None:
        (turn.user if role == "user" else turn.assistant)(text)
        self.context.append({"role": role, "content": text})

    def run(self, turn: Turn, tool: str, arguments: Entry, output: str) -> None:
        turn.tool_result(turn.tool_call(tool, arguments), output)
        self.context.append({"role": "tool", "call": [tool, arguments], "content": output})

    def compact(self, pointer: str) -> None:
        self.context = [{"role": "system", "content": pointer}]

    def answer(self, model: Model, tools: Toolset) -> tuple[str, list[ToolAnswer]]:
        """Calls the model until it speaks; gives its words and what the tools answered."""
        answers: list[ToolAnswer] = []
        while (does := model(self.context)).get("tool"):
            answers.append(tools.call(does["tool"], does["arguments"]))
            self.context.append({"role": "tool", **does, "content": answers[-1].text})
        return does["content"], answers


def model(context: list[Entry]) -> Entry:
    """Knows of the past what its context says: it asks, reads on at the anchor, and quotes."""
    told = [entry["content"] for entry in context if entry.get("tool")]
    if not told:
        return {"tool": "Recall", "arguments": {"terms": ["ENOSPC", "cannot open"], "limit": 3}}
    anchor = re.search(r"; anchor ([0-9a-f]{32})", told[0])
    assert anchor is not None
    if len(told) == 1:
        return {"tool": "RecallMore", "arguments": {"anchor": anchor[1], "view": "audit"}}
    path = re.search(r"^\| cannot open (.+): ENOSPC", told[0], re.MULTILINE)
    command = re.search(r"^\| \$ (.+)$", told[1], re.MULTILINE)
    assert path is not None
    assert command is not None
    return {"content": f"It was `{command[1]}`; it could not open `{path[1]}`."}


@pytest.fixture
def store(tmp_path: Path) -> Path:
    return tmp_path / "runtime.sqlite"


def test_an_agent_finds_what_its_context_has_lost(engine: Engine, store: Path) -> None:
    with Store.create(store) as written:
        agent = Agent(written)
        turn = agent.session.turn()
        agent.say(turn, "user", "Free some space on the registry mirror.")
        agent.run(turn, "Terminal", {"command": "ssh build-7"}, LOG)
        agent.say(turn, "assistant", "The sweep ended with an error; more disk is needed.")
        for number in range(30):
            later = agent.session.turn()
            agent.say(later, "user", f"And now step {number} of the release.")
            agent.say(later, "assistant", f"Step {number} is done.")
        turn = agent.session.turn()
        assert COMMAND in json.dumps(agent.context, ensure_ascii=False)
        assert len(LOG) > 140_000

        with Recall(store, engine=engine.name) as recall:
            pointer = recall.compaction_pointer(agent.session.id).text()
            assert len(pointer) <= POINTER_CODE_POINTS
            agent.compact(pointer)
            agent.say(turn, "user", QUESTION)
            before = json.dumps(agent.context, ensure_ascii=False)
            assert COMMAND not in before
            assert PATH not in before
            assert "ENOSPC" not in before

            stored = hashlib.sha256(store.read_bytes()).digest()
            tools = Toolset(recall, active=(agent.session.id, turn.id))
            said, (found, more) = agent.answer(model, tools)
            assert hashlib.sha256(store.read_bytes()).digest() == stored  # nothing is pushed

    assert said == f"It was `{COMMAND}`; it could not open `{PATH}`."
    assert "earlier in this Session" in found.text
    assert QUESTION not in found.text  # the Turn under way is no answer
    for answer in (found, more):
        assert not answer.is_error
        assert len(answer.text) <= TEXT_BUDGET
    for message in (m for p in found.to_dict()["passages"] for m in p["messages"]):
        shown = re.sub(r"^\[… \d+ characters \w+\]$", "", message["text"], flags=re.MULTILINE)
        assert len(shown.strip("\n")) <= WINDOW_CODE_POINTS
    assert len(json.dumps(agent.context, ensure_ascii=False)) < len(before) + 2 * TEXT_BUDGET
