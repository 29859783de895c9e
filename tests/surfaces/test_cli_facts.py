"""The command shows the facts that lie beside a host's store, and says when it cannot."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from harkback.cli.command import command
from support.memory import MemoryBuilder
from support.stores import StoreBuilder


def search(*arguments: str) -> Result:
    return CliRunner().invoke(command, ["search", *arguments])


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    host = StoreBuilder(tmp_path / "runtime.sqlite")
    host.session("s", name="Of animals")
    event = host.text("s", "the zebra was here")
    host.close()
    memory = MemoryBuilder(tmp_path / "memory.sqlite")
    memory.fact("The zebra \x1b[31mis striped.", kind="note", sources=[("s", "turn-1", event)])
    memory.fact("An okapi is not.", keys=["quagga"])
    memory.close()
    return tmp_path


def test_facts_stand_above_the_passages(folder: Path) -> None:
    for path in (folder, folder / "runtime.sqlite"):
        found = search("zebra", "--store", str(path))
        assert found.exit_code == 0
        facts, _, rest = found.output.partition("Of animals")
        head, about, content, *_ = facts.splitlines()
        assert head == "Facts"
        assert about.startswith("  note · 2026-")
        assert "is striped." in content
        assert "\x1b" not in found.output
        assert "the zebra was here" in rest
        assert "1 fact, 1 passage · 1 session searched" in rest
        anchor = about.rsplit(" ", 1)[1]
        shown = CliRunner().invoke(command, ["show", anchor, "--store", str(path)])
        assert "the zebra was here" in shown.output


def test_a_fact_alone_is_something_found(folder: Path) -> None:
    found = search("quagga", "--store", str(folder))
    assert found.exit_code == 0
    assert "1 fact · 1 session searched" in found.output
    sent = json.loads(search("quagga", "--store", str(folder), "--json").output)
    assert [fact["content"] for fact in sent["facts"]] == ["An okapi is not."]


def test_memory_files(folder: Path) -> None:
    (folder / "AGENTS.md").write_text("- A zebra of the project.\n", encoding="utf-8")
    arguments = ("zebra", "--store", str(folder), "--memory-files", str(folder))
    found = search(*arguments, "--memory-files", str(folder / "."))
    assert found.exit_code == 0
    assert "- A zebra of the project." in found.output
    assert "AGENTS.md" in found.output
    assert "2 facts, 1 passage" in found.output


def test_facts_that_cannot_be_read_are_missed(folder: Path) -> None:
    (folder / "memory.sqlite").write_bytes(b"not a database " * 400)
    found = search("quagga", "--store", str(folder))
    assert found.exit_code == 2
    assert "facts_unavailable" in found.stderr
    (folder / "memory.sqlite").unlink()
    assert search("quagga", "--store", str(folder)).exit_code == 1
