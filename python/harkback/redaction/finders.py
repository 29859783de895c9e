"""Finders: a host's own code that says where secrets stand, held to the laws of rules.

What a finder names is joined with what the rules name, grown to composition borders, and looked
for again with the marks in place, so that redacting twice is redacting once. A span that reaches
into a mark takes all of it; one that lies in marks is nothing. Invariant: a finder that raises
hides the whole leaf; it never lets one through. Proof: tests/unit/redaction/test_finders.py.
"""

from __future__ import annotations

import operator
from bisect import bisect_right
from collections.abc import Iterable, Sequence
from typing import NamedTuple, Protocol

from harkback.config import REDACTED_MARK
from harkback.engine import Engine, Redactor
from harkback.errors import UsageError
from harkback.model import RedactedSpan, Span
from harkback.redaction.marking import marked

#: Times that a text is looked at with the marks of the time before in place.
ROUNDS = 4


class Finder(Protocol):
    """A callable that is given a text and gives (start, end) pairs in code points.

    It is called with whole leaves, from several threads at once. Spans may overlap and come in any
    order; what reaches outside the text is clipped.

    Attributes:
        id: names it beside the rules; theirs and its own are unique in a policy.
        version: changes whenever it may find something else.
    """

    @property
    def id(self) -> str: ...
    @property
    def version(self) -> str: ...
    def __call__(self, text: str, /) -> Iterable[Span]: ...


class Examined(NamedTuple):
    """What is taken out of a text; ``failed`` is the finder that hid all of it, if one did."""

    spans: list[RedactedSpan]
    failed: str | None = None


def check_finder(finder: object) -> None:
    """Raises UsageError ``finder_invalid`` when this is no finder."""
    if not callable(finder):
        raise UsageError("finder_invalid", "A policy takes rules, and callables as finders.")
    for name in ("id", "version"):
        value = getattr(finder, name, None)
        if not isinstance(value, str) or not value:
            raise UsageError(
                "finder_invalid", f"A finder needs {name}, a string that is not empty."
            )


def examine(engine: Engine, redactor: Redactor, finders: Sequence[Finder], text: str) -> Examined:
    """The union of rules and finders over a whole leaf.

    Raises:
        UsageError: ``finder_invalid``: a finder gave something else than spans.
    """
    cuts: list[RedactedSpan] = []
    for _ in range(ROUNDS):
        shown = _Marked(text, cuts)
        found = redactor.spans(shown.text)
        for finder in finders:
            named = _ask(finder, shown.text)
            if named is None:
                return Examined([RedactedSpan(0, len(text), (finder.id,))], finder.id)
            found += [RedactedSpan(*span, (finder.id,)) for span in shown.whole(named)]
        placed = [shown.origin(span) for span in found]
        new = [span for span in placed if not _inside(span, cuts)]
        if not new:
            break
        cuts = _union(engine, text, cuts + new)
    return Examined(cuts)


def _ask(finder: Finder, text: str) -> list[Span] | None:
    """What the finder names, clipped to the text; None when it raises."""
    pairs: list[object] | None = None
    try:
        given: object = finder(text)
        if isinstance(given, Iterable):
            pairs = list(given)
    except Exception:
        return None  # what it raised may quote the text: nothing of it is kept
    spans: list[Span] = []
    for pair in [None] if pairs is None else pairs:
        span = _pair(pair)
        if span is None:
            raise UsageError(
                "finder_invalid",
                f"The finder {finder.id!r} has to give pairs of offsets, start before end.",
            )
        start, end = max(span[0], 0), min(span[1], len(text))
        if start < end:
            spans.append((start, end))
    return spans


def _pair(given: object) -> Span | None:
    if not isinstance(given, tuple | list) or len(given) != 2:
        return None
    try:
        start, end = map(operator.index, given)
    except TypeError:
        return None
    return (start, end) if start <= end else None


def _inside(span: RedactedSpan, cuts: Sequence[RedactedSpan]) -> bool:
    """Whether one of ``cuts``, which are disjoint and in order, covers ``span``."""
    after = bisect_right(cuts, span.start, key=lambda cut: cut.start)
    return after > 0 and span.end <= cuts[after - 1].end


def _union(engine: Engine, text: str, spans: Sequence[RedactedSpan]) -> list[RedactedSpan]:
    grown = engine.grow(text, [(span.start, span.end) for span in spans])
    ids: list[set[str]] = [set() for _ in grown]
    for span in spans:
        at = bisect_right(grown, span.start, key=lambda cut: cut[0]) - 1
        ids[at].update(span.rules)
    return [
        RedactedSpan(start, end, tuple(sorted(names)))
        for (start, end), names in zip(grown, ids, strict=True)
    ]


class _Marked:
    """A text with a mark in place of each cut, and where its code points come from."""

    def __init__(self, text: str, cuts: Sequence[RedactedSpan]) -> None:
        self.text, marks = marked(text, ((cut.start, cut.end) for cut in cuts))
        #: Place of a mark, and the cut it stands for.
        self._marks = [
            (start, cut.start, cut.end) for (start, _), cut in zip(marks, cuts, strict=True)
        ]

    def whole(self, spans: Iterable[Span]) -> Iterable[Span]:
        """``spans`` with the marks they reach into, whole; without those that lie in marks.

        Marks that stood in the text already count too: they may be what an earlier pass left.
        """
        starts: list[int] = []
        at = self.text.find(REDACTED_MARK)
        while at >= 0:
            starts.append(at)
            at = self.text.find(REDACTED_MARK, at + len(REDACTED_MARK))
        for start, end in spans:
            first = bisect_right(starts, start) - 1
            if first >= 0 and start < starts[first] + len(REDACTED_MARK):
                start = starts[first]
            last = bisect_right(starts, end - 1) - 1
            if last >= 0 and end < starts[last] + len(REDACTED_MARK):
                end = starts[last] + len(REDACTED_MARK)
            if self.text[start:end].replace(REDACTED_MARK, ""):
                yield start, end

    def origin(self, span: RedactedSpan) -> RedactedSpan:
        """A stretch of the marked text as a stretch of the text; a mark stands for its cut."""
        start, end = self._place(span.start)[0], self._place(span.end - 1)[1]
        return RedactedSpan(start, end, span.rules)

    def _place(self, at: int) -> Span:
        index = bisect_right(self._marks, at, key=lambda mark: mark[0]) - 1
        if index < 0:
            return at, at + 1
        mark, start, end = self._marks[index]
        behind = at - mark - len(REDACTED_MARK)
        return (start, end) if behind < 0 else (end + behind, end + behind + 1)
