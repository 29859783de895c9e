"""Files on the command line: listed, shown, written for their owner alone."""

from __future__ import annotations

import json
import os
import re
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from harkback.cli.command import command
from support.artifacts import artifact, attached, prompt, stored
from support.pictures import png
from support.stores import StoreBuilder

KEY = "gh" + "p_" + "a1B2c3D4" * 5
PICTURE = png(75, 100)


@pytest.fixture
def store(tmp_path: Path) -> Path:
    folder = tmp_path / "history"
    folder.mkdir()
    builder = StoreBuilder(folder / "runtime.sqlite")
    builder.session("s")
    notes = f"note\x1b[31m one\nuse {KEY} here\n".encode() * 1000
    listed = [
        attached("notes.txt", len(notes), stored("s", artifact(builder, "s", "n", notes, id="n"))),
        attached(
            "a.png",
            len(PICTURE),
            stored("s", artifact(builder, "s", "p", PICTURE, id="p")),
            "image",
            "image/png",
        ),
        attached("away.txt", 1, {"kind": "external_file", "absolutePath": "/etc/passwd"}),
    ]
    prompt(builder, "s", "zebra", *listed, *listed, *listed)
    builder.close()
    return builder.path


def run(store: Path, *arguments: str) -> Result:
    return CliRunner().invoke(command, [*arguments, "--store", str(store)])


def names(store: Path) -> list[str]:
    found = run(store, "search", "zebra")
    assert "1 more file" in found.output
    lines = re.findall(r"material ([0-9a-f]{32}): (\S+),", found.output)
    assert [name for _, name in lines[:3]] == ["notes.txt", "a.png", "away.txt"]
    return [name for name, _ in lines]


def test_a_text_is_shown_whole_and_harmless(store: Path) -> None:
    name = names(store)[0]
    found = run(store, "show", name, "--material")
    assert found.exit_code == 0
    assert found.stdout.count("use [redacted] here") == 1000
    assert "\x1b" not in found.stdout
    assert "a1B2c3D4" not in found.output
    shown = json.loads(run(store, "show", name, "--material", "--json").stdout)
    assert shown["text"].count("[redacted]") == 1000


def test_an_image_is_only_told_of_and_written_when_asked(store: Path, tmp_path: Path) -> None:
    name, target = names(store)[1], tmp_path / "new.png"
    found = run(store, "show", name, "--material")
    assert "It is an image: --output FILE writes it." in found.stdout
    assert "about 10 tokens" not in found.stdout  # which takes its pixels
    found = run(store, "show", name, "--material", "--output", str(target))
    assert found.exit_code == 0
    assert "about 10 tokens" in found.stdout
    assert target.read_bytes() == PICTURE
    if os.name == "posix":
        assert target.stat().st_mode & 0o777 == 0o600


def test_nothing_is_written_over_or_through_a_link(store: Path, tmp_path: Path) -> None:
    name, target, link = names(store)[0], tmp_path / "old.txt", tmp_path / "link.txt"
    target.write_text("mine")
    link.symlink_to(tmp_path / "elsewhere.txt")
    for path in (target, link):
        found = run(store, "show", name, "--material", "--output", str(path))
        assert found.exit_code != 0
        assert "Traceback" not in found.output
    assert target.read_text() == "mine"
    assert not (tmp_path / "elsewhere.txt").exists()
    written = tmp_path / "new.txt"
    assert run(store, "show", name, "--material", "--output", str(written)).exit_code == 0
    assert written.read_text().count("[redacted]") == 1000


def test_what_cannot_be_had(store: Path, tmp_path: Path) -> None:
    name, target = names(store)[2], tmp_path / "new.txt"
    assert "where nothing is read" in run(store, "show", name, "--material").stdout
    assert run(store, "show", name, "--material", "--output", str(target)).exit_code == 1
    assert not target.exists()
    missing = run(store, "show", "0" * 32, "--material")
    assert "not_found" in missing.output
    assert run(store, "show", name, "--output", str(target)).exit_code == 2
