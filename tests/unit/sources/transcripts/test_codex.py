"""What the rows of a rollout say: one rule of the format in each test."""

from __future__ import annotations

import json
from collections import Counter
from typing import Any

from hypothesis import given, settings
from hypothesis import strategies as st

from harkback.model import AttachmentPart
from harkback.sources.transcripts.codex import Codex
from support.codex_rows import (
    IMAGE,
    PARENT,
    PARENT_ROWS,
    PIXELS,
    TURN_1,
    TURN_2,
    call,
    context,
    event,
    item,
    message,
    meta,
    outline,
    output,
    problems,
    read,
    rollout,
    row,
)
from support.hostile import with_one_changed
from support.transcripts import attached, decoded, shown


def test_items_are_the_text_and_events_only_twins_of_them() -> None:
    rows = [
        meta(),
        context(TURN_1),
        message("developer", "Permissions."),
        message("system", "System."),
        message("user", "Why is it slow?"),
        event("user_message", message="Why is it slow?"),
        event("agent_reasoning", text="Thinking."),
        item("reasoning", summary=[{"type": "summary_text", "text": "Thinking."}]),
        message("assistant", "No index.", "None at all."),
        event("agent_message", message="No index."),
        event("task_complete", last_agent_message="No index."),
    ]
    assert shown(read(*rows)) == [
        ("user", "Why is it slow?"),
        ("assistant", "No index.", "None at all."),
    ]
    assert problems(*rows) == {}


def test_calls_and_their_results() -> None:
    said = read(
        meta(),
        call("exec", {"cmd": "rg x", "options": {"depth": [2, "all"]}}),
        output("3 matches"),
        item("custom_tool_call", name="apply_patch", input='{"no": "json"}', call_id="call_2"),
        item("custom_tool_call_output", output="Done.", call_id="call_2"),
        item("local_shell_call", action={"type": "exec", "command": ["ls", "-l"]}, call_id="c3"),
        output({"content": "a.py", "success": True}, "c3"),
        item("web_search_call", id="ws_1", action={"type": "search", "query": "fts5"}),
        item("function_call", name="broken", namespace="mcp", arguments='{"cut', call_id="c4"),
        item("tool_search_call", arguments={"query": "grep"}, call_id="c5"),
        item("tool_search_output", tools=[{"name": "Grep", "description": "Searches all."}]),
    )
    assert shown(said) == [
        ("tool_call", "exec", "rg x", "all"),
        ("tool_result", "3 matches"),
        ("tool_call", "apply_patch", '{"no": "json"}'),
        ("tool_result", "Done."),
        ("tool_call", "local_shell", "ls", "-l"),
        ("tool_result", "a.py"),
        ("tool_call", "web_search", "fts5"),
        ("tool_call", "mcp", "broken", '{"cut'),
        ("tool_call", "tool_search", "grep"),
    ]
    assert [m.id for m in said[:2]] == ["call_1/tool_call", "call_1/tool_result"]


def test_shell_output_of_old_versions_without_its_metadata() -> None:
    shell = {"output": "all: build\n", "metadata": {"exit_code": 0, "note": "hidden words"}}
    assert shown(read(output(json.dumps(shell)))) == [("tool_result", "all: build\n")]
    printed = json.dumps({**shell, "more": "said by a program"})
    assert shown(read(output(printed))) == [("tool_result", printed)]
    assert shown(read(output('{"metadata" cut'))) == [("tool_result", '{"metadata" cut')]


def test_images_are_attachments_and_never_text() -> None:
    said = read(
        item(
            "message",
            role="user",
            content=[
                {"type": "input_text", "text": '<image name=[Image #1] path="/tmp/a.png">'},
                {"type": "input_image", "image_url": IMAGE},
                {"type": "input_text", "text": "</image>"},
                {"type": "input_text", "text": "[Image #1] What is it?"},
                {"type": "input_file", "filename": "a.pdf", "file_data": None},
            ],
        ),
        output(
            [{"type": "input_text", "text": "seen"}, {"type": "input_image", "image_url": IMAGE}]
        ),
        item("image_generation_call", id="ig_1", revised_prompt="a cat", result="QUJD"),
    )
    assert shown(said) == [
        ("user", "[Image #1] What is it?", "a.pdf"),
        ("tool_result", "seen"),
        ("tool_call", "image_generation", "a cat"),
        ("tool_result",),
    ]
    picture = AttachmentPart("", "image", "image/png", len(PIXELS))
    assert attached(said) == [
        picture,
        AttachmentPart("a.pdf", "other", "", None),
        picture,
        AttachmentPart("", "image", "image/png", 3),
    ]


def test_injected_messages_are_no_prompts() -> None:
    injected = "<environment_context>\n<cwd>/srv/app</cwd>\n</environment_context>"
    said = read(
        meta(),
        message("user", injected),
        message("user", injected, "Why is it slow?"),
        message("user", "# Context from my IDE setup:\nx\n\n## My request for Codex:\nFix it."),
    )
    assert shown(said) == [("user", "Why is it slow?"), ("user", "Fix it.")]
    assert [m.turn for m in said] == ["turn", "turn#2"]


def test_a_turn_goes_from_one_prompt_to_the_next() -> None:
    said = read(
        meta(),
        event("task_started", turn_id=TURN_1),
        context(TURN_1),
        message("user", "one"),
        message("assistant", "1"),
        message("user", "two, before it was done"),
        message("assistant", "2"),
        context(TURN_2),
        message("assistant", "3, of itself"),
        message("user", "four"),
    )
    assert [m.turn for m in said] == [
        TURN_1,
        TURN_1,
        f"{TURN_1}#2",
        f"{TURN_1}#2",
        TURN_2,
        TURN_2,
    ]


def test_a_context_that_follows_its_prompt_begins_no_other_turn() -> None:
    said = read(meta(), message("user", "one"), context(TURN_1), message("assistant", "1"))
    assert said[0].turn == said[1].turn is not None


def test_before_the_first_prompt_there_is_no_turn() -> None:
    assert [m.turn for m in read(meta(), message("assistant", "hello"))] == [None]


def test_a_rollback_abandons_whole_turns_from_their_prompts_on() -> None:
    turns = [
        row_
        for name in ("one", "two", "three")
        for row_ in (message("user", name), message("assistant", f"answer to {name}"))
    ]
    said = shown(read(meta(), *turns, event("thread_rolled_back", num_turns=2), *turns[:2]))
    assert [entry[0] for entry in said] == [
        *("user", "assistant"),
        *("~user", "~assistant", "~user", "~assistant"),
        *("user", "assistant"),
    ]
    again = event("thread_rolled_back", num_turns=1)
    said = shown(read(meta(), *turns, again, again))
    assert [entry[0] for entry in said] == [*("user", "assistant"), *["~user", "~assistant"] * 2]
    for odd in (0, -1, 99, True, "1", None):
        said = shown(read(meta(), *turns, event("thread_rolled_back", num_turns=odd)))
        assert {entry[0][0] == "~" for entry in said} == {odd == 99}


def test_an_interrupted_turn_stays_in_the_conversation() -> None:
    said = read(
        meta(),
        message("user", "one"),
        message("user", "<turn_aborted>\nThe user interrupted.\n</turn_aborted>"),
        event("turn_aborted", reason="interrupted"),
    )
    assert shown(said) == [("user", "one")]


SUMMARY = "Another language model started to solve this problem and got this far: no index."


def test_of_a_compaction_only_the_summary_is_new() -> None:
    history = [
        message("user", "Why is it slow?")["payload"],
        item("message", role="user", content=[{"type": "input_image", "image_url": IMAGE}])[
            "payload"
        ],
        message("user", SUMMARY)["payload"],
    ]
    said = read(
        meta(),
        message("user", "Why is it slow?"),
        row("compacted", {"message": "", "replacement_history": history}),
        event("context_compacted"),
        row("compacted", {"message": "So far: no index.", "replacement_history": history}),
        row("compacted", {"message": "", "replacement_history": [{"type": "compaction"}]}),
        message("user", SUMMARY),
    )
    assert shown(said) == [
        ("user", "Why is it slow?"),
        ("summary", SUMMARY),
        ("summary", "So far: no index."),
        ("summary", SUMMARY),
    ]
    assert attached(said) == []


def test_a_review_is_shown_where_no_item_repeats_it() -> None:
    finding = {"title": "Race", "body": "The lock is taken late.", "confidence_score": 0.9}
    said = read(event("exited_review_mode", review_output={"findings": [finding]}))
    assert shown(said) == [("assistant", "Race", "The lock is taken late.")]
    assert read(event("exited_review_mode", review_output=None)) == ()


BARE = [
    {"id": PARENT, "timestamp": "2025-07-20T07:05:01.100Z", "instructions": "Be brief.", "git": {}},
    {"record_type": "state"},
    message(
        "user",
        "<environment_context>\nCurrent working directory: /srv/old\n</environment_context>",
    )["payload"],
    message("user", "Explain the Makefile.")["payload"],
    call("shell", {"command": ["cat", "Makefile"]})["payload"],
    output('{"output":"all: build","metadata":{"exit_code":0}}')["payload"],
    message("assistant", "It has one target.")["payload"],
]
BARE_SHOWN = [
    ("user", "Explain the Makefile."),
    ("tool_call", "shell", "cat", "Makefile"),
    ("tool_result", "all: build"),
    ("assistant", "It has one target."),
]


def test_bare_items_until_september_2025() -> None:
    said = read(*BARE)
    assert shown(said) == BARE_SHOWN
    assert {m.timestamp for m in said} == {1752995101100}
    assert problems(*BARE) == {}
    told = outline(rollout(*BARE))
    assert (told.project, told.started_at) == ("/srv/old", 1752995101100)


def test_whole_documents_of_spring_2025() -> None:
    session = {"id": PARENT, "timestamp": "2025-04-20T10:00:00.000Z", "instructions": "Be brief."}
    document = json.dumps({"session": session, "items": BARE[2:]}, indent=1).encode()
    contents = {f"sessions/rollout-2025-04-20-{PARENT}.json": document}
    assert shown(decoded(Codex(), contents).messages) == BARE_SHOWN
    told = outline(contents)
    assert (told.project, told.started_at, told.empty) == ("/srv/old", 1745143200000, False)


def test_an_archive_and_a_compression_leave_the_ids_alone() -> None:
    live = rollout(meta(), *PARENT_ROWS)
    (data,) = live.values()
    archived = {f"archived_sessions/rollout-2026-06-12T09-30-00-{PARENT}.jsonl": data}
    assert decoded(Codex(), archived) == decoded(Codex(), live)


def test_unknown_types_are_counted_and_text_in_them_is_drift() -> None:
    assert problems(*PARENT_ROWS, row("world_state", {"note": "two words"})) == {}
    assert problems(row("novel", {"n": 1}), {"oops": "x"}) == {"unknown_type": 2}
    novel = [
        row("novel", {"said": "two words"}),
        item("novel", said="two words"),
        event("novel", said="two words"),
        item("message", role="novel", content="two words"),
        item("message", role="user", content=[{"type": "novel", "said": "two words"}]),
        item("agent_message", content=[{"type": "input_text", "text": "two words"}]),
        {"said": "two words"},
    ]
    assert problems(meta(), *novel) == {"unknown_type_with_text": len(novel)}
    assert problems(item("agent_message", content=[{"type": "encrypted_content"}])) == {}
    assert problems(event("collab_agent_spawn_end", prompt="two words")) == {}


EVERYTHING = [
    meta(),
    event("task_started", turn_id=TURN_1),
    *PARENT_ROWS,
    item(
        "message",
        role="user",
        content=[
            {"type": "input_image", "image_url": IMAGE},
            {"type": "input_text", "text": "</image>"},
            {"type": "input_text", "text": "What is it?"},
        ],
    ),
    output({"content": "a.py", "success": True}, "call_2"),
    item("local_shell_call", action={"type": "exec", "command": ["ls"]}, call_id="call_2"),
    item("web_search_call", id="ws_1", action={"type": "search", "query": "fts5"}),
    item("image_generation_call", id="ig_1", revised_prompt="a cat", result="QUJD"),
    event("exited_review_mode", review_output={"findings": [{"title": "Race"}]}),
    row(
        "compacted",
        {"message": "", "replacement_history": [message("user", SUMMARY)["payload"]]},
    ),
    context(TURN_2),
    message("user", "And now?"),
    event("thread_rolled_back", num_turns=1),
]


def said(rows: list[Any]) -> Counter[str]:
    return Counter(f"{m.kind} {m.parts}" for m in read(*rows))


@settings(max_examples=300)
@given(with_one_changed(EVERYTHING))
def test_a_bad_record_costs_itself_alone(changed: tuple[int, list[Any]]) -> None:
    index, rows = changed
    outline(rollout(*rows))
    others = said([*EVERYTHING[:index], *EVERYTHING[index + 1 :]])
    assert not others - said(rows)


@given(st.sampled_from(["session", "items"]), st.data())
def test_a_bad_document_costs_what_is_bad_of_it(key: str, data: st.DataObject) -> None:
    document = {"session": {"id": PARENT}, "items": BARE[2:]}
    _, (changed,) = data.draw(with_one_changed([document]))
    contents = {f"sessions/rollout-2025-04-20-{PARENT}.json": json.dumps(changed).encode()}
    decoded(Codex(), contents)
    outline(contents)
