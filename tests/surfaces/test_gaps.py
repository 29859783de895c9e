"""Every Gap code there is comes out of a question to a history that gives reason for it."""

from __future__ import annotations

import sqlite3
from collections.abc import Callable, Iterable
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NoReturn, get_args

import pytest

from harkback import DEFAULT_POLICY, Gap, MemoryStore, Recall, Session, SourceError, SqliteSource
from harkback.engine import Engine
from harkback.model import GapCode
from harkback.sources.transcripts import files
from harkback.sources.transcripts.claude_code import ClaudeCode
from harkback.sources.transcripts.source import TranscriptSource
from support import plain
from support.asking import WORD, good
from support.claude_rows import FOLDER, Chain
from support.opencode import OpenCodeBuilder, TreeBuilder
from support.plain import Plain, unprivileged
from support.speaking import Speaking, said
from support.stores import BASE_MS, StoreBuilder
from support.transcripts import lines
from support.writers import Process

#: Code and count of a Gap.
Told = dict[str, int | None]


@dataclass
class Place:
    """Where a scenario is set up, and how it asks."""

    engine: Engine
    folder: Path
    patch: pytest.MonkeyPatch

    def builder(self) -> StoreBuilder:
        return StoreBuilder(self.folder / "runtime.sqlite")

    def ask(self, *sources: Any, wiring: dict[str, Any] | None = None, **options: Any) -> Told:
        with Recall(*sources, engine=self.engine.name, **(wiring or {})) as recall:
            answer = recall.search([WORD], **options)
        told = {gap["code"]: gap.get("count") for gap in answer.to_dict()["gaps"]}
        assert all(f"\n- {code}" in answer.text() for code in told)
        return told

    def plain(self, *records: bytes, **others: bytes) -> TranscriptSource:
        plain.write(self.folder, "a", *records)
        for ending, content in others.items():
            (self.folder / "p" / f"a.{ending}").write_bytes(content)
            plain.settle(self.folder / "p" / f"a.{ending}")
        return TranscriptSource(Plain(), self.folder)


def here(name: str = "here", **more: Any) -> Speaking:
    return Speaking({"s": [said("m", WORD)]}, name=name, **more)


SCENARIOS: dict[str, Callable[[Place], Told]] = {}
COUNTS: dict[str, Any] = {}


def scenario(code: GapCode, count: Any) -> Callable[[Callable[[Place], Told]], None]:
    """Registers how a Gap comes about, and what it counts then."""

    def register(ask: Callable[[Place], Told]) -> None:
        SCENARIOS[code], COUNTS[code] = ask, count

    return register


# --- Sources ---


@scenario("not_searched", None)
def _(place: Place) -> Told:
    return place.ask(here())


@scenario("facts_unavailable", 1)
def _(place: Place) -> Told:
    return place.ask(here(), wiring={"facts": [MemoryStore(place.folder / "gone.sqlite")]})


@scenario("source_failed", 1)
def _(place: Place) -> Told:
    return place.ask(here(), SqliteSource(place.folder / "gone.sqlite"))


@scenario("source_unreadable", 1)
def _(place: Place) -> Told:
    source = place.plain(plain.line(WORD))
    (place.folder / "p").chmod(0o700)
    place.folder.chmod(0o000)
    try:
        with unprivileged():
            return place.ask(here(), source)
    finally:
        place.folder.chmod(0o700)


@scenario("source_locked", 1)
def _(place: Place) -> Told:
    builder = place.builder()
    good(builder)
    builder.close()
    script = (
        "import sqlite3, sys\n"
        "db = sqlite3.connect(sys.argv[1], isolation_level=None)\n"
        "db.execute('PRAGMA journal_mode=DELETE').fetchone()\n"
        "db.execute('BEGIN EXCLUSIVE')\n"
        "print('ready', flush=True)\n"
        "sys.stdin.read()\n"
    )

    def connect() -> sqlite3.Connection:
        return sqlite3.connect(builder.path, timeout=0, check_same_thread=False)

    with Process(script, str(builder.path)):
        return place.ask(here(), SqliteSource(builder.path, connect=connect))


@scenario("source_incomplete", None)
def _(place: Place) -> Told:
    return place.ask(_lacking(place))


def _lacking(place: Place) -> Path:
    builder = place.builder()
    good(builder)
    builder.db.execute("DROP TABLE session_message_chunks")
    return builder.path


@scenario("fast_path_declined", None)
def _(place: Place) -> Told:
    return place.ask(_lacking(place))


# --- Sessions and records ---


@scenario("session_unreadable", 1)
def _(place: Place) -> Told:
    source = place.plain(plain.line(WORD))
    plain.settle(place.folder / "p" / "a.jsonl")
    torn = place.folder / "p" / "b.jsonl.zst"
    torn.write_bytes(b"\x28\xb5\x2f\xfd torn")
    return place.ask(source)


@scenario("record_damaged", 1)
def _(place: Place) -> Told:
    builder = place.builder()
    good(builder)
    builder.event("good", None, kind="text", payload='{"role":"user","content":{"kind":"te')
    return place.ask(builder.path)


@scenario("record_oversized", 1)
def _(place: Place) -> Told:
    place.patch.setattr(files, "DOCUMENT_LIMIT", 20)
    return place.ask(place.plain(plain.line(WORD), json=b'{"a": "longer than the limit"}'))


@scenario("format_drift", None)
def _(place: Place) -> Told:
    builder = place.builder()
    good(builder)
    builder.db.execute("PRAGMA user_version=9999")
    return place.ask(builder.path)


@scenario("stream_in_flight", 1)
def _(place: Place) -> Told:
    builder = place.builder()
    good(builder)
    builder.stream("good", "tide", ["on the wa", "y"])
    return place.ask(builder.path)


@scenario("body_archived", 1)
def _(place: Place) -> Told:
    builder = place.builder()
    good(builder)
    builder.result("good", {"kind": "archived_tool_result", "bytes": 5})
    return place.ask(builder.path)


@scenario("finder_failed", 1)
def _(place: Place) -> Told:
    class Fails:
        id = "fails"
        version = "1"

        def __call__(self, text: str) -> Iterable[tuple[int, int]]:
            if "unreadable" in text:
                raise RuntimeError
            return ()

    talk = [said("m", WORD), said("n", "unreadable to the finder")]
    wiring = {"policy": DEFAULT_POLICY.add(Fails())}
    return place.ask(Speaking({"s": talk}), wiring=wiring)


# --- scope ---


@scenario("archived_excluded", 1)
def _(place: Place) -> Told:
    kept = Session("here", "s", "", None, 0, 0, archived=True)
    return place.ask(here(sessions={"s": kept}))


@scenario("abandoned_excluded", 1)
def _(place: Place) -> Told:
    return place.ask(Speaking({"s": [said("m", WORD)._replace(abandoned=True)]}))


@scenario("active_turn_excluded", None)
def _(place: Place) -> Told:
    return place.ask(here(), active=("s", "t"))


@scenario("host_excluded", 1)
def _(place: Place) -> Told:
    return place.ask(here(), wiring={"eligible": lambda session: False})


@scenario("project_excluded", 1)
def _(place: Place) -> Told:
    kept = Session("here", "s", "", "/srv/secret", 0, 0)
    return place.ask(here(sessions={"s": kept}), wiring={"exclude_projects": ["/srv/secret"]})


@scenario("outside_scope", 1)
def _(place: Place) -> Told:
    return place.ask(here(), within="another")


@scenario("outside_time", 1)
def _(place: Place) -> Told:
    return place.ask(here(), since=BASE_MS + 1)


@scenario("deadline", 1)
def _(place: Place) -> Told:
    return place.ask(here(), deadline=1e-6)


# --- the answer ---


@scenario("term_without_match", 1)
def _(place: Place) -> Told:
    return place.ask(Speaking({"s": [said("m", "nothing of the kind")]}))


@scenario("hits_not_shown", 1)
def _(place: Place) -> Told:
    return place.ask(Speaking({"s": [said("m", WORD), said("n", WORD)]}), limit=1)


@scenario("text_shortened", pytest.approx(984, abs=9))  # by the room that other reasons leave
def _(place: Place) -> Told:
    reasons = [Gap("source_incomplete", f"Part {n} " + "is lacking " * 11, n) for n in range(1000)]
    return place.ask(here(gaps=reasons))


@pytest.mark.parametrize("code", get_args(GapCode))
def test_the_gap_comes_about(
    engine: Engine, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, code: str
) -> None:
    """Fails for a code without a scenario: a reason that nothing gives is none."""
    told = SCENARIOS[code](Place(engine, tmp_path, monkeypatch))
    assert code in told
    assert told[code] == COUNTS[code]


def test_no_scenario_is_left_over() -> None:
    assert set(SCENARIOS) == set(get_args(GapCode))


# --- what one code is told of besides ---


@pytest.fixture
def place(engine: Engine, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Place:
    return Place(engine, tmp_path, monkeypatch)


@pytest.mark.parametrize("text", [True, False])
def test_an_answer_of_opencode_in_flight(place: Place, text: bool) -> None:
    """Beside a Hit of its Session, whether or not anything of it is there yet."""
    builder = OpenCodeBuilder(place.folder)
    builder.session("s")
    builder.say("s", WORD)
    flying = builder.message("s", "assistant", raw='{"role":"assistant","time":{"created":1}}')
    if text:
        builder.part(flying, text=f"the {WORD} is on its w")
    assert place.ask(builder.path)["stream_in_flight"] == 1
    builder.say("s", "asked anew")
    assert "stream_in_flight" not in place.ask(builder.path)
    builder.session("t")
    builder.message("t", "assistant", raw='{"role":"assistant","time":{"created":1}}')
    assert "stream_in_flight" not in place.ask(builder.path)  # no Hit of that Session
    builder.close()


def test_an_answer_of_the_older_opencode_in_flight(place: Place) -> None:
    tree = TreeBuilder(place.folder)
    tree.write("project/p.json", {"id": "p", "worktree": "/home/dev/shop"})
    tree.session("ses_1")
    tree.say("ses_1", WORD)
    tree.say("ses_1", "on its w", "assistant")
    told = place.ask(place.folder)
    assert told["stream_in_flight"] == 1


def test_records_of_an_unknown_type_with_text_are_drift(place: Place) -> None:
    chain = Chain()
    chain.user(WORD)
    chain.bare("prophecy", content="words that no version before this one wrote")
    chain.bare("prophecy", content="more-of-them", note="and some text beside")
    chain.bare("marker", id="0123")
    path = place.folder / FOLDER / f"{chain.session}.jsonl"
    path.parent.mkdir(parents=True)
    path.write_bytes(lines(*chain.rows))
    assert place.ask(TranscriptSource(ClaudeCode(), place.folder))["format_drift"] == 2


@pytest.mark.parametrize(
    ("statement", "newer"),
    [
        ("PRAGMA user_version=17", False),
        ("PRAGMA user_version=18", True),
        ("INSERT OR REPLACE INTO session_metadata_schema VALUES ('session', 28)", False),
        ("INSERT OR REPLACE INTO session_metadata_schema VALUES ('session', 29)", True),
        ("INSERT OR REPLACE INTO session_metadata_schema VALUES ('session', 'x')", False),
    ],
)
def test_which_store_is_newer_than_is_known(place: Place, statement: str, newer: bool) -> None:
    builder = place.builder()
    good(builder)
    builder.db.execute(statement)
    assert ("format_drift" in place.ask(builder.path)) == newer


def test_records_of_opencode_too_long_to_be_read(place: Place) -> None:
    from harkback.sources.sqlite import opencode

    builder = OpenCodeBuilder(place.folder)
    builder.session("s")
    builder.say("s", WORD)
    builder.say("s", "x" * 5000)
    place.patch.setattr(
        opencode, "_PARTS", opencode._PARTS.replace(str(opencode.LIMIT_BYTES), "4000")
    )
    assert place.ask(builder.path)["record_oversized"] == 1
    builder.close()


@pytest.mark.parametrize(
    "reason", ["source_locked", "source_unreadable", "source_damaged", "source_missing"]
)
def test_each_failure_of_a_source_is_counted_and_nothing_is_called_whole(
    engine: Engine, reason: Any
) -> None:
    class Failing(Speaking):
        def view(self, engine: Engine) -> NoReturn:  # type: ignore[override]
            raise SourceError(reason, "What happened.")

    own = {"source_locked", "source_unreadable"}
    with Recall(here(), Failing({}, name="b"), Failing({}, name="c"), engine=engine.name) as recall:
        answer = recall.search([WORD])
        code = reason if reason in own else "source_failed"
        assert Gap(code, "What happened.", 2) in answer.gaps
        assert not answer.searched.every_session
        with recall.grep([WORD]) as found:
            assert len(list(found.matches())) == 1
            assert code in {gap.code for gap in found.gaps()}


def test_a_database_that_is_none_is_not_called_locked(engine: Engine, tmp_path: Path) -> None:
    path = tmp_path / "text.sqlite"
    path.write_bytes(b"no database at all " * 100)
    with closing(Recall(here(), SqliteSource(path), engine=engine.name)) as recall:
        assert "source_failed" in {gap.code for gap in recall.search([WORD]).gaps}
