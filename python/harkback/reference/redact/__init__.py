"""Redaction: the union of all rules over one whole leaf.

A rule does nothing but at its keywords. Spans that overlap or touch are one; each is grown to the
nearest composition borders; what the marks of one pass lay open (a secret glued to another) is
looked for again, PASSES times; what is left of a longer chain goes whole, up to white space.
Invariant: linear in the text, whatever it holds.
Proof: tests/unit/redaction, tests/differential/test_redact.py.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterable, Iterator, Sequence
from functools import partial
from typing import NamedTuple, Protocol, TypeAlias

from harkback.reference.fold import is_border
from harkback.reference.redact import key, name
from harkback.reference.redact.benign import MARK
from harkback.reference.redact.ends import Runs
from harkback.reference.redact.shape import Shape, ShapeRule

PASSES = 4
SPACE = " \t\n\v\f\r"


class Rule(ShapeRule, Protocol):
    """What this package reads of ``harkback.model.Rule``."""

    @property
    def keywords(self) -> tuple[str, ...]: ...
    @property
    def names(self) -> tuple[str, ...]: ...
    @property
    def qualifiers(self) -> tuple[str, ...]: ...


class RedactedSpan(NamedTuple):
    """Twin of ``harkback.model.RedactedSpan``."""

    start: int
    end: int
    rules: tuple[str, ...]


#: A span before its rules are sorted: start, end, ids.
Cut: TypeAlias = tuple[int, int, frozenset[str]]


class Redactor:
    """Rules, prepared once. Raises ValueError naming the rule whose shape does not compile."""

    def __init__(self, rules: Sequence[Rule]) -> None:
        self._rules = [(rule, Shape(rule) if rule.kind != "key" else None) for rule in rules]

    def spans(self, text: str, sensitive: bool = False) -> list[RedactedSpan]:
        """What is taken out of ``text``; all of it if it stands under a ``sensitive`` name."""
        if sensitive:
            ids = {rule.id for rule, _ in self._rules if rule.kind == "key"}
            return [RedactedSpan(0, len(text), tuple(sorted(ids)))] if text else []
        cuts: list[Cut] = []
        for left in reversed(range(PASSES)):
            shown, origins = _marked(text, cuts)
            found = [(*origins.span(cut[0], cut[1]), cut[2]) for cut in self._pass(shown)]
            new = [cut for cut in found if not _inside(cut, cuts)]
            if not new:
                break
            if not left:
                new = list(_settled(text, new))
            cuts = _merge(cuts + new)
        return [RedactedSpan(start, end, tuple(sorted(ids))) for start, end, ids in cuts]

    def sensitive(self, label: str) -> bool:
        """Whether a value under this key name is a secret, whatever it looks like."""
        return any(
            name.sensitive(label, rule.names, rule.qualifiers)
            for rule, _ in self._rules
            if rule.kind == "key"
        )

    def _pass(self, text: str) -> list[Cut]:
        lowered = text.translate(name.ASCII_LOWER)
        cuts: list[Cut] = []
        for rule, shape in self._rules:
            if shape is not None and rule.kind == "word":
                words = shape.words(text)
                cuts += [
                    (*word, frozenset([rule.id])) for word in words if not _is_marks(text, *word)
                ]
                continue
            last = [0, -1]
            runs = Runs()
            named = partial(name.sensitive, names=rule.names, qualifiers=rule.qualifiers)
            for start, end in _occurrences(lowered, rule.keywords):
                if shape is None:
                    span = key.find(text, end, named, runs)
                else:
                    span = shape.find(text, start, last)
                if span is not None and not _is_marks(text, *span):
                    cuts.append((*span, frozenset([rule.id])))
        return _merge((*_grown(text, start, end), ids) for start, end, ids in _merge(cuts))


def redactor(rules: Sequence[Rule]) -> Redactor:
    """Prepares ``rules``. Raises ValueError naming the rule whose shape does not compile."""
    return Redactor(rules)


def _occurrences(lowered: str, keywords: Iterable[str]) -> Iterator[tuple[int, int]]:
    """Every place of every keyword, overlapping ones too."""
    for keyword in keywords:
        literal = keyword.translate(name.ASCII_LOWER)
        at = lowered.find(literal)
        while at >= 0:
            yield at, at + len(literal)
            at = lowered.find(literal, at + 1)


def _merge(cuts: Iterable[Cut]) -> list[Cut]:
    """Cuts that overlap or touch are one."""
    merged: list[Cut] = []
    for start, end, ids in sorted(cuts, key=lambda cut: cut[:2]):
        if merged and start <= merged[-1][1]:
            first, last, known = merged[-1]
            merged[-1] = (first, max(last, end), known | ids)
        else:
            merged.append((start, end, ids))
    return merged


def _grown(text: str, start: int, end: int) -> tuple[int, int]:
    while start > 0 and not is_border(text[start]):
        start -= 1
    while end < len(text) and not is_border(text[end]):
        end += 1
    return start, end


def _settled(text: str, cuts: Iterable[Cut]) -> Iterator[Cut]:
    """A chain of secrets that is longer than the passes goes whole, to white space."""
    reached = 0
    for start, end, ids in cuts:
        while start > reached and text[start - 1] not in SPACE:
            start -= 1
        while reached < end < len(text) and text[end] not in SPACE:
            end += 1
        reached = max(reached, end)
        yield start, reached, ids


def _is_marks(text: str, start: int, end: int) -> bool:
    """Whether nothing stands here but marks, if anything."""
    while start < end and text.startswith(MARK, start, end):
        start += len(MARK)
    return start == end


def _inside(cut: Cut, cuts: Sequence[Cut]) -> bool:
    """Whether one of ``cuts``, which are disjoint and in order, covers ``cut``."""
    after = bisect_right(cuts, cut[0], key=lambda old: old[0])
    return after > 0 and cut[1] <= cuts[after - 1][1]


class Origins:
    """Where each code point of a marked text comes from."""

    def __init__(self) -> None:
        self._starts: list[int] = []
        self._ends: list[int] = []

    def keep(self, start: int, end: int) -> None:
        """Code points that stand for themselves."""
        self._starts.extend(range(start, end))
        self._ends.extend(range(start + 1, end + 1))

    def replace(self, start: int, end: int, length: int) -> None:
        """``length`` code points, each of which stands for all of ``[start, end)``."""
        self._starts.extend([start] * length)
        self._ends.extend([end] * length)

    def span(self, start: int, end: int) -> tuple[int, int]:
        return self._starts[start], self._ends[end - 1]


def _marked(text: str, cuts: Sequence[Cut]) -> tuple[str, Origins]:
    """The text with a mark in place of each cut."""
    pieces: list[str] = []
    origins = Origins()
    at = 0
    for start, end, _ in cuts:
        pieces += (text[at:start], MARK)
        origins.keep(at, start)
        origins.replace(start, end, len(MARK))
        at = end
    pieces.append(text[at:])
    origins.keep(at, len(text))
    return "".join(pieces), origins
