"""Rows become Messages: what is merged, what is left out, and what hangs together."""

from __future__ import annotations

import pytest

from harkback.model import JsonPart, StoredMessage
from harkback.sources.transcripts.claude_code import ClaudeCode
from support.claude_rows import SESSION, Chain, call, image, text
from support.transcripts import MemoryFiles, attached, decoded, shown


def turns(messages: tuple[StoredMessage, ...]) -> list[str | None]:
    return [message.turn for message in messages]


def test_an_exchange() -> None:
    chain = Chain()
    prompt = chain.user("税率が違う\nwhy?")
    chain.assistant({"type": "thinking", "thinking": "hidden"}, text("Looking."), call("t1", a="b"))
    chain.result("t1", "found")
    answer = chain.assistant(text("Done."))
    messages = chain.messages()
    assert shown(messages) == [
        ("user", "税率が違う\nwhy?"),
        ("assistant", "Looking."),
        ("tool_call", "Bash", "b"),
        ("tool_result", "found"),
        ("assistant", "Done."),
    ]
    assert [m.id for m in messages] == [prompt, "assistant-1", "t1", "t1/result", answer]
    assert turns(messages) == [prompt] * 5
    assert [m.timestamp % 60_000 for m in messages] == [500, 1500, 1500, 2500, 3500]


def test_what_stands_ahead_of_the_first_prompt_has_no_turn() -> None:
    chain = Chain()
    chain.assistant(text("Hello."))
    assert turns(chain.messages()) == [None]


# --- one answer, several rows ----------------------------------------------------------------


def test_fragments_of_an_answer_are_one_message_where_the_first_stands() -> None:
    chain = Chain()
    chain.user("go")
    first = chain.assistant({"type": "thinking", "thinking": ""}, id="m")
    chain.assistant(text("One."), id="m")
    chain.assistant(call("t1", a="x"), id="m")
    chain.result("t1", "r")
    chain.queued("and two?")
    chain.assistant(text("Two."), id="m")
    messages = chain.messages()
    assert shown(messages) == [
        ("user", "go"),
        ("assistant", "One.", "Two."),
        ("tool_call", "Bash", "x"),
        ("tool_result", "r"),
        ("user", "and two?"),
    ]
    assert messages[1].id == first


def test_snapshots_that_grow_show_the_last() -> None:
    chain = Chain()
    chain.assistant(text("The tax"), id="m")
    chain.assistant(text("The tax is right."), id="m")
    chain.assistant(text("The tax is right."), text("Also"), call("t", a="1"), id="m")
    chain.assistant(text("The tax is right."), text("Also this"), id="m")
    chain.assistant(text("Also"), id="m")
    assert shown(chain.messages()) == [
        ("assistant", "The tax is right.", "Also this"),
        ("tool_call", "Bash", "1"),
    ]


def test_an_id_that_comes_again_after_a_prompt_is_another_answer() -> None:
    chain = Chain()
    chain.assistant(text("A"), id="same")
    chain.user("next")
    chain.assistant(text("B"), id="same")
    assert shown(chain.messages()) == [("assistant", "A"), ("user", "next"), ("assistant", "B")]


@pytest.mark.parametrize("id_", ["", 5, ["m"]])
def test_answers_without_an_id_stay_apart(id_: object) -> None:
    chain = Chain()
    chain.assistant(text("A"), id=id_)
    chain.assistant(text("B"), id=id_)
    assert shown(chain.messages()) == [("assistant", "A"), ("assistant", "B")]


def test_a_call_is_one_with_the_fullest_input() -> None:
    chain = Chain()
    chain.assistant(call("t1"), id="m")
    chain.assistant(call("t1", path="a.ts"), id="m")
    chain.assistant(call("t1"), id="m")
    (message,) = chain.messages()
    assert message.parts[1] == JsonPart("input", {"path": "a.ts"})


# --- rows that are no Messages ---------------------------------------------------------------


def test_a_row_written_again_is_read_once() -> None:
    chain = Chain()
    chain.user("go")
    chain.assistant(text("Done."))
    chain.rows += chain.rows
    assert len(chain.messages()) == 2


def test_rows_that_hold_nothing_said() -> None:
    chain = Chain()
    chain.user("<local-command-caveat>x</local-command-caveat>", isMeta=True)
    chain.user("meta", isMeta=True)
    chain.user("notice", promptSource="system")
    chain.user("notice", origin={"kind": "task-notification"})
    chain.assistant(text("API Error"), isApiErrorMessage=True)
    chain.row("assistant", message={"model": "<synthetic>", "content": [text("No response.")]})
    chain.row("progress", data={"type": "hook_progress", "command": "x"})
    chain.row("system", subtype="informational", content="stopped by a hook")
    chain.row("attachment", attachment={"type": "task_reminder", "content": "x"})
    chain.row("attachment", attachment={"type": "file", "content": "x"})
    chain.bare("mode", mode="plan")
    assert chain.messages() == ()


def test_the_twin_of_a_result_is_left_out() -> None:
    chain = Chain()
    chain.result("t", "shown", toolUseResult={"stdout": "hidden twin"})
    assert shown(chain.messages()) == [("tool_result", "shown")]


def test_unknown_types_are_counted() -> None:
    chain = Chain()
    chain.row("a-new-type", text="with words in it")
    chain.row("a-newer-type", id="x")
    chain.user([{"type": "hologram", "words": "with words in it"}])
    chain.assistant({"type": "hologram"}, {"no": "type"})
    chain.rows.append({"no": "type"})
    files = MemoryFiles(chain.files())
    reader = ClaudeCode()
    (one,) = reader.find(files)
    assert reader.decode(files, one).messages == ()
    assert files.problems == {"unknown_type_with_text": 2, "unknown_type": 4}


# --- prompts ---------------------------------------------------------------------------------


def test_a_command_is_its_name_and_its_arguments() -> None:
    chain = Chain()
    command = chain.user(
        "<command-name>/model</command-name>\n<command-message>model</command-message>\n"
        "<command-args>opus</command-args>"
    )
    chain.user("<local-command-stdout>Set model</local-command-stdout>")
    (message,) = chain.messages()
    assert shown([message]) == [("user", "/model", "opus")]
    assert (message.id, message.turn) == (command, command)


def test_injected_blocks_beside_a_prompt_are_cut() -> None:
    chain = Chain()
    chain.user(
        [
            text("<system-reminder>quiet</system-reminder>"),
            text("<ide_opened_file>a.ts</ide_opened_file>"),
            text("Update it\n<system-reminder>x</system-reminder>"),
            text("please"),
        ]
    )
    assert shown(chain.messages()) == [("user", "Update it", "please")]


def test_mail_of_a_team_is_shown_and_is_no_rewind() -> None:
    chain = Chain()
    above = chain.assistant(text("hm"))
    chain.user('<teammate-message teammate_id="a">found it</teammate-message>', teamName="t")
    chain.user("typed", parentUuid=above)
    assert shown(chain.messages())[1:] == [("user", "found it"), ("user", "typed")]


def test_a_prompt_typed_while_the_agent_works() -> None:
    chain = Chain()
    chain.user("go")
    chain.bare("queue-operation", operation="enqueue", content="and shipping")
    queued = chain.queued("and shipping", commandMode="prompt")
    chain.bare("queue-operation", operation="remove")
    chain.queued("<task-notification>x</task-notification>", commandMode="task-notification")
    chain.queued([text("with"), image()])
    messages = chain.messages()
    assert shown(messages) == [("user", "go"), ("user", "and shipping"), ("user", "with")]
    assert messages[1].id == queued == messages[1].turn
    assert len(attached(messages)) == 1


def test_a_prompt_that_was_never_seen_sent_stands_where_it_was_queued() -> None:
    chain = Chain()
    chain.user("go")
    chain.bare("queue-operation", operation="enqueue", content="later  on")
    chain.bare("queue-operation", operation="enqueue", content="/compact now")
    chain.bare("queue-operation", operation="enqueue", content="lost")
    chain.bare(
        "queue-operation", operation="enqueue", content="<task-notification>x</task-notification>"
    )
    chain.user("later on")
    chain.user("<command-name>/compact</command-name><command-args>now</command-args>")
    messages = chain.messages()
    assert shown(messages) == [
        ("user", "go"),
        ("user", "lost"),
        ("user", "later on"),
        ("user", "/compact", "now"),
    ]
    assert messages[1].id.startswith(f"{SESSION}@")


def test_text_beside_a_result_opens_no_turn() -> None:
    chain = Chain()
    prompt = chain.user("go")
    chain.user([{"type": "tool_result", "tool_use_id": "t", "content": "r"}, text("stop that")])
    messages = chain.messages()
    assert shown(messages) == [("user", "go"), ("tool_result", "r"), ("user", "stop that")]
    assert turns(messages) == [prompt] * 3


# --- rewinds and compaction ------------------------------------------------------------------


def test_a_rewound_prompt_and_what_followed_are_abandoned() -> None:
    chain = Chain()
    above = chain.assistant(text("hm"))
    chain.user("first try")
    chain.assistant(text("tried"), call("t", a="1"))
    chain.result("t", "r")
    chain.user("second try", parentUuid=above)
    chain.assistant(text("better"))
    assert shown(chain.messages()) == [
        ("assistant", "hm"),
        ("~user", "first try"),
        ("~assistant", "tried"),
        ("~tool_call", "Bash", "1"),
        ("~tool_result", "r"),
        ("user", "second try"),
        ("assistant", "better"),
    ]


def test_results_notices_and_commands_beside_a_prompt_are_no_rewind() -> None:
    chain = Chain()
    above = chain.assistant(call("t", a="1"))
    chain.result("t", "r", parentUuid=above)
    chain.user("[Request interrupted by user]", parentUuid=above)
    chain.user("<command-name>/cost</command-name>", parentUuid=above)
    chain.queued("queued")
    chain.rows[-1]["parentUuid"] = above
    chain.user("go on", parentUuid=above)
    assert not any(message.abandoned for message in chain.messages())


def test_prompts_without_a_parent_are_no_rewind() -> None:
    chain = Chain()
    chain.user("one", parentUuid=None)
    chain.user("two", parentUuid=None)
    assert not any(message.abandoned for message in chain.messages())


def test_compaction_keeps_the_old_text_and_labels_the_summary() -> None:
    chain = Chain()
    chain.user("go")
    last = chain.assistant(text("Done."))
    chain.row("system", parentUuid=None, logicalParentUuid=last, subtype="compact_boundary")
    chain.user("This session is being continued.\nIt went:", isCompactSummary=True)
    chain.user("next")
    messages = chain.messages()
    assert shown(messages) == [
        ("user", "go"),
        ("assistant", "Done."),
        ("summary", "This session is being continued.\nIt went:"),
        ("user", "next"),
    ]
    assert messages[2].turn is None


def test_a_boundary_hangs_below_its_logical_parent() -> None:
    chain = Chain()
    above = chain.assistant(text("hm"))
    chain.user("first")
    last = chain.assistant(text("done"))
    chain.row("system", parentUuid=None, logicalParentUuid=last, subtype="compact_boundary")
    chain.assistant(text("after"))
    chain.user("second", parentUuid=above)
    assert [m.abandoned for m in chain.messages()] == [False, True, True, True, False]


def test_a_boundary_may_name_a_row_that_comes_later() -> None:
    chain = Chain()
    chain.row("system", "b", parentUuid=None, logicalParentUuid="tail")
    chain.user("one")
    chain.assistant(text("two"), uuid="tail")
    chain.user("three")
    assert not any(message.abandoned for message in chain.messages())


# --- ids and times ---------------------------------------------------------------------------


def test_a_copied_row_has_the_id_of_the_original() -> None:
    original, copy = Chain(), Chain()
    prompt = original.user("go")
    answer = original.assistant(text("Done."), call("t", a="b"))
    copy.user("go", uuid="n1", forkedFrom={"sessionId": "s", "messageUuid": prompt})
    copy.assistant(
        text("Done."),
        call("t", a="b"),
        uuid="n2",
        forkedFrom={"sessionId": "s", "messageUuid": answer},
    )
    assert [m.id for m in copy.messages()] == [m.id for m in original.messages()]


@pytest.mark.parametrize("time", ["garbage", None, [], 5e246, "2026-99-99", True])
def test_a_time_that_is_none_is_that_of_the_row_before(time: object) -> None:
    chain = Chain()
    chain.user("a")
    chain.user("b", timestamp=time)
    first, second = chain.messages()
    assert first.timestamp == second.timestamp > 0


# --- subagents in the file of their parent ---------------------------------------------------


def test_sidechains_of_old_files_are_a_session_of_their_own() -> None:
    chain = Chain(version="1.0.43")
    chain.user("go")
    chain.assistant(call("t1", prompt="look left"), call("t2", prompt="look right"))
    above = chain.rows[-1]["uuid"]
    left = chain.user("look left", parentUuid=None, isSidechain=True)
    right = chain.user("look right", parentUuid=None, isSidechain=True)
    chain.assistant(text("left"), parentUuid=left, isSidechain=True)
    chain.assistant(text("right"), parentUuid=right, isSidechain=True)
    chain.result("t1", "r", parentUuid=above)
    main = decoded(ClaudeCode(), chain.files(), SESSION).messages
    side = decoded(ClaudeCode(), chain.files(), f"{SESSION}/sidechains").messages
    assert [one[0] for one in shown(main)] == ["user", "tool_call", "tool_call", "tool_result"]
    assert shown(side) == [
        ("user", "look left"),
        ("assistant", "left"),
        ("user", "look right"),
        ("assistant", "right"),
    ]
    assert turns(side) == [left, left, right, right]


def test_sidechains_of_newer_files_are_not_lost() -> None:
    chain = Chain(version="2.1.0")
    chain.user("go")
    chain.user("look", parentUuid=None, isSidechain=True)
    assert shown(chain.messages()) == [("user", "go"), ("user", "look")]
