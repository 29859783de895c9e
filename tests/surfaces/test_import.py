"""``import harkback`` costs next to nothing; everything public is there when it is asked for."""

from __future__ import annotations

import subprocess
import sys

import pytest

import harkback


def loaded_by(statement: str) -> set[str]:
    code = f"import sys\n{statement}\nprint(*sys.modules)"
    done = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, timeout=60, check=True
    )
    return set(done.stdout.split())


def test_import_alone_loads_no_stage():
    loaded = loaded_by("import harkback")
    assert {name for name in loaded if name.startswith("harkback")} == {"harkback"}


@pytest.mark.parametrize(
    "statement",
    [
        "from harkback import *",
        "import harkback; harkback.Recall(memory_bytes=0)",
        "import harkback; from harkback.tools import Toolset; Toolset(harkback.Recall())",
    ],
)
def test_heavy_modules_stay_at_the_edge(statement):
    heavy = {"asyncio", "click", "mcp", "numpy", "rich"}
    assert not heavy & loaded_by(statement)


def test_who_has_no_cache_does_not_load_one():
    loaded = loaded_by("import harkback; harkback.Recall(memory_bytes=0)")
    assert "harkback.corpus" in loaded
    assert not {"harkback.cache", "sqlite3"} & loaded


def test_every_public_name():
    assert {*harkback._HOMES, "__version__"} == set(harkback.__all__)
    for name in harkback.__all__:
        assert getattr(harkback, name) is not None
        assert name in dir(harkback)


def test_unknown_name():
    with pytest.raises(AttributeError, match="no attribute"):
        harkback.nothing_of_this_name  # noqa: B018


def test_the_version_of_the_command_loads_no_stage():
    """A command pays for itself, not for its neighbours."""
    loaded = loaded_by(
        "import sys\nfrom harkback.cli import main\nsys.argv = ['harkback', '--version']\n"
        "try: main()\nexcept SystemExit: pass"
    )
    known = {"harkback", "harkback.cli", "harkback.cli.command", "harkback.cli.neutral"}
    assert {name for name in loaded if name.startswith("harkback.")} <= known | {"harkback.errors"}
