"""Chats of Gemini CLI: one rule of the format in each test."""

from __future__ import annotations

import hashlib
import json
from collections import Counter
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from harkback.model import AttachmentPart, StoredMessage
from harkback.sources.transcripts.base import Outline
from harkback.sources.transcripts.gemini_cli import GeminiCli, roots
from support.hostile import with_one_changed
from support.transcripts import MemoryFiles, attached, decoded, found, lines, shown

SESSION = "1f0c9a52-8d1e-4b7a-9c65-0d8f2f6f1a11"
CHAT = "session-2026-03-04T09-30-1f0c9a52"
LOG = f"tmp/app/chats/{CHAT}.jsonl"
HEAD = {
    "sessionId": SESSION,
    "projectHash": hashlib.sha256(b"/srv/app").hexdigest(),
    "startTime": "2026-03-04T09:30:00.000Z",
    "kind": "main",
}


def user(name: str, content: Any, **more: Any) -> dict[str, Any]:
    stamp = "2026-03-04T09:30:05.000Z"
    return {"id": name, "timestamp": stamp, "type": "user", "content": content, **more}


def gemini(name: str, content: Any, **more: Any) -> dict[str, Any]:
    return {**user(name, content, **more), "type": "gemini", "model": "gemini-3-pro"}


def call(name: str, result: Any = None, **more: Any) -> dict[str, Any]:
    return {"id": name, "name": "grep", "args": {"pattern": "x"}, "result": result, **more}


def answered(**response: Any) -> list[dict[str, Any]]:
    return [{"functionResponse": {"id": "c1", "name": "grep", "response": response}}]


def read(*records: Any) -> tuple[StoredMessage, ...]:
    return decoded(GeminiCli(), {LOG: lines(HEAD, *records)}).messages


def outline(contents: dict[str, bytes], session: str = CHAT) -> Outline:
    files = MemoryFiles(contents)
    return GeminiCli().outline(files, found(GeminiCli(), files)[session])


def problems(*records: Any) -> Counter[str]:
    files = MemoryFiles({LOG: lines(HEAD, *records)})
    GeminiCli().decode(files, found(GeminiCli(), files)[CHAT])
    return files.problems


def test_the_last_version_of_a_message_at_the_place_of_its_first() -> None:
    said = read(
        user("u1", "Why is it slow?"),
        gemini("g1", "Looking.", toolCalls=[call("c1")]),
        user("u2", "Go on."),
        gemini("g1", "Looking.", toolCalls=[call("c1", answered(output="3 matches"))]),
        gemini("g1", "Looked.", toolCalls=[call("c1", answered(output="2 matches"))]),
    )
    assert shown(said) == [
        ("user", "Why is it slow?"),
        ("assistant", "Looked."),
        ("tool_call", "grep", "x"),
        ("tool_result", "2 matches"),
        ("user", "Go on."),
    ]
    assert [m.id for m in said] == ["u1", "g1", "g1/c1/tool_call", "g1/c1/tool_result", "u2"]
    assert [m.turn for m in said] == ["u1", "u1", "u1", "u1", "u2"]
    assert {m.timestamp for m in said} == {1772616605000}


TALK = [user("u1", "one"), gemini("g1", "1"), user("u2", "two"), gemini("g2", "2")]


@pytest.mark.parametrize(
    ("target", "kinds"),
    [
        ("u2", ["user", "assistant", "~user", "~assistant"]),
        ("g1", ["user", "~assistant", "~user", "~assistant"]),
        ("u1", ["~user", "~assistant", "~user", "~assistant"]),
        ("unknown", ["~user", "~assistant", "~user", "~assistant"]),
        (None, ["~user", "~assistant", "~user", "~assistant"]),
    ],
)
def test_a_rewind_abandons_its_target_and_all_after_it(target: Any, kinds: list[str]) -> None:
    said = shown(read(*TALK, {"$rewindTo": target}, user("u3", "three")))
    assert [entry[0] for entry in said] == [*kinds, "user"]


def test_what_is_written_again_after_a_rewind_is_said_again() -> None:
    said = shown(read(*TALK, {"$rewindTo": "u2"}, user("u2", "two, better")))
    assert said[2:] == [("user", "two, better"), ("~assistant", "2")]


def test_a_compression_takes_nothing_out_of_the_history() -> None:
    snapshot = user("s1", "<state_snapshot>\nIt is slow.\n</state_snapshot>")
    agreed = gemini("s2", "Got it. Thanks for the additional context!")
    said = read(*TALK, {"$set": {"messages": [snapshot, agreed, TALK[3]]}}, user("u3", "three"))
    assert shown(said) == [
        ("user", "one"),
        ("assistant", "1"),
        ("user", "two"),
        ("assistant", "2"),
        ("summary", "<state_snapshot>\nIt is slow.\n</state_snapshot>"),
        ("user", "three"),
    ]
    assert shown(read(agreed)) == [("assistant", "Got it. Thanks for the additional context!")]


def test_masking_does_not_hide_what_was_said_in_full() -> None:
    full = gemini("g1", "1", toolCalls=[call("c1", answered(output="a long answer of a tool"))])
    masked = gemini("g1", "1", toolCalls=[call("c1", answered(output="[masked]"))])
    other = gemini("g2", "2", toolCalls=[call("c1", answered(output="said only now"))])
    said = read(user("u1", "one"), full, {"$set": {"messages": [user("u1", "one"), masked, other]}})
    assert [leaves for kind, *leaves in shown(said) if kind == "tool_result"] == [
        ["a long answer of a tool"],
        ["said only now"],
    ]


def test_a_list_cut_at_its_end_is_a_rollback() -> None:
    said = shown(read(*TALK, {"$set": {"messages": TALK[:2]}}))
    assert [entry[0] for entry in said] == ["user", "assistant", "~user", "~assistant"]
    said = shown(read(*TALK, {"$set": {"messages": []}}))
    assert [entry[0] for entry in said] == ["user", "assistant", "user", "assistant"]


def test_what_was_typed_is_shown_and_not_what_it_was_expanded_to() -> None:
    said = read(user("u1", [{"text": "All of a.py"}], displayContent=[{"text": "Explain @a.py"}]))
    assert shown(said) == [("user", "Explain @a.py")]


@pytest.mark.parametrize(
    "text",
    [
        "/chat save x",
        "/help",
        "?",
        "<session_context>\nToday is Monday.\n</session_context>",
        "<hook_context>x</hook_context>",
    ],
)
def test_commands_and_injected_context_are_no_prompts(text: str) -> None:
    assert read(user("u1", text)) == ()


@pytest.mark.parametrize("text", ["/etc/hosts is wrong", "?? why", "What is <session_context>?"])
def test_prompts_that_only_look_like_it_stay(text: str) -> None:
    assert shown(read(user("u1", text))) == [("user", text)]


def test_notices_and_thoughts_are_hidden() -> None:
    said = read(
        {**user("i1", "Signed in."), "type": "info"},
        {**user("w1", "Slow."), "type": "warning"},
        {**user("e1", "Failed."), "type": "error"},
        gemini(
            "g1",
            [{"text": "Thinking.", "thought": True}, {"text": "Said "}, {"text": "in two."}],
            thoughts=[{"subject": "Plan", "description": "Thinking."}],
        ),
        user("u1", answered(output="a twin of a result")),
        user("u2", "plain"),
        gemini("g2", {"text": "one part"}),
        gemini("g3", ["a string", {"text": "and a part"}, {"functionCall": {"name": "a b"}}]),
    )
    assert shown(said) == [
        ("assistant", "Said ", "in two."),
        ("user", "plain"),
        ("assistant", "one part"),
        ("assistant", "a string", "and a part"),
    ]
    assert problems({**user("i1", "Signed in."), "type": "info"}) == {}


def test_files_are_attachments() -> None:
    said = read(
        user(
            "u1",
            [
                {"text": "What is it?"},
                {"inlineData": {"mimeType": "image/png", "data": "QUJDRA=="}},
                {"fileData": {"mimeType": "application/pdf", "fileUri": "gs://x/a b.pdf"}},
            ],
        ),
        gemini(
            "g1",
            "",
            toolCalls=[call("c1", [{"inlineData": {"mimeType": "image/png", "data": "QUJD"}}])],
        ),
    )
    assert shown(said) == [
        ("user", "What is it?", "a b.pdf"),
        ("tool_call", "grep", "x"),
        ("tool_result",),
    ]
    assert attached(said) == [
        AttachmentPart("", "image", "image/png", 4),
        AttachmentPart("a b.pdf", "pdf", "application/pdf", None),
        AttachmentPart("", "image", "image/png", 3),
    ]


def test_results_of_tools() -> None:
    calls = [
        call("c1", answered(output="out", note="hidden words")),
        call("c2", answered(error="failed")),
        call("c3", answered(content=["other", "shape"])),
        call("c4", [{"text": "plain"}], resultDisplay="its twin"),
        call("c5", None, resultDisplay="only shown"),
        call("c6", None),
        call("c1", answered(output="of the same id")),
    ]
    said = read(gemini("g1", "", toolCalls=calls))
    results = [leaves for kind, *leaves in shown(said) if kind == "tool_result"]
    assert results == [
        ["out"],
        ["failed"],
        ["other", "shape"],
        ["plain"],
        ["only shown"],
        ["of the same id"],
    ]
    assert len({m.id for m in said}) == len(said) == 13


def test_the_title_is_the_last_summary() -> None:
    contents = {
        LOG: lines(HEAD, *TALK, {"$set": {"summary": "Slow"}}, {"$set": {"summary": "Slow search"}})
    }
    assert decoded(GeminiCli(), contents).title == "Slow search"
    assert decoded(GeminiCli(), {LOG: lines(HEAD, *TALK)}).title == ""


def test_the_log_goes_before_the_document_it_continues() -> None:
    document = json.dumps({**HEAD, "messages": TALK[:2], "summary": "Old"}).encode()
    old = LOG.removesuffix("l")
    for contents in ({old: document, LOG: lines(HEAD, *TALK)}, {LOG: lines(HEAD, *TALK)}):
        assert len(decoded(GeminiCli(), contents).messages) == 4
    alone = decoded(GeminiCli(), {old: document})
    assert (shown(alone.messages), alone.title) == ([("user", "one"), ("assistant", "1")], "Old")
    told = outline({old: document})
    assert (told.started_at, told.empty) == (1772616600000, False)


def test_only_chats_are_sessions() -> None:
    contents = dict.fromkeys(
        [
            LOG,
            "tmp/app/logs.json",
            "tmp/app/checkpoint-x.json",
            f"tmp/app/chats/{CHAT}.jsonl.tmp-123",
            f"tmp/app/chats/{CHAT}.unreadable-99",
            "tmp/app/chats/notes.jsonl",
            f"tmp/app/logs/session-{SESSION}.jsonl",
            f"tmp/app/tool-outputs/session-{SESSION}/out.json",
            "oauth_creds.json",
        ],
        b"x",
    )
    contents["tmp/app/chats/session-2026-03-04T09-31-1f0c9a53.jsonl"] = b""
    assert [s.files[0].path for s in found(GeminiCli(), MemoryFiles(contents)).values()] == [LOG]


def test_a_folder_that_was_renamed_holds_the_same_chats() -> None:
    old = LOG.replace("/app/", f"/{HEAD['projectHash']}/")
    files = MemoryFiles({old: b"x", LOG: b"x"}, {LOG: 5})
    assert found(GeminiCli(), files)[CHAT].files[0].path == LOG


def test_a_subagent_is_linked_to_the_chat_that_started_it() -> None:
    child = "77aa"
    contents = {LOG: lines(HEAD), f"tmp/app/chats/{SESSION}/{child}.jsonl": lines(HEAD, *TALK)}
    sessions = found(GeminiCli(), MemoryFiles(contents))
    assert (sessions[child].parent, sessions[child].parent_kind) == (CHAT, "subagent")
    assert outline(contents, child).origin == outline(contents).origin == CHAT
    assert sessions[CHAT].parent is None


def test_projects() -> None:
    chat = {LOG: lines(HEAD, *TALK)}
    named = {"projects.json": json.dumps({"projects": {"/srv/app": "app", "/srv/b": "b"}}).encode()}
    assert outline(chat | named).project == "/srv/app"
    assert outline(chat | {"tmp/app/.project_root": b"/srv/app\n"}).project == "/srv/app"
    hashed = {LOG.replace("/app/", f"/{HEAD['projectHash']}/"): chat[LOG]}
    assert outline(hashed | named).project == "/srv/app"
    elsewhere = {LOG.replace("/app/", "/renamed/"): chat[LOG]}
    assert outline(elsewhere | named).project == "/srv/app"
    assert outline(chat).project is None
    below = {LOG: lines({**HEAD, "directories": ["/srv/app/sub"]}, *TALK)}
    assert outline(below).project == "/srv/app/sub"


def test_a_chat_of_nothing_but_notices_is_no_session() -> None:
    notice = {**user("i1", "Signed in."), "type": "info"}
    assert outline({LOG: lines(HEAD, notice)}).empty
    assert not outline({LOG: lines(HEAD, notice, b"{broken")}).empty
    assert not outline({LOG: lines(HEAD, *[{**notice, "id": str(n)} for n in range(80)])}).empty
    assert not outline({LOG: lines(HEAD, *TALK)}).empty


def test_unknown_types_are_counted_and_text_in_them_is_drift() -> None:
    novel = {**user("n1", "two words"), "type": "novel"}
    assert problems(novel, user("n2", [{"novel": "two words"}]), {"novel": "two words"}) == {
        "unknown_type_with_text": 3
    }
    assert problems({"n": 1}) == {"unknown_type": 1}


def test_where_it_keeps_them(tmp_path: Path) -> None:
    assert roots({}, tmp_path) == [tmp_path / ".gemini"]
    assert roots({"GEMINI_CLI_HOME": "/srv"}, tmp_path) == [Path("/srv/.gemini")]


EVERYTHING = [
    user("u1", [{"text": "one"}, {"inlineData": {"mimeType": "image/png", "data": "QUJD"}}]),
    gemini("g1", "1", toolCalls=[call("c1", answered(output="out")), call("c2", [{"text": "p"}])]),
    user("u2", "long", displayContent="two"),
    gemini("g2", [{"text": "2"}, {"text": "and more"}]),
    {"$set": {"summary": "Slow search"}},
    user("u3", "three"),
    {"$rewindTo": "u3"},
]


def said(records: list[Any]) -> Counter[str]:
    return Counter(f"{m.kind} {m.parts}" for m in read(*records))


@settings(max_examples=300)
@given(with_one_changed(EVERYTHING))
def test_a_bad_record_costs_itself_alone(changed: tuple[int, list[Any]]) -> None:
    index, records = changed
    outline({LOG: lines(HEAD, *records)})
    others = said([*EVERYTHING[:index], *EVERYTHING[index + 1 :]])
    assert not others - said(records)


@given(st.data())
def test_no_document_and_no_list_of_messages_raises(data: st.DataObject) -> None:
    document = {**HEAD, "messages": [*TALK, EVERYTHING[1]], "directories": ["/srv/app"]}
    _, (changed,) = data.draw(with_one_changed([document]))
    contents = {LOG.removesuffix("l"): json.dumps(changed).encode()}
    decoded(GeminiCli(), contents)
    outline(contents)
    read(*TALK, {"$set": changed})
