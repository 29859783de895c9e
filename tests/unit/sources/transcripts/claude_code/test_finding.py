"""Which Sessions the files are, and which files nobody opens."""

from __future__ import annotations

from pathlib import Path

import pytest

from harkback.sources.transcripts.claude_code import ClaudeCode, roots
from support.claude_rows import FOLDER, PATH, SESSION, Chain, text
from support.transcripts import MemoryFiles, found, lines, shown

SIDE = f"{FOLDER}/{SESSION}"
OTHER = "5f0c2c1e-0000-4000-8000-000000000002"


def transcript(said: str = "go", **fields: object) -> bytes:
    chain = Chain(**fields)  # type: ignore[arg-type]
    chain.user(said)
    return chain.bytes()


def paths(contents: dict[str, bytes], **modified: int) -> dict[str, list[str]]:
    every = found(ClaudeCode(), MemoryFiles(contents, modified))
    return {id_: [ref.path for ref in one.files] for id_, one in every.items()}


def test_a_session_and_what_belongs_to_it() -> None:
    said = transcript()
    contents = {
        PATH: said,
        f"{SIDE}/subagents/agent-a1.jsonl": said,
        f"{SIDE}/subagents/agent-a1.meta.json": b"{}",
        f"{SIDE}/subagents/workflows/run/agent-a2.jsonl": said,
        f"{SIDE}/subagents/agent-acompact-1.jsonl": said,
        f"{SIDE}/subagents/notes.jsonl": said,
        f"{SIDE}/tool-results/t1.txt": b"x",
        f"{SIDE}/tool-results/t2.json": b"[]",
        f"{SIDE}/tool-results/page.pdf": b"%PDF",
        f"{SIDE}/secrets.txt": b"x",
        f"{FOLDER}/agent-old.jsonl": said,
        f"{FOLDER}/memory/MEMORY.md": b"x",
        f"{FOLDER}/sessions-index.json": b"{}",
        f"{FOLDER}/{OTHER}.jsonl": b"",
        "history.jsonl": said,
        ".credentials.json": b"{}",
    }
    spills = [f"{SIDE}/tool-results/t1.txt", f"{SIDE}/tool-results/t2.json"]
    assert paths(contents) == {
        SESSION: [PATH, *spills],
        "agent-a1": [
            f"{SIDE}/subagents/agent-a1.jsonl",
            f"{SIDE}/subagents/agent-a1.meta.json",
            *spills,
        ],
        "agent-a2": [f"{SIDE}/subagents/workflows/run/agent-a2.jsonl", *spills],
        "agent-old": [f"{FOLDER}/agent-old.jsonl"],
    }


def test_parents() -> None:
    contents = {
        PATH: transcript(),
        f"{SIDE}/subagents/agent-a1.jsonl": transcript(),
        f"{FOLDER}/agent-old.jsonl": transcript(),
    }
    every = found(ClaudeCode(), MemoryFiles(contents))
    assert {id_: (one.parent, one.parent_kind) for id_, one in every.items()} == {
        SESSION: (None, None),
        "agent-a1": (SESSION, "subagent"),
        "agent-old": (None, "subagent"),
    }


@pytest.mark.parametrize(
    ("file", "is_found"),
    [
        (lines({"type": "mode", "mode": "plan"}), False),
        (lines({"type": "summary", "summary": "s", "leafUuid": "x"}), False),
        (lines({"type": "mode"}, {"type": "user"}), True),
        (b'{"type" : "user"}\n', True),
        (b'{"type":"us\\u0065r"}\n', True),
        (lines({"type": "mode", "padding": "x" * 20_000}), True),
    ],
)
def test_a_file_without_messages_is_no_session_as_far_as_its_head_tells(
    file: bytes, is_found: bool
) -> None:
    assert list(paths({PATH: file})) == [SESSION] * is_found


def test_a_session_in_two_folders_is_one_and_loses_nothing() -> None:
    chain = Chain()
    chain.user("one")
    moved = "projects/-home-ada-moved"
    before = chain.bytes()
    chain.user("two")
    only_there = chain.bytes()
    contents = {
        f"{moved}/{SESSION}.jsonl": only_there,
        PATH: before,
        f"{moved}/{SESSION}/tool-results/t.txt": b"x",
    }
    files = MemoryFiles(contents, {f"{moved}/{SESSION}.jsonl": 2, PATH: 1})
    (one,) = ClaudeCode().find(files)
    assert [ref.path for ref in one.files] == [
        PATH,
        f"{moved}/{SESSION}.jsonl",
        f"{moved}/{SESSION}/tool-results/t.txt",
    ]
    assert shown(ClaudeCode().decode(files, one).messages) == [("user", "one"), ("user", "two")]


def test_an_agent_below_two_sessions_is_found_below_both() -> None:
    contents = {
        f"{FOLDER}/{session}/subagents/agent-a1.jsonl": transcript() for session in (OTHER, SESSION)
    }
    assert list(paths(contents)) == ["agent-a1", f"{OTHER}/agent-a1"]


@pytest.mark.parametrize(
    ("version", "sidechain", "padding", "is_found"),
    [
        ("1.0.43", True, "", True),
        ("1.0.43", False, "", False),
        ("1.0.43", False, "x" * 20_000, True),
        ("0.2.9", True, "", True),
        ("2.1.160", True, "", False),
        ("10.0.1", True, "", False),
    ],
)
def test_sidechains_are_looked_for_in_old_files(
    version: str, sidechain: bool, padding: str, is_found: bool
) -> None:
    said = transcript(padding, version=version) + transcript(isSidechain=sidechain)
    assert (f"{SESSION}/sidechains" in paths({PATH: said})) is is_found


def test_the_desktop_keeps_a_folder_for_each_session() -> None:
    inner = "account/space/local_1/.claude"
    said = transcript()
    contents = {
        f"{inner}/projects/-x/{SESSION}.jsonl": said,
        f"{inner}/settings.json": b"{}",
        "account/space/local_1/outputs/a.jsonl": said,
    }
    assert paths(contents) == {SESSION: [f"{inner}/projects/-x/{SESSION}.jsonl"]}


def test_roots(tmp_path: Path) -> None:
    home, sessions = Path("/home/ada"), "Claude/local-agent-mode-sessions"
    assert roots({}, home) == [
        home / ".claude",
        home / "Library/Application Support" / sessions,
        home / ".config" / sessions,
    ]
    decomposed = "/data/cafe\u0301"
    environ = {"CLAUDE_CONFIG_DIR": decomposed, "XDG_CONFIG_HOME": "/xdg", "APPDATA": "/roaming"}
    assert roots(environ, home) == [
        Path("/data/caf\u00e9"),
        home / "Library/Application Support" / sessions,
        Path("/xdg") / sessions,
        Path("/roaming") / sessions,
    ]
    package = tmp_path / "Packages" / "Claude_abc"
    package.mkdir(parents=True)
    (tmp_path / "Packages" / "Other").mkdir()
    found_ = roots({"LOCALAPPDATA": str(tmp_path), "XDG_CONFIG_HOME": "relative"}, home)
    assert found_[2:] == [home / ".config" / sessions, package / "LocalCache/Roaming" / sessions]


def test_a_summary_is_asked_for_only_where_there_are_some(monkeypatch: pytest.MonkeyPatch) -> None:
    def forbidden(self: MemoryFiles, path: str) -> bytes:
        raise AssertionError

    monkeypatch.setattr(MemoryFiles, "tail", forbidden)
    chain = Chain()
    chain.assistant(text("x"))
    assert list(paths(chain.files())) == [SESSION]
