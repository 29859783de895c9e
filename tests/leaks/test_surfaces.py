"""Nothing that leaves the process shows a planted secret: answers, output, errors, logs, files.

The store holds a secret in every place that text comes from (``support.planting``); every surface
is searched for all of them (``support.leaks``), and each is made to show what it can.
"""

from __future__ import annotations

import os
import sqlite3
import subprocess
import sys
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path as FilePath

import pytest

import harkback
from harkback import HarkbackError, QueryError, Recall, SqliteSource
from harkback.engine import Engine
from harkback.model import KINDS, Session
from harkback.verification import Path
from support.capture import Files, listening, reprs, stacks, told
from support.leaks import assert_silent
from support.planting import SHAPES, WORD, Garden
from support.writers import live

#: Questions that bring up every place, alone and beside each other.
TERMS = ([WORD], [WORD, "before", "lorem"], ["behind"], ["password", "curl"])
PATHS = (Path.FULL, Path.NARROWED, Path.RESIDENT, Path.AUTO)


def answers(recall: Recall) -> Iterator[tuple[str, str]]:
    """Every form of the answers to some questions, by name."""
    for number, terms in enumerate(TERMS):
        for limit, options in (
            (None, {"kinds": KINDS, "explain": True}),
            (8, {"order": "newest"}),
            (25, {"explain": True}),
        ):
            answer = recall.search(terms, limit=limit, **options)
            yield f"{number}, {limit}: text", answer.text()
            yield f"{number}, {limit}: json", answer.to_json()
            yield f"{number}, {limit}: repr", repr(answer)


@pytest.mark.parametrize("path", PATHS)
def test_answers_and_whatever_making_them_writes(
    engine: Engine, garden: Garden, files: Files, path: Path
) -> None:
    with listening() as heard, Recall(garden.path, engine=engine.name) as recall:
        recall._path = path
        surfaces = dict(answers(recall))
        surfaces["objects"] = reprs([recall, *recall._group.sources, recall._corpus])
    assert surfaces["0, None: text"].count("\n[") >= len(SHAPES)
    surfaces["elsewhere"] = heard.text()
    assert_silent(surfaces | files.changed(), garden)
    assert files.changed() == {}


def test_a_store_in_use_and_one_left_unclean(
    engine: Engine, garden: Garden, files: Files, tmp_path: FilePath
) -> None:
    """Read through the writer's shared memory, then from a private copy, gone when it is open."""
    copy = tmp_path / "copy.sqlite"
    copy.write_bytes(garden.path.read_bytes())
    with live(copy) as writer:
        writer.execute("UPDATE session_metadata SET has_unread = 1")
        files = Files(files.folders)
        surfaces = {"in use": _asked(copy, engine)}
        assert_silent(surfaces | files.changed(), garden)
    FilePath(f"{copy}-shm").unlink()  # what a crash leaves
    files = Files(files.folders)
    surfaces = {"unclean": _asked(copy, engine)}
    assert files.changed() == {}
    assert_silent(surfaces, garden)


def _asked(store: FilePath, engine: Engine) -> str:
    with listening() as heard, Recall(store, engine=engine.name) as recall:
        answer = recall.search([WORD], limit=None)
    assert len(answer.passages) > len(SHAPES)
    return answer.text() + answer.to_json() + heard.text()


def test_the_command(garden: Garden, files: Files) -> None:
    surfaces: dict[str, bytes] = {}
    for options in ([], ["--json"], ["--explain", "--all"], ["--all", "--json"], ["--sort=newest"]):
        found = command("search", WORD, "lorem", "--store", os.fspath(garden.path), *options)
        assert found.returncode == 0
        assert len(found.stdout) > 1500
        surfaces[f"{options} out"], surfaces[f"{options} err"] = found.stdout, found.stderr
    found = command("search", "nowheretobefound", "--store", os.fspath(garden.path))
    assert found.returncode == 1
    surfaces["nothing found"] = found.stdout + found.stderr
    assert_silent(surfaces | files.changed(), garden)
    assert files.changed() == {}


def command(*arguments: str) -> subprocess.CompletedProcess[bytes]:
    return subprocess.run(
        [sys.executable, "-X", "dev", "-m", "harkback", *arguments],
        capture_output=True,
        timeout=120,
        check=False,
    )


def test_the_command_refuses_a_secret_without_repeating_it(garden: Garden) -> None:
    for shape in ("github", "environment", "escaped"):  # each is a process; below, all are asked
        planted = garden.planted[f"text {shape}"]
        found = command("search", "--store", os.fspath(garden.path), "--", planted.text.strip())
        assert found.returncode == 2
        assert b"(term_credential)" in found.stderr
        assert_silent({"out": found.stdout, "err": found.stderr}, [planted])


def test_a_refused_term_is_in_no_word_of_the_error(engine: Engine, garden: Garden) -> None:
    with Recall(garden.path, engine=engine.name) as recall:
        for planted in garden:
            for options in ({"terms": [planted.text]}, {"question": f"find {planted.text} now"}):
                with pytest.raises(QueryError) as caught:
                    recall.search(**options)
                error = caught.value
                said = (str(error), repr(error), repr(error.args), repr(vars(error)))
                assert_silent("\n".join(said), [planted])
                assert error.__cause__ is error.__context__ is None


def test_a_host_that_looks_inside_sees_stacks_without_text(engine: Engine, garden: Garden) -> None:
    seen: list[str] = []

    def eligible(session: Session) -> bool:
        seen.append(stacks())
        raise RuntimeError(session.title)  # fails closed, and what it said is not repeated

    with listening() as heard, Recall(garden.path, engine=engine.name, eligible=eligible) as recall:
        answer = recall.search([WORD])
    assert seen
    assert answer.passages == ()
    surfaces = {"stacks": "".join(seen), "answer": answer.text(), "elsewhere": heard.text()}
    assert_silent(surfaces, garden)


class _Failing(sqlite3.Connection):
    """Fails with the words of a database that quotes data, at the statement it is told to."""

    countdown = 0
    words = ""

    def execute(self, *arguments, **options):
        _Failing.countdown -= 1
        if _Failing.countdown == 0:
            raise sqlite3.OperationalError(f"malformed JSON near {_Failing.words}")
        return super().execute(*arguments, **options)


def test_whichever_statement_fails_nothing_is_told(engine: Engine, garden: Garden) -> None:
    """Every seventh statement of a first search fails; on the slow engine, every 21st."""
    _Failing.words = garden.planted["assistant"].secret
    surfaces: dict[str, str] = {}
    for failing in range(1, 2000, 7 if engine.name == "native" else 21):
        _Failing.countdown = failing
        source = SqliteSource(garden.path, name="store", connect=lambda: _connect(garden.path))
        with listening() as heard, Recall(source, engine=engine.name) as recall:
            try:
                surfaces[f"{failing} answer"] = recall.search([WORD]).to_json()
            except HarkbackError as error:
                surfaces[f"{failing} error"] = told(error)
        surfaces[f"{failing} elsewhere"] = heard.text()
        if _Failing.countdown > 0:
            break
    assert _Failing.countdown > 0
    assert failing > 100
    assert any(name.endswith("error") for name in surfaces)
    assert_silent({"all": "\n".join(surfaces.values())}, garden)


def _connect(path: FilePath) -> sqlite3.Connection:
    return sqlite3.connect(
        f"file:{path}?mode=ro", uri=True, factory=_Failing, check_same_thread=False
    )


def test_damage_in_the_middle_of_a_store(
    engine: Engine, garden: Garden, tmp_path: FilePath
) -> None:
    """Pages are overwritten one after another; SQLite's own words are not passed on."""
    whole = garden.path.read_bytes()
    page = 4096
    torn = tmp_path / "torn.sqlite"
    surfaces: dict[str, str] = {}
    for at in range(0, len(whole), page * (7 if engine.name == "native" else 21)):
        torn.write_bytes(whole[:at] + b"\xa5" * page + whole[at + page :])
        with listening() as heard, closing(Recall(torn, engine=engine.name)) as recall:
            try:
                answer = recall.search([WORD], limit=None)
                surfaces[f"{at} answer"] = answer.text() + answer.to_json()
            except HarkbackError as error:
                surfaces[f"{at} error"] = told(error)
        surfaces[f"{at} elsewhere"] = heard.text()
    assert any(name.endswith("error") for name in surfaces)
    assert_silent(surfaces, garden)


def test_public_objects_show_no_text(garden: Garden) -> None:
    """What a person gets from an object by printing it; a Session is the host's to look at."""
    with Recall(garden.path) as recall:
        answer = recall.search([WORD])
        source = SqliteSource(garden.path)
        with source.view(recall._engine) as view:
            view.sessions()
            objects = [recall, source, view, recall._redaction, recall._redaction.policy, answer]
            assert_silent(reprs(objects), garden)
        source.close()
    assert set(harkback.__all__) >= {"Recall", "SqliteSource", "Envelope", "Policy"}
