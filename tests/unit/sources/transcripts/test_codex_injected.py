"""What is taken out of user messages, and prose that only looks like it."""

from __future__ import annotations

import pytest

from harkback.sources.transcripts.codex.injected import (
    is_image_wrapper,
    is_injected,
    request,
    working_folder,
)

INSTRUCTIONS = "# AGENTS.md instructions for /srv/app\n\n<INSTRUCTIONS>\nUse tabs.\n</INSTRUCTIONS>"
CONTEXT = "<environment_context>\n  <cwd>/srv/app</cwd>\n</environment_context>"


@pytest.mark.parametrize(
    "text",
    [
        INSTRUCTIONS,
        CONTEXT,
        f"{INSTRUCTIONS}\n\n{CONTEXT}\n",
        "<user_instructions>\nx\n</user_instructions>",
        "<skill>x</skill>",
        "<turn_aborted>\nx\n</turn_aborted>",
        "<subagent_notification>\n{}\n</subagent_notification>",
        "<user_shell_command>\nls\n</user_shell_command>",
        '<codex_internal_context source="goal">x</codex_internal_context>',
        "<goal_context>x</goal_context>",
        "<recommended_plugins>x</recommended_plugins>",
        '<hook_prompt hook_run_id="1">x</hook_prompt>',
        "<user_action>\n<context>A review.</context>\n</user_action>",
        "<skill>one</skill> two </skill>",
    ],
)
def test_injected_from_end_to_end(text: str) -> None:
    assert is_injected(text)


@pytest.mark.parametrize(
    "text",
    [
        "",
        "Fix the bug.",
        "<skill> is a tag that we should support",
        "<skill>x</skill> is how it is written",
        "What does <environment_context>x</environment_context> do?",
        "# AGENTS.md instructions for newcomers should be shorter",
        f"{CONTEXT}\nGo on with the work.",
        "<environment_contexts>x</environment_contexts>",
    ],
)
def test_prose_that_mentions_it_stays(text: str) -> None:
    assert not is_injected(text)


def test_a_preface_of_an_editor_is_cut() -> None:
    asked = "Fix the bug.\n## My request for Codex: is a heading"
    preface = "# Context from my IDE setup:\n\n## Active file: a.py\n\n## My request for Codex:\n"
    assert request(preface + asked + "\n") == asked
    assert request(asked) == asked
    assert request("# Context from my IDE setup:\nnothing more") == (
        "# Context from my IDE setup:\nnothing more"
    )


def test_an_image_wrapper_stands_beside_an_image() -> None:
    opening = '<image name=[Image #1] path="/tmp/a.png">'
    assert is_image_wrapper(opening, before_image=True, after_image=False)
    assert is_image_wrapper("</image>", before_image=False, after_image=True)
    assert not is_image_wrapper(opening, before_image=False, after_image=True)
    assert not is_image_wrapper("</image>", before_image=True, after_image=False)
    assert not is_image_wrapper("<image> of what?", before_image=True, after_image=False)


def test_the_working_folder_of_old_versions() -> None:
    assert working_folder(CONTEXT) == "/srv/app"
    old = "<environment_context>\nCurrent working directory: /srv/old app\n</environment_context>"
    assert working_folder(old) == "/srv/old app"
    assert working_folder("Current working directory: /srv/app") is None


def test_many_blocks_cost_no_more_than_their_length() -> None:
    assert is_injected("<skill>x</skill>\n" * 50_000)
    assert not is_injected("<skill>" * 50_000)
