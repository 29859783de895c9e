"""The leak check on what gives out text beside a search: reading on, grep, pointers, `redact`."""

from __future__ import annotations

import asyncio
import json
import os
import threading
from collections.abc import Iterator
from pathlib import Path

import pytest
from click.testing import CliRunner

from harkback import HarkbackError, QueryError, Recall
from harkback.cli.command import command
from harkback.engine import Engine
from support.capture import Files, listening, told
from support.leaks import assert_silent
from support.planting import SHAPES, WORD, Garden


def readings(recall: Recall, anchor: str) -> Iterator[str]:
    """Everything that can be read on from an anchor, page by page, in both forms."""
    for view in ("turn", "audit", "scroll"):
        cursor = None
        for _ in range(6):
            found = recall.more(anchor, view=view, cursor=cursor)
            yield found.text() + found.to_json() + repr(found)
            cursor = found.cursor
            if cursor is None:
                break


def test_reading_on_from_every_anchor(engine: Engine, garden: Garden, files: Files) -> None:
    with listening() as heard, Recall(garden.path, engine=engine.name) as recall:
        passages = recall.search([WORD], limit=None).passages
        chosen = passages if engine.name == "native" else passages[::3]
        pages = [page for passage in chosen for page in readings(recall, passage.anchor)]
        assert len(pages) > 3 * len(chosen) - 3
        assert any("[redacted]" in page for page in pages)
        with pytest.raises(QueryError) as caught:
            recall.more("0" * 32)
    surfaces = {"pages": "\n".join(pages), "error": told(caught.value), "elsewhere": heard.text()}
    assert_silent(surfaces | files.changed(), garden)


@pytest.mark.parametrize("context", [0, 2, None])
def test_grep(engine: Engine, garden: Garden, files: Files, context: int | None) -> None:
    with (
        listening() as heard,
        Recall(garden.path, engine=engine.name) as recall,
        recall.grep([WORD, "lorem"], context=context) as grep,
    ):
        matches = list(grep.matches())
        shown = repr(matches) + repr(grep.gaps())
    assert len(matches) > len(SHAPES)
    assert_silent({"matches": shown, "elsewhere": heard.text()} | files.changed(), garden)


def test_grep_answers_a_part_of_a_secret_like_a_word_that_is_nowhere(
    engine: Engine, garden: Garden
) -> None:
    def asked(term: str) -> tuple[object, ...]:
        with recall.grep([term]) as grep:
            return list(grep.matches()), grep.gaps()

    with Recall(garden.path, engine=engine.name) as recall:
        nowhere = asked("qzvkxwqz")
        for planted in [*garden][:: 1 if engine.name == "native" else 9]:
            assert asked(planted.secret[5:13]) == nowhere, planted.channel
            assert asked(planted.secret[-8:].strip()) == nowhere, planted.channel


@pytest.mark.parametrize("options", [(), ("--json",), ("--report",), ("--check", "--report")])
def test_the_command_that_cleans_a_text(garden: Garden, tmp_path: Path, options) -> None:
    text = "\n\n".join(garden.planted[f"text {shape}"].text for shape in SHAPES)
    file = tmp_path / "notes.txt"
    file.write_text(text, encoding="utf-8")
    for arguments, given in (((os.fspath(file),), None), ((), text)):
        found = CliRunner().invoke(command, ["redact", *options, *arguments], input=given)
        assert found.exit_code in (0, 1)
        assert found.output
        assert_silent({"out": found.stdout, "err": found.stderr}, garden)


def test_a_source_that_goes_away_between_two_questions(
    engine: Engine, garden: Garden, tmp_path: Path
) -> None:
    copy = tmp_path / "copy.sqlite"
    copy.write_bytes(garden.path.read_bytes())
    with Recall(copy, engine=engine.name) as recall:
        anchor = recall.search([WORD]).passages[0].anchor
        for content in (b"", b"SQLite format 3\0" + b"\xa5" * 8000, None):
            if content is None:
                copy.unlink()
            else:
                copy.write_bytes(content)
            for ask in (lambda: recall.more(anchor), lambda: recall.search([WORD])):
                with pytest.raises(HarkbackError) as caught:
                    ask()
                assert_silent(told(caught.value), garden)


def test_pointing_to_every_session(engine: Engine, garden: Garden, files: Files) -> None:
    """Ids, titles and Turns hold secrets; a Session that is not there is asked for by one."""
    with listening() as heard, Recall(garden.path, engine=engine.name) as recall:
        with recall._group.sources[0].view(recall._engine) as view:
            sessions = [session.id for session in view.sessions().sessions]
        pointers = [recall.compaction_pointer(session) for session in sessions]
        with pytest.raises(QueryError) as caught:
            recall.compaction_pointer("nowhere")
    shown = [p.text() + json.dumps(p.to_dict(), ensure_ascii=False) + repr(p) for p in pointers]
    assert len(shown) > len(SHAPES)
    assert any("[redacted]" in each for each in shown)
    surfaces = {"pointers": "\n".join(shown), "error": told(caught.value)}
    assert_silent(surfaces | {"elsewhere": heard.text()} | files.changed(), garden)


def test_awaiting_and_giving_up(engine: Engine, garden: Garden, files: Files) -> None:
    """Whenever it is cancelled: the error, its chain, and the variables that it shows."""

    class After(threading.Event):
        def __init__(self, looks: int) -> None:
            super().__init__()
            self.looks = looks

        def is_set(self) -> bool:
            self.looks -= 1
            return self.looks < 0

    async def ask(recall: Recall, looks: int) -> HarkbackError | None:
        try:
            await recall.asearch([WORD, "lorem"], cancel=After(looks))
        except HarkbackError as error:
            return error
        return None

    surfaces: dict[str, str] = {}
    with Recall(garden.path, engine=engine.name, memory_bytes=0) as recall:
        for looks in range(0, 400, 7 if engine.name == "native" else 40):
            with listening() as heard:
                error = asyncio.run(ask(recall, looks))
            surfaces[f"{looks} elsewhere"] = heard.text()
            if error is None:
                break
            assert error.reason == "cancelled"
            surfaces[f"{looks} error"] = told(error)
        reading = asyncio.run(recall.amore(recall.search([WORD]).passages[0].anchor))
        surfaces["reading"] = reading.text() + reading.to_json()
    assert len(surfaces) > 10
    assert_silent({"all": "\n".join(surfaces.values())} | files.changed(), garden)
