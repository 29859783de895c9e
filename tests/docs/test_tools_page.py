"""What docs/tools.md shows works, and what it says of the tools is so."""

from __future__ import annotations

import inspect
import json
import re
import tomllib
from pathlib import Path

import pytest

from harkback import config
from harkback.tools import TOOLS, ToolAnswer, Toolset, adapters
from support import documented

ROOT = Path(__file__).parents[2]
TEXT = documented.PAGE.read_text(encoding="utf-8")


def rows(heading: str) -> list[str]:
    """First cells of the first table under a heading, without what marks them as code."""
    section = TEXT.split(f"\n{heading}\n", 1)[1].split("\n#", 1)[0]
    cells = re.findall(r"^\| (`.+?`(?:, `.+?`)*) \|", section, re.MULTILINE)
    return re.findall(r"`([\w.]+)(?:\(\))?`", " ".join(cells))


def test_the_examples_run(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    own = [each for each in documented.EXAMPLES if each not in documented.OF_ADAPTERS]
    assert (len(own), len(documented.OF_ADAPTERS)) == (4, 6)
    names = documented.run(own, {"__name__": "example"})
    names["recall"].close()
    shown = capsys.readouterr().out
    assert "Recall " in shown
    assert "| $ twine upload --sign dist/*" in shown
    assert len(own[1].splitlines()) <= 30


def test_the_log_of_the_example_is_as_long_as_it_says() -> None:
    said = re.search(r"that it quotes is ([\d,]+) characters", TEXT)
    assert said is not None
    assert int(said[1].replace(",", "")) == len("uploading...\n" * 10_000)


@pytest.mark.parametrize("spec", TOOLS, ids=lambda spec: spec.name)
def test_every_argument_of_a_tool(spec) -> None:
    assert rows(f"### `{spec.name}`") == list(spec.schema["properties"])


def test_every_argument_of_a_toolset() -> None:
    parameters = list(inspect.signature(Toolset).parameters)[1:]
    assert rows("## Grants") == parameters
    heading = re.search(r"^`Toolset\(recall, \*, (.+)\)`$", TEXT, re.MULTILINE)
    assert heading is not None
    assert re.findall(r"(\w+)=", heading[1]) == parameters


def test_every_part_of_an_answer() -> None:
    named = rows("## Answers")
    assert all(name in dir(ToolAnswer("")) for name in named)
    error = ToolAnswer.failed("time_range", "since lies after until; swap them or drop one.")
    assert f"`{error.text.strip()}`" in TEXT
    assert all(f"`{key}`" in TEXT for key in json.loads(json.dumps(error.to_dict())))


def test_every_adapter_and_its_extra() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
    extras = project["project"]["optional-dependencies"]
    table = re.findall(r"^\| `(\w+)` \| `([\w-]+)` \| (?:`|the same)", TEXT, re.MULTILINE)
    modules = {f.stem for f in Path(adapters.__path__[0]).glob("[a-z]*.py")}
    assert {module for module, _ in table} == modules
    assert {extra for _, extra in table} <= set(extras)


def test_numbers_are_those_of_the_code() -> None:
    for number in (config.TEXT_BUDGET, config.JSON_BUDGET):
        assert f"{number:,}" in TEXT
    assert f"1 to {config.MAX_TERMS} literals of at most {config.MAX_TERM_CODE_POINTS} " in TEXT
    assert f"1 to {config.MAX_LIMIT}; {config.DEFAULT_LIMIT} if left out" in TEXT
    sides = f"0 to {config.MAX_NEIGHBOURS_EACH_SIDE}; {config.MAX_NEIGHBOURS_EACH_SIDE} if left out"
    assert sides in TEXT
