"""What was typed is kept to the letter; what was put around it is cut off."""

from __future__ import annotations

import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from harkback.sources.transcripts.claude_code import injected


@pytest.mark.parametrize(
    "text",
    [
        "<local-command-stdout>Set model</local-command-stdout>",
        "<local-command-stderr>no</local-command-stderr>\n",
        "<local-command-caveat>generated</local-command-caveat>",
        "<bash-input>ls</bash-input>",
        "<bash-stdout>a\nb</bash-stdout><bash-stderr></bash-stderr>",
        "<task-notification>\n<task-id>b1</task-id>\n</task-notification>",
        "<tick>12:00</tick>",
        "<goal>ship it</goal>",
        "<user-prompt-submit-hook>ok</user-prompt-submit-hook>",
        "<session-start-hook>ok</session-start-hook>",
        "<system-reminder>quiet</system-reminder>",
        "<bash-stdout>grep: </bash-stdout> in a file</bash-stdout>",
        '<task-notification kind="a">x</task-notification>',
        "[Request interrupted by user]",
        "[Request interrupted by user for tool use]",
        "Stop hook feedback:\n- tests fail",
        "",
        " \n",
    ],
)
def test_what_nobody_typed(text: str) -> None:
    assert injected.typed(text) == ""


@pytest.mark.parametrize(
    "text",
    [
        "What does <system-reminder> mean in <b>bold</b>?",
        "why is <local-command-stdout>x</local-command-stdout> in my log",
        "<tick> is not a tag I know",
        "<local-command-stdout>a</local-command-stdout> and then <tick>b</tick>",
        "<bash-stdout>a</bash-stdout> against <bash-stdout>b</bash-stdout>",
        "<system-reminder> without an end",
        "so <system-reminder>x</system-reminder>",
        "[Request interrupted by user] is what I see\nwhy?",
        "Stop hook feedback is wrong",
        "<div>\n  text\n</div>",
        "  indented\r\n",
    ],
)
def test_prose_that_mentions_a_tag_stays_whole(text: str) -> None:
    assert injected.typed(text) == text


@pytest.mark.parametrize(
    ("text", "typed"),
    [
        ("<system-reminder>\nx\n</system-reminder>\n\nfix it", "fix it"),
        ("<ide_opened_file>a.ts</ide_opened_file>fix  it ", "fix  it "),
        ("<ide_selection>a</ide_selection>\n<system-reminder>b</system-reminder> c", "c"),
        ("fix it\n\n<system-reminder>x</system-reminder>\n", "fix it"),
        (
            "fix it\n<ide_selection>a</ide_selection>\n<system-reminder>b</system-reminder>",
            "fix it",
        ),
        ("<system-reminder>a</system-reminder>x\n<system-reminder>b</system-reminder>", "x"),
        ("<session-start-hook>a</session-start-hook>\nwhy <tick>?", "why <tick>?"),
    ],
)
def test_what_stands_at_an_edge_is_cut(text: str, typed: str) -> None:
    assert injected.typed(text) == typed


@given(
    st.lists(
        st.sampled_from(
            [
                "<system-reminder>",
                "</system-reminder>",
                "<tick>",
                "</tick>",
                "\n",
                " ",
                "[",
                "税",
                "x",
            ]
        ),
        max_size=14,
    ).map("".join)
)
def test_what_is_left_is_a_substring(text: str) -> None:
    assert injected.typed(text) in text
    assert injected.result(text) in text
    assert injected.typed(injected.typed(text)) in text


@pytest.mark.parametrize(
    ("text", "result"),
    [
        ("1 const a\n\n<system-reminder>\nmalware?\n</system-reminder>\n", "1 const a"),
        ("a\n<system-reminder>b</system-reminder>\n<system-reminder>c</system-reminder>", "a"),
        ("<system-reminder>the file is empty</system-reminder>", ""),
        ("see <system-reminder>x</system-reminder>", "see <system-reminder>x</system-reminder>"),
        (
            "<system-reminder>x</system-reminder>\nmore",
            "<system-reminder>x</system-reminder>\nmore",
        ),
        ("</system-reminder>", "</system-reminder>"),
        ("plain\n", "plain\n"),
    ],
)
def test_a_reminder_behind_a_result_is_cut(text: str, result: str) -> None:
    assert injected.result(text) == result


@pytest.mark.parametrize(
    ("text", "name", "arguments"),
    [
        (
            "<command-name>/model</command-name>\n  <command-message>model</command-message>\n"
            "  <command-args>opus 4</command-args>",
            "/model",
            "opus 4",
        ),
        ("<command-message>x</command-message>\n<command-name>/init</command-name>", "/init", ""),
        ("<command-name>/a</command-name><command-args></command-args>", "/a", ""),
    ],
)
def test_a_command(text: str, name: str, arguments: str) -> None:
    assert injected.command(text) == (name, arguments)


@pytest.mark.parametrize(
    "text",
    [
        "what is <command-name>/x</command-name>",
        "<command-name>/x</command-name> is what I typed",
        "<command-name></command-name>",
        "<command-message>x</command-message>",
    ],
)
def test_no_command(text: str) -> None:
    assert injected.command(text) is None


def test_mail() -> None:
    said = '<teammate-message teammate_id="a">\nfound it\n</teammate-message>'
    assert injected.mail(said + "\n" + said) == ["found it", "found it"]
    assert injected.mail("the tag <teammate-message> says") == []


@pytest.mark.parametrize(
    "unit",
    [
        "<system-reminder>x</system-reminder>\n",
        "<tick>",
        "</tick>",
        "<tick>x</tick>",
        "\n<system-reminder>",
        "\n</system-reminder>",
        " ",
    ],
)
def test_time_is_linear(unit: str) -> None:
    def seconds(times: int) -> float:
        text = "<tick>" + unit * times + "</tick>\n<system-reminder>a</system-reminder>"
        start = time.perf_counter()
        injected.typed(text)
        injected.result(text)
        return time.perf_counter() - start

    seconds(10)
    short, long = min(seconds(4_000) for _ in range(3)), min(seconds(16_000) for _ in range(3))
    assert long < 12 * short + 0.01
