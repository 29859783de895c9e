"""Memory files of a project: what is one fact, and that nothing beside them is read."""

from __future__ import annotations

import os
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from harkback import MemoryFiles, Recall
from harkback.config import MAX_MEMORY_FILE_BYTES
from harkback.engine import Engine
from harkback.facts.files import blocks
from support.memory import ask, contents, gaps
from support.stores import tree

SECRET = "gh" + "p_" + "Q7zK9mB2xV4nL8pR1tW6yC3dF5gH0jS2aE4u"

PAGE = """\
A first paragraph
over two lines.

# Building

Run `make`.
Then wait.

- one item
  goes on
  - nested

  and on
- another item
1. numbered

## Tests #

```sh
pytest

pytest -x
# no heading
```
Setext
======
@other.md
"""


def split(text: str) -> list[tuple[str, str]]:
    return [(text[block.start : block.end], block.heading) for block in blocks(text)]


def test_paragraphs_items_and_fences() -> None:
    assert split(PAGE) == [
        ("A first paragraph\nover two lines.", ""),
        ("# Building\n\nRun `make`.\nThen wait.", "Building"),
        ("- one item\n  goes on\n  - nested", "Building"),
        ("  and on", "Building"),
        ("- another item", "Building"),
        ("1. numbered", "Building"),
        (
            "## Tests #\n\n```sh\npytest\n\npytest -x\n# no heading\n```"
            "\nSetext\n======\n@other.md",
            "Tests",
        ),
    ]


@pytest.mark.parametrize("text", ["", "\n\n", " \t\n"])
def test_nothing(text: str) -> None:
    assert split(text) == []


def test_headings_alone_and_unclosed_fences() -> None:
    assert split("# A\n# B\n") == [("# A", "A"), ("# B", "B")]
    assert split("```\na\n\nb") == [("```\na\n\nb", "")]
    assert split("~~~\n```\n\na\n~~~\n\nb") == [("~~~\n```\n\na\n~~~", ""), ("b", "")]


@given(st.text(alphabet="ab# -\n\r\u2028`~1.", max_size=60))
def test_every_character_but_white_space_is_in_one_block(text: str) -> None:
    at = 0
    for block in blocks(text):
        assert at <= block.start < block.end <= len(text)
        assert not text[at : block.start].strip()
        at = block.end
    assert not text[at:].strip()


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    home = tmp_path / "shop"
    home.mkdir()
    (home / "CLAUDE.md").write_text("\ufeff" + PAGE, encoding="utf-8")
    (home / "AGENTS.md").write_text("Deploys need a zebra.\r\n\r\n- quagga\r\n", encoding="utf-8")
    (home / "README.md").write_text("zebra of the readme", encoding="utf-8")
    (home / "other.md").write_text("zebra of an import", encoding="utf-8")
    return home


def test_facts_of_files(engine: Engine, folder: Path) -> None:
    os.utime(folder / "AGENTS.md", ns=(0, 1_600_000_000_123_456_789))
    answer = ask(engine, "zebra", facts=[MemoryFiles(folder)])
    (fact,) = answer.facts
    assert (fact.id, fact.kind, fact.scope, fact.source) == (
        "AGENTS.md#1",
        "note",
        "file",
        "AGENTS.md",
    )
    assert fact.content == "Deploys need a zebra."
    assert fact.observed_at == fact.updated_at == 1_600_000_000_123
    assert gaps(answer) == {}
    assert "fact, note, from AGENTS.md, 2020-09-13T12:26:40.123Z" in answer.text()
    # By the heading above it.
    found = contents(ask(engine, "build", facts=[MemoryFiles(folder)]))
    assert "- another item" in found
    assert found[0].startswith("# Building")


def test_all_four_names_and_a_folder_without_any(engine: Engine, tmp_path: Path) -> None:
    for name in ("CLAUDE.md", "CLAUDE.local.md", "AGENTS.md", "MEMORY.md", "memory.md.bak"):
        (tmp_path / name).write_text(f"zebra in {name}", encoding="utf-8")
    found = ask(engine, "zebra", facts=[MemoryFiles(tmp_path)]).facts
    assert {fact.source for fact in found} == {
        "CLAUDE.md",
        "CLAUDE.local.md",
        "AGENTS.md",
        "MEMORY.md",
    }
    empty = tmp_path / "empty"
    empty.mkdir()
    answer = ask(engine, "zebra", facts=[MemoryFiles(empty)])
    assert (answer.facts, gaps(answer)) == ((), {})
    assert gaps(ask(engine, "zebra", facts=[MemoryFiles(tmp_path / "no")])) == {
        "facts_unavailable": 1
    }


def test_nothing_outside_the_folder(engine: Engine, folder: Path) -> None:
    outside = folder.parent / "secret.md"
    outside.write_text("zebra outside", encoding="utf-8")
    (folder / "MEMORY.md").symlink_to(outside)
    (folder / "inside.md").write_text("zebra inside", encoding="utf-8")
    (folder / "CLAUDE.local.md").symlink_to(folder / "inside.md")
    answer = ask(engine, "zebra", facts=[MemoryFiles(folder)])
    assert sorted(contents(answer)) == ["Deploys need a zebra.", "zebra inside"]
    assert gaps(answer) == {"source_incomplete": 1}


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="there are no pipes by name here")
def test_pipes_folders_and_files_that_are_too_long(engine: Engine, folder: Path) -> None:
    os.mkfifo(folder / "MEMORY.md")
    (folder / "CLAUDE.local.md").mkdir()
    answer = ask(engine, "zebra", facts=[MemoryFiles(folder)])
    assert contents(answer) == ["Deploys need a zebra."]
    assert gaps(answer) == {"source_incomplete": 2}
    with (folder / "AGENTS.md").open("ab") as file:
        file.write(b"z" * MAX_MEMORY_FILE_BYTES)
    answer = ask(engine, "zebra", facts=[MemoryFiles(folder)])
    assert answer.facts == ()
    assert gaps(answer) == {"source_incomplete": 3}


def test_a_secret_over_several_blocks_is_taken_out_of_each(engine: Engine, folder: Path) -> None:
    key = "-----BEGIN RSA PRIVATE" + " KEY-----\n" + "\n\n".join("k" * 60 for _ in range(4))
    page = (
        f"zebra before\n\n{key}\n\n- quokka\n\n-----END RSA PRIVATE" + " KEY-----\n\nzebra behind"
    )
    (folder / "AGENTS.md").write_text(page, encoding="utf-8")
    facts = [MemoryFiles(folder)]
    assert contents(ask(engine, "zebra", facts=facts)) == ["zebra before", "zebra behind"]
    assert ask(engine, "quokka", facts=facts).facts == ()
    assert ask(engine, "kkkkkk", facts=facts).facts == ()


def test_an_excluded_project(engine: Engine, folder: Path) -> None:
    answer = ask(engine, "zebra", facts=[MemoryFiles(folder)], exclude_projects=["shop"])
    assert answer.facts == ()
    assert gaps(answer) == {"project_excluded": 1}


def test_a_change_is_seen_and_nothing_is_written(engine: Engine, folder: Path) -> None:
    with Recall(engine=engine.name, facts=[MemoryFiles(folder)]) as recall:
        for text in ("zebra one", "zebra two"):
            (folder / "AGENTS.md").write_text(text, encoding="utf-8")
            before = tree(folder)
            assert contents(recall.search(["zebra"])) == [text]
            assert tree(folder) == before


def test_bytes_that_are_no_text(engine: Engine, folder: Path) -> None:
    (folder / "AGENTS.md").write_bytes(b"zebra \xff\x00 " + SECRET.encode())
    (shown,) = contents(ask(engine, "zebra", facts=[MemoryFiles(folder)]))
    assert shown == "zebra \ufffd\ufffd [redacted]"
