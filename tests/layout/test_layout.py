"""The rules of the tree: short files, headers that name a proof which exists, one fold."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
PACKAGE = ROOT / "python" / "harkback"
MAX_LINES = 400
GENERATED = {
    PACKAGE / "reference" / "fold_table.py",
    ROOT / "rust" / "core" / "src" / "fold_table.rs",
}
#: Modules that only gather, declare or carry data; what they gather has its own proof.
WITHOUT_PROOF = {"__init__.py", "__main__.py", "schema.py", "lib.rs", "error.rs", "tests.rs"}
FOLDERS = ("python/harkback", "rust/core", "rust/python/src", "tests", "benches")


def sources(*suffixes: str) -> Iterator[Path]:
    for folder in FOLDERS:
        for file in sorted((ROOT / folder).rglob("*")):
            if file.suffix in suffixes and not {".venv", "target", "data"} & set(file.parts):
                yield file


def header(file: Path) -> str:
    """The docstring of a Python module, the ``//!`` lines of a Rust one."""
    text = file.read_text(encoding="utf-8")
    if file.suffix == ".py":
        return ast.get_docstring(ast.parse(text)) or ""
    lines = re.match(r"(//!.*\n)*", text)
    return "" if lines is None else re.sub("^//! ?", "", lines[0], flags=re.MULTILINE)


def shipped() -> list[Path]:
    """Modules of the package and of both crates that are written by hand."""
    own = (PACKAGE, ROOT / "rust")
    return [
        f for f in sources(".py", ".rs") if f not in GENERATED and any(map(f.is_relative_to, own))
    ]


def named(file: Path) -> str:
    return str(file.relative_to(ROOT))


@pytest.mark.parametrize("file", [*sources(".py", ".rs", ".pyi")], ids=named)
def test_no_file_is_long(file: Path) -> None:
    lines = len(file.read_text(encoding="utf-8").splitlines())
    assert file in GENERATED or lines <= MAX_LINES


@pytest.mark.parametrize("file", shipped(), ids=named)
def test_every_module_says_what_it_is(file: Path) -> None:
    assert header(file)


@pytest.mark.parametrize("file", shipped(), ids=named)
def test_every_module_names_a_proof_that_exists(file: Path) -> None:
    said = " ".join(header(file).split())
    data = file.parent.name == "rules" or file.parent == ROOT / "rust" / "python" / "src"
    if file.name not in WITHOUT_PROOF and not data and file.name != "generate_fold_table.py":
        assert re.search(r"Proof|test", said)
    for path in re.findall(r"\b(?:tests|docs|benches)/[\w/]*\w(?:\.\w+)?", said):
        assert (ROOT / path).exists(), path


def test_searched_text_is_lowered_nowhere_but_in_the_fold() -> None:
    """``str.lower`` knows a final sigma, and neither it nor ``casefold`` is frozen."""
    for file in PACKAGE.rglob("*.py"):
        if not file.is_relative_to(PACKAGE / "reference"):
            for node in ast.walk(ast.parse(file.read_text(encoding="utf-8"))):
                if isinstance(node, ast.Attribute):
                    assert node.attr not in ("lower", "casefold"), f"{named(file)}:{node.lineno}"


def test_nothing_opens_a_database_file_but_sqlite() -> None:
    """Closing a descriptor of a database drops the locks of every connection of the process."""
    for file in (PACKAGE / "sources" / "sqlite").rglob("*.py"):
        for node in ast.walk(ast.parse(file.read_text(encoding="utf-8"))):
            if isinstance(node, ast.Call):
                called = node.func
                name = called.id if isinstance(called, ast.Name) else getattr(called, "attr", "")
                place = f"{named(file)}:{node.lineno}"
                assert name not in ("open", "read_bytes", "read_text", "copyfile"), place


def test_only_engine_py_knows_that_there_are_two_engines() -> None:
    """What import-linter cannot see: the extension has no source, and imports may be strings."""
    for file in PACKAGE.rglob("*.py"):
        if file.name != "engine.py" and not file.is_relative_to(PACKAGE / "reference"):
            assert not re.search(r"\b_native\b|harkback\.reference", file.read_text("utf-8")), file
    for file in (PACKAGE / "reference").rglob("*.py"):
        assert "_native" not in file.read_text("utf-8")
