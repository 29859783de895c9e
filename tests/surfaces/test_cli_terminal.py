"""How an answer is drawn: what is wrapped, marked, grouped and neutralised."""

from __future__ import annotations

import io
import re
import time

import pytest
from rich.cells import cell_len

from harkback import Recall, Store
from harkback.cli.terminal import Terminal, age, duration, when

ESCAPES = re.compile(r"\x1b\[[0-9;]*m")
NOW = 1_700_000_000_000


@pytest.fixture
def store(tmp_path):
    path = tmp_path / "runtime.sqlite"
    with Store.create(path) as writer, writer.batch():
        writer.session("标题很长" * 20, "/home/lin/" + "atlas" * 10, started_at=NOW)
        hostile = writer.session("Title\x1b]0;owned\x07\u202e", "/home/\x1b[31mlin", started_at=NOW)
        turn = hostile.turn()
        turn.user("plain \x1b[2J\x1b]8;;https://x.example\x07zebra\x1b]8;;\x07 \u202egnp\x9b31m")
        turn.assistant("a\tzebra\tb\r\n" + "字" * 150 + " zebra " + "x" * 200)
        other = writer.session("Another", started_at=NOW).turn()
        other.user("zebra [bold]not markup[/bold] :zebra: https://x.example")
        logged = writer.session("Log", started_at=NOW).turn()
        call = logged.tool_call("Bash", {"command": "ls"})
        logged.tool_result(call, {"kind": "text", "text": "line\n" * 500 + "zebra"})
        hostile.turn().user("zebra again")
    return path


def draw(store, monkeypatch, columns=None, limit=None, **environment):
    for name in ("NO_COLOR", "FORCE_COLOR", "TERM", "COLUMNS", "TTY_COMPATIBLE"):
        monkeypatch.delenv(name, raising=False)
    for name, value in {"TERM": "xterm-256color", **environment}.items():
        monkeypatch.setenv(name, value)

    class Screen(io.StringIO):
        def isatty(self) -> bool:
            return columns is not None

    if columns is not None:
        monkeypatch.setenv("COLUMNS", str(columns))
    screen = Screen()
    with Recall(store) as recall:
        answer = recall.search(["zebra"], limit=limit)
    Terminal(screen).answer(answer, 0.0123)
    return screen.getvalue()


@pytest.mark.parametrize("columns", [80, 200])
def test_nothing_is_wider_than_the_terminal(store, monkeypatch, columns):
    shown = ESCAPES.sub("", draw(store, monkeypatch, columns))
    assert max(cell_len(line) for line in shown.splitlines()) <= min(columns, 140)
    assert "字" * 20 in shown


def test_matches_stand_out_only_in_colour(store, monkeypatch):
    coloured = draw(store, monkeypatch, 80)
    assert set(re.findall(r"\x1b\[1;33m(.*?)\x1b\[0m", coloured)) == {"zebra"}
    for plain in (draw(store, monkeypatch), draw(store, monkeypatch, 80, TERM="dumb")):
        assert "\x1b" not in plain
    bare = draw(store, monkeypatch, 80, NO_COLOR="1")
    assert not re.search(r"\x1b\[[0-9;]*\b(3[0-7]|9[0-7]|38)\b", bare)


def test_layout_is_all_that_is_added(store, monkeypatch):
    shown = draw(store, monkeypatch)
    assert "zebra [bold]not markup[/bold] :zebra: https://x.example\n" in shown
    assert "字" * 150 + " zebra " + "x" * 200 in shown  # a pipe gets whole lines
    assert "a\tzebra\tb\n" in shown  # and their tabs
    assert not re.search(r"[ \t]+$", shown, re.MULTILINE)


@pytest.mark.parametrize("columns", [None, 80])
def test_history_cannot_act_on_the_terminal(store, monkeypatch, columns):
    shown = draw(store, monkeypatch, columns)
    assert "plain ␛[2J␛]8;;https://x.example␇" in ESCAPES.sub("", shown)
    acting = set(ESCAPES.sub("", shown)) & set(map(chr, [*range(0x20), *range(0x7F, 0xA0), 0x202E]))
    assert acting <= {"\n", "\t"}
    assert "\x1b]" not in shown


def test_one_heading_per_session_and_the_handle(store, monkeypatch):
    shown = draw(store, monkeypatch)
    assert len(re.findall(r"^Another$", shown, re.MULTILINE)) == 1
    assert len(re.findall(r"^\[\d\] [0-9a-f]{32} ", shown, re.MULTILINE)) == 4
    assert re.search(r"^  ▸ (user|assistant|tool result)", shown, re.MULTILINE)
    lines = shown.splitlines()
    assert [n for n in lines if "characters before]" in n]
    assert lines[-1].startswith("4 passages · ")
    assert lines[-1].endswith("12.3 ms")
    assert "Not in this answer" in lines


def test_times():
    now = time.time() * 1000
    assert [age(now - seconds * 1000) for seconds in (5, 61, 7300, 2 * 86400, 40 * 86400)] == [
        "just now",
        "1 minute ago",
        "2 hours ago",
        "2 days ago",
        "1 month ago",
    ]
    assert age(now + 60_000) == "in the future"
    assert re.fullmatch(r"\d{4}-\d\d-\d\d \d\d:\d\d", when(NOW))
    assert when(10**17) == when(-(10**17)) == ""
    assert [duration(s) for s in (0.00045, 0.0123, 0.45, 3.21)] == [
        "450 µs",
        "12.3 ms",
        "450 ms",
        "3.2 s",
    ]


def test_a_log_is_folded_around_its_match_on_a_terminal_alone(tmp_path, monkeypatch):
    path = tmp_path / "runtime.sqlite"
    with Store.create(path) as writer:
        turn = writer.session("Log", started_at=NOW).turn()
        log = "".join(f"line {number}\n" for number in range(40))
        turn.assistant(f"{log}zebra\n{log}".rstrip())
        turn.user(log)
    shown = ESCAPES.sub("", draw(path, monkeypatch, 80))
    said, neighbour = shown.split("user")
    lines = [line.split("  ")[-1].strip() for line in said.splitlines() if "line" in line]
    assert lines[:5] == ["… 36 more lines", "line 36", "line 37", "line 38", "line 39"]
    assert lines[-2:] == ["line 6", "… 33 more lines"]
    assert "zebra" in said
    assert "line 11" in neighbour
    assert "line 12" not in neighbour
    piped = draw(path, monkeypatch)
    assert piped.count("line 12\n") == 3
    assert "more line" not in piped


def test_what_a_window_says_of_its_cut_is_never_folded(tmp_path, monkeypatch):
    path = tmp_path / "runtime.sqlite"
    with Store.create(path) as writer:
        log = "".join(f"line {number}\n" for number in range(900))
        writer.session("Log", started_at=NOW).turn().assistant(f"{log}zebra\n{log}")
    lines = [line.strip() for line in ESCAPES.sub("", draw(path, monkeypatch, 80)).splitlines()]
    at = next(number for number, line in enumerate(lines) if "characters before]" in line)
    assert re.fullmatch(r"… \d+ more lines", lines[at + 1])
    assert re.fullmatch(r"… \d+ more lines", lines[at + 14])
    assert "characters after]" in lines[at + 15]
    assert "zebra" in lines[at + 2 : at + 14]


def test_that_there_are_no_facts_is_told_to_models_alone(store, monkeypatch):
    with Recall(store) as recall:
        assert "not_searched" in recall.search(["zebra"]).text()
    assert "not_searched" not in draw(store, monkeypatch)
