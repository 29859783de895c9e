"""One search for one word over stores that hold it, and what came of it in short."""

from __future__ import annotations

from typing import Any

from harkback import Recall
from harkback.engine import Engine
from support.stores import StoreBuilder

WORD = "pomegranate"


def good(builder: StoreBuilder, session: str = "good") -> None:
    builder.session(session)
    builder.text(session, f"the {WORD} is here")


def search(engine: Engine, *sources: Any, **options: Any) -> tuple[list[str], dict[str, Any]]:
    """Sessions found, and the counts of the Gaps that are not about versions."""
    with Recall(*sources, engine=engine.name) as recall:
        answer = recall.search([WORD], **options)
    for gap in answer.gaps:
        assert gap.code == "term_without_match" or WORD not in gap.message
    gaps = {gap.code: gap.count for gap in answer.gaps if gap.code != "not_searched"}
    return sorted(passage.session.id for passage in answer.passages), gaps
