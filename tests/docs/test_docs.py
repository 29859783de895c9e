"""What the documents show works, what they name exists, where they point there is something."""

from __future__ import annotations

import inspect
import json
import re
import shlex
import tomllib
from collections.abc import Iterator
from pathlib import Path
from typing import Any, get_args

import pytest
from click import Context
from click.testing import CliRunner

from docs.readme_command import commands
from harkback import FactStore, Recall, Store, config
from harkback.cli.command import command
from harkback.materials import REASONS
from harkback.model import KINDS, MATERIAL_KINDS, GapCode

ROOT = Path(__file__).parents[2]
DOCUMENTS = [*sorted(ROOT.glob("*.md")), *sorted((ROOT / "docs").glob("*.md"))]
TEXTS = {file.relative_to(ROOT).as_posix(): file.read_text(encoding="utf-8") for file in DOCUMENTS}
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
FOLDERS = ("python/", "rust/", "tests/", "benches/", "docs/", ".ci/")
#: Words that belong to SQLite, to Python or to the records of a transcript.
OTHERS = {"readonly_shm", "max_tokens"}
#: Flags in these documents are examples of transcripts, or of other programs.
FOREIGN_FLAGS = {"docs/redaction.md", "docs/claude_code.md", "CONTRIBUTING.md"}
by_name = pytest.mark.parametrize("name", TEXTS)


def blocks(text: str, language: str) -> list[str]:
    return re.findall(rf"^```{language}\n(.*?)^```", text, re.DOTALL | re.MULTILINE)


def spans(text: str) -> list[str]:
    """The inline code of a document."""
    prose = re.sub(r"^```.*?^```", "", text, flags=re.DOTALL | re.MULTILINE)
    return re.findall(r"`([^`\n]+)`", prose)


def words_of_the_code() -> set[str]:
    files = [*(ROOT / "python").rglob("*.py"), *(ROOT / "rust").rglob("*.rs")]
    shipped = (file for file in files if not file.name.startswith("fold_table"))
    text = "\n".join(file.read_text(encoding="utf-8") for file in shipped)
    return set(re.findall(r"\w+", text))


def table(text: str, heading: str) -> list[str]:
    """First cells of the rows under a heading, in order."""
    section = text.split(f"\n## {heading}", 1)[1].split("\n## ", 1)[0]
    return re.findall(r"^\| (`.+?`) \|", section, re.MULTILINE)


def test_the_commands_that_the_readme_promises() -> None:
    assert [each.strip() for each in commands()] == [
        "python3 -m venv .venv && .venv/bin/pip install . && .venv/bin/harkback demo",
        ".venv/bin/pip install -r tests/requirements.txt && .venv/bin/pytest",
    ]


def run(name: str) -> None:
    """Every Python example of a document, in one folder, one after another, as of one module."""
    module: dict[str, Any] = {"__name__": "example"}
    for example in blocks(TEXTS[name], "python"):
        exec(compile(example, name, "exec"), module)


def test_the_examples_for_hosts_run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    assert len(blocks(TEXTS["docs/hosts.md"], "python")) == 11
    run("docs/hosts.md")


def test_the_examples_of_facts_run(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    assert len(blocks(TEXTS["docs/facts.md"], "python")) == 2
    run("docs/facts.md")
    shown = capsys.readouterr().out
    assert shown.startswith("The project uses uv, never pip.\n")
    assert "| Please never use pip here, we have uv." in shown


def test_the_page_of_materials_shows_what_its_example_prints(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    run("docs/materials.md")
    assert (
        capsys.readouterr().out.strip() == blocks(TEXTS["docs/materials.md"], "console")[0].strip()
    )


def test_the_page_of_materials_names_every_reason_and_kind() -> None:
    cells = {
        cell.strip("`") for cell in re.findall(r"^\| (`\w+`) \|", TEXTS["docs/materials.md"], re.M)
    }
    assert set(REASONS) | {"text", "image", "unsupported"} <= cells
    assert {f"`{kind}`" for kind in MATERIAL_KINDS} <= set(
        re.findall("`[a-z]+`", TEXTS["docs/materials.md"])
    )


def test_the_readme_shows_what_its_example_prints(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """What a model reads, then what a person sees, each as it stands there."""
    monkeypatch.chdir(tmp_path)
    run("README.md")
    first, _, answer = capsys.readouterr().out.partition("\n")
    assert first == "Flaky arm64 build ('retry limit',)"
    drawn, read, *_ = blocks(TEXTS["README.md"], "console")
    assert undated(answer) == undated(read)
    asked, _, seen = drawn.partition("\n")
    result = CliRunner().invoke(command, shlex.split(asked)[2:])
    assert result.exit_code == 0
    assert undated(result.output) == undated(seen)


def undated(text: str) -> str:
    """Words alone, without what is another on every run: times, anchors, where the store lies."""
    text = re.sub(r"\d{4}-\d\d-\d\d[T ][\d:.]+Z?|\d+(?:\.\d)? m?s\b", "TIME", text)
    text = re.sub(r"\b[0-9a-f]{32}\b", "ANCHOR", text)
    return " ".join(re.sub(r"/\S*history\.sqlite", "STORE", text).split())


@by_name
def test_links_lead_somewhere(name: str) -> None:
    for target in re.findall(r"\]\(([^)\s]+)\)", TEXTS[name]):
        if not target.startswith(("http:", "https:")):
            path, _, heading = target.partition("#")
            place = (ROOT / name).parent / path if path else ROOT / name
            assert place.exists(), target
            if heading:
                assert heading in headings(place.read_text(encoding="utf-8")), target


def headings(text: str) -> Iterator[str]:
    for title in re.findall(r"^#+ (.+)$", text, re.MULTILINE):
        yield re.sub(r"[^\w -]", "", title.lower()).replace(" ", "-")


@by_name
def test_paths_exist(name: str) -> None:
    for span in spans(TEXTS[name]):
        if span.startswith(FOLDERS) and " " not in span:
            assert (ROOT / span).exists(), span


@by_name
def test_names_stand_in_the_code(name: str, known: set[str]) -> None:
    """Among them every error reason and Gap code."""
    for span in spans(TEXTS[name]):
        if re.fullmatch(r"[a-z]+(_[a-z]+)+", span):
            assert span in known, span


@pytest.fixture(scope="module")
def known() -> set[str]:
    return words_of_the_code() | OTHERS


@pytest.mark.parametrize("name", ["README.md", "SECURITY.md", "docs/hosts.md", "docs/formats.md"])
def test_a_gap_code_is_called_by_its_name(name: str) -> None:
    """A word that looks like a code of a family is one."""
    families = "outside|archived|active|host|deadline|hits|term"
    endings = "excluded|scope|declined|shown|unreadable|damaged|failed|incomplete|shortened"
    for span in spans(TEXTS[name]):
        if re.fullmatch(rf"({families})_({endings})|\w+_({endings})", span):
            assert span in get_args(GapCode), span


@by_name
def test_options_of_the_command_exist(name: str) -> None:
    helps = {sub: help_of(sub) for sub in command.list_commands(Context(command))}
    for block in blocks(TEXTS[name], "console"):
        for line in re.findall(r"^\$ harkback (.+)$", block, re.MULTILINE):
            sub, *rest = shlex.split(line)
            for option in (each for each in rest if each.startswith("--")):
                assert option in helps[sub], line
    if name not in FOREIGN_FLAGS:
        every = set().union(*helps.values())
        for span in spans(TEXTS[name]):
            if span.startswith(("--", "harkback ")):
                assert set(re.findall(r"--[\w-]+", span)) <= every, span


def help_of(sub: str) -> set[str]:
    shown = CliRunner().invoke(command, [sub, "--help"])
    assert shown.exit_code == 0
    return set(re.findall(r"--[\w-]+", shown.output))


def test_hosts_names_every_argument_in_order() -> None:
    hosts = TEXTS["docs/hosts.md"]
    named = (Recall.search, Recall.more, Recall.material, Recall.grep, Recall.compaction_pointer)
    methods = [(f"`Recall.{m.__name__}(", m) for m in named]
    for heading, method in [("`Recall(", Recall.__init__), *methods]:
        cells = " ".join(table(hosts, heading))
        assert re.findall(r"`(\w+)`", cells) == list(inspect.signature(method).parameters)[1:]
    for kind in KINDS:
        assert f"`{kind}`" in hosts


def test_hosts_names_every_field_of_the_json(tmp_path: Path) -> None:
    with Store.create(tmp_path / "runtime.sqlite") as store:
        parent = store.session("parent")
        session = store.session("title", project="/srv", parent=parent.id)
        turn = session.turn()
        turn.user("zebra " * 300)
        turn.assistant("zebra")
        session.turn().stream().append("zebra")
    with FactStore.create(tmp_path / "memory.sqlite") as facts:
        facts.remember("zebra", kind="note")
    with Recall(tmp_path, facts=[tmp_path]) as recall:
        answer = recall.search(["zebra"], explain=True, limit=1)
    named = set(re.findall(r"\w+", " ".join(spans(TEXTS["docs/hosts.md"]))))
    assert fields(json.loads(answer.to_json())) <= named


def fields(value: Any) -> set[str]:
    if isinstance(value, dict):
        return set(value).union(*map(fields, value.values()))
    return set().union(*map(fields, value)) if isinstance(value, list) else set()


def test_architecture_lists_the_layers_of_the_contract() -> None:
    layers = PROJECT["tool"]["importlinter"]["contracts"][0]["layers"]
    contract = [name for layer in reversed(layers) for name in layer.split(" | ")]
    listed = [cell.strip("`") for cell in table(TEXTS["docs/architecture.md"], "Layers")]
    stages = [name for name in listed if name.startswith("harkback.")]
    assert sorted(stages[:3]) == sorted(contract[:3])  # two of these stand side by side
    assert stages[3:] == contract[3:]
    files = (ROOT / "python/harkback/sources/sqlite").glob("[a-z]*.py")
    assert sorted(set(listed) - set(stages)) == sorted(file.stem for file in files)


def test_architecture_gives_a_reason_for_every_dependency() -> None:
    named = {cell.strip("`") for cell in table(TEXTS["docs/architecture.md"], "Dependencies")}
    cargo: set[str] = set()
    for crate in ("core", "python"):
        manifest = tomllib.loads((ROOT / f"rust/{crate}/Cargo.toml").read_text(encoding="utf-8"))
        cargo |= set(manifest["dependencies"]) - {"harkback-core"}
    wanted = PROJECT["project"]["dependencies"] + PROJECT["project"]["optional-dependencies"]["mcp"]
    python = {re.split(r"[<>=]", each)[0] for each in wanted}
    assert {name for name in named if "sqlite3" not in name} == cargo | python


def test_numbers_are_those_of_the_code() -> None:
    for number in (config.TEXT_BUDGET, config.JSON_BUDGET):
        assert f"{number:,}" in TEXTS["README.md"]
    hosts = TEXTS["docs/hosts.md"]
    for name in ("TEXT", "TEXT_PASSAGES", "TEXT_GAPS", "JSON", "JSON_PASSAGES", "JSON_GAPS"):
        assert f"{getattr(config, name + '_BUDGET'):,}" in hosts
    for number in (config.TEXT_FACTS_BUDGET, config.JSON_FACTS_BUDGET, config.MAX_FACTS):
        assert f" {number:,} " in hosts + TEXTS["docs/facts.md"]
    for name in ("TEXT_MATERIALS", "JSON_MATERIALS"):
        assert f"{getattr(config, name + '_BUDGET'):,}" in hosts
    assert f"1 to {config.MAX_TERMS} literals of at most {config.MAX_TERM_CODE_POINTS} " in hosts
    cargo = tomllib.loads((ROOT / "Cargo.toml").read_text(encoding="utf-8"))
    assert f"Rust toolchain, {cargo['workspace']['package']['rust-version']} " in TEXTS["README.md"]
    assert f"Python {PROJECT['project']['requires-python'].strip('>=')} " in TEXTS["README.md"]
