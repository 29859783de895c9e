"""Pinned answers to forty questions, on every path of both engines.

The pinned Hits are held against a naive search of the same text as well, so that a bug cannot be
pinned with them. ``golden_queries.py`` says how to write the answers anew.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any
from unicodedata import normalize

import pytest

from differential.golden_queries import ANSWERS, QUERIES, sources, written_down
from harkback import Recall
from harkback.engine import Engine
from harkback.verification import Path as SearchPath
from support.workspace import Workspace, workspace

PINNED: list[dict[str, Any]] = json.loads(ANSWERS.read_text(encoding="utf-8"))


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Workspace:
    return workspace(tmp_path_factory.mktemp("golden"))


@pytest.fixture(params=[(0, SearchPath.FULL), (0, SearchPath.NARROWED), (1 << 30, SearchPath.AUTO)])
def recall(request: pytest.FixtureRequest, engine: Engine, made: Workspace) -> Iterator[Recall]:
    memory, path = request.param
    with Recall(*sources(made), engine=engine.name, memory_bytes=memory) as opened:
        opened._path = path
        yield opened


def test_the_questions_are_the_pinned_ones() -> None:
    assert [(pinned["terms"], pinned["options"]) for pinned in PINNED] == [
        (terms, options) for terms, options in QUERIES
    ]
    assert len(QUERIES) == 40


def test_every_path_gives_the_pinned_answers(recall: Recall) -> None:
    for pinned in PINNED:
        answer = written_down(recall.search(pinned["terms"], **pinned["options"]))
        assert answer["hits"] == pinned["hits"], pinned["terms"]
        assert answer["gaps"] == pinned["gaps"], pinned["terms"]


def plain(text: str) -> str:
    """A fold of its own: not the product's, and good enough for this workspace."""
    return normalize("NFC", normalize("NFKC", text).casefold().replace("i\u0307", "i"))


@pytest.mark.parametrize("pinned", PINNED, ids=lambda pinned: "|".join(pinned["terms"]))
def test_a_naive_search_finds_what_is_pinned(made: Workspace, pinned: dict[str, Any]) -> None:
    if set(pinned["options"]) - {"limit", "order", "explain"}:
        return  # scope is counted by hand in tests/surfaces
    expected = {
        place: [term for term in pinned["terms"] if plain(term) in plain(text)]
        for place, text in made.text.items()
    }
    expected = {place: terms for place, terms in expected.items() if terms}
    if "tuna" in pinned["terms"]:  # stands in a secret, which is not searched
        assert expected.pop(("secret", 1)) == ["tuna"]
    for session, sequence, terms, *_ in pinned["hits"]:
        assert expected[session, sequence] == terms
    hidden = dict(map(tuple, pinned["gaps"])).get("hits_not_shown", 0)
    assert len(pinned["hits"]) + hidden == len(expected)
    everywhere = {term for terms in expected.values() for term in terms}
    absent = dict(map(tuple, pinned["gaps"])).get("term_without_match", 0)
    assert absent == len(set(pinned["terms"]) - everywhere)


def test_scores_fall_and_the_newest_come_first() -> None:
    for pinned in PINNED:
        if pinned["options"].get("order") != "newest":
            scores = [float(hit[3]) for hit in pinned["hits"]]
            assert scores == sorted(scores, reverse=True)


def test_the_workspace_is_the_same_on_every_run(made: Workspace, tmp_path: Path) -> None:
    again = workspace(tmp_path)
    assert again.text == made.text
    answers = []
    for each in (made, again):
        with Recall(*sources(each), memory_bytes=0) as recall:
            answers.append([written_down(recall.search(t, **o)) for t, o in QUERIES[:5]])
    assert answers[0] == answers[1]
