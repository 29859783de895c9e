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
import threading
from collections.abc import Iterator
from dataclasses import dataclass, replace
from itertools import islice
from typing import Any, Final, Literal, TypeAlias, get_args

from harkback.candidates import Candidate
from harkback.config import (
    JSON_PASSAGES_BUDGET,
    MAX_NEIGHBOURS_EACH_SIDE,
    TEXT_PASSAGES_BUDGET,
)
from harkback.corpus import Corpus, Segment
from harkback.engine import Engine
from harkback.errors import QueryError
from harkback.model import ABANDONED, KINDS, Passage, PassageMessage, Row
from harkback.query import check_active, check_cancel, heed, not_found
from harkback.redaction import Redaction
from harkback.rendering import (
    NOTICE,
    VERSION,
    compact_json,
    cost,
    material_json,
    materials_of,
    message_text,
    passage_head_text,
    passage_json,
)
from harkback.showing import Showing, anchor_id, bare, files, shows
from harkback.windows import whole

Scope: TypeAlias = Literal["turn", "audit", "scroll"]
SCOPES: Final = get_args(Scope)
WHERE: Final = "is at this anchor"
_ANCHOR: Final = re.compile(r"[0-9a-f]{32}")
#: The nearest rows on one side with their places, and whether there are more.
_Side: TypeAlias = tuple[list[tuple[int, Row]], bool]
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
    cancel: threading.Event | None = None


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
            "materials": list(map(material_json, materials_of([self.passage]))),
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
    cancel: threading.Event | None = None,
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
        raise not_found(WHERE)
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
    under_way = check_active(active)
    check_cancel(cancel)
    scope: Scope = view  # type: ignore[assignment]
    return Request(anchor, scope, before, after, start, behind, under_way, unbounded, cancel)


def read(
    engine: Engine,
    redaction: Redaction,
    asked: Request,
    candidate: Candidate,
    corpus: Corpus,
) -> Reading:
    """What is asked for, as far as the Budget goes.

    Raises:
        QueryError: ``not_found``, whatever the cause, so that it tells nothing; ``cursor_invalid``.
    """
    with corpus.hold(candidate, asked.cancel) as segment:
        return _Reader(engine, redaction, asked, candidate, segment, corpus).read()


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
            raise not_found(WHERE)
        if self._asked.view == "audit":
            return self._audit(number, row)
        return self._around(number, row)

    def _find(self, anchor: str) -> tuple[int, Row]:
        def is_it(row: Row) -> bool:
            heed(self._asked.cancel)
            return shows(row) and anchor_id(anchor[:16], row.id) == anchor

        found = self._showing.find(self._segment, is_it)
        if found is None:
            raise not_found(WHERE)
        return found

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

    def _stored(self, rows: list[tuple[int, Row]], number: int) -> list[PassageMessage]:
        silent = self._asked.view == "scroll"
        groups = [
            [row, *self._showing.beside(self._segment, row, at, number, silent=silent)]
            for at, row in rows
        ]
        asked = [row for group in groups for row in group]
        stored = iter(self._showing.stored(self._candidate, self._segment, asked))
        home = self._asked.anchor[:16]
        found: list[PassageMessage] = []
        for row, *beside in groups:
            anchor = anchor_id(home, row.id)
            shown = self._showing.message(
                home,
                next(stored),
                list(islice(stored, len(beside))),
                is_anchor=anchor == self._asked.anchor,
            )
            found.append(replace(shown, anchor=anchor))
        return found

    def _fits(self, text: int, json: int) -> bool:
        if text > self._text or json > self._json:
            return False
        self._text -= text
        self._json -= json
        return True

    def _pay(self, message: PassageMessage) -> bool:
        return self._fits(*cost(message))

    def _pay_any(self, message: PassageMessage) -> PassageMessage | None:
        """The Message with its Materials or, if they do not fit, with their number."""
        return next(filter(self._pay, (message, bare(message))), None)

    def _pay_head(self, empty: Passage) -> None:
        self._fits(len(passage_head_text(1, empty)), len(compact_json(passage_json(empty))))

    # --- the whole Message ---

    def _audit(self, number: int, row: Row) -> Reading:
        (stored,) = self._showing.stored(self._candidate, self._segment, [row])
        leaves, cuts = self._showing.redacted(stored)
        text = whole(leaves, cuts, self._showing.names(leaves))
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
        if not self._asked.start:
            listed = self._showing.materials(self._asked.anchor[:16], stored)
            more_files = len(files(stored)) - len(listed)
            empty = replace(empty, materials=tuple(listed), more_materials=more_files)
        passage = self._passage(number, row, ())
        self._pay_head(passage)
        start = self._asked.start
        room = len(text.text) if self._asked.unbounded else TEXT_PASSAGES_BUDGET
        end = text.page(start, room, lambda page, _: self._pay(replace(empty, text=page)))
        page = replace(empty, text=text.text[start:end])
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
            other = self._asked.view == "turn" and behind.turn != row.turn
            if other or self._is_active(behind):
                raise QueryError("cursor_invalid", "The cursor is of another Turn.")
            before = ([], True)
            after = self._side(last, behind, 1, self._asked.after or 1)
        return self._paid(number, row, before, after)

    def _side(self, number: int, row: Row, step: int, count: int) -> _Side:
        """The nearest rows on one side, nearest first, and whether there are more."""
        walk = self._scroll if self._asked.view == "scroll" else self._showing.neighbours
        nearest = list(islice(walk(self._segment, row, number, step), count + 1))
        return nearest[:count], len(nearest) > count

    def _scroll(
        self, segment: Segment, anchor: Row, number: int, step: int
    ) -> Iterator[tuple[int, Row]]:
        for at, other in self._showing.walk(segment, number, step):
            hidden = other.kind >= ABANDONED > anchor.kind or other.kind == _TITLE
            if shows(other) and not hidden and not self._is_active(other):
                yield at, other

    def _paid(self, number: int, row: Row, before: _Side, after: _Side) -> Reading:
        """The anchor, then by distance on both sides, until the Budget is spent."""
        continued = self._asked.behind is not None
        rows = [*([] if continued else [(number, row)]), *before[0], *after[0]]
        shown = self._stored(rows, number)
        passage = self._passage(number, row, ())
        self._pay_head(passage)
        anchor = [] if continued else shown[:1]
        paid_anchor = [self._pay_any(message) or message for message in anchor]
        sides = (shown[len(anchor) :][: len(before[0])], shown[len(anchor) + len(before[0]) :])
        kept: tuple[list[PassageMessage], list[PassageMessage]] = ([], [])
        for distance in range(MAX_NEIGHBOURS_EACH_SIDE):
            for side, paid in zip(sides, kept, strict=True):
                if len(paid) == distance < len(side):
                    message = self._pay_any(side[distance])
                    paid += [] if message is None else [message]
        more = after[1] or len(kept[1]) < len(after[0])
        messages = (*reversed(kept[0]), *paid_anchor, *kept[1])
        whole_passage = replace(
            passage,
            messages=messages,
            has_more_before=before[1] or len(kept[0]) < len(before[0]),
            has_more_after=more,
        )
        last = messages[-1].anchor if messages else None
        return Reading(self._asked.view, whole_passage, last if more else None)
