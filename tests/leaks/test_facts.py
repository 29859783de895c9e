"""Facts through the leak check, and that no part of a secret changes what is found."""

from __future__ import annotations

import random
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner

from harkback import FactStore, MemoryFiles, Recall
from harkback.cli.command import command
from harkback.engine import Engine
from support.capture import Files, listening, reprs, told
from support.leaks import Planted, assert_silent, seen
from support.memory import MemoryBuilder
from support.planting import BARE, SHAPES, WORD, make

FILLER = " lorem ipsum" * 100


@pytest.fixture(scope="session")
def facts(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, list[Planted]]:
    """A folder with a memory.sqlite and memory files, a secret in everything they hold."""
    folder = tmp_path_factory.mktemp("facts")
    dice = random.Random(7)
    planted: list[Planted] = []

    def secret(channel: str, shape: str | None = None) -> str:
        name = shape or sorted(BARE)[len(planted) % len(BARE)]
        planted.append(make(name, dice, channel))
        return planted[-1].text

    memory = MemoryBuilder(folder / "memory.sqlite")
    memory.db.execute("PRAGMA ignore_check_constraints=1")
    for shape in SHAPES:
        memory.fact(f"{WORD} before {secret(f'content {shape}', shape)} behind")
    memory.fact(f"{WORD}{FILLER} {secret('far behind')}{FILLER} {WORD}")
    memory.fact(f"{WORD} key", keys=[f"{WORD} {secret('key')} tail", secret("key alone")])
    memory.fact(f"{WORD} id", item_id=f"{secret('item id')}")
    memory.fact(f"{WORD} kind", kind=secret("kind"))
    memory.fact(f"{WORD} workspace", scope_key=secret("workspace"))
    memory.fact(f"{WORD} archived {secret('archived')}", lifecycle_state="archived")
    memory.fact(f"{WORD} old {secret('outside time')}", observed_at=1)
    sources = [(secret("session"), secret("turn"), secret("event"))]
    memory.fact(f"{WORD} evidence", sources=sources)
    memory.fact(b"\xff", kind=b"x")
    memory.close()
    page = "\n\n".join(f"{WORD} {secret(f'file {shape}', shape)}" for shape in SHAPES)
    heading = f"# {WORD} {secret('heading')}\n\n- {WORD} item {secret('file item')}\n"
    (folder / "AGENTS.md").write_text(page + "\n\n" + heading, encoding="utf-8")
    return folder, planted


def ways(engine: Engine, folder: Path) -> Iterator[tuple[str, Any]]:
    with Recall(engine=engine.name, facts=[folder, MemoryFiles(folder)]) as recall:
        for terms in ([WORD], [WORD, "before", "lorem"], ["behind"], ["tail", "item"]):
            for limit in (None, 8):
                for _ in range(2):
                    answer = recall.search(terms, limit=limit, since=2, explain=True)
                    yield f"{terms} {limit} text", answer.text()
                    yield f"{terms} {limit} json", answer.to_json()
                    yield f"{terms} {limit} repr", repr(answer)
        yield "objects", reprs([recall, recall._facts, *recall._facts._held.values()])


def test_answers(engine: Engine, facts: tuple[Path, list[Planted]], files: Files) -> None:
    folder, planted = facts
    with listening() as heard:
        surfaces = dict(ways(engine, folder))
    surfaces["elsewhere"] = heard.text()
    assert surfaces[f"{[WORD]} None text"].count("fact, ") > 2 * len(SHAPES)
    assert_silent(surfaces | files.changed(), planted)
    assert files.changed() == {}


def test_the_check_sees_them_where_nothing_is_redacted(
    facts: tuple[Path, list[Planted]],
) -> None:
    folder, planted = facts
    raw = b"\n".join(file.read_bytes() for file in folder.iterdir())
    seen_channels = {leak.channel for leak in seen({"raw": raw}, planted)}
    assert seen_channels == {each.channel for each in planted}


def test_no_part_of_a_secret_changes_an_answer(
    engine: Engine, facts: tuple[Path, list[Planted]]
) -> None:
    folder, planted = facts

    def asked(term: str) -> dict[str, Any]:
        answer = recall.search([term]).to_dict()
        for gap in answer["gaps"]:
            gap["message"] = gap["message"].replace(term, "")
        return answer

    with Recall(engine=engine.name, facts=[folder, MemoryFiles(folder)]) as recall:
        nowhere = asked("qzvkxwqz")
        for each in planted:
            for part in (each.secret[5:13], each.secret[-8:].strip(), each.secret[2:6]):
                assert asked(part) == nowhere, each.channel
        for term in (f"{WORD} gh", "key alone"):
            assert not asked(term)["facts"]


def test_the_command(facts: tuple[Path, list[Planted]], tmp_path: Path) -> None:
    from support.stores import StoreBuilder

    folder, planted = facts
    store = tmp_path / "runtime.sqlite"
    StoreBuilder(store).close()
    (tmp_path / "memory.sqlite").write_bytes((folder / "memory.sqlite").read_bytes())
    for options in ((), ("--json",), ("--all",)):
        found = CliRunner().invoke(command, ["search", WORD, "--store", str(store), *options])
        assert found.exit_code == 0
        assert "before" in found.output
        assert_silent({"out": found.stdout, "err": found.stderr}, planted)


def test_errors_and_files_of_the_writer(
    engine: Engine, tmp_path: Path, facts: tuple[Path, list[Planted]]
) -> None:
    _, planted = facts
    surfaces: dict[str, str | bytes] = {}
    with FactStore.create(tmp_path / "memory.sqlite", engine=engine.name) as store:
        for number, each in enumerate(planted):
            store.remember(f"{WORD} {number} {each.text}", kind="note", keys=[each.text])
        surfaces["objects"] = reprs([store])
    surfaces |= {file.name: file.read_bytes() for file in tmp_path.iterdir()}
    assert_silent(surfaces, planted)


def test_a_store_that_breaks_tells_nothing(
    engine: Engine, facts: tuple[Path, list[Planted]], tmp_path: Path
) -> None:
    folder, planted = facts
    whole = (folder / "memory.sqlite").read_bytes()
    torn = tmp_path / "memory.sqlite"
    surfaces: dict[str, str] = {}
    codes: set[str] = set()
    for at in range(0, len(whole), 4096 * (3 if engine.name == "native" else 9)):
        torn.write_bytes(whole[:at] + b"\xa5" * 4096 + whole[at + 4096 :])
        with listening() as heard, Recall(engine=engine.name, facts=[torn]) as recall:
            answer = recall.search([WORD], limit=None)
            codes |= {gap.code for gap in answer.gaps}
            surfaces[f"{at}"] = answer.text() + answer.to_json() + heard.text()
    assert "facts_unavailable" in codes
    assert_silent(surfaces, planted)


def test_an_error_of_the_search_tells_nothing(
    engine: Engine, facts: tuple[Path, list[Planted]]
) -> None:
    folder, planted = facts
    with Recall(engine=engine.name, facts=[folder]) as recall:
        recall.search([WORD])
        recall.close()
        with pytest.raises(Exception) as caught:  # noqa: PT011  # whatever it is
            recall.search([WORD])
        assert_silent(told(caught.value), planted)
