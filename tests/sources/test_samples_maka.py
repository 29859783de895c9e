"""A whole sample store through ``Recall.search``: what must be found, and what must not.

The samples are not part of the package: HARKBACK_SAMPLES names the folder that holds them.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from harkback import QueryError, Recall
from harkback.engine import Engine
from harkback.verification import Path as SearchPath
from support.samples import copied, expectation
from support.stores import tree


@pytest.fixture
def sample(samples: Path, tmp_path: Path) -> Path:
    """A copy with the rights of a user's own files."""
    return copied(samples, "maka", tmp_path)


@pytest.fixture
def expected(sample: Path) -> Any:
    return expectation(sample)


def is_credential(term: str) -> bool:
    return term.startswith("AK" + "IA")


def test_what_must_and_must_not_be_found(engine: Engine, sample: Path, expected: Any) -> None:
    store = sample / expected["root"]
    before = tree(store)
    with Recall(store, engine=engine.name) as recall:
        for path in (SearchPath.NARROWED, SearchPath.FULL, SearchPath.AUTO):
            recall._path = path
            for wanted in expected["must_find"]:
                if is_credential(wanted["query"]):
                    continue
                answer = recall.search([wanted["query"]], include_archived=True, limit=25)
                found = [passage.session.id for passage in answer.passages]
                assert found == [wanted["session_id"]] * wanted["times"], wanted["query"]
                (passage,) = answer.passages
                (anchor,) = (message for message in passage.messages if message.is_anchor)
                start, end = anchor.spans[0]
                assert anchor.text[start:end] == wanted["query"]
            for marker in expected["must_not_find"]:
                answer = recall.search([marker], include_archived=True, limit=25)
                assert answer.passages == (), marker
                assert "term_without_match" in {gap.code for gap in answer.gaps}
    assert tree(store) == before


def test_a_credential_is_refused_and_shown_redacted(
    engine: Engine, sample: Path, expected: Any
) -> None:
    (wanted,) = (w for w in expected["must_find"] if is_credential(w["query"]))
    (entry,) = (
        entry
        for session in expected["sessions"]
        for entry in session["entries"]
        if any(is_credential(n["needle"]) for n in entry.get("needles", []))
    )
    with Recall(sample / expected["root"], engine=engine.name) as recall:
        with pytest.raises(QueryError) as caught:
            recall.search([wanted["query"]])
        assert caught.value.reason == "term_credential"
        assert wanted["query"] not in str(caught.value)
        # The line before the key is found, and the mark stands in its window.
        (source,) = recall._group.sources
        with source.view(recall._engine) as view:
            messages = view.read(wanted["session_id"]).messages
        (message,) = (m for m in messages if m.id == entry["id"])
        (leaf,) = (p.text for p in message.parts if wanted["query"] in getattr(p, "text", ""))
        line_before = leaf[: leaf.index(wanted["query"])].splitlines()[-2]
        answer = recall.search([line_before], limit=25)
        shown = "\n".join(m.text for p in answer.passages for m in p.messages)
        assert "[redacted]" in shown
        assert wanted["query"] not in answer.text() + answer.to_json()


def test_what_only_the_wal_holds(engine: Engine, sample: Path) -> None:
    before = tree(sample / "live-wal")
    with Recall(sample / "live-wal", engine=engine.name) as recall:
        for term in ("only in the WAL", "仅在WAL", "in the main file"):
            assert len(recall.search([term]).passages) == 1
    assert tree(sample / "live-wal") == before
