"""Sessions of Copilot CLI: one rule of the format in each test."""

from __future__ import annotations

import json
from collections import Counter
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from harkback.model import AttachmentPart, StoredMessage
from harkback.sources.transcripts.base import Outline
from harkback.sources.transcripts.copilot_cli import CopilotCli, roots
from harkback.sources.transcripts.copilot_cli.workspace import values
from support.hostile import with_one_changed
from support.transcripts import MemoryFiles, attached, decoded, found, lines, shown

SESSION = "5b0f5c0e-57a4-4a2c-9a55-6d5b1d7f0c01"
EVENTS = f"session-state/{SESSION}/events.jsonl"
WORKSPACE = f"session-state/{SESSION}/workspace.yaml"

_serial = iter(range(10**9))


def event(kind: str, agent: str | None = None, **data: Any) -> dict[str, Any]:
    stamp = "2026-02-03T10:00:05.000Z"
    made = {"type": kind, "id": f"e{next(_serial)}", "timestamp": stamp, "data": data}
    return made if agent is None else {**made, "agentId": agent}


def user(content: Any, **more: Any) -> dict[str, Any]:
    return event("user.message", content=content, transformedContent=f"<now/>{content}", **more)


def assistant(content: Any, *requests: Any, **more: Any) -> dict[str, Any]:
    name = f"m{next(_serial)}"
    return event(
        "assistant.message",
        **{"messageId": name, "content": content, "toolRequests": list(requests), **more},
    )


def request(call: str = "c1", **more: Any) -> dict[str, Any]:
    return {"toolCallId": call, "name": "bash", "arguments": {"command": "ls"}, **more}


def complete(call: str = "c1", **more: Any) -> dict[str, Any]:
    return event("tool.execution_complete", toolCallId=call, **more)


START = {
    **event("session.start", sessionId=SESSION, context={"cwd": "/srv/app", "branch": "main"}),
    "timestamp": "2026-02-03T10:00:00.000Z",
}


def read(*events: Any) -> tuple[StoredMessage, ...]:
    return decoded(CopilotCli(), {EVENTS: lines(START, *events)}).messages


def outline(contents: dict[str, bytes]) -> Outline:
    files = MemoryFiles(contents)
    (session,) = found(CopilotCli(), files).values()
    return CopilotCli().outline(files, session)


def problems(*events: Any) -> Counter[str]:
    files = MemoryFiles({EVENTS: lines(START, *events)})
    (session,) = found(CopilotCli(), files).values()
    CopilotCli().decode(files, session)
    return files.problems


def test_prompts_as_typed_answers_calls_and_results() -> None:
    said = read(
        event("system.message", content="You are a tool with rules."),
        user("Why is it slow?"),
        event("assistant.turn_start", turnId="0"),
        event("assistant.reasoning", content="Thinking."),
        assistant("Looking.", request(intentionSummary="List files"), reasoningText="Thinking."),
        event(
            "tool.execution_start", toolCallId="c1", toolName="bash", arguments={"command": "ls"}
        ),
        complete(success=True, result={"content": "short", "detailedContent": "a.py\nb.py"}),
        assistant("", request("c2", arguments='{"command": "pwd"}')),
        complete("c2", success=True, result={"content": "/srv/app"}),
        complete("c3", success=False, error={"message": "No such tool."}),
        complete("c4", success=True, result={"contents": [{"type": "text", "text": "block"}]}),
        event("session.task_complete", summary="All is done."),
    )
    assert shown(said) == [
        ("user", "Why is it slow?"),
        ("assistant", "Looking."),
        ("tool_call", "bash", "List files", "ls"),
        ("tool_result", "a.py\nb.py"),
        ("tool_call", "bash", "pwd"),
        ("tool_result", "/srv/app"),
        ("tool_result", "No such tool."),
        ("tool_result", "block"),
    ]
    assert {m.turn for m in said} == {said[0].id}
    assert {m.timestamp for m in said} == {1770112805000}
    assert [m.id for m in said[2:4]] == ["c1/tool_call", "c1/tool_result"]


def test_a_call_that_only_its_start_tells_of() -> None:
    start = event("tool.execution_start", toolCallId="c9", toolName="view", arguments={"path": "a"})
    assert shown(read(start, start)) == [("tool_call", "view", "a")]


def test_chunks_of_an_answer_are_one_message() -> None:
    chunks = [
        assistant(text, messageId="m", chunkIndex=index, chunkCount=2)
        for index, text in enumerate(("first", "second"))
    ]
    said = read(user("x"), chunks[0], assistant("between"), chunks[1])
    assert shown(said)[1:] == [("assistant", "first", "second"), ("assistant", "between")]


def test_a_record_written_twice_is_said_once() -> None:
    once = user("x")
    assert shown(read(once, once)) == [("user", "x")]


@pytest.mark.parametrize(
    "hidden",
    [
        user("x", source="skill-review"),
        user("<skill-context name='x'>y</skill-context>"),
        user("Go on.", isAutopilotContinuation=True),
        event("skill.invoked", name="review", content="Review it all."),
        event("hook.end", output="It said something."),
        event("permission.requested", prompt="May I do it?"),
        event("user_input.completed", answer="My own answer."),
        event("session.error", message="It has failed."),
        event("abort", reason="The user stopped it."),
    ],
)
def test_what_nobody_typed_is_hidden(hidden: dict[str, Any]) -> None:
    assert read(hidden) == ()
    assert problems(hidden) == {}


def test_subagents_have_turns_of_their_own() -> None:
    said = read(
        user("Ask another."),
        event("subagent.started", toolCallId="c1", agentName="explore"),
        user("Look for keys.", source="agent-explore-1"),
        event("assistant.message", "explore-1", messageId="m1", content="Looking."),
        event("assistant.message", "other", messageId="m2", content="Of itself."),
        event("assistant.message", messageId="m3", content="As before.", parentToolCallId="c7"),
        assistant("Asked."),
    )
    assert [leaves[1] for leaves in shown(said)] == [
        "Ask another.",
        "Look for keys.",
        "Looking.",
        "Of itself.",
        "As before.",
        "Asked.",
    ]
    main, own = said[0].id, said[1].id
    assert [m.turn for m in said] == [main, own, own, f"{main}/other", f"{main}/c7", main]


def test_a_compaction_leaves_a_summary_and_takes_nothing() -> None:
    done = event("session.compaction_complete", success=True, summaryContent="It was slow.")
    failed = event("session.compaction_complete", success=False)
    assert shown(read(user("one"), done, failed)) == [("user", "one"), ("summary", "It was slow.")]


def test_files_are_attachments_wherever_their_bytes_lie() -> None:
    asset = event(
        "session.binary_asset", assetId="sha256:1", data="QUJD", mimeType="image/png", byteLength=3
    )
    later = event("session.binary_asset", assetId="sha256:2", data="QUJDRA==", mimeType="image/gif")
    said = read(
        asset,
        user(
            "What is it?",
            attachments=[
                {"type": "file", "path": "/srv/app/a.py", "displayName": "a.py"},
                {"type": "directory", "path": "/srv/app/src"},
                {"type": "selection", "displayName": "b.py", "text": "hidden words"},
                {"type": "blob", "assetId": "sha256:1"},
                {"type": "blob", "data": "QUI=", "mimeType": "image/png"},
            ],
        ),
        complete(
            result={
                "content": "seen",
                "binaryResultsForLlm": [
                    {"type": "image", "assetId": "sha256:2"},
                    {"type": "image", "data": "omitted", "mimeType": "image/png"},
                    {"type": "image", "assetId": "sha256:unknown"},
                ],
            }
        ),
        later,
    )
    assert shown(said) == [
        ("user", "What is it?", "a.py", "src", "b.py"),
        ("tool_result", "seen"),
    ]
    assert attached(said) == [
        AttachmentPart("a.py", "other", "", None),
        AttachmentPart("src", "other", "", None),
        AttachmentPart("b.py", "other", "", None),
        AttachmentPart("", "image", "image/png", 3),
        AttachmentPart("", "image", "image/png", 2),
        AttachmentPart("", "image", "image/gif", 4),
        AttachmentPart("", "image", "image/png", None),
        AttachmentPart("", "image", "", None),
    ]


def test_titles() -> None:
    named = [
        event("session.title_changed", title="First"),
        event("session.title_changed", title="Last"),
    ]
    contents = {EVENTS: lines(START, user("x"), *named)}
    assert decoded(CopilotCli(), contents).title == "Last"
    contents[WORKSPACE] = b"id: x\nname: Slow search # by hand\nuser_named: true\n"
    assert decoded(CopilotCli(), contents).title == "Slow search"
    contents[WORKSPACE] = b"name: null\n"
    assert decoded(CopilotCli(), contents).title == "Last"


def test_flat_values_of_a_workspace() -> None:
    document = (
        "id: 5b0f\r\ncwd: /srv/a b\nbranch: 'main'\nname: \"say: hi\" # x\nempty:\nnothing: ~\n"
        "escaped: \"a\\u0041\"\ndoubled: 'it''s'\nblock: |\n  cwd: /no\n"
        "list: [a]\nid: again\n- x: y\n"
    )
    assert values(document) == {
        "id": "5b0f",
        "cwd": "/srv/a b",
        "branch": "main",
        "name": "say: hi",
        "nothing": "",
        "escaped": "",
        "doubled": "",
        "block": "",
        "list": "",
    }


@given(st.text())
def test_a_value_of_a_workspace_is_a_piece_of_it(document: str) -> None:
    assert all(value in document for value in values(document).values())


def test_what_the_head_tells() -> None:
    told = outline({EVENTS: lines(START, user("x"))})
    assert (told.project, told.started_at, told.parent) == ("/srv/app", 1770112800000, None)
    assert (told.origin, told.empty) == (SESSION, False)
    bare = {EVENTS: lines(user("x")), WORKSPACE: b"cwd: /srv/b\n"}
    assert outline(bare).project == "/srv/b"
    child = event("session.start", detachedFromSpawningParentSessionId="p")
    told = outline({EVENTS: lines(child, user("x"))})
    assert (told.parent, told.parent_kind, told.origin) == ("p", "subagent", "p")


def test_a_session_in_which_nobody_said_anything_is_none() -> None:
    assert outline({EVENTS: lines(START, event("session.info", message="x y"))}).empty
    assert outline({EVENTS: lines(START, complete(result={"content": "x"}))}).empty
    assert not outline({EVENTS: lines(START, b"{broken")}).empty
    assert not outline({EVENTS: lines(START, *[event("session.idle") for _ in range(80)])}).empty


LEGACY = {
    "sessionId": SESSION,
    "startTime": "2025-10-08T21:10:16.398Z",
    "chatMessages": [
        {"role": "system", "content": "You are a tool."},
        {"role": "user", "content": "List it."},
        {
            "role": "assistant",
            "content": "Listing.",
            "tool_calls": [
                {"id": "c1", "function": {"name": "bash", "arguments": '{"command": "ls"}'}}
            ],
        },
        {"role": "tool", "tool_call_id": "c1", "content": "a.py"},
        {"role": "novel", "content": "two words"},
    ],
}
LEGACY_SHOWN = [
    ("user", "List it."),
    ("assistant", "Listing."),
    ("tool_call", "bash", "ls"),
    ("tool_result", "a.py"),
]


def test_what_versions_without_an_event_log_left() -> None:
    path = f"history-session-state/session_{SESSION}_1759957816398.json"
    contents = {path: json.dumps(LEGACY).encode()}
    files = MemoryFiles(contents)
    sessions = found(CopilotCli(), files)
    told = CopilotCli().decode(files, sessions[SESSION])
    assert shown(told.messages) == LEGACY_SHOWN
    assert files.problems == {"unknown_type_with_text": 1}
    assert {m.timestamp for m in told.messages} == {1759957816398}
    assert outline(contents).started_at == 1759957816398
    imported = event("session.import_legacy", legacySession=LEGACY)
    assert shown(read(imported)) == LEGACY_SHOWN


def test_one_session_of_several_layouts() -> None:
    flat, legacy = f"session-state/{SESSION}.jsonl", f"history-session-state/{SESSION}.json"
    contents = dict.fromkeys([EVENTS, flat, legacy], b"x")
    for best in (EVENTS, flat, legacy):
        (session,) = found(CopilotCli(), MemoryFiles(contents)).values()
        assert (session.id, session.files[0].path) == (SESSION, best)
        del contents[best]


def test_only_event_logs_are_sessions() -> None:
    contents = dict.fromkeys(
        [
            EVENTS,
            WORKSPACE,
            f"session-state/{SESSION}/plan.md",
            f"session-state/{SESSION}/session.db",
            f"session-state/{SESSION}/files/events.jsonl",
            "session-state/other/workspace.yaml",
            "session-store.db",
            "config.json",
        ],
        b"x",
    )
    contents["session-state/empty/events.jsonl"] = b""
    (session,) = found(CopilotCli(), MemoryFiles(contents)).values()
    assert [(ref.path, ref.form) for ref in session.files] == [
        (EVENTS, "lines"),
        (WORKSPACE, "text"),
    ]


def test_unknown_types_are_counted_and_text_in_them_is_drift() -> None:
    novel = [event("novel.said", text="two words"), event("session.novel", text="two words")]
    assert problems(*novel, event("novel.thing", n=1)) == {
        "unknown_type_with_text": 2,
        "unknown_type": 1,
    }


def test_where_it_keeps_them(tmp_path: Path) -> None:
    assert roots({}, tmp_path) == [tmp_path / ".copilot"]
    assert roots({"COPILOT_HOME": "/srv/c"}, tmp_path) == [Path("/srv/c")]


EVERYTHING = [
    event("session.binary_asset", assetId="sha256:1", data="QUJD", mimeType="image/png"),
    user("one", attachments=[{"type": "file", "path": "/srv/a.py"}]),
    assistant("Looking.", request(), request("c2", arguments='{"command": "pwd"}')),
    complete(result={"content": "short", "detailedContent": "long"}),
    complete("c2", error={"message": "No."}),
    complete("c3", result={"binaryResultsForLlm": [{"type": "image", "data": "QUJD"}]}),
    user("two", source="agent-1"),
    event("assistant.message", "1", messageId="m1", content="Of another."),
    event("session.title_changed", title="Slow search"),
    event("session.compaction_complete", summaryContent="It was slow."),
]


def said(events: list[Any]) -> Counter[str]:
    return Counter(f"{m.kind} {m.parts}" for m in read(*events))


@settings(max_examples=300)
@given(with_one_changed(EVERYTHING))
def test_a_bad_record_costs_itself_alone(changed: tuple[int, list[Any]]) -> None:
    index, events = changed
    outline({EVENTS: lines(START, *events)})
    others = said([*EVERYTHING[:index], *EVERYTHING[index + 1 :]])
    assert not others - said(events)


@given(with_one_changed([LEGACY]))
def test_no_document_raises(changed: tuple[int, list[Any]]) -> None:
    contents = {f"history-session-state/{SESSION}.json": json.dumps(changed[1][0]).encode()}
    decoded(CopilotCli(), contents)
    outline(contents)
