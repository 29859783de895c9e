"""The commands for people over histories that are found: search, grep, show, sources, doctor."""

from __future__ import annotations

import json
import os
import re
import sqlite3
import time
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner, Result

from harkback.cli.command import command
from harkback.cli.ways import how_to_open
from harkback.model import SessionCard
from support import homes

KEY = "gh" + "p_" + "a1B2c3D4" * 5
ANCHOR = re.compile(r"\b[0-9a-f]{32}\b")


@pytest.fixture
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    place = homes.settle(tmp_path / "home", monkeypatch)
    first = homes.claude(place, homes.FIRST, "Why is the zebra slow?", f"use {KEY} for the zebra")
    second = homes.claude(place, homes.SECOND, "a zebra in the garden", cwd="/home/ada/garden")
    homes.codex(place, "teach the zebra to read")
    for age, path in enumerate((first, second)):
        os.utime(path, (time.time() - 86400 * (age + 1),) * 2)
    return place


def run(*arguments: str) -> Result:
    return CliRunner().invoke(command, arguments)


def found(*arguments: str) -> set[str]:
    """Projects of the passages."""
    result = run("search", "zebra", "--json", "--limit", "25", *arguments)
    assert result.exit_code in (0, 1), result.output
    return {p["session"]["project"] for p in json.loads(result.stdout)["passages"]}


def test_whatever_is_found_is_searched(home: Path) -> None:
    assert found() == {"/srv/shop", "/home/ada/garden", "/srv/tools"}
    assert found("--source", "codex") == {"/srv/tools"}
    assert found("--store", str(home / ".claude")) == {"/srv/shop", "/home/ada/garden"}
    assert found("--project", "garden") == {"/home/ada/garden"}
    assert found("--project", "/srv") == {"/srv/shop", "/srv/tools"}
    assert found("--exclude", "garden", "--exclude", "tools") == {"/srv/shop"}
    assert found("--project", "shop", "--exclude", "shop") == set()


def test_times(home: Path) -> None:
    assert found("--since", "2026-06-12") == {"/srv/tools"}
    assert found("--until", "2026-06-11") == {"/srv/shop", "/home/ada/garden"}
    assert found("--until", "2026-06-12T23:59:59Z") == found()
    assert found("--since", "9999w") == found()
    for wrong in ("yesterday", "7", "2026-13-01", "-3d", "999999999w"):
        result = run("search", "zebra", "--since", wrong)
        assert result.exit_code == 2
        assert "--since" in result.output


def test_kinds_and_titles(home: Path) -> None:
    kinds = {
        m["kind"]
        for p in json.loads(run("search", "zebra", "--json", "--all").stdout)["passages"]
        for m in p["messages"]
        if m.get("is_anchor")
    }
    assert kinds == {"user"}  # a first prompt that serves as a title is no message of its own
    assert found("--kind", "assistant") == set()
    assert run("search", "zebra", "--kind", "thinking").exit_code == 2


def test_an_agent_that_is_not_there_is_an_error(home: Path) -> None:
    result = run("search", "zebra", "--source", "nobody")
    assert result.exit_code == 2
    assert "claude-code, codex" in result.output


def test_a_database_by_a_mapping(home: Path, tmp_path: Path) -> None:
    database, mapping = tmp_path / "notes.db", tmp_path / "notes.toml"
    with closing(sqlite3.connect(database)) as connection, connection:
        connection.execute("CREATE TABLE entries (number INTEGER PRIMARY KEY, thread, body)")
        connection.execute("INSERT INTO entries VALUES (1, 'a', 'a zebra in a note')")
    mapping.write_text(
        'agent = "notes"\n[messages]\ntable = "entries"\nsession = "thread"\nid = "number"\n'
        'shown = [{ kind = "user", text = "body" }]\n'
    )
    asked = ["--store", str(database), "--mapping", str(mapping)]
    assert "a zebra in a note" in run("grep", "zebra", *asked).stdout
    assert run("grep", "zebra", "--mapping", str(mapping)).exit_code == 2
    mapping.write_text("nonsense")
    refused = run("grep", "zebra", *asked)
    assert refused.exit_code == 2
    assert "mapping_invalid" in refused.output


def test_nothing_at_all_is_an_error(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    homes.settle(tmp_path / "empty", monkeypatch)
    for name in ("search", "grep"):
        result = run(name, "zebra")
        assert result.exit_code == 2
        assert "source_missing" in result.output
    assert run("sources").exit_code == 2


def test_a_session_is_named_with_the_way_back_to_it(home: Path) -> None:
    shown = run("search", "zebra", "--limit", "25").stdout
    assert f"claude --resume {homes.FIRST}" in shown
    assert f"codex resume {homes.ROLLOUT}" in shown
    assert "1 day ago" in shown


def card(**known: Any) -> SessionCard:
    return SessionCard("id", "", "source", None, 0, 0, place="/a file", **known)


def test_a_way_back_is_never_more_than_one_command() -> None:
    assert how_to_open(card(agent="codex")) == "codex resume id"
    assert how_to_open(card(agent="codex", parent="p")) == "/a file"
    assert how_to_open(card(agent="gemini-cli")) == "/a file"
    for hostile in ("$(reboot)", "a;b", "-rf", "a b", "", "é", "a\n"):
        session = SessionCard(hostile, "", "s", None, 0, 0, agent="codex", place="f")
        assert how_to_open(session) == "f"


def test_grep_gives_every_message_newest_first(home: Path) -> None:
    result = run("grep", "zebra")
    assert result.exit_code == 0
    lines = [line for line in result.stdout.splitlines() if re.match(r" +[0-9]+  ", line)]
    assert [line.split("  ")[-1] for line in lines] == [
        "teach the zebra to read",
        "use [redacted] for the zebra",
        "Why is the zebra slow?",
        "a zebra in the garden",
    ]
    assert KEY[:12] not in result.output
    assert run("grep", "zebra", "--count").stdout == "4\n"
    assert run("grep", "zebra", "-c", "--project", "garden").stdout == "1\n"
    nothing = run("grep", "okapi")
    assert (nothing.exit_code, nothing.stdout) == (1, "")
    assert run("grep", KEY).exit_code == 2


def test_grep_as_json_is_a_line_for_each_message(home: Path) -> None:
    shown = [json.loads(line) for line in run("grep", "ZEBRA", "--json").stdout.splitlines()]
    assert len(shown) == 4
    for each in shown:
        assert ANCHOR.fullmatch(each["anchor"])
        (line,) = each["lines"]
        ((start, end),) = line["spans"]
        assert line["text"][start:end] == "zebra"


def test_show_reads_on_from_an_anchor(
    home: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (line,) = run("grep", "slow", "--json").stdout.splitlines()
    anchor = json.loads(line)["anchor"]
    turn = run("show", anchor)
    assert turn.exit_code == 0
    assert "Why is the zebra slow?" in turn.stdout
    assert "answer 0" in turn.stdout
    assert "answer 1" not in turn.stdout
    session = run("show", anchor, "--view", "scroll")
    assert "use [redacted] for the zebra" in session.stdout
    other = next(a for a in ANCHOR.findall(session.stdout) if a != anchor)
    assert run("show", other, "--view", "audit").stdout.count("▸") == 1
    shown = json.loads(run("show", anchor, "--json").stdout)
    assert shown["passage"]["anchor"] == anchor
    missing = run("show", "0" * 32)
    assert (missing.exit_code, missing.stdout) == (2, "")
    assert "not_found" in missing.output
    config = tmp_path / "config.toml"
    config.write_text('[projects]\nexclude = ["shop"]\n', "utf-8")
    monkeypatch.setenv("HARKBACK_CONFIG", str(config))
    excluded = run("show", anchor)
    assert "not_found" in excluded.output


def test_sources_says_what_is_there_and_what_is_wrong(home: Path) -> None:
    shown = run("sources").stdout.splitlines()
    assert re.fullmatch(r"claude-code:.* · 2 sessions · [0-9.]+ kB · last used 1 day ago", shown[0])
    assert re.fullmatch(r"codex:.* · 1 session · .*", shown[1])
    rows = json.loads(run("sources", "--json", "--source", "codex").stdout)
    assert [row["sessions"] for row in rows] == [1]
    broken = home / "broken.sqlite"
    broken.write_bytes(b"SQLite format 3\0" + b"x" * 4096)
    assert "(source_" in run("sources", "--store", str(broken)).stdout


def test_doctor_reads_everything_and_counts_what_it_could_not(home: Path) -> None:
    well = run("doctor")
    assert well.exit_code == 0
    assert "(3 user" in well.stdout
    assert well.stdout.count("everything was read") == 2
    path = next(home.glob(".claude/projects/*/*1.jsonl"))
    with path.open("ab") as file:
        file.write(b'{"torn\n{"type": "novel", "said": "some words of the zebra"}\n')
    ill = run("doctor", "--source", "claude-code")
    assert ill.exit_code == 1
    assert "Records that are no JSON object were left out. (1)" in ill.stdout
    assert "unknown type hold text" in ill.stdout
    assert "zebra" not in ill.output


def test_nothing_is_written_into_the_home(home: Path) -> None:
    def state() -> dict[str, tuple[int, bytes]]:
        return {
            str(path): (path.stat().st_mtime_ns, path.read_bytes() if path.is_file() else b"")
            for path in sorted(home.rglob("*"))
        }

    before = state()
    for arguments in (["search", "zebra"], ["grep", "zebra"], ["sources"], ["doctor"]):
        assert run(*arguments).exit_code == 0
    assert state() == before


def test_the_shell_can_complete() -> None:
    asked = {"_HARKBACK_COMPLETE": "bash_source"}
    shown = CliRunner().invoke(command, [], prog_name="harkback", env=asked)
    assert "complete" in shown.output
