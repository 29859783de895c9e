"""Segments large enough for the native engine to share the work between threads."""

from __future__ import annotations

import pytest

import harkback.engine
from harkback.engine import Corpus
from harkback.model import Entry
from support.entries import RULES, SECRET, entry

FILLER = "lorem ipsum dolor sit amet, consectetur adipiscing elit; " * 40


@pytest.fixture
def corpus() -> Corpus:
    native = harkback.engine.load("native")
    return native.corpus(native.redactor(RULES))


def message(index: int) -> Entry:
    text = f"{FILLER}needle {'needle ' * (index % 3)}n{index}. {SECRET if index % 5 == 0 else ''}"
    return entry(text, f"leaf {index}", id=f"m{index}", turn=f"t{index // 4}")


def test_a_shared_put_equals_many_small_ones(corpus: Corpus) -> None:
    messages = [message(index) for index in range(1200)]
    assert sum(len(leaf) for m in messages for leaf, _ in m.leaves) > 2 << 20
    corpus.put("shared", messages)
    corpus.put("single", [])
    for at in range(0, len(messages), 100):
        corpus.extend("single", messages[at : at + 100], [])
    assert corpus.size("shared") == corpus.size("single")
    assert corpus.rows("shared", 0, 1200) == corpus.rows("single", 0, 1200)
    terms = ["needle", "n7", "e", "leaf 11"]
    assert corpus.search(terms, ["shared"]) == corpus.search(terms, ["single"])


def test_a_shared_search_counts_every_message_in_order(corpus: Corpus) -> None:
    messages = [message(index) for index in range(500)]
    keys = [f"k{index}" for index in range(9)]
    for key in keys:
        corpus.put(key, messages)
    corpus.put("long", [entry("needle" * 400_000), entry("needle")])
    assert sum(map(corpus.size, [*keys, "long"])) > 9 << 20
    hits = corpus.search(["needle", "e", "absent"], [*keys, "long"])
    assert hits.key == [key for key in range(9) for _ in range(500)] + [9, 9]
    assert hits.row == [*range(500)] * 9 + [0, 1]
    assert hits.frequency[0] == [1 + row % 3 for row in range(500)] * 9 + [400_000, 1]
    letters = [sum(leaf.count("e") for leaf, _ in m.leaves) for m in messages]
    assert hits.frequency[1] == letters * 9 + [1_200_000, 3]
    assert set(hits.frequency[2]) == {0}


def test_one_message_beyond_the_block_among_short_ones(corpus: Corpus) -> None:
    corpus.put("k", [entry("ab"), entry("ab" * 300_000), entry("ab"), entry("cd"), entry("ab ab")])
    hits = corpus.search(["ab", "b", "cd"], ["k"])
    assert hits.row == [0, 1, 2, 3, 4]
    assert hits.frequency == [[1, 300_000, 1, 0, 2], [1, 300_000, 1, 0, 2], [0, 0, 0, 1, 0]]
