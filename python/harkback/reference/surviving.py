"""Surviving text: a leaf minus its redacted spans, each span folded on its own; how spans grow.

A term matches inside one surviving span and nowhere else; the corpus and ``locate`` both take
their spans from here, so they cannot disagree. Proof: tests/properties/test_locate.py (occurrences
located = frequency counted) and tests/differential/test_locate.py.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from harkback.model import Span
from harkback.reference.fold import fold_mapped, is_border


def surviving(length: int, cuts: Iterable[Span]) -> list[Span]:
    """The non-empty stretches of a text of ``length`` code points that ``cuts`` leave, in order.

    ``cuts`` are in order of their starts; they may touch, overlap, be empty or reach past the end;
    one that runs backwards cuts nothing.
    """
    spans: list[Span] = []
    at = 0
    for start, end in [*cuts, (length, length)]:
        if at < min(start, length):
            spans.append((at, min(start, length)))
        at = max(at, start, end)
    return spans


def grow(text: str, spans: Iterable[Span]) -> list[Span]:
    """``spans`` grown outward to composition borders, those that overlap or touch as one.

    Raises:
        ValueError: a span is empty or reaches outside ``text``.
    """
    grown: list[Span] = []
    for start, end in sorted(spans):
        if not 0 <= start < end <= len(text):
            raise ValueError("a span is not inside its text")
        floor = grown[-1][1] if grown else 0
        while start > floor and not is_border(text[start]):
            start -= 1
        while end < len(text) and not is_border(text[end]):
            end += 1
        if grown and start <= floor:
            grown[-1] = (grown[-1][0], max(floor, end))
        else:
            grown.append((start, end))
    return grown


def require_terms(terms: Sequence[str]) -> None:
    """Raises ValueError when a term is empty: it would occur everywhere."""
    if "" in terms:
        raise ValueError("a term is empty")


def locate(
    text: str, cuts: Sequence[Span], terms: Sequence[str], reach: int | None = None
) -> list[tuple[int, int, int]]:
    """Occurrences (start, end, term index) of folded ``terms`` in the surviving text.

    ``cuts`` and the answer are in code points of ``text``. Per term non-overlapping, left to
    right; ordered by start, then term index. A match that begins or ends inside a composition
    segment covers the whole segment. ``reach``: only those that begin less than so many surviving
    code points behind the start of the first.
    """
    require_terms(terms)
    found: list[tuple[int, int, int]] = []
    spans = surviving(len(text), cuts)
    for start, end in spans:
        folded, origin = fold_mapped(text[start:end])
        for index, term in enumerate(terms):
            at = folded.find(term)
            while at != -1:
                after = at + len(term)
                found.append((start + origin[at][0], start + origin[after - 1][1], index))
                at = folded.find(term, after)
    found.sort(key=lambda occurrence: (occurrence[0], occurrence[2]))
    if reach is None or not found:
        return found

    def surviving_before(point: int) -> int:
        return sum(min(end, point) - start for start, end in spans if start < point)

    first = surviving_before(found[0][0])
    return [each for each in found if surviving_before(each[0]) - first < reach]
