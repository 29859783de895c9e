"""The window: how a Message is shown. Redacted whole first, cut afterwards.

Invariant: no cut falls inside a redaction mark and none changes what was redacted, so a window can
never expose part of a secret, nor its length. Proof: tests/unit/test_windows.py,
tests/leaks/test_cuts.py.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Callable, Iterable, Sequence
from itertools import accumulate
from typing import Final, NamedTuple

from harkback.config import (
    MAX_SPANS_PER_WINDOW,
    REDACTED_MARK,
    WINDOW_CODE_POINTS,
    WINDOW_LEAD_CODE_POINTS,
)
from harkback.engine import Engine
from harkback.graphemes import border_after, border_before
from harkback.model import Leaf, Span
from harkback.redaction.marking import before, behind, marked

_JOIN: Final = "\n"


class Window(NamedTuple):
    """What is shown of a Message.

    Attributes:
        path: names the leaf when not all of them are shown.
        leaf: its number.
        start: where in it the window begins, counted as it is shown: a secret as its mark.
    """

    text: str
    spans: tuple[Span, ...]
    path: tuple[str, ...] | None
    truncated: bool
    leaf: int = 0
    start: int = 0


class Shown(NamedTuple):
    """A leaf with its secrets replaced, and where the matches and the marks lie in it."""

    text: str
    matches: list[Span]
    marks: list[Span]


def window(
    engine: Engine,
    terms: Sequence[str],
    leaves: Sequence[Leaf],
    cuts: Sequence[Sequence[Span]],
    width: int = WINDOW_CODE_POINTS,
) -> Window:
    """All leaves, one to a line, if they are short; else a window of the one that matches first.

    Args:
        terms: folded.
        leaves: at least one.
        cuts: redacted spans of each leaf, disjoint and in order.
        width: of the window, in code points of the Message.
    """
    if _shown_length(leaves, cuts) <= width:
        shown = [
            redacted(engine, terms, leaf.text, cut) for leaf, cut in zip(leaves, cuts, strict=True)
        ]
        starts = accumulate((len(leaf.text) + len(_JOIN) for leaf in shown), initial=0)
        spans = tuple(
            (start + a, start + b)
            for start, leaf in zip(starts, shown, strict=False)
            for a, b in leaf.matches
        )
        text = _JOIN.join(leaf.text for leaf in shown)
        return Window(text, spans[:MAX_SPANS_PER_WINDOW], None, truncated=False)
    first = redacted(engine, terms, leaves[0].text, cuts[0], width)
    number = 0
    for other, (leaf, cut) in enumerate(zip(leaves[1:], cuts[1:], strict=True), 1):
        if first.matches:
            break
        found = redacted(engine, terms, leaf.text, cut, width)
        if found.matches:
            first, number = found, other
    return _cut(leaves[number].path, number, first, width, alone=len(leaves) == 1)


def _shown_length(leaves: Sequence[Leaf], cuts: Sequence[Sequence[Span]]) -> int:
    """Of all leaves joined. How long a secret is decides nothing: each counts as its mark."""
    length = len(_JOIN) * (len(leaves) - 1)
    for leaf, cut in zip(leaves, cuts, strict=True):
        length += len(leaf.text) + sum(len(REDACTED_MARK) - (end - start) for start, end in cut)
    return length


def redacted(
    engine: Engine,
    terms: Sequence[str],
    text: str,
    cuts: Sequence[Span],
    width: int | None = None,
) -> Shown:
    """``text`` with a mark in place of each cut, and the matches of folded ``terms`` in it.

    Args:
        width: of a window at the first of them: none far behind it are asked for.
    """
    shown, marks = marked(text, cuts)
    ends = [end for _, end in cuts]
    shifts = [mark_end - end for (_, mark_end), end in zip(marks, ends, strict=True)]

    def moved(offset: int, at_end: bool) -> int:
        """A match never crosses a cut: its start lies behind the cuts before it, its end too."""
        index = bisect_right(ends, offset - at_end)
        return offset + (shifts[index - 1] if index else 0)

    # What is shown is at least what survives; borders may move the window on, by less than itself.
    found = engine.locate(text, cuts, terms, width and 2 * width) if terms else []
    matches = _union((moved(a, False), moved(b, True)) for a, b, _ in found)
    return Shown(shown, matches, marks)


def _union(spans: Iterable[Span]) -> list[Span]:
    merged: list[Span] = []
    for start, end in spans:
        if merged and start < merged[-1][1]:
            merged[-1] = (merged[-1][0], max(end, merged[-1][1]))
        else:
            merged.append((start, end))
    return merged


def _cut(path: tuple[str, ...], leaf: int, shown: Shown, width: int, *, alone: bool) -> Window:
    """A part before the first match, ``width`` in all, with marks for what is left out."""
    text = shown.text
    first = shown.matches[0][0] if shown.matches else 0
    lead = min(WINDOW_LEAD_CODE_POINTS, width // 4)
    low = max(0, min(first - lead, len(text) - width))
    low = behind(shown.marks, border_after(text, low) if low else 0)
    high = min(len(text), low + width)
    high = before(shown.marks, border_before(text, high))
    head = f"[… {low} characters before]\n" if low else ""
    tail = f"\n[… {len(text) - high} characters after]" if high < len(text) else ""
    shift = len(head) - low
    spans = tuple(
        (max(a, low) + shift, min(b, high) + shift)
        for a, b in shown.matches
        if b > low and a < high
    )
    truncated = bool(head or tail) or not alone
    return Window(
        head + text[low:high] + tail,
        spans[:MAX_SPANS_PER_WINDOW],
        path if truncated else None,
        truncated,
        leaf,
        low,
    )


class Whole(NamedTuple):
    """All of a Message, redacted; what is cut out of it never begins or ends inside a mark."""

    text: str
    marks: tuple[Span, ...]

    def cut(self, start: int, room: int) -> int:
        """Where a page that begins at ``start`` ends: at most ``room`` on, past ``start``."""
        end = min(len(self.text), start + room)
        end = max(border_before(self.text, end), start + 1)
        low = before(self.marks, end)
        return min(low if low > start else behind(self.marks, end), len(self.text))

    def page(self, start: int, room: int, fits: Callable[[str, int], bool]) -> int:
        """Where a page that begins at ``start`` ends so that it fits.

        Args:
            room: code points tried first.
            fits: asked about the text of a page and its end until it takes one.
        """
        end = self.cut(start, room)
        while not fits(self.text[start:end], end) and end > start + 1:
            room = (end - start) * 7 // 8
            end = self.cut(start, room)
        return end


def whole(leaves: Sequence[Leaf], cuts: Sequence[Sequence[Span]], names: Sequence[str]) -> Whole:
    """Every leaf under its name, or one alone without."""
    pieces: list[str] = []
    marks: list[Span] = []
    length = 0
    for leaf, cut, name in zip(leaves, cuts, names, strict=True):
        head = _head(name) if len(leaves) > 1 else ""
        head = _JOIN + head if pieces else head
        text, own = marked(leaf.text, cut)
        length += len(head)
        marks += ((length + start, length + end) for start, end in own)
        pieces += (head, text)
        length += len(text)
    return Whole("".join(pieces), tuple(marks))


def start_in_whole(
    view: Window, leaves: Sequence[Leaf], cuts: Sequence[Sequence[Span]], names: Sequence[str]
) -> int:
    """Where in ``whole`` a window of the same leaves begins; at its name, if it begins a leaf.

    Args:
        names: at least those of the leaves up to the one that the window is cut from.
    """
    before = _shown_length(leaves[: view.leaf], cuts[: view.leaf]) + len(_JOIN)
    if len(leaves) == 1:
        return before + view.start
    before += sum(len(_head(name)) for name in names[: view.leaf])
    return before + (len(_head(names[view.leaf])) + view.start if view.start else 0)


def _head(name: str) -> str:
    return f"{name}: "
