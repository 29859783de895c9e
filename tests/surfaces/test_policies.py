"""A host's policy through the whole product: its rules, names, finders and excluded projects.

The same on both engines and on every path, in passages, windows, titles, terms and gaps.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable
from pathlib import Path as FilePath

import pytest
from click.testing import CliRunner

from harkback import DEFAULT_POLICY, Policy, QueryError, Recall, Rule, Store, UsageError
from harkback.cli.command import command
from harkback.engine import Engine
from harkback.verification import Path

CASE = "CASE-" + "20417"


class CaseNumbers:
    """What no rule knows: the numbers of a firm's cases."""

    id = "case-number"
    version = "1"

    def __call__(self, text: str) -> Iterable[tuple[int, int]]:
        return (match.span() for match in re.finditer(r"CASE-\d+", text))


class Fails:
    """Cannot cope with one kind of text."""

    id = "fragile"
    version = "1"

    def __call__(self, text: str) -> Iterable[tuple[int, int]]:
        if "unreadable" in text:
            raise ValueError(text)
        return []


@pytest.fixture(params=[Path.FULL, Path.NARROWED, Path.RESIDENT, Path.AUTO])
def path(request: pytest.FixtureRequest) -> Path:
    value: Path = request.param
    return value


@pytest.fixture
def store(tmp_path: FilePath) -> FilePath:
    file = tmp_path / "runtime.sqlite"
    with Store.create(file) as writer, writer.batch():
        turn = writer.session(f"About {CASE}", "/srv/law", started_at=1).turn()
        turn.user(f"What of {CASE} and the zebra?", at=2)
        call = turn.tool_call("Bash", {"command": f"open {CASE}", "password": "zebra"}, at=3)
        turn.tool_result(call, "x " * 900 + f"{CASE} zebra {CASE}" + " y" * 900, at=4)
        turn.assistant("An unreadable zebra, number 7.", at=5)
        other = writer.session("Elsewhere", "/srv/shop", started_at=1).turn()
        other.user("The zebra is in stock.", at=6)
        other.assistant("An unreadable shelf.", at=7)
    return file


def opened(store: FilePath, engine: Engine, path: Path, **options: object) -> Recall:
    recall = Recall(store, engine=engine.name, **options)  # type: ignore[arg-type]
    recall._path = path
    return recall


def test_a_finder_is_heard_everywhere(store: FilePath, engine: Engine, path: Path) -> None:
    policy = DEFAULT_POLICY.add(CaseNumbers())
    with opened(store, engine, path, policy=policy) as recall:
        for _ in range(3):
            answer = recall.search(["zebra", "20417", "CASE"], limit=None)
            assert CASE not in answer.text() + answer.to_json() + repr(answer)
            assert "About [redacted]" in answer.text()
            assert {p.matched_terms for p in answer.passages} == {("zebra",)}
            texts = [m.text for p in answer.passages for m in p.messages]
            assert "What of [redacted] and the zebra?" in texts
            for passage in answer.passages:
                for message in passage.messages:
                    assert {message.text[a:b] for a, b in message.spans} <= {"zebra"}
        with pytest.raises(QueryError) as caught:
            recall.search([f"of {CASE}"])
        assert caught.value.reason == "term_credential"


def test_paths_and_engines_answer_alike(store: FilePath) -> None:
    policy = DEFAULT_POLICY.add(CaseNumbers(), Fails())
    answers = set()
    for engine in ("native", "reference"):
        for path in Path:
            with Recall(store, engine=engine, policy=policy) as recall:
                recall._path = path
                answers |= {recall.search(["zebra", "number"]).to_json() for _ in range(3)}
    assert len(answers) == 1


def test_a_finder_that_fails_hides_its_text_and_is_told(
    store: FilePath, engine: Engine, path: Path
) -> None:
    with opened(store, engine, path, policy=DEFAULT_POLICY.add(Fails())) as recall:
        answer = recall.search(["zebra"], limit=None)
        assert "unreadable" not in answer.text()
        (gap,) = (gap for gap in answer.gaps if gap.code == "finder_failed")
        assert gap.count == 2
        with pytest.raises(UsageError) as caught:
            recall.search(["unreadable"])
        assert caught.value.reason == "finder_failed"
        # Only beside a Hit: else the count would tell which Sessions the raw scan offered.
        nothing = recall.search(["shelf"])
        assert not nothing.passages
        assert "finder_failed" not in {gap.code for gap in nothing.gaps}


def test_a_finder_that_gives_no_spans_ends_the_search(
    store: FilePath, engine: Engine, path: Path
) -> None:
    def broken(text: str) -> object:
        return [("a", "b")] if "zebra" in text and "What" in text else []

    broken.id, broken.version = "broken", "1"  # type: ignore[attr-defined]
    policy = DEFAULT_POLICY.add(broken)  # type: ignore[arg-type]
    with opened(store, engine, path, policy=policy) as recall:
        with pytest.raises(UsageError) as caught:
            recall.search(["zebra"])
        assert caught.value.reason == "finder_invalid"


def test_rules_names_and_removals(store: FilePath, engine: Engine, path: Path) -> None:
    rule = Rule("case", "run", ("case-",), "Case number", "CASE-[0-9]", run="0-9")
    plain, ruled = Policy(()), Policy((rule,)).add_names("password")
    shown = []
    for policy in (plain, ruled, ruled.remove("case")):
        with opened(store, engine, path, policy=policy) as recall:
            answer = recall.search(["zebra"], limit=None)
            shown.append((CASE in answer.text(), len(answer.passages)))
            commands = [m.text for p in answer.passages for m in p.messages if "Bash" in m.text]
            assert all(("zebra" in text) == (policy is plain) for text in commands)
    assert shown == [(True, 2), (False, 2), (True, 2)]


def test_excluded_projects_are_never_searched(store: FilePath, engine: Engine, path: Path) -> None:
    with opened(store, engine, path, exclude_projects=["/srv/la*"]) as recall:
        for _ in range(3):
            answer = recall.search(["zebra"], limit=None)
            assert [p.session.title for p in answer.passages] == ["Elsewhere"]
            assert "project_excluded (1)" in answer.text()
            assert answer.searched.sessions == 1
            assert not answer.searched.every_session
            assert not recall.search(["Bash"]).passages
            with recall.grep(["zebra"]) as found:
                assert {match.session.title for match in found.matches()} == {"Elsewhere"}
    with opened(store, engine, path) as recall:
        anchors = {p.session.title: p.anchor for p in recall.search(["zebra"]).passages}
    with opened(store, engine, path, exclude_projects=["/srv/la*"]) as recall:
        for title, anchor in anchors.items():
            if title == "Elsewhere":
                assert recall.more(anchor).passage.anchor == anchor
            else:
                with pytest.raises(QueryError):
                    recall.more(anchor)


def test_a_host_may_exclude_all_of_them(store: FilePath, engine: Engine, path: Path) -> None:
    with opened(store, engine, path, exclude_projects=["/srv"], eligible=lambda s: True) as recall:
        answer = recall.search(["zebra"])
        assert not answer.passages
        assert {gap.code: gap.count for gap in answer.gaps}["project_excluded"] == 2
    with pytest.raises(UsageError) as caught:
        Recall(store, exclude_projects="/srv")
    assert caught.value.reason == "projects_invalid"


def test_the_command_searches_by_its_config_file(
    store: FilePath, tmp_path: FilePath, engine: Engine, monkeypatch: pytest.MonkeyPatch
) -> None:
    config = tmp_path / "config.toml"
    monkeypatch.setenv("HARKBACK_CONFIG", str(config))
    monkeypatch.setenv("HARKBACK_ENGINE", engine.name)

    def search(term: str, code: int) -> str:
        result = CliRunner().invoke(command, ["search", term, "--json", "--store", str(store)])
        assert result.exit_code == code
        return result.stdout if code < 2 else result.stderr

    config.write_text("[projects]\nexclude = ['law']\n")
    answer = json.loads(search("zebra", 0))
    assert {p["session"]["project"] for p in answer["passages"]} == {"/srv/shop"}
    answer = json.loads(search("Bash", 1))
    assert {"project_excluded": 1}.items() <= {
        g["code"]: g.get("count") for g in answer["gaps"]
    }.items()
    config.write_text(
        "[[redaction.rules]]\nid='case'\nkind='run'\nkeywords=['case-']\nreason='Case'\n"
        "shape='CASE-[0-9]'\nrun='0-9'\n"
    )
    assert CASE not in search("zebra", 0)
    assert "(term_credential)" in search(CASE, 2)
    config.write_text("[redaction]\nstrict = 'yes'\n")
    assert "(settings_invalid)" in search("zebra", 2)
