"""Values: where the value behind a separator lies, and whether it is a secret.

A quoted value goes to its closing quote (the same quote behind as many backslashes), else to the
end of the line; one in three quotes over lines to the next three; one of a YAML block to the end of
its indentation; an unquoted one to where its form ends. Invariant: values are bounded in sum,
because two quoted ones of one kind never overlap and all others share their ends. Proof:
tests/unit/redaction/test_key.py, tests/unit/redaction/test_forms.py; cost: benches/redact.py.
"""

from __future__ import annotations

from typing import NamedTuple

from harkback.reference.redact import benign
from harkback.reference.redact.ends import Runs, indent_at
from harkback.reference.redact.name import ASCII_LOWER, DIGIT, LETTER
from harkback.reference.redact.separator import (
    BACKSLASHES,
    QUOTES,
    SPACES,
    Form,
    Value,
    quote_at,
    skip_spaces,
)

SCHEME = 20
SCHEMES = frozenset(("bearer", "basic", "token", "apikey", "negotiate", "digest", "signature"))
LINE_SCHEMES = frozenset(("digest", "signature"))
PREFIXES = frozenset("bBfFrRuU")
#: From here on scripts are written without spaces between words.
EAST_ASIAN = "\u3000"
#: What follows a quote that closes: in ``getpass("Password: ", stream)`` it opens no value.
CLOSERS = frozenset(" ,)]};+.\r\n")
#: How far above a lone word the header of its section is looked for, in characters, all ASCII.
SECTION = 512


class Word(NamedTuple):
    """A lone word behind a colon: a secret only if its line holds nothing else."""

    start: int
    end: int


def value(text: str, found: Value, runs: Runs) -> tuple[int, int] | Word | None:
    start = found.start
    prefix = 0
    while prefix < 2 and text[start + prefix : start + prefix + 1] in PREFIXES:
        prefix += 1
    if prefix and text[start + prefix : start + prefix + 1] in QUOTES:
        start += prefix
    level = quote_at(text, start)
    if found.form == "element":
        return _element(text, start, runs)
    if level is not None:
        behind = start + level + 1
        if found.bare and (behind == len(text) or text[behind] in CLOSERS):
            return None
        return _quoted(text, start + level, level, runs)
    if found.form == "listed":
        return None
    block = _block(text, start, runs) if found.form == "colon" else None
    return block or _unquoted(text, start, found.form, runs)


def _quoted(text: str, quote: int, level: int, runs: Runs) -> tuple[int, int] | None:
    mark = text[quote]
    start = quote + 1
    if level == 0 and text.startswith(mark * 2, start):
        start += 2
        end = runs.triple_end(text, start, mark)
        if end == len(text):
            end = closing_quote(text, start, mark, level)
    else:
        end = closing_quote(text, start, mark, level)
    start, _ = _scheme(text, start, end)
    return None if benign.quoted(text, start, end) else (start, end)


def closing_quote(text: str, at: int, mark: str, level: int) -> int:
    """Index of the end of the content: its closing quote's first backslash, or the line's end.

    A doubled quote, behind no backslash, stands for itself.
    """
    start = at
    slashes = 0
    while at < len(text):
        char = text[at]
        if char == mark and (slashes < level or (slashes - level) % (2 * (level + 1)) == 0):
            if level or at == start or mark == "`" or not text.startswith(mark, at + 1):
                return at - min(slashes, level)
            at += 1
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
    if form not in ("tight", "clause", "encoded"):
        if text[start : start + 1] in ("“", "「", "『"):
            start += 1
        if text[start : start + 1] >= EAST_ASIAN:
            return None
    end, form = _end(text, start, form, runs)
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


def _end(text: str, start: int, form: Form, runs: Runs) -> tuple[int, Form]:
    """End of an unquoted value, and its form: a clause that nothing closes is none."""
    if form == "encoded":
        return runs.encoded_end(text, start), form
    if form == "clause":
        end = runs.clause_end(text, start)
        if text[end : end + 1] in QUOTES | {";"}:
            return end, form
        form = "tight"
    return runs.value_end(text, start), form


def _words(
    text: str, start: int, end: int, form: Form, following: str
) -> tuple[int, int] | Word | None:
    """A value made of words: a secret or code, by the form it stands in."""
    secret = False
    if form == "flag":
        secret = not benign.prose(text, start, end)
    elif form == "tight":
        secret = following not in (",", ")") and not benign.dotted(text, start, end)
    elif form in ("clause", "encoded"):
        secret = not benign.dotted(text, start, end)
    elif form == "paired":
        secret = text[start] not in "([{" and not benign.dotted(text, start, end)
    elif form in ("colon", "loose") and benign.one_word(text, start, end):
        return Word(start, end)
    return (start, end) if secret else None


def _element(text: str, start: int, runs: Runs) -> tuple[int, int] | None:
    """The text of an XML element: ``<password>x</password>``."""
    end = runs.element_end(text, start)
    closed = text.startswith(("</", "<\\/"), end)
    return None if not closed or benign.quoted(text, start, end) else (start, end)


def _block(text: str, start: int, runs: Runs) -> tuple[int, int] | None:
    """A YAML block: ``password: |`` and the lines that are indented under it."""
    if text[start : start + 1] not in ("|", ">"):
        return None
    at = start + 1
    for _ in range(2):
        at += text[at : at + 1] in DIGIT | {"+", "-"}
    at = skip_spaces(text, at)
    at += text.startswith("\r\n", at)
    if not text.startswith("\n", at):
        return None
    at += 1
    indent = indent_at(text, at)
    end = runs.block_end(text, at, indent) if indent else at
    return (at + indent, end) if end > at + indent else None


def alone(text: str, name: int, word: Word, form: Form) -> tuple[int, int] | None:
    """A lone word is a secret where its line says nothing else, prose or code where it does.

    ``password: swordfish``; ``password = swordfish`` only under the header of a section.
    """
    before = name
    while before > 0 and name - before < SPACES and text[before - 1] in " \t-*>\"'":
        before -= 1
    after = skip_spaces(text, word.end)
    opens = before == 0 or text[before - 1] in "\r\n"
    closes = after == len(text) or text[after] in "\r\n"
    secret = opens and closes and (form == "colon" or _in_section(text, before))
    return (word.start, word.end) if secret else None


def _in_section(text: str, at: int) -> bool:
    """Whether the nearest line above that starts with a bracket is a header: ``[database]``."""
    for place in range(at - 1, max(at - SECTION, 0) - 1, -1):
        if not text[place].isascii():
            return False
        if text[place] == "[" and (place == 0 or text[place - 1] == "\n"):
            stop = text.find("\n", place, at)
            return stop > 0 and text[place:stop].removesuffix("\r").endswith("]")
    return False
