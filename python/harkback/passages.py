"""Passages: every anchor with what stands around it in its Turn, paid for out of one Budget.

Anchors are paid first, in the order of the ranking; then neighbours by distance, round by round
across the Passages, so that no Passage grows at another's cost. A neighbour is a user, assistant
or tool_call Message of the same Turn; a tool_result enters only as the anchor. Each is counted in
both forms of the answer. Proof: tests/unit/test_passages.py.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, field, replace
from itertools import islice

from harkback.candidates import Candidate
from harkback.config import (
    JSON_PASSAGES_BUDGET,
    MAX_ALSO_IN,
    NEIGHBOURS_EACH_SIDE,
    TEXT_PASSAGES_BUDGET,
)
from harkback.corpus import Corpus, Segment
from harkback.engine import Engine
from harkback.model import Passage, PassageMessage, Row, StoredMessage
from harkback.query import Query
from harkback.ranking import RankedHit, Ranking, explain
from harkback.redaction import Redaction
from harkback.rendering import (
    compact_json,
    message_json,
    message_text,
    passage_head_text,
    passage_json,
)
from harkback.showing import Showing, anchor_home, anchor_id

_NUMBER_SLACK = 1  # a Passage may end up with a number one digit longer than it was counted with


@dataclass(slots=True)
class _Budget:
    """What is left, in code points, of the text form and of the JSON form."""

    text: float
    json: float

    def pay(self, text: int, json: int) -> bool:
        if text > self.text or json > self.json:
            return False
        self.text -= text
        self.json -= json
        return True


@dataclass(slots=True)
class _Side:
    """Neighbours on one side of an anchor, nearest first."""

    rows: list[Row]
    more: bool  # a visible neighbour lies beyond them
    stored: list[StoredMessage] = field(default_factory=list)
    paid: list[PassageMessage] = field(default_factory=list)


@dataclass(slots=True)
class _Draft:
    hit: RankedHit
    passage: Passage
    before: _Side
    after: _Side


def build(
    engine: Engine, redaction: Redaction, query: Query, ranking: Ranking, corpus: Corpus
) -> tuple[tuple[RankedHit, Passage], ...]:
    """The Hits to show with their Passages, in their order, as far as the Budget goes."""
    unbounded = query.limit is None
    budget = _Budget(
        math.inf if unbounded else TEXT_PASSAGES_BUDGET,
        math.inf if unbounded else JSON_PASSAGES_BUDGET,
    )
    maker = _Maker(engine, redaction, query, ranking, corpus)
    drafts: list[_Draft] = []
    for draft in maker.drafts():
        head = len(passage_head_text(len(drafts) + 1, draft.passage)) + _NUMBER_SLACK
        anchor = draft.passage.messages[0]
        text = head + len(message_text(anchor)) + 1
        if budget.pay(text, len(compact_json(passage_json(draft.passage))) + 1):
            drafts.append(draft)
    for distance in range(NEIGHBOURS_EACH_SIDE):
        for draft in drafts:
            for side in (draft.before, draft.after):
                _pay_neighbour(maker, draft, side, distance, budget)
    return tuple((draft.hit, _finish(draft)) for draft in drafts)


def _pay_neighbour(
    maker: _Maker, draft: _Draft, side: _Side, distance: int, budget: _Budget
) -> None:
    """Pays one more neighbour, unless one nearer is missing already."""
    if len(side.paid) != distance or distance >= len(side.rows):
        return
    message = maker.shown(side.stored[distance], is_anchor=False)
    if budget.pay(len(message_text(message)), len(compact_json(message_json(message))) + 1):
        side.paid.append(message)


def _finish(draft: _Draft) -> Passage:
    before, after = draft.before, draft.after
    return replace(
        draft.passage,
        messages=(*reversed(before.paid), *draft.passage.messages, *after.paid),
        has_more_before=before.more or len(before.paid) < len(before.rows),
        has_more_after=after.more or len(after.paid) < len(after.rows),
    )


class _Maker:
    """Makes what is shown of one answer out of held segments and their Views."""

    def __init__(
        self,
        engine: Engine,
        redaction: Redaction,
        query: Query,
        ranking: Ranking,
        corpus: Corpus,
    ) -> None:
        self._engine = engine
        self._showing = Showing(engine, redaction, corpus, query.folded)
        self._query = query
        self._ranking = ranking
        self._corpus = corpus

    def drafts(self) -> list[_Draft]:
        """One for each Hit to show, in their order; made Session by Session, each put once."""
        by_session: dict[Candidate, list[int]] = {}
        for index, hit in enumerate(self._ranking.shown):
            by_session.setdefault(hit.candidate, []).append(index)
        made: dict[int, _Draft] = {}
        for candidate, indexes in by_session.items():
            with self._corpus.hold(candidate) as segment:
                for index in indexes:
                    made[index] = self._draft(self._ranking.shown[index], segment)
        return [made[index] for index in range(len(made))]

    def _draft(self, hit: RankedHit, segment: Segment) -> _Draft:
        (anchor,) = self._corpus.rows(segment, hit.row, hit.row + 1)
        before = self._side(segment, anchor, hit.row, -1)
        after = self._side(segment, anchor, hit.row, 1)
        rows = [anchor, *before.rows, *after.rows]
        stored = iter(self._showing.stored(hit.candidate, segment, rows))
        first = next(stored)
        for side in (before, after):
            side.stored.extend(islice(stored, len(side.rows)))
        session = hit.candidate.described
        terms = zip(self._query.terms, hit.frequency, strict=True)
        active = self._query.active
        passage = Passage(
            anchor=anchor_id(anchor_home(session.source, session.id), anchor.id),
            session=self._showing.card(hit.candidate),
            turn_id=None if anchor.turn is None else self._showing.clean(anchor.turn),
            sequence=hit.row,
            is_current_session=active is not None and active[0] == session.id,
            matched_terms=tuple(term for term, tf in terms if tf),
            score=hit.score,
            # Counted as if both sides had more: the line can only get shorter.
            has_more_before=True,
            has_more_after=True,
            messages=(self.shown(first, is_anchor=True),),
            also_in=tuple(self._showing.clean(c.session.id) for c in hit.also_in[:MAX_ALSO_IN]),
            explanation=(
                explain(self._engine, self._query, self._ranking, hit)
                if self._query.explain
                else None
            ),
        )
        return _Draft(hit, passage, before, after)

    def _side(self, segment: Segment, anchor: Row, row: int, step: int) -> _Side:
        """The nearest neighbours, and whether there is one more."""
        found = self._showing.neighbours(segment, anchor, row, step)
        nearest = [other for _, other in islice(found, NEIGHBOURS_EACH_SIDE + 1)]
        return _Side(nearest[:NEIGHBOURS_EACH_SIDE], more=len(nearest) > NEIGHBOURS_EACH_SIDE)

    def shown(self, stored: StoredMessage, *, is_anchor: bool) -> PassageMessage:
        return self._showing.message(stored, is_anchor=is_anchor)
