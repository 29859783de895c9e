"""The answer never exceeds its Budget, whatever the history holds.

Counted in code points of the very strings that are sent. Huge bodies run on the native engine
only: the reference is slow on purpose, and no Budget depends on the engine.
"""

from __future__ import annotations

import json
from collections.abc import Hashable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

import pytest

from harkback import Envelope, Gap, Recall, Session
from harkback.config import JSON_BUDGET, TEXT_BUDGET
from harkback.engine import Engine
from harkback.model import StoredMessage
from harkback.sources.base import Catalog, ScanResult, Transcript
from support.memory import MemoryBuilder
from support.stores import StoreBuilder

SECRET = "gh" + "p_" + "x" * 36


def within_budget(answer: Envelope) -> Envelope:
    text, sent = answer.text(), answer.to_json()
    assert len(text) <= TEXT_BUDGET
    assert len(sent) <= JSON_BUDGET
    assert json.loads(sent) == answer.to_dict()
    return answer


def transaction(builder: StoreBuilder) -> None:
    builder.db.execute("BEGIN")


@pytest.fixture
def results(builder: StoreBuilder) -> Path:
    """120 tool results of 60,000 characters, each with a secret behind the match."""
    transaction(builder)
    for number in range(12):
        builder.session(f"s{number}", name="t" * 10_000)
        for _ in range(10):
            body = "match " + SECRET + ' "quoted" \\ \x07 ' + "filler line\n" * 5_000
            builder.result(f"s{number}", {"kind": "text", "text": body[:60_000]})
    builder.db.execute("COMMIT")
    return builder.path


def test_many_long_tool_results(results: Path) -> None:
    with Recall(results, engine="native") as recall:
        for limit in (1, 8, 25):
            answer = within_budget(recall.search(["match"], limit=limit))
            assert answer.passages
            assert SECRET not in answer.text()
            hidden = next(gap for gap in answer.gaps if gap.code == "hits_not_shown")
            assert hidden.count == 120 - len(answer.passages)
        within_budget(recall.search(["filler", "line", "match"], limit=25, explain=True))


def test_facts_beside_all_that(results: Path) -> None:
    memory = MemoryBuilder(results.with_name("memory.sqlite"))
    for _ in range(40):
        memory.fact('match "quoted" \\ \x07 ' * 80, keys=["match"])
    memory.close()
    for n in range(3):
        results.with_name(f"gone{n}").mkdir()
    facts = [memory.path, *(results.with_name(f"gone{n}") for n in range(3))]
    with Recall(results, engine="native", facts=facts) as recall:
        answer = within_budget(recall.search(["match", "filler", "no"], limit=25, explain=True))
    assert answer.facts
    assert answer.passages
    assert {gap.code for gap in answer.gaps} >= {"facts_unavailable", "text_shortened"}


def test_a_message_of_fifty_megabytes(builder: StoreBuilder) -> None:
    """Searchable to its end, shown as a window."""
    builder.session("s", ledger=False)
    builder.message("s", 0, "user", {"text": "模" * 17_000_000 + " the very end"})
    with Recall(builder.path, engine="native", memory_bytes=0) as recall:
        answer = within_budget(recall.search(["very end"]))
        (passage,) = answer.passages
        assert passage.messages[0].truncated
        assert passage.messages[0].text.endswith("the very end")
        (start, end), *_ = passage.messages[0].spans
        assert passage.messages[0].text[start:end] == "very end"


HOSTILE = (
    "\x00\x01\x1b[31m\x7f\x9f" * 150,
    '"' * 800,
    "\\" * 800,
    "\n" * 800,
    "\r\n" * 400,
    "\u2028" * 800,
    "\u202e" * 800,
    "| quoted\n" * 100,
    "[1] · anchor\n" * 80,
    "e" + "\u0301" * 2000,
    "👩\u200d" * 700,
    "\U0010ffff" * 800,
    "\ud800" * 800,
    "</passage>" * 100,
)


@pytest.mark.parametrize("text", HOSTILE, ids=range(len(HOSTILE)))
def test_hostile_text_titles_and_names(engine: Engine, builder: StoreBuilder, text: str) -> None:
    raw = json.dumps({"role": "user", "content": {"kind": "text", "text": "match\n" + text}})
    clean = text.encode("utf-16", "surrogatepass").decode("utf-16", "replace")
    for number in range(30):
        name = f"s{number}" + clean
        builder.session(name, name=clean * 3, header={"cwd": clean * 3})
        builder.event(name, None, id=f"{number}" + clean * 2, kind="text", payload=raw)
    with Recall(builder.path, engine=engine.name) as recall:
        for _ in range(2):
            answer = within_budget(recall.search(["match"], limit=25, explain=True))
            assert answer.passages
            quoted = [line for line in answer.text().splitlines() if line.startswith("|")]
            assert len(quoted) >= len(answer.passages)
            anchors = [line for line in answer.text().splitlines() if line.startswith("[")]
            assert len(anchors) == len(answer.passages)


def test_terms_of_one_character_and_terms_of_five_hundred(
    engine: Engine, builder: StoreBuilder
) -> None:
    transaction(builder)
    for number in range(40):
        builder.session(f"s{number}")
        builder.text(f"s{number}", "abcdefgh " * 300)
    builder.db.execute("COMMIT")
    with Recall(builder.path, engine=engine.name) as recall:
        within_budget(recall.search(list("abcdefgh"), limit=25, explain=True))
        absent = [str(n) + '\\"\n' * 160 for n in range(8)]
        answer = within_budget(recall.search(absent, limit=25))
        assert [g.count for g in answer.gaps if g.code == "term_without_match"] == [8]
        long_terms = [("abcdefgh " * 60)[n : n + 499] for n in range(8)]
        within_budget(recall.search(long_terms, limit=25, explain=True))


def test_secrets_in_ids_and_titles_are_never_shown(engine: Engine, builder: StoreBuilder) -> None:
    transaction(builder)
    for number in range(30):
        name = f"{SECRET}{number} "
        builder.session(name, name=name, header={"cwd": f"/home/{SECRET}"})
        builder.event(name, {"kind": "text", "text": "match"}, id=f"{number} {SECRET}", role="user")
    builder.db.execute("COMMIT")
    with Recall(builder.path, engine=engine.name) as recall:
        answer = within_budget(recall.search(["match"], limit=5, explain=True))
    assert len(answer.left_out) == 20
    assert "x" * 30 not in answer.text() + answer.to_json()


class Complaining:
    """A Source whose catalog has a thousand different things to complain about."""

    name = "complaining"
    epoch: Hashable = 0

    @contextmanager
    def view(self, engine: Engine) -> Iterator[Complaining]:
        yield self

    def close(self) -> None:
        return

    def sessions(self) -> Catalog:
        gaps = (
            Gap("source_incomplete", f'Part "{n}" ' + "is lacking " * 9, n) for n in range(1000)
        )
        return Catalog((Session(self.name, "s", "title", None, 0, 0),), tuple(gaps))

    def record_count(self, session: str) -> int:
        return 0

    def fingerprint(self, session: str) -> bytes:
        return b""

    def scan(self, terms: Sequence[str], sessions: Sequence[str]) -> ScanResult:
        return ScanResult(frozenset(sessions))

    def read(self, session: str) -> Transcript:
        return Transcript((), b"")

    def read_around(self, session: str, locators: Sequence[str]) -> list[StoredMessage]:
        return []


def test_a_thousand_gaps(engine: Engine) -> None:
    with Recall(Complaining(), engine=engine.name) as recall:
        answer = within_budget(recall.search(["match"]))
    assert len(answer.gaps) > 1000
    # The reader of either form is told how many there are that it does not see.
    shown = answer.to_dict()["gaps"]
    assert shown[-1]["code"] == "text_shortened"
    assert shown[-1]["count"] == len(answer.gaps) - len(shown) + 1
    lines = [line for line in answer.text().splitlines() if line.startswith("- ")]
    last = f"- text_shortened ({len(answer.gaps) - len(lines) + 1}): More reasons are not shown."
    assert lines[-1] == last
