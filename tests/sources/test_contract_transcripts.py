"""What every View of transcripts owes, whoever wrote them: one log of each format, put through
everything that happens to logs."""

from __future__ import annotations

import shutil
import tempfile
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, NamedTuple

import pytest

from harkback import Recall
from harkback.engine import Engine
from harkback.projection import project
from harkback.sources.registry import open_source
from harkback.sources.transcripts.base import Format
from harkback.sources.transcripts.claude_code import ClaudeCode
from harkback.sources.transcripts.codex import Codex
from harkback.sources.transcripts.copilot_cli import CopilotCli
from harkback.sources.transcripts.gemini_cli import GeminiCli
from harkback.sources.transcripts.source import TranscriptSource, TranscriptView
from support.plain import Plain, settle, unprivileged
from support.stores import tree
from support.transcripts import lines

THREAD = "019eb93c-5740-7f74-b4a3-e0cdde5c33ad"
CHAT = {"sessionId": THREAD, "projectHash": "x", "startTime": "2026-03-04T09:30:00.000Z"}


class Agent(NamedTuple):
    """A format, where a log of it lies, how it begins, and the record of a prompt."""

    format: Callable[[], Format]
    path: str
    head: tuple[dict[str, Any], ...]
    prompt: Callable[[int, str], dict[str, Any]]


def claude(number: int, said: str) -> dict[str, Any]:
    return {
        "type": "user",
        "uuid": f"u{number}",
        "parentUuid": f"u{number - 1}" if number else None,
        "sessionId": THREAD,
        "timestamp": f"2026-03-04T09:30:{number:02}.000Z",
        "message": {"role": "user", "content": said},
    }


def codex(number: int, said: str) -> dict[str, Any]:
    block = [{"type": "input_text", "text": said}]
    payload = {"type": "message", "role": "user", "content": block}
    stamp = f"2026-03-04T09:30:{number:02}.000Z"
    return {"timestamp": stamp, "type": "response_item", "payload": payload}


def gemini(number: int, said: str) -> dict[str, Any]:
    return {"id": f"m{number}", "type": "user", "content": said}


def copilot(number: int, said: str) -> dict[str, Any]:
    return {"id": f"e{number}", "type": "user.message", "data": {"content": said}}


def plain(number: int, said: str) -> dict[str, Any]:
    return {"t": said, "id": f"r{number}"}


AGENTS = {
    "plain": Agent(Plain, f"p/{THREAD}.jsonl", (), plain),
    "claude-code": Agent(ClaudeCode, f"projects/-home-ada/{THREAD}.jsonl", (), claude),
    "codex": Agent(
        Codex,
        f"sessions/2026/03/04/rollout-2026-03-04T09-30-00-{THREAD}.jsonl",
        ({"timestamp": "", "type": "session_meta", "payload": {"id": THREAD}},),
        codex,
    ),
    "gemini-cli": Agent(
        GeminiCli, f"tmp/app/chats/session-2026-03-04T09-30-{THREAD[:8]}.jsonl", (CHAT,), gemini
    ),
    "copilot-cli": Agent(CopilotCli, f"session-state/{THREAD}/events.jsonl", (), copilot),
}
SAID = ["first Needle", "zweite Straße", "第三", "fourth"]


@pytest.fixture(params=AGENTS)
def agent(request: pytest.FixtureRequest) -> Agent:
    return AGENTS[request.param]


@pytest.fixture
def root() -> Iterator[Path]:
    """A folder that everybody may enter."""
    folder = Path(tempfile.mkdtemp())
    folder.chmod(0o755)
    yield folder
    shutil.rmtree(folder)


def content(agent: Agent, said: list[str]) -> bytes:
    return lines(*agent.head, *(agent.prompt(number, text) for number, text in enumerate(said)))


def write(agent: Agent, root: Path, said: list[str]) -> Path:
    path = root / agent.path
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(content(agent, said))
    settle(path)
    return path


def told(view: TranscriptView, engine: Engine) -> tuple[list[str], list[str]]:
    """Ids and texts of the prompts; on the way every call is held against the others."""
    catalog = view.sessions()
    activity = [session.last_activity_at for session in catalog.sessions]
    assert activity == sorted(activity, reverse=True)
    assert len({session.id for session in catalog.sessions}) == len(activity)
    ids, texts = [], []
    for session in catalog.sessions:
        transcript = view.read(session.id)
        assert view.fingerprint(session.id) == transcript.fingerprint
        assert view.describe(session.id).id == session.id
        assert view.record_count(session.id) >= len(transcript.messages)
        messages = transcript.messages
        assert len({message.id for message in messages}) == len(messages)
        backwards = [message.locator for message in reversed(messages)]
        assert view.read_around(session.id, backwards) == list(reversed(messages))
        for message in messages:
            for leaf in project(message):
                term = engine.fold(leaf.text)[-3:]
                assert view.scan([term], [session.id]).offered == {session.id}
                if message.kind == "user":
                    ids.append(message.id)
                    texts.append(leaf.text)
    return ids, texts


def look(agent: Agent, root: Path, engine: Engine) -> tuple[list[str], list[str]]:
    with TranscriptSource(agent.format(), root).view(engine) as view:
        return told(view, engine)


def test_all_calls_tell_one_story(engine: Engine, agent: Agent, root: Path) -> None:
    write(agent, root, SAID)
    before = tree(root)
    assert look(agent, root, engine)[1] == SAID
    with TranscriptSource(agent.format(), root).view(engine) as view:
        (session,) = view.sessions().sessions
        assert view.scan(["heliotrope"], [session.id]).offered == frozenset()
    assert tree(root) == before


def test_ids_stay_when_a_log_grows_and_shrinks(chosen: Engine, agent: Agent, root: Path) -> None:
    source = TranscriptSource(agent.format(), root)
    seen: list[list[str]] = []
    fingerprints = set()
    for count in (2, 4, 1):
        write(agent, root, SAID[:count])
        with source.view(chosen) as view:
            ids, texts = told(view, chosen)
            assert texts == SAID[:count]
            fingerprints.add(view.fingerprint(view.sessions().sessions[0].id))
            seen.append(ids)
    assert seen[1][:2] == seen[0]
    assert seen[2] == seen[0][:1]
    assert len(fingerprints) == 3


def test_another_log_in_its_place(chosen: Engine, agent: Agent, root: Path) -> None:
    source = TranscriptSource(agent.format(), root)
    path = write(agent, root, SAID)
    with source.view(chosen) as view:
        assert told(view, chosen)[1] == SAID
    fresh = root / "fresh"
    fresh.write_bytes(content(agent, ["something", "else"]))
    settle(fresh)
    fresh.replace(path)
    with source.view(chosen) as view:
        assert told(view, chosen)[1] == ["something", "else"]
    path.unlink()
    with source.view(chosen) as view:
        assert view.sessions().sessions == ()


def test_a_record_that_is_being_written(chosen: Engine, agent: Agent, root: Path) -> None:
    path = write(agent, root, SAID[:3])
    whole = content(agent, SAID)
    complete = path.stat().st_size
    source = TranscriptSource(agent.format(), root)
    for stop in (complete + 1, len(whole) - 9, len(whole) - 1):
        path.write_bytes(whole[:stop])
        with source.view(chosen) as view:
            assert told(view, chosen)[1] == SAID[:3]
            (session,) = view.sessions().sessions
            assert view.read(session.id).damage == ()
    path.write_bytes(whole)
    assert look(agent, root, chosen)[1] == SAID


def test_links_add_nothing_and_lead_nowhere(chosen: Engine, agent: Agent, root: Path) -> None:
    home = root / "home"
    path = write(agent, home, SAID)
    elsewhere = root / "elsewhere.jsonl"
    elsewhere.write_bytes(content(agent, ["outside"]))
    (path.parent / f"x{path.name}").symlink_to(elsewhere)
    (path.parent / "loop").symlink_to(path.parent)
    top = home / agent.path.split("/")[0]
    (top / "above").symlink_to(root)
    (top / "again").symlink_to(top)
    assert look(agent, home, chosen)[1] == SAID
    moved = root / "moved"
    path.parent.rename(moved)
    path.parent.symlink_to(moved)
    assert look(agent, home, chosen)[1] == SAID


def test_what_may_not_be_read_is_told(chosen: Engine, agent: Agent, root: Path) -> None:
    path = write(agent, root, SAID)
    path.chmod(0)
    source = TranscriptSource(agent.format(), root)
    with unprivileged(), source.view(chosen) as view:
        catalog = view.sessions()
        ids = [session.id for session in catalog.sessions]
        told_of = [*catalog.gaps, *(gap for name in ids for gap in view.read(name).gaps)]
        assert {gap.code for gap in told_of} <= {"session_unreadable", "source_incomplete"}
        assert told_of
        assert view.scan(["heliotrope"], ids).offered == set(ids)


POISON = {
    "no JSON": b"{torn\n",
    "no object": b"[1]\n",
    "too deep": b'{"type":' + b"[" * 100_000 + b"]" * 100_000 + b"}\n",
    "NUL bytes": b"\0" * 999 + b"\n",
    "invalid UTF-8": b'{"type":"\xff\xe4"}\n',
}
HARMLESS = {
    "blank": b" \r\n\n",
    "no type": b"{}\n",
    "unknown type": b'{"type":"from-the-future","id":"x"}\n',
    "odd types": b'{"type":7,"id":[],"uuid":{},"message":3,"payload":"x","data":null}\n',
    "lone surrogate": rb'{"type":"\ud83d","id":"\ude00"}' + b"\n",
}


@pytest.mark.parametrize("kind", [*POISON, *HARMLESS])
def test_a_bad_record_costs_itself(chosen: Engine, agent: Agent, root: Path, kind: str) -> None:
    path = write(agent, root, SAID)
    half = content(agent, SAID[:2])
    poison = POISON.get(kind) or HARMLESS[kind]
    path.write_bytes(half + poison + content(agent, SAID)[len(half) :])
    settle(path)
    assert look(agent, root, chosen)[1] == SAID
    with Recall(TranscriptSource(agent.format(), root), engine=chosen.name) as recall:
        answer = recall.search(["needle", "fourth"])
    found = {message.text for passage in answer.passages for message in passage.messages}
    assert {SAID[0], SAID[3]} <= found
    if kind in POISON:
        damage = [gap for gap in answer.gaps if gap.code == "record_damaged"]
        assert damage  # and of a replaced text the format may have something to say
        assert {gap.count for gap in damage} == {1}


def test_the_folder_is_known_for_what_it_is(agent: Agent, root: Path) -> None:
    write(agent, root, SAID)
    if agent.format is not Plain:
        source = open_source(root)
        assert isinstance(source, TranscriptSource)
        assert type(source.format) is agent.format
