"""Passages: every anchor with what stands around it in its Turn, paid for out of one Budget.

Anchors are paid first, in the order of the ranking, then the files that they list; then neighbours
by distance, each with its files, round by round across the Passages, so that no Passage grows at
another's cost. Files have a part of the Budget and no more: what they are is told, what was said is
shown. A neighbour is a user, assistant
or tool_call Message of the same Turn; a tool_result enters only as the anchor. Each is counted in
both forms of the answer. Proof: tests/unit/test_passages.py.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from itertools import islice
from typing import NamedTuple

from harkback.candidates import Candidate
from harkback.config import (
    JSON_MATERIALS_BUDGET,
    JSON_PASSAGES_BUDGET,
    MAX_ALSO_IN,
    NEIGHBOURS_EACH_SIDE,
    TEXT_MATERIALS_BUDGET,
    TEXT_PASSAGES_BUDGET,
)
from harkback.corpus import Corpus, Segment
from harkback.engine import Engine
from harkback.model import Material, Passage, PassageMessage, Row, StoredMessage
from harkback.query import Query
from harkback.ranking import RankedHit, Ranking, explain
from harkback.redaction import Redaction
from harkback.rendering import (
    compact_json,
    cost,
    passage_head_text,
    passage_json,
)
from harkback.showing import Showing, anchor_home, anchor_id, bare, files

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
class _Purse:
    """The Budget of all, and the part of it that files have."""

    whole: _Budget
    files: _Budget

    def pay(self, text: int, json: int) -> bool:
        return self.whole.pay(text, json)

    def pay_file(self, message: PassageMessage, materials: Sequence[Material]) -> PassageMessage:
        """The Message with the next of ``materials``, if that can be paid for."""
        listed = len(message.materials)
        if listed == len(materials):
            return message
        more = message.more_materials - 1
        longer = replace(message, materials=tuple(materials[: listed + 1]), more_materials=more)
        (text, json), (less_text, less_json) = cost(longer), cost(message)
        if not self.files.pay(text - less_text, json - less_json):
            return message
        return longer if self.pay(text - less_text, json - less_json) else message


class _Read(NamedTuple):
    """A Message to show, and the tool results behind it whose files it lists."""

    row: Row
    stored: StoredMessage
    beside: list[StoredMessage]


@dataclass(slots=True)
class _Side:
    """Neighbours on one side of an anchor, nearest first."""

    rows: list[tuple[int, Row]]  # with their places
    more: bool  # a visible neighbour lies beyond them
    read: list[_Read] = field(default_factory=list)
    paid: list[PassageMessage] = field(default_factory=list)


@dataclass(slots=True)
class _Draft:
    hit: RankedHit
    passage: Passage
    anchor: PassageMessage
    before: _Side
    after: _Side


def build(
    engine: Engine, redaction: Redaction, query: Query, ranking: Ranking, corpus: Corpus
) -> tuple[tuple[RankedHit, Passage], ...]:
    """The Hits to show with their Passages, in their order, as far as the Budget goes."""
    unbounded = query.limit is None
    budget = _Purse(
        _Budget(math.inf, math.inf)
        if unbounded
        else _Budget(TEXT_PASSAGES_BUDGET, JSON_PASSAGES_BUDGET),
        _Budget(math.inf, math.inf)
        if unbounded
        else _Budget(TEXT_MATERIALS_BUDGET, JSON_MATERIALS_BUDGET),
    )
    maker = _Maker(engine, redaction, query, ranking, corpus)
    drafts: list[_Draft] = []
    for draft in maker.drafts():
        head = len(passage_head_text(len(drafts) + 1, draft.passage)) + _NUMBER_SLACK
        text, json = cost(bare(draft.anchor))
        if budget.pay(head + text + 1, len(compact_json(passage_json(draft.passage))) + json + 1):
            drafts.append(draft)
    listed = [draft.anchor.materials for draft in drafts]
    for draft in drafts:
        draft.anchor = bare(draft.anchor)
    for _ in range(max(map(len, listed), default=0)):
        for draft, materials in zip(drafts, listed, strict=True):
            draft.anchor = budget.pay_file(draft.anchor, materials)
    for distance in range(NEIGHBOURS_EACH_SIDE):
        for draft in drafts:
            for side in (draft.before, draft.after):
                _pay_neighbour(maker, draft, side, distance, budget)
    return tuple((draft.hit, _finish(draft)) for draft in drafts)


def _pay_neighbour(
    maker: _Maker, draft: _Draft, side: _Side, distance: int, budget: _Purse
) -> None:
    """Pays one more neighbour, unless one nearer is missing already."""
    if len(side.paid) != distance or distance >= len(side.read):
        return
    full = maker.shown(draft.passage.anchor, side.read[distance], is_anchor=False)
    message = bare(full)
    if budget.pay(*cost(message)):
        for _ in full.materials:
            message = budget.pay_file(message, full.materials)
        side.paid.append(message)


def _finish(draft: _Draft) -> Passage:
    before, after = draft.before, draft.after
    return replace(
        draft.passage,
        messages=(*reversed(before.paid), draft.anchor, *after.paid),
        has_more_before=before.more or len(before.paid) < len(before.read),
        has_more_after=after.more or len(after.paid) < len(after.read),
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
            with self._corpus.hold(candidate, self._query.cancel) as segment:
                for index in indexes:
                    made[index] = self._draft(self._ranking.shown[index], segment)
        return [made[index] for index in range(len(made))]

    def _draft(self, hit: RankedHit, segment: Segment) -> _Draft:
        anchor = self._showing.row(segment, hit.row)
        assert anchor is not None  # the Hit is of this state of the Session
        before = self._side(segment, anchor, hit.row, -1)
        after = self._side(segment, anchor, hit.row, 1)
        first = self._read(hit.candidate, segment, (hit.row, anchor), before, after)
        session = hit.candidate.described
        name = anchor_id(anchor_home(session.source, session.id), anchor.id)
        terms = zip(self._query.terms, hit.frequency, strict=True)
        active = self._query.active
        passage = Passage(
            anchor=name,
            session=self._showing.card(hit.candidate),
            turn_id=None if anchor.turn is None else self._showing.clean(anchor.turn),
            sequence=hit.row,
            is_current_session=active is not None and active[0] == session.id,
            matched_terms=tuple(term for term, tf in terms if tf),
            score=hit.score,
            # Counted as if both sides had more: the line can only get shorter.
            has_more_before=True,
            has_more_after=True,
            messages=(),
            also_in=tuple(self._showing.clean(c.session.id) for c in hit.also_in[:MAX_ALSO_IN]),
            explanation=(
                explain(self._engine, self._query, self._ranking, hit)
                if self._query.explain
                else None
            ),
        )
        return _Draft(hit, passage, self.shown(name, first, is_anchor=True), before, after)

    def _side(self, segment: Segment, anchor: Row, row: int, step: int) -> _Side:
        """The nearest neighbours, and whether there is one more."""
        found = self._showing.neighbours(segment, anchor, row, step)
        nearest = list(islice(found, NEIGHBOURS_EACH_SIDE + 1))
        return _Side(nearest[:NEIGHBOURS_EACH_SIDE], more=len(nearest) > NEIGHBOURS_EACH_SIDE)

    def _read(
        self,
        candidate: Candidate,
        segment: Segment,
        anchor: tuple[int, Row],
        before: _Side,
        after: _Side,
    ) -> _Read:
        """Reads the anchor and its neighbours in one go, with the tool results behind them."""
        rows = [anchor, *before.rows, *after.rows]
        groups = [[row, *self._showing.beside(segment, row, at, anchor[0])] for at, row in rows]
        asked = [row for group in groups for row in group]
        stored = iter(self._showing.stored(candidate, segment, asked))
        read = [
            _Read(group[0], next(stored), list(islice(stored, len(group) - 1))) for group in groups
        ]
        split = 1 + len(before.rows)
        for side, found in ((before, read[1:split]), (after, read[split:])):
            side.read += (each for each in found if each.row.spans or files(each.stored))
        return read[0]

    def shown(self, anchor: str, read: _Read, *, is_anchor: bool) -> PassageMessage:
        return self._showing.message(anchor[:16], read.stored, read.beside, is_anchor=is_anchor)
