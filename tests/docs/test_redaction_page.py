"""What docs/redaction.md and the README show of policies, the command and the config file works."""

from __future__ import annotations

import re
import shlex
import tomllib
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner

from docs.test_docs import TEXTS, blocks
from harkback import DEFAULT_POLICY
from harkback.cli.command import command
from harkback.settings import load

PAGE = TEXTS["docs/redaction.md"]
PIPED = re.compile(r"^\$ printf '([^']*)' \| harkback (.+)\n((?:[^$].*\n)*)", re.MULTILINE)


def test_the_example_of_a_policy_makes_one() -> None:
    (example,) = blocks(PAGE, "python")
    made: dict[str, Any] = {"__name__": "example"}
    exec(compile(example, "docs/redaction.md", "exec"), made)
    from harkback.engine import load as load_engine

    shown = made["policy"].bind(load_engine()).clean("badge-00412 CASE-7 userSessionPin=a1b2")
    assert shown == "[redacted] [redacted] userSessionPin=[redacted]"


@pytest.mark.parametrize(("name", "count"), [("docs/redaction.md", 2), ("README.md", 1)])
def test_the_command_prints_what_is_shown(name: str, count: int) -> None:
    shown = PIPED.findall("".join(blocks(TEXTS[name], "console")))
    assert len(shown) == count
    for given, arguments, printed in shown:
        text = given.replace("\\n", "\n")
        result = CliRunner().invoke(command, shlex.split(arguments), input=text)
        assert result.exit_code == 0
        assert unversioned(result.stdout + result.stderr) == unversioned(printed)


def unversioned(text: str) -> str:
    return re.sub(r"policy [0-9a-f]{12}", "policy VERSION", text)


def test_the_config_file_is_one(tmp_path: Path) -> None:
    (example,) = blocks(PAGE, "toml")
    file = tmp_path / "config.toml"
    file.write_text(example, encoding="utf-8")
    read = load(file)
    assert len(tomllib.loads(example)["projects"]["exclude"]) == len(read.exclude_projects) == 3
    assert "badge-number" in read.policy.ids
    assert "name:session-pin" in read.policy.ids
    assert len(read.policy.ids) == len(DEFAULT_POLICY.ids) - 1 + 3
