"""The pointer: what a compacted context holds in the place of what was cut from it.

A few lines that name the Session, how much of it there is, and which tool gives it back: nothing
is pushed, all of it can be pulled. Invariant: the text is of at most ``POINTER_CODE_POINTS``, and
nothing stored is in it but names, redacted and made one line. Proof: tests/unit/test_pointer.py.
"""

from __future__ import annotations

import json
import threading
from collections.abc import Iterable
from dataclasses import dataclass
from itertools import count
from typing import Any, Final

from harkback.candidates import Candidate
from harkback.config import DEFAULT_KINDS, POINTER_CODE_POINTS
from harkback.corpus import Corpus, Segment
from harkback.engine import Engine
from harkback.model import KINDS, Row
from harkback.query import check_active, check_cancel, heed, not_found
from harkback.redaction import Redaction
from harkback.rendering import VERSION, iso, label
from harkback.showing import Showing, anchor_home, anchor_id

WHERE: Final = "is a Session of this id"
_COUNTED: Final = frozenset(map(KINDS.index, DEFAULT_KINDS))
_ROWS_AT_ONCE: Final = 256
_ID_CODE_POINTS: Final = 80  # of an id that the text names; ``within`` takes no shortened one


@dataclass(frozen=True, slots=True)
class Request:
    """What is asked for."""

    session: str
    active: tuple[str, str] | None
    cancel: threading.Event | None


@dataclass(frozen=True, slots=True)
class Pointer:
    """Where a Session is kept. ``anchor`` is of the last Message of its last Turn.

    Times are milliseconds since the epoch, of the first and the last Message.
    """

    session: str
    title: str
    source: str
    first_at: int
    last_at: int
    messages: int
    turns: int
    anchor: str

    def text(self) -> str:
        """What stands in the compacted context: at most 600 code points, whatever is stored."""
        first, last = iso(self.first_at) or "undated", iso(self.last_at) or "undated"
        where = "a few literal terms"
        if len(self.session) <= _ID_CODE_POINTS:
            where += f" and within={_quoted(self.session)}"
        head = "Earlier Messages of this Session were cut from the context; they are kept"
        rest = (
            f": {self.messages} Messages in {self.turns} Turns, {first} to {last}.\n"
            f"To find something in them: Recall with {where}.\n"
            f"To read on from the last Turn: RecallMore with anchor {self.anchor}.\n"
        )
        room = POINTER_CODE_POINTS - len(head) - len(rest) - len(' under ""')
        return f"{head}{self._titled(room)}{rest}"

    def _titled(self, room: int) -> str:
        """The title as far as there is room for it; a quotation mark in it costs two."""
        title = label(self.title, max(room, 1))
        if len(_quoted(title)) > room:
            title = label(self.title, max(room // 2, 1))
        return f" under {_quoted(title)}" if self.title and room > 1 else ""

    def to_dict(self) -> dict[str, Any]:
        """The structure, of values that JSON has."""
        return {
            "version": VERSION,
            "kind": "compaction_pointer",
            "session": {"id": self.session, "title": self.title, "source": self.source},
            "first_at": iso(self.first_at),
            "last_at": iso(self.last_at),
            "messages": self.messages,
            "turns": self.turns,
            "anchor": self.anchor,
        }


def build(
    session: str, *, active: tuple[str, str] | None, cancel: threading.Event | None
) -> Request:
    """Checks what is asked for.

    Raises:
        QueryError: with the reason; no Source was touched.
    """
    if not isinstance(session, str):
        raise not_found(WHERE)
    under_way = check_active(active)
    check_cancel(cancel)
    return Request(session, under_way, cancel)


def point(
    engine: Engine,
    redaction: Redaction,
    asked: Request,
    candidate: Candidate,
    corpus: Corpus,
) -> Pointer:
    """The pointer to a Session that may be read.

    Raises:
        QueryError: ``not_found``, whatever the cause.
    """
    with corpus.hold(candidate, asked.cancel) as segment:
        rows = list(_counted(asked, candidate, corpus, segment))
    if not rows:
        raise not_found(WHERE)
    times = [row.timestamp for row in rows]
    card = Showing(engine, redaction, corpus).card(candidate)
    return Pointer(
        session=card.id,
        title=card.title,
        source=card.source,
        first_at=min(times),
        last_at=max(times),
        messages=len(rows),
        turns=len({row.turn for row in rows}),
        anchor=anchor_id(anchor_home(candidate.session.source, candidate.session.id), rows[-1].id),
    )


def _counted(
    asked: Request, candidate: Candidate, corpus: Corpus, segment: Segment
) -> Iterable[Row]:
    """The Messages that a search brings up by itself: neither rewound nor of the Turn under way."""
    for start in count(0, _ROWS_AT_ONCE):
        heed(asked.cancel)
        rows = corpus.rows(segment, start, start + _ROWS_AT_ONCE)
        for row in rows:
            under_way = asked.active == (candidate.session.id, row.turn)
            if row.kind in _COUNTED and row.spans and not under_way:
                yield row
        if len(rows) < _ROWS_AT_ONCE:
            return


def _quoted(name: str) -> str:
    return json.dumps(name, ensure_ascii=False)
