"""Values: where the value behind a separator ends, and whether it is a secret.

A quoted value goes to its closing quote (the same quote behind as many backslashes), else to the
end of the line; an unquoted one to white space, a quote or one of ``& < > , ; ) ] }`` and their
full-width twins, over backslash-newline. Invariant: values are bounded in sum, because two quoted
ones of one kind never overlap and unquoted ones share one end. Proof:
tests/unit/redaction/test_key.py; cost: benches/redact.py.
"""

from __future__ import annotations

from typing import NamedTuple

from harkback.reference.redact import benign
from harkback.reference.redact.name import ASCII_LOWER, LETTER
from harkback.reference.redact.separator import (
    BACKSLASHES,
    QUOTES,
    SPACES,
    Form,
    Value,
    continuation,
    quote_at,
    skip_spaces,
)

SCHEME = 20
STOPS = (
    QUOTES
    | frozenset(" \t\r\n\f\v&<>,;)]}")
    | frozenset("　、。，；！？（）［］｛｝＜＞＆〈〉《》「」『』【】“”")
)
SCHEMES = frozenset(("bearer", "basic", "token", "apikey", "negotiate", "digest", "signature"))
LINE_SCHEMES = frozenset(("digest", "signature"))
PREFIXES = frozenset("bBfFrRuU")
#: From here on scripts are written without spaces between words.
EAST_ASIAN = "\u3000"
#: What follows a quote that closes: in ``getpass("Password: ", stream)`` it opens no value.
CLOSERS = frozenset(" ,)]};+.\r\n")


class Word(NamedTuple):
    """A lone word behind a colon: a secret only if its line holds nothing else."""

    start: int
    end: int


class Runs:
    """The unquoted run and the line measured last: every start inside one has the same end."""

    def __init__(self) -> None:
        self._run = (0, -1)
        self._line = (0, -1)

    def value_end(self, text: str, at: int) -> int:
        """End of the unquoted value that ``at`` lies in."""
        if not self._run[0] <= at <= self._run[1]:
            end = at
            while end < len(text):
                step = continuation(text, end)
                if not step and text[end] in STOPS:
                    break
                end += step or 1
            self._run = (at, end)
        return self._run[1]

    def line_end(self, text: str, at: int) -> int:
        """End of the line that ``at`` lies in."""
        if not self._line[0] <= at <= self._line[1]:
            end = at
            while end < len(text) and text[end] not in "\r\n":
                end += 1
            self._line = (at, end)
        return self._line[1]


def value(text: str, found: Value, runs: Runs) -> tuple[int, int] | Word | None:
    start = found.start
    prefix = 0
    while prefix < 2 and text[start + prefix : start + prefix + 1] in PREFIXES:
        prefix += 1
    if prefix and text[start + prefix : start + prefix + 1] in QUOTES:
        start += prefix
    level = quote_at(text, start)
    if level is not None:
        behind = start + level + 1
        if found.bare and (behind == len(text) or text[behind] in CLOSERS):
            return None
        return _quoted(text, start + level, level)
    if found.form == "listed":
        return None
    return _unquoted(text, start, found.form, runs)


def _quoted(text: str, quote: int, level: int) -> tuple[int, int] | None:
    mark = text[quote]
    start = quote + 1
    if level == 0 and text.startswith(mark * 2, start):
        start += 2
    end = closing_quote(text, start, mark, level)
    start, _ = _scheme(text, start, end)
    return None if benign.quoted(text, start, end) else (start, end)


def closing_quote(text: str, at: int, mark: str, level: int) -> int:
    """Index of the end of the content: its closing quote's first backslash, or the line's end."""
    slashes = 0
    while at < len(text):
        char = text[at]
        if char == mark and (slashes < level or (slashes - level) % (2 * (level + 1)) == 0):
            return at - min(slashes, level)
        if char in "\r\n" and slashes % 2 == 0 and not text.startswith("\\\r\n", at - 2):
            return at
        slashes = slashes + 1 if char == "\\" else 0
        at += 1
    return at


def _scheme(text: str, start: int, end: int) -> tuple[int, str]:
    """Past an authentication scheme and its space, and which one it was."""
    at = start
    while at < end and at - start < SCHEME and text[at] in LETTER:
        at += 1
    name = text[start:at].translate(ASCII_LOWER)
    if name in SCHEMES and at < end and text[at] in " \t":
        while at < end and text[at] in " \t":
            at += 1
        return at, name
    return start, ""


def _unquoted(text: str, start: int, form: Form, runs: Runs) -> tuple[int, int] | Word | None:
    start, scheme = _scheme(text, start, min(len(text), start + SCHEME + SPACES))
    if scheme in LINE_SCHEMES:
        end = runs.line_end(text, start)
        return None if benign.quoted(text, start, end) else (start, end)
    while text.startswith(benign.MARK, start):
        start += len(benign.MARK)
    if form != "tight":
        if text[start : start + 1] in ("“", "「", "『"):
            start += 1
        if text[start : start + 1] >= EAST_ASIAN:
            return None
    end = runs.value_end(text, start)
    following = text[end : end + 1]
    if following in QUOTES:
        escapes = max(start, end - BACKSLASHES)
        while end > escapes and text[end - 1] == "\\":
            end -= 1
    hidden = text.find(benign.MARK[:-1], start, min(end, start + benign.LIMIT))
    judged = end if hidden < 0 else hidden
    if benign.unquoted(text, start, judged):
        return None
    if not benign.plain(text, start, judged):
        return start, end
    return _words(text, start, end, form, following)


def _words(
    text: str, start: int, end: int, form: Form, following: str
) -> tuple[int, int] | Word | None:
    """A value made of words: a secret or code, by the form it stands in."""
    if form == "flag":
        return None if benign.prose(text, start, end) else (start, end)
    if form == "tight":
        code = following in (",", ")") or benign.dotted(text, start, end)
        return None if code else (start, end)
    if form == "colon" and benign.one_word(text, start, end):
        return Word(start, end)
    return None


def alone(text: str, name: int, word: Word) -> tuple[int, int] | None:
    """``password: swordfish`` is a secret where its line says nothing else, prose where it does."""
    before = name
    while before > 0 and name - before < SPACES and text[before - 1] in " \t-*>\"'":
        before -= 1
    after = skip_spaces(text, word.end)
    opens = before == 0 or text[before - 1] in "\r\n"
    closes = after == len(text) or text[after] in "\r\n"
    return (word.start, word.end) if opens and closes else None
