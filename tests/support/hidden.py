"""Histories with a word of its own in every place that no question may reach, for each format.

``HIDERS`` writes one history under a folder and gives the path to open; it asks ``word`` for the
word of each hidden place and says ``SEEN`` where anybody may look, beside every one of them.
Proof that each word is really written: tests/sources/test_hidden.py looks for it in the files.
"""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

from support.claude_rows import FOLDER, Chain, call, text
from support.codex_rows import TURN_1, context, event, item, message, meta, output, rollout, row
from support.opencode import OpenCodeBuilder, TreeBuilder
from support.stores import StoreBuilder
from support.transcripts import lines

SEEN = "quincetree"

#: Gives the word of a hidden place, by its name.
Word = Callable[[str], str]
Hider = Callable[[Path, Word], Path]


def ledger(folder: Path, word: Word) -> Path:
    """The event ledger of a host."""
    store = StoreBuilder(folder / "runtime.sqlite")
    s = store.session("seen", name=f"About {SEEN}")
    store.text(s, f"{SEEN} asked", role="user")
    for flag, value in (
        ("modelVisibility", "hidden"),
        ("modelVisible", False),
        ("superseded", True),
        ("abandoned", True),
    ):
        said = {"kind": "text", "text": f"{SEEN} {word(f'record{flag}')}"}
        store.event(s, said, **{flag: value})
        inner = {"kind": "text", "text": f"{SEEN} {word(f'content{flag}')}", flag: value}
        store.event(s, inner)
        store.stream(s, f"stream {flag}", [f"{SEEN} {word(f'stream{flag}')}"], **{flag: value})
    store.event(s, {"kind": "text", "text": f"{SEEN} {word('partial')}"}, partial=True)
    store.event(s, {"kind": "thinking", "text": f"{SEEN} {word('thinking')}"})
    store.text(s, f"{SEEN} {word('system')}", role="system")
    store.event(s, {"kind": "error", "message": f"{SEEN} {word('error')}"})
    store.event(s, None, kind="runtime_fact", note=f"{SEEN} {word('fact')}")
    shown = {"kind": "text", "displayText": SEEN, "text": f"{SEEN} {word('envelope')}"}
    quotes = [{"text": word("quote"), "label": word("label")}]
    store.event(s, {**shown, "quotes": quotes}, role="user")
    store.run(s, "child", parentRunId="run-1", agentId="helper")
    store.text(s, f"{SEEN} {word('child')}", run="child")
    store.stream(s, "c", [f"{SEEN} {word('childstream')}"], run="child")
    thought = {"content": {"kind": "thinking", "text": ""}}
    store.stream(s, "t", [f"{SEEN} {word('thinkingstream')}"], **thought)
    terminal = {"kind": "terminal", "cmd": word("cmd"), "cwd": word("cwd"), "stdout": SEEN}
    store.result(s, {**terminal, "status": word("status")})
    store.result(s, {"kind": "image", "mimeType": "image/png", "ref": {"p": word("imageref")}})
    store.result(s, {"kind": "subagent", "summary": SEEN, "childSessionId": word("childid")})
    for name, header in (
        ("staging", {"transcriptLedgerVersion": 0}),
        ("preparing", {"revisionState": "preparing"}),
        ("placeholder", {"backend": "fake"}),
    ):
        hidden = store.session(name, name=f"{SEEN} {word(f'{name}title')}", header=header)
        store.text(hidden, f"{SEEN} {word(name)}", role="user")
    gone = store.session("gone", name=f"{SEEN} {word('deletedtitle')}")
    store.text(gone, f"{SEEN} {word('deleted')}")
    store.db.execute("INSERT INTO session_metadata_tombstones VALUES ('gone', 1, NULL, 0)")
    # Of a Session that the ledger owns, the rows of before are a stale copy.
    store.message(s, 0, "user", {"text": f"{SEEN} {word('stale')}"})
    store.close()
    return store.path


def rows(folder: Path, word: Word) -> Path:
    """The rows of a host from before its ledger."""
    store = StoreBuilder(folder / "runtime.sqlite")
    s = store.session("seen", ledger=False)
    store.message(s, 0, "user", {"text": f"{SEEN} asked"})
    at = iter(range(1, 100))
    for flag, value in (
        ("modelVisibility", "hidden"),
        ("modelVisible", False),
        ("superseded", True),
        ("abandoned", True),
    ):
        said = {"text": f"{SEEN} {word(f'row{flag}')}", flag: value}
        store.message(s, next(at), "assistant", said)
    for kind in ("permission_decision", "token_usage", "turn_state", "system_note", "novelty"):
        store.message(s, next(at), kind, {"text": f"{SEEN} {word(kind.replace('_', ''))}"})
    thought = {"text": SEEN, "thinking": {"text": f"{SEEN} {word('rowthinking')}"}}
    store.message(s, next(at), "assistant", thought)
    envelope = {"displayText": SEEN, "text": f"{SEEN} {word('rowenvelope')}"}
    store.message(s, next(at), "user", {**envelope, "quotes": [{"text": word("rowquote")}]})
    store.message(s, next(at), "tool_call", {"toolName": SEEN, "toolUseId": word("calluse")})
    long = f"{SEEN} {word('chunked')} " + "filler " * 12_000
    store.message(s, next(at), "assistant", {"text": long, "modelVisible": False})
    store.text(s, f"{SEEN} {word('unowned')}")  # events of a Session that its rows own
    store.close()
    return store.path


def claude(folder: Path, word: Word) -> Path:
    chain = Chain()
    chain.user(f"{SEEN} asked")
    chain.user(f"{SEEN} {word('meta')}", isMeta=True)
    chain.assistant(
        text(SEEN),
        {"type": "thinking", "thinking": f"{SEEN} {word('thinking')}", "signature": "x"},
        {"type": "redacted_thinking", "data": word("redactedthinking")},
        call("toolu_1", "Bash", command=SEEN),
    )
    twin = {"stdout": f"{SEEN} {word('twin')}"}
    chain.result(
        "toolu_1", f"{SEEN}\n\n<system-reminder>{word('resultreminder')}</system-reminder>"
    )
    chain.rows[-1]["toolUseResult"] = twin
    for tag in ("system-reminder", "ide_opened_file", "ide_selection"):
        inside = word(tag.replace("-", "").replace("_", ""))
        chain.user(f"<{tag}>{SEEN} {inside}</{tag}>\n{SEEN} typed")
    for tag in (
        "local-command-stdout",
        "local-command-stderr",
        "local-command-caveat",
        "bash-input",
        "bash-stdout",
        "bash-stderr",
        "task-notification",
        "user-prompt-submit-hook",
        "session-start-hook",
        "tick",
        "goal",
    ):
        chain.user(f"<{tag}>{SEEN} {word('only' + tag.replace('-', ''))}</{tag}>")
    chain.user(f"Stop hook feedback: {SEEN} {word('stophook')}")
    chain.row("system", subtype="informational", content=f"{SEEN} {word('system')}")
    chain.row("progress", data={"type": "x", "text": f"{SEEN} {word('progress')}"})
    chain.row("attachment", attachment={"type": "file", "content": f"{SEEN} {word('attachment')}"})
    chain.assistant(text(f"{SEEN} {word('apierror')}"), isApiErrorMessage=True)
    chain.rows.append(json.loads(json.dumps(chain.rows[1])))
    chain.rows[-1] |= {"uuid": "synthetic", "parentUuid": chain.rows[-2]["uuid"], "isMeta": False}
    chain.rows[-1] |= {
        "type": "assistant",
        "message": {
            "role": "assistant",
            "id": "msg_s",
            "model": "<synthetic>",
            "content": [text(f"{SEEN} {word('synthetic')}")],
        },
    }
    chain.user(f"{SEEN} {word('promptsystem')}", promptSource="system")
    chain.user(f"{SEEN} {word('origin')}", origin={"kind": "task-notification"})
    chain.bare("file-history-snapshot", snapshot={"text": f"{SEEN} {word('snapshot')}"})
    chain.bare("tag", tag=f"{SEEN} {word('tag')}")
    path = folder / FOLDER / f"{chain.session}.jsonl"
    path.parent.mkdir(parents=True)
    path.write_bytes(chain.bytes())
    helper = Chain()
    helper.user(f"{SEEN} {word('compactor')}", isSidechain=True, agentId="acompact-1")
    beside = path.with_suffix("") / "subagents" / "agent-acompact-1.jsonl"
    beside.parent.mkdir(parents=True)
    beside.write_bytes(helper.bytes())
    for name in ("history.jsonl", "projects/-home-ada-engine/sessions-index.json"):
        (folder / name).write_text(json.dumps({"display": f"{SEEN} {word('index' + name[0])}"}))
    return folder


def codex(folder: Path, word: Word) -> Path:
    copied = {
        "role": "user",
        "type": "message",
        "content": [{"type": "input_text", "text": f"{SEEN} {word('replacement')}"}],
    }
    opened = meta(base_instructions={"text": f"{SEEN} {word('base')}"})
    ide = f"# Context from my IDE setup:\n{SEEN} {word('ide')}\n## My request for Codex:\n{SEEN}"
    rows_ = [
        opened,
        context(TURN_1),
        message("developer", f"{SEEN} {word('developer')}"),
        message("system", f"{SEEN} {word('system')}"),
        message(
            "user",
            f"# AGENTS.md instructions for /x\n<INSTRUCTIONS>{word('agents')}</INSTRUCTIONS>",
        ),
        message("user", f"{SEEN} asked"),
        message("user", ide),
        item("reasoning", summary=[{"type": "summary_text", "text": f"{SEEN} {word('reason')}"}]),
        item("reasoning", content=[{"type": "reasoning_text", "text": word("reasoning")}]),
        item("ghost_snapshot", ghost_commit=word("ghost")),
        item("compaction", encrypted_content=word("encrypted")),
        event("user_message", message=f"{SEEN} {word('usertwin')}"),
        event("agent_message", message=f"{SEEN} {word('agenttwin')}"),
        event("agent_reasoning", text=f"{SEEN} {word('agentreasoning')}"),
        event("task_complete", last_agent_message=f"{SEEN} {word('complete')}"),
        output(f"{SEEN} put out"),
        row("compacted", {"message": "", "replacement_history": [copied]}),
        message("assistant", f"{SEEN} answered"),
    ]
    tags = (
        "environment_context",
        "user_instructions",
        "skill",
        "turn_aborted",
        "subagent_notification",
        "goal_context",
        "recommended_plugins",
    )
    rows_ += [
        message("user", f"<{tag}>{SEEN} {word(tag.replace('_', ''))}</{tag}>") for tag in tags
    ]
    for name, content in rollout(*rows_).items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content)
    (folder / "history.jsonl").write_text(json.dumps({"text": f"{SEEN} {word('history')}"}))
    (folder / "auth.json").write_text(json.dumps({"text": f"{SEEN} {word('auth')}"}))
    return folder


def gemini(folder: Path, word: Word) -> Path:
    session = "1f0c9a52-8d1e-4b7a-9c65-0d8f2f6f1a11"
    stamp = "2026-03-04T09:30:05.000Z"
    head = {"sessionId": session, "projectHash": "x", "startTime": stamp, "kind": "main"}
    number = iter(range(100))

    def said(kind: str, content: Any, **more: Any) -> dict[str, Any]:
        name = f"m{next(number)}"
        return {"id": name, "timestamp": stamp, "type": kind, "content": content, **more}

    tool = {
        "id": "c1",
        "name": SEEN,
        "args": {},
        "result": [{"functionResponse": {"id": "c1", "name": "g", "response": {"output": SEEN}}}],
        "resultDisplay": f"{SEEN} {word('display')}",
        "description": f"{SEEN} {word('description')}",
    }
    thought = {"subject": f"{SEEN} {word('subject')}", "description": word("thoughts")}
    parts = [{"text": f"{SEEN} {word('thoughtpart')}", "thought": True}, {"text": SEEN}]
    records = [
        head,
        said("user", f"{SEEN} asked"),
        said("user", f"{SEEN} {word('expanded')}", displayContent=SEEN),
        said("gemini", parts, thoughts=[thought], toolCalls=[tool]),
        *(said(kind, f"{SEEN} {word(kind)}") for kind in ("info", "warning", "error")),
        said("user", f"/{SEEN} {word('slash')}"),
        said("user", f"<session_context>{SEEN} {word('session')}</session_context>"),
        said("user", f"<hook_context>{SEEN} {word('hook')}</hook_context>"),
    ]
    chats = folder / "tmp/app/chats"
    chats.mkdir(parents=True)
    (chats / "session-2026-03-04T09-30-1f0c9a52.jsonl").write_bytes(lines(*records))
    (folder / "tmp/app/logs.json").write_text(json.dumps([{"message": f"{SEEN} {word('logs')}"}]))
    (folder / "tmp/app/checkpoint-a.json").write_text(json.dumps([{"t": word("checkpoint")}]))
    return folder


def copilot(folder: Path, word: Word) -> Path:
    number = iter(range(100))

    def event_(kind: str, **data: Any) -> dict[str, Any]:
        stamp = "2026-02-03T10:00:05.000Z"
        return {"type": kind, "id": f"e{next(number)}", "timestamp": stamp, "data": data}

    name = "5b0f5c0e-57a4-4a2c-9a55-6d5b1d7f0c01"
    events = [
        event_("session.start", sessionId=name, context={"cwd": "/srv"}),
        event_("system.message", content=f"{SEEN} {word('system')}"),
        event_(
            "user.message",
            content=f"{SEEN} asked",
            transformedContent=f"{SEEN} {word('transformed')}",
        ),
        event_("user.message", content=f"{SEEN} {word('skill')}", source="skill-review"),
        event_("user.message", content=f"<skill-context {SEEN} {word('skillcontext')}>"),
        event_("user.message", content=f"{SEEN} {word('autopilot')}", isAutopilotContinuation=True),
        event_(
            "assistant.message",
            messageId="m1",
            content=SEEN,
            reasoningText=f"{SEEN} {word('reasoning')}",
            reasoningOpaque=word("opaque"),
            toolRequests=[{"toolCallId": "c1", "name": "bash", "arguments": {"command": SEEN}}],
        ),
        event_("assistant.reasoning", content=f"{SEEN} {word('reasoningevent')}"),
        event_("tool.execution_start", toolCallId="c1", arguments={"x": word("start")}),
        event_(
            "tool.execution_complete",
            toolCallId="c1",
            success=True,
            result={"content": f"{SEEN} {word('short')}", "detailedContent": f"{SEEN} whole"},
        ),
        event_("session.info", message=f"{SEEN} {word('info')}"),
        event_("session.error", message=f"{SEEN} {word('error')}"),
        event_("hook.start", input=f"{SEEN} {word('hook')}"),
        event_("permission.requested", prompt=f"{SEEN} {word('permission')}"),
    ]
    path = folder / f"session-state/{name}/events.jsonl"
    path.parent.mkdir(parents=True)
    path.write_bytes(lines(*events))
    (path.parent / "plan.md").write_text(f"{SEEN} {word('plan')}")
    (folder / "config.json").write_text(json.dumps({"token": f"{SEEN} {word('config')}"}))
    return folder


def _opencode(history: OpenCodeBuilder | TreeBuilder, word: Word) -> None:
    history.session("ses_1")
    history.say("ses_1", f"{SEEN} asked")
    asked = history.message("ses_1", system=f"{SEEN} {word('system')}")
    history.part(asked, text=f"{SEEN} {word('synthetic')}", synthetic=True)
    history.part(asked, text=f"{SEEN} {word('ignored')}", ignored=True)
    history.part(asked, text=f"{SEEN} asked on")
    answer = history.message("ses_1", "assistant", path={"cwd": word("cwd"), "root": word("root")})
    history.part(answer, text=f"{SEEN} answered")
    for kind in ("reasoning", "snapshot", "patch", "step-start", "retry", "novelty"):
        history.part(answer, kind, text=f"{SEEN} {word(kind.replace('-', ''))}")
    state = {
        "status": "completed",
        "input": {"command": SEEN},
        "output": f"{SEEN} put out",
        "title": f"{SEEN} {word('tooltitle')}",
        "metadata": {"output": f"{SEEN} {word('metadata')}"},
    }
    history.part(answer, "tool", tool="bash", callID="call_1", state=state)
    history.message("ses_1", "system", summary={"title": word("role")})


def opencode(folder: Path, word: Word) -> Path:
    builder = OpenCodeBuilder(folder)
    _opencode(builder, word)
    builder.close()
    (folder / "auth.json").write_text(json.dumps({"key": f"{SEEN} {word('auth')}"}))
    return builder.path


def opencode_tree(folder: Path, word: Word) -> Path:
    tree = TreeBuilder(folder)
    _opencode(tree, word)
    (folder / "auth.json").write_text(json.dumps({"key": f"{SEEN} {word('auth')}"}))
    return folder


_HERMES = """
CREATE TABLE sessions (id TEXT PRIMARY KEY, source TEXT, cwd TEXT, title TEXT, started_at REAL,
  ended_at REAL, archived INTEGER, hidden INTEGER);
CREATE TABLE messages (id INTEGER PRIMARY KEY AUTOINCREMENT, session_id TEXT, role TEXT,
  content TEXT, tool_call_id TEXT, tool_calls TEXT, tool_name TEXT, timestamp REAL,
  reasoning TEXT, api_content TEXT, display_kind TEXT, _compressed_summary INTEGER DEFAULT 0);
"""


def hermes(folder: Path, word: Word) -> Path:
    """A database that a mapping describes."""
    db = sqlite3.connect(folder / "state.db")
    db.executescript(_HERMES)

    def add(table: str, **values: Any) -> None:
        names, marks = ", ".join(values), ", ".join("?" * len(values))
        db.execute(f"INSERT INTO {table} ({names}) VALUES ({marks})", list(values.values()))

    for name, hidden in (("seen", 0), ("away", 1)):
        title = f"{SEEN} {word('hiddentitle')}" if hidden else f"About {SEEN}"
        add("sessions", id=name, source="cli", title=title, started_at=1.0, hidden=hidden)
    thoughts = {"reasoning": f"{SEEN} {word('reasoning')}", "api_content": word("apicontent")}
    for session, role, content, more in (
        ("seen", "user", f"{SEEN} asked", {}),
        ("seen", "assistant", f"{SEEN} answered", thoughts),
        ("seen", "system", f"{SEEN} {word('system')}", {}),
        ("seen", "user", f"{SEEN} {word('displayhidden')}", {"display_kind": "hidden"}),
        ("seen", "user", f"Review the conversation above {SEEN} {word('harness')}", {}),
        ("seen", "tool", f"{SEEN} put out", {"tool_call_id": word("callid"), "tool_name": "x"}),
        ("away", "user", f"{SEEN} {word('hiddensession')}", {}),
    ):
        add("messages", session_id=session, role=role, content=content, timestamp=2.0, **more)
    db.commit()
    db.close()
    return folder / "state.db"


HIDERS: Mapping[str, Hider] = {
    "ledger": ledger,
    "rows": rows,
    "claude-code": claude,
    "codex": codex,
    "gemini-cli": gemini,
    "copilot-cli": copilot,
    "opencode": opencode,
    "opencode-tree": opencode_tree,
    "hermes": hermes,
}
