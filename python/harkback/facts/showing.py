"""How facts are shown: the best ones, each cut so that as many as possible stay in the Budget.

Invariant: what is cut is redacted already, no cut falls inside a mark, both forms stay within the
Budget of facts, and what is not shown is counted. Proof: tests/unit/facts/test_showing.py.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import Final

from harkback.config import (
    JSON_FACTS_BUDGET,
    MAX_FACT_WINDOW_CODE_POINTS,
    MAX_FACTS,
    MIN_FACT_CODE_POINTS,
    TEXT_FACTS_BUDGET,
)
from harkback.engine import Engine
from harkback.facts.base import Evidence, Scope
from harkback.facts.evidence import Witnesses
from harkback.model import Fact, Gap, Leaf, Span
from harkback.query import Query
from harkback.rendering import FACTS_HEAD, compact_json, fact_json, fact_text
from harkback.windows import Window, window

#: Widths of all facts of one answer, the widest that fits is taken.
_WIDTHS: Final = (MAX_FACT_WINDOW_CODE_POINTS, 900, 600, 450, 350, 270, 200, MIN_FACT_CODE_POINTS)
_COUNT_SLACK: Final = len("10 facts, ")  # in the first line of the answer


@dataclass(frozen=True, slots=True)
class Item:
    """A fact as it is kept between searches: what may be shown of it is redacted."""

    id: str
    text: str  # with marks
    marks: list[Span]
    kind: str
    scope: Scope
    workspace: str | None = field(repr=False)
    observed_at: int
    updated_at: int
    evidence: tuple[Evidence, ...] = field(repr=False)
    source: str


@dataclass(frozen=True, slots=True)
class Match:
    """A fact that matches, and the indexes of the terms that it matches."""

    item: Item
    terms: frozenset[int]


@dataclass(frozen=True, slots=True)
class _Draft:
    """A fact without its content, and where that comes from."""

    fact: Fact
    item: Item


def show(
    engine: Engine,
    asked: Query,
    matches: Sequence[Match],
    witnesses: Witnesses,
) -> tuple[tuple[Fact, ...], tuple[Gap, ...]]:
    """The first of ``matches``, which are in order, and Gaps for what is left out of them."""
    unbounded = asked.limit is None
    best = matches if unbounded else matches[:MAX_FACTS]
    witnesses.call(each.session for match in best for each in match.item.evidence)
    drafts = [
        _Draft(
            Fact(
                id=match.item.id,
                content="",
                kind=match.item.kind,
                scope=match.item.scope,
                observed_at=match.item.observed_at,
                updated_at=match.item.updated_at,
                matched_terms=tuple(asked.terms[index] for index in sorted(match.terms)),
                anchors=witnesses.anchors(match.item.evidence),
                source=match.item.source,
            ),
            match.item,
        )
        for match in best
    ]

    def cut(draft: _Draft, width: int) -> tuple[Fact, bool]:
        leaf = Leaf(("content",), draft.item.text)
        view: Window = window(engine, asked.folded, [leaf], [draft.item.marks], width)
        return replace(draft.fact, content=view.text), view.truncated

    if unbounded:
        longest = max((len(draft.item.text) for draft in drafts), default=0)
        return tuple(cut(draft, longest)[0] for draft in drafts), ()
    shown: list[tuple[Fact, bool]] = []
    while drafts and not shown:
        narrow = [cut(draft, MIN_FACT_CODE_POINTS) for draft in drafts]
        if _fits(narrow):
            wider = ([cut(draft, width) for draft in drafts] for width in _WIDTHS)
            shown = next(found for found in wider if _fits(found))
        else:
            drafts.pop()
    return tuple(fact for fact, _ in shown), _gaps(
        len(matches) - len(shown), sum(truncated for _, truncated in shown)
    )


def _fits(shown: Sequence[tuple[Fact, bool]]) -> bool:
    text = len(FACTS_HEAD) + _COUNT_SLACK + sum(len(fact_text(fact)) for fact, _ in shown)
    json = sum(len(compact_json(fact_json(fact))) + 1 for fact, _ in shown)
    return text <= TEXT_FACTS_BUDGET and json <= JSON_FACTS_BUDGET


def _gaps(hidden: int, shortened: int) -> tuple[Gap, ...]:
    gaps = []
    if hidden:
        gaps.append(Gap("hits_not_shown", "More facts match; narrow the terms.", hidden))
    if shortened:
        message = "Facts are shown in part; fewer matches leave room for more of each."
        gaps.append(Gap("text_shortened", message, shortened))
    return tuple(gaps)
