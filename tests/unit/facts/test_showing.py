"""Facts stay within their Budget, and what is cut or left out is counted."""

from __future__ import annotations

import json

import pytest

from harkback.config import (
    JSON_BUDGET,
    JSON_FACTS_BUDGET,
    TEXT_BUDGET,
    TEXT_FACTS_BUDGET,
)
from harkback.engine import Engine
from harkback.envelope import Envelope
from harkback.rendering import compact_json, fact_json
from support.memory import MemoryBuilder, ask, contents, gaps
from support.stores import StoreBuilder


def facts_text(answer: Envelope) -> str:
    text = answer.text()
    start = text.find("\nFacts, distilled")
    ends = (text.find("\n\n[1]"), text.find("\nNot in this"))
    end = min((at for at in ends if at > 0), default=len(text))
    return text[start:end] if start >= 0 else ""


def within_budget(answer: Envelope) -> Envelope:
    assert len(facts_text(answer)) <= TEXT_FACTS_BUDGET
    sent = sum(len(compact_json(fact_json(fact))) + 1 for fact in answer.facts)
    assert sent <= JSON_FACTS_BUDGET
    assert len(answer.text()) <= TEXT_BUDGET
    assert len(answer.to_json()) <= JSON_BUDGET
    assert json.loads(answer.to_json()) == answer.to_dict()
    return answer


def test_short_facts_are_whole(engine: Engine, memory: MemoryBuilder) -> None:
    for number in range(5):
        memory.fact(f"{number} zebra " + "word " * 20)
    answer = within_budget(ask(engine, "zebra", facts=[memory.path]))
    assert len(answer.facts) == 5
    assert gaps(answer) == {}


def test_one_long_fact_has_all_the_room(engine: Engine, memory: MemoryBuilder) -> None:
    memory.fact("filler " * 100 + "zebra" + " filler" * 160)
    (shown,) = contents(within_budget(ask(engine, "zebra", facts=[memory.path])))
    assert "zebra" in shown
    assert len(shown) > 850
    assert shown.startswith("[… ")
    assert shown.endswith(" characters after]")


def test_many_long_facts_share_it(engine: Engine, memory: MemoryBuilder) -> None:
    for number in range(14):
        memory.fact("filler " * 100 + f"zebra {number}" + " filler" * 160)
    answer = within_budget(ask(engine, "zebra", facts=[memory.path]))
    assert len(answer.facts) >= 5
    assert all("zebra" in content for content in contents(answer))
    told = gaps(answer)
    assert told["text_shortened"] == len(answer.facts)
    assert told["hits_not_shown"] == 14 - len(answer.facts)
    unbounded = ask(engine, "zebra", facts=[memory.path], limit=None)
    assert len(unbounded.facts) == 14
    assert len(unbounded.facts[0].content) > 1800
    assert gaps(unbounded) == {}


HOSTILE = (
    "\x01\x1b[31m\x7f\x9f" * 300,
    '"' * 1900,
    "\\" * 1900,
    "\n" * 1900,
    "\r\n" * 900,
    "\u2028" * 1900,
    "\u202e" * 1900,
    "| quoted\n" * 200,
    "[1] · anchor\n" * 140,
    "fact, note, 2020\n" * 100,
    "\nNot in this answer:\n" * 90,
    "e" + "\u0301" * 1900,
    "👩\u200d" * 900,
    "\U0010ffff" * 1900,
)


@pytest.mark.parametrize("text", HOSTILE, ids=range(len(HOSTILE)))
def test_hostile_facts_cannot_leave_the_frame(
    engine: Engine, builder: StoreBuilder, memory: MemoryBuilder, text: str
) -> None:
    builder.session("s", name="a title")
    events = [builder.text("s", f"match {n}") for n in range(4)]
    memory.db.execute("PRAGMA ignore_check_constraints=1")
    for number in range(12):
        memory.fact(
            f"zebra {text}",
            kind=text[:400],
            item_id=f"{number} {text[:300]}",
            sources=[("s", "turn-1", event) for event in events],
        )
    options = {"facts": [memory.path], "sources": [builder.path], "limit": 25}
    answer = within_budget(ask(engine, "zebra", "match", **options))
    assert answer.facts
    lines = answer.text().split("\n")
    assert sum(line.startswith("[") for line in lines) == len(answer.passages) > 0
    assert sum(line == "Not in this answer:" for line in lines) == 1
    assert sum(line.startswith("fact, ") for line in lines) == len(answer.facts)


def test_long_terms(engine: Engine, memory: MemoryBuilder) -> None:
    for _ in range(10):
        memory.fact("".join(chr(97 + n % 26) for n in range(2000)))
    terms = [("".join(chr(97 + n % 26) for n in range(600)))[at : at + 499] for at in range(8)]
    within_budget(ask(engine, *terms, facts=[memory.path], limit=25))


def test_secrets_are_never_cut_into(engine: Engine, memory: MemoryBuilder) -> None:
    secret = "gh" + "p_" + "x" * 36
    for lead in range(0, 200, 7):
        memory.fact("zebra" + "-" * lead + f" {secret} " + "tail " * 300)
        answer = ask(engine, "zebra", facts=[memory.path], since=0)
        text = answer.text() + answer.to_json() + repr(answer)
        assert "xxxx" not in text
        assert not text.count("[redacte") - text.count("[redacted]")
        memory.db.execute("DELETE FROM memory_items")
