"""``harkback search``: exit codes, reasons, and the answer as JSON."""

from __future__ import annotations

import json
import sqlite3
from contextlib import closing

import pytest
from click.testing import CliRunner

from harkback import Recall, Store
from harkback.cli.command import command
from harkback.cli.search import MISSED, outcome
from harkback.envelope import Envelope
from harkback.model import Gap, Searched


def run(*arguments: str):
    return CliRunner().invoke(command, ["search", *arguments])


@pytest.fixture
def store(tmp_path):
    path = tmp_path / "runtime.sqlite"
    with Store.create(path) as writer, writer.batch():
        for number in range(12):
            turn = writer.session(f"Session {number}", "/home/lin/atlas").turn()
            turn.user(f"Why does the zebra job {number} fail?", at=1_700_000_000_000 + number)
            turn.assistant("模型 answered, the ZEBRA job is green.", at=1_700_000_100_000 + number)
        archived = writer.session("Put away", archived=True).turn()
        archived.user("A quokka was here.")
    return path


def damage(path):
    with closing(sqlite3.connect(path)) as connection, connection:
        connection.execute(
            r"UPDATE runtime_events SET payload_json = '{\"torn\": \"\u12' WHERE session_id ="
            " (SELECT session_id FROM runtime_events WHERE payload_json LIKE '%zebra%' LIMIT 1)"
        )


def answer(*codes, passages=()):
    gaps = tuple(Gap(code, "") for code in codes)
    return Envelope(passages, gaps, Searched(1, 1, None, every_session=True))


def test_found(store):
    result = run("zebra", "--store", str(store))
    assert result.exit_code == 0
    assert "Session 9\n/home/lin/atlas · " in result.stdout
    assert "8 passages" in result.stdout
    assert result.stderr == ""


def test_folder_of_a_store(store):
    assert run("zebra", "--store", str(store.parent)).exit_code == 0


def test_a_store_named_twice_is_searched_once(store):
    result = run("模型", "--all", "--json", "--store", str(store), "--store", str(store.parent))
    assert result.exit_code == 0
    assert len(json.loads(result.stdout)["passages"]) == 12


def test_two_stores_are_told_apart(store, tmp_path):
    other = tmp_path / "other.sqlite"
    with Store.create(other) as writer:
        writer.session("Elsewhere").turn().user("zebra crossing")
    result = run("zebra", "--all", "--store", str(store), "--store", str(other))
    assert result.exit_code == 0
    assert str(other) in result.stdout
    assert "Elsewhere" in result.stdout


def test_nothing_found_although_everything_was_searched(store):
    result = run("okapi", "--store", str(store))
    assert result.exit_code == 1
    assert "term_without_match" in result.stdout
    assert result.stderr == ""


def test_archived_is_scope_and_named(store):
    result = run("quokka", "--store", str(store))
    assert result.exit_code == 1
    assert "archived_excluded (1)" in result.stdout


def test_nothing_found_in_what_could_be_searched(store):
    damage(store)
    result = run("okapi", "--store", str(store))
    assert result.exit_code == 2
    assert "record_damaged" in result.stderr
    assert run("zebra", "--store", str(store)).exit_code == 0


@pytest.mark.parametrize("code", sorted(MISSED))
def test_whatever_was_missed_forbids_a_plain_no(code):
    assert outcome(answer(code)) == 2
    assert outcome(answer(code, "hits_not_shown")) == 0


@pytest.mark.parametrize(
    "code", ["archived_excluded", "fast_path_declined", "not_searched", "stream_in_flight"]
)
def test_scope_and_method_do_not(code):
    assert outcome(answer(code)) == 1


def test_json_is_the_answer_as_sent(store):
    result = run("zebra", "模型", "--json", "--store", str(store))
    with Recall(store) as recall:
        assert result.stdout == recall.search(["zebra", "模型"]).to_json() + "\n"


def test_limit_all_and_sort(store):
    def shown(*arguments: str) -> list[dict]:
        result = run("zebra", "--json", "--store", str(store), *arguments)
        return json.loads(result.stdout)["passages"]

    assert len(shown("--limit", "3")) == 3
    assert len(shown()) == 8
    assert len(shown("--all")) == 12
    newest = [passage["session"]["title"] for passage in shown("--sort", "newest", "--all")]
    assert newest == [f"Session {number}" for number in reversed(range(12))]


def test_explain(store):
    result = run("zebra", "--limit", "1", "--explain", "--store", str(store))
    assert "idf" in result.stdout
    assert "limit: message" in result.stdout
    (passage,) = json.loads(
        run("zebra", "--limit", "1", "--explain", "--json", "--store", str(store)).stdout
    )["passages"]
    assert passage["explanation"]["value"] == pytest.approx(passage["score"], abs=1e-4)


KEY = "gh" + "p_" + "x9Y8" * 9


@pytest.mark.parametrize(
    ("terms", "reason"),
    [
        (["a"] * 2 + list("bcdefghi"), "too_many_terms"),
        ([" "], "term_empty"),
        (["z" * 501], "term_too_long"),
        ([KEY], "term_credential"),
    ],
)
def test_refused_questions(store, terms, reason):
    result = run(*terms, "--store", str(store))
    assert result.exit_code == 2
    assert result.stdout == ""
    assert f"({reason})" in result.stderr
    assert len(result.stderr.splitlines()) == 1
    assert KEY not in result.stderr


def test_places_that_are_no_store(tmp_path):
    text = tmp_path / "notes.txt"
    text.write_text("zebra\n" * 400, encoding="utf-8")
    empty = tmp_path / "empty.sqlite"
    empty.touch()
    for place, reason in (
        (tmp_path / "nowhere", "source_missing"),
        (tmp_path, "source_not_a_store"),
        (text, "source_damaged"),
        (empty, "source_not_a_store"),
    ):
        result = run("zebra", "--store", str(place))
        assert result.exit_code == 2
        assert f"({reason})" in result.stderr
        assert str(place) in result.stderr
        assert "Traceback" not in result.stderr


@pytest.mark.parametrize(
    "arguments",
    [
        [],
        ["--store", "x"],
        ["zebra", "--store", "x", "--limit", "26"],
        ["zebra", "--store", "x", "--limit", "0"],
        ["zebra", "--store", "x", "--limit", "3", "--all"],
        ["zebra", "--store", "x", "--sort", "oldest"],
    ],
)
def test_usage_errors(arguments):
    result = run(*arguments)
    assert result.exit_code == 2
    assert result.stdout == ""
    assert "Usage:" in result.stderr


@pytest.mark.parametrize("name", ["", "search", "demo"])
def test_help_fits_80_columns(name):
    for flag in ("-h", "--help"):
        result = CliRunner().invoke(command, [*name.split(), flag])
        assert result.exit_code == 0
        assert max(map(len, result.stdout.splitlines())) <= 80


def test_help_says_what_the_exit_codes_mean():
    shown = run("--help").stdout
    for code in "012":
        assert f"\n    {code}  " in shown
