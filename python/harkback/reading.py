"""Reading on from an anchor: its Turn, all of its Message, or the Session around it.

``turn`` shows the neighbours that a Passage would, more of them; ``audit`` pages through the whole
Message, arguments of a tool included; ``scroll`` walks the Session, whatever the kind. Invariant:
the Message is looked up anew, so nothing is read that may not be read now; text is redacted whole
and cut afterwards; both forms stay within the Budget of a search.
Proof: tests/unit/test_reading.py.
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Iterable, Iterator
from contextlib import ExitStack
from dataclasses import dataclass, replace
from itertools import islice
from typing import Any, Final, Literal, TypeAlias, get_args

from harkback.candidates import Candidate, find
from harkback.config import (
    JSON_PASSAGES_BUDGET,
    MAX_NEIGHBOURS_EACH_SIDE,
    TEXT_PASSAGES_BUDGET,
)
from harkback.corpus import Corpus, Segment
from harkback.engine import Engine
from harkback.errors import QueryError
from harkback.model import ABANDONED, KINDS, Passage, PassageMessage, Row, Session
from harkback.projects import Globs
from harkback.redaction import Redaction
from harkback.rendering import (
    NOTICE,
    VERSION,
    compact_json,
    message_json,
    message_text,
    passage_head_text,
    passage_json,
)
from harkback.showing import Showing, anchor_home, anchor_id
from harkback.sources.base import View
from harkback.windows import whole

Scope: TypeAlias = Literal["turn", "audit", "scroll"]
SCOPES: Final = get_args(Scope)
_ANCHOR: Final = re.compile(r"[0-9a-f]{32}")
_ROWS_AT_ONCE: Final = 256
_TITLE: Final = KINDS.index("title")


@dataclass(frozen=True, slots=True)
class Request:
    """What is asked for. ``start`` is the offset of an audited page, ``behind`` an anchor."""

    anchor: str
    view: Scope
    before: int
    after: int
    start: int
    behind: str | None
    active: tuple[str, str] | None
    unbounded: bool


@dataclass(frozen=True, slots=True)
class Reading:
    """What stands around, or in, one Message."""

    view: Scope
    passage: Passage
    cursor: str | None = None  # gives what comes next

    def text(self) -> str:
        """What a model reads."""
        shown = [f"RecallMore, {self.view}. {NOTICE}\n\n", passage_head_text(1, self.passage)]
        shown.extend(map(message_text, self.passage.messages))
        if self.cursor is not None:
            shown.append(f"\nThere is more: cursor {self.cursor}\n")
        return "".join(shown)

    def to_dict(self) -> dict[str, Any]:
        """The structure, of values that JSON has."""
        shown = {
            "version": VERSION,
            "kind": "recall_more",
            "view": self.view,
            "notice": NOTICE,
            "passage": passage_json(self.passage),
        }
        if self.cursor is not None:
            shown["cursor"] = self.cursor
        return shown

    def to_json(self) -> str:
        """``to_dict`` as the very string to send."""
        return compact_json(self.to_dict())


def build(
    anchor: str,
    *,
    view: str,
    before: int,
    after: int,
    cursor: str | None,
    active: tuple[str, str] | None,
    unbounded: bool,
) -> Request:
    """Checks what is asked for.

    Raises:
        QueryError: with the reason; no Source was touched.
    """
    if view not in SCOPES:
        raise QueryError("unknown_view", f"view is one of: {', '.join(SCOPES)}.")
    for side in (before, after):
        if type(side) is not int or not 0 <= side <= MAX_NEIGHBOURS_EACH_SIDE:
            limit = MAX_NEIGHBOURS_EACH_SIDE
            raise QueryError(
                "neighbours_out_of_range", f"before and after are whole numbers from 0 to {limit}."
            )
    if not isinstance(anchor, str) or not _ANCHOR.fullmatch(anchor):
        raise _not_found()
    start, behind = 0, None
    if cursor is not None:
        if view == "audit" and re.fullmatch("[0-9]{1,12}", cursor, re.ASCII):
            start = int(cursor)
        elif view != "audit" and _ANCHOR.fullmatch(cursor) and cursor[:16] == anchor[:16]:
            behind = cursor
        else:
            raise QueryError(
                "cursor_invalid", "The cursor is none that this view gave; start without one."
            )
    scope: Scope = view  # type: ignore[assignment]
    return Request(anchor, scope, before, after, start, behind, active, unbounded)


def read(
    engine: Engine,
    redaction: Redaction,
    asked: Request,
    views: Iterable[View],
    allowed: Callable[[Session], bool] | None,
    projects: Globs,
    corpus: Corpus,
) -> Reading:
    """What is asked for, as far as the Budget goes.

    Raises:
        QueryError: ``not_found``, whatever the cause, so that it tells nothing; ``cursor_invalid``.
    """
    home = asked.anchor[:16]
    candidate = find(views, allowed, projects, lambda s: anchor_home(s.source, s.id) == home)
    if candidate is None:
        raise _not_found()
    with ExitStack() as held:
        segment = held.enter_context(corpus.hold(candidate))
        return _Reader(engine, redaction, asked, candidate, segment, corpus).read()


def _not_found() -> QueryError:
    return QueryError("not_found", "Nothing that may be read is at this anchor; search again.")


class _Reader:
    """One request on one held segment."""

    def __init__(
        self,
        engine: Engine,
        redaction: Redaction,
        asked: Request,
        candidate: Candidate,
        segment: Segment,
        corpus: Corpus,
    ) -> None:
        self._asked = asked
        self._candidate = candidate
        self._segment = segment
        self._corpus = corpus
        self._showing = Showing(engine, redaction, corpus)
        self._text: float = math.inf if asked.unbounded else TEXT_PASSAGES_BUDGET
        self._json: float = math.inf if asked.unbounded else JSON_PASSAGES_BUDGET

    def read(self) -> Reading:
        number, row = self._find(self._asked.anchor)
        if self._is_active(row):
            raise _not_found()
        if self._asked.view == "audit":
            return self._audit(number, row)
        return self._around(number, row)

    def _find(self, anchor: str) -> tuple[int, Row]:
        for start in range(0, 1 << 62, _ROWS_AT_ONCE):
            rows = self._corpus.rows(self._segment, start, start + _ROWS_AT_ONCE)
            for number, row in enumerate(rows, start):
                if row.spans and anchor_id(anchor[:16], row.id) == anchor:
                    return number, row
            if len(rows) < _ROWS_AT_ONCE:
                break
        raise _not_found()

    def _is_active(self, row: Row) -> bool:
        return self._asked.active == (self._candidate.session.id, row.turn)

    def _passage(self, number: int, row: Row, messages: tuple[PassageMessage, ...]) -> Passage:
        active = self._asked.active
        session = self._candidate.described
        return Passage(
            anchor=self._asked.anchor,
            session=self._showing.card(self._candidate),
            turn_id=None if row.turn is None else self._showing.clean(row.turn),
            sequence=number,
            is_current_session=active is not None and active[0] == session.id,
            matched_terms=(),
            score=0.0,
            has_more_before=True,  # counted as if both sides had more
            has_more_after=True,
            messages=messages,
        )

    def _stored(self, rows: list[Row]) -> list[PassageMessage]:
        stored = self._showing.stored(self._candidate, self._segment, rows)
        anchors = [anchor_id(self._asked.anchor[:16], row.id) for row in rows]
        return [
            replace(
                self._showing.message(each, is_anchor=anchor == self._asked.anchor),
                anchor=anchor,
            )
            for each, anchor in zip(stored, anchors, strict=True)
        ]

    def _fits(self, text: int, json: int) -> bool:
        if text > self._text or json > self._json:
            return False
        self._text -= text
        self._json -= json
        return True

    def _pay(self, message: PassageMessage) -> bool:
        return self._fits(len(message_text(message)), len(compact_json(message_json(message))) + 1)

    def _pay_head(self, empty: Passage) -> None:
        self._fits(len(passage_head_text(1, empty)), len(compact_json(passage_json(empty))))

    # --- the whole Message ---

    def _audit(self, number: int, row: Row) -> Reading:
        (stored,) = self._showing.stored(self._candidate, self._segment, [row])
        leaves, cuts = self._showing.redacted(stored)
        names = [self._showing.clean(".".join(leaf.path)) for leaf in leaves]
        text = whole(leaves, cuts, names)
        if self._asked.start and self._asked.start >= len(text.text):
            raise QueryError("cursor_invalid", "The cursor lies past the end of the Message.")
        empty = PassageMessage(
            id=self._showing.clean(stored.id),
            kind=stored.kind,
            timestamp=stored.timestamp,
            text="",
            is_anchor=True,
            truncated=True,
            in_progress=stored.in_progress,
            abandoned=stored.abandoned,
            anchor=self._asked.anchor,
        )
        passage = self._passage(number, row, ())
        self._pay_head(passage)
        start = self._asked.start
        end = text.cut(start, len(text.text))
        room = end - start
        while not self._pay(page := replace(empty, text=text.text[start:end])):
            room = room * 3 // 4 if room < 2 * TEXT_PASSAGES_BUDGET else TEXT_PASSAGES_BUDGET
            end = text.cut(start, room)
        more = end < len(text.text)
        shown = replace(
            passage,
            messages=(replace(page, truncated=more or start > 0),),
            has_more_before=start > 0,
            has_more_after=more,
        )
        return Reading("audit", shown, str(end) if more else None)

    # --- what stands around it ---

    def _around(self, number: int, row: Row) -> Reading:
        if self._asked.behind is None:
            before = self._side(number, row, -1, self._asked.before)
            after = self._side(number, row, 1, self._asked.after)
        else:
            last, behind = self._find(self._asked.behind)
            if self._asked.view == "turn" and behind.turn != row.turn:
                raise QueryError("cursor_invalid", "The cursor is of another Turn.")
            before = ([], True)
            after = self._side(last, behind, 1, self._asked.after or 1)
        return self._paid(number, row, before, after)

    def _side(self, number: int, row: Row, step: int, count: int) -> tuple[list[Row], bool]:
        """The nearest rows on one side, nearest first, and whether there are more."""
        walk = self._scroll if self._asked.view == "scroll" else self._showing.neighbours
        nearest = [other for _, other in islice(walk(self._segment, row, number, step), count + 1)]
        return nearest[:count], len(nearest) > count

    def _scroll(
        self, segment: Segment, anchor: Row, number: int, step: int
    ) -> Iterator[tuple[int, Row]]:
        for at, other in self._showing.walk(segment, number, step):
            hidden = other.kind >= ABANDONED > anchor.kind or other.kind == _TITLE
            if other.spans and not hidden and not self._is_active(other):
                yield at, other

    def _paid(
        self, number: int, row: Row, before: tuple[list[Row], bool], after: tuple[list[Row], bool]
    ) -> Reading:
        """The anchor, then by distance on both sides, until the Budget is spent."""
        continued = self._asked.behind is not None
        rows = [*([] if continued else [row]), *before[0], *after[0]]
        shown = self._stored(rows)
        passage = self._passage(number, row, ())
        self._pay_head(passage)
        anchor = [] if continued else shown[:1]
        for message in anchor:
            self._pay(message)
        sides = (shown[len(anchor) :][: len(before[0])], shown[len(anchor) + len(before[0]) :])
        kept: tuple[list[PassageMessage], list[PassageMessage]] = ([], [])
        for distance in range(MAX_NEIGHBOURS_EACH_SIDE):
            for side, paid in zip(sides, kept, strict=True):
                if len(paid) == distance < len(side) and self._pay(side[distance]):
                    paid.append(side[distance])
        more = after[1] or len(kept[1]) < len(after[0])
        messages = (*reversed(kept[0]), *anchor, *kept[1])
        whole_passage = replace(
            passage,
            messages=messages,
            has_more_before=before[1] or len(kept[0]) < len(before[0]),
            has_more_after=more,
        )
        last = messages[-1].anchor if messages else None
        return Reading(self._asked.view, whole_passage, last if more else None)
