"""Native and reference corpus: the same Hits and Rows, whatever is put, extended and asked."""

from __future__ import annotations

from hypothesis import given, settings
from hypothesis import strategies as st

import harkback.engine
from harkback.model import Entry
from support.entries import RULES, entries, terms

ENGINES = (harkback.engine.load("native"), harkback.engine.load("reference"))
KEYS = ("k", "whole")


@settings(deadline=None, max_examples=300)
@given(st.lists(entries(), min_size=1, max_size=3), terms())
def test_search_and_rows(sessions: list[list[Entry]], raw: list[str]) -> None:
    keys = [f"k{index}" for index in range(len(sessions))]
    answers = []
    for engine in ENGINES:
        corpus = engine.corpus(engine.redactor(RULES))
        for key, session in zip(keys, sessions, strict=True):
            corpus.put(key, session)
        folded = [engine.fold(term) for term in raw]
        rows = [corpus.rows(key, 0, 99) for key in keys]
        answers.append((folded, corpus.search(folded, keys), rows))
    assert answers[0] == answers[1]


@settings(deadline=None, max_examples=200)
@given(entries(), entries(), st.lists(st.sampled_from(("m1", "m2", "消息", "", "?"))), terms())
def test_extend_equals_put_on_both(
    old: list[Entry], new: list[Entry], retracted: list[str], raw: list[str]
) -> None:
    answers = []
    for engine in ENGINES:
        corpus = engine.corpus(engine.redactor(RULES))
        corpus.put("k", old)
        corpus.extend("k", new, retracted)
        corpus.put("whole", [message for message in old if message.id not in retracted] + new)
        folded = [engine.fold(term) for term in raw]
        answers += [(corpus.search(folded, [key]), corpus.rows(key, 0, 99)) for key in KEYS]
        assert corpus.size("k") == corpus.size("whole")
    assert all(answer == answers[0] for answer in answers)


@settings(deadline=None, max_examples=200)
@given(st.text(max_size=40), st.integers(0, 39), st.integers(1, 4))
def test_any_part_of_any_text_is_found_alike(text: str, start: int, width: int) -> None:
    raw = text[start : start + width] or "a"
    hits = []
    for engine in ENGINES:
        corpus = engine.corpus(engine.redactor(RULES))
        corpus.put("k", [Entry("m", None, 0, 0, "", [(text, False)])])
        hits.append(corpus.search([engine.fold(raw)], ["k"]))
    assert hits[0] == hits[1]
