"""Key rules: the value under or after a sensitive name, in every textual form known.

``key = value``, ``key: value``, ``key := value``, ``"key" => "value"``, ``\\"key\\": \\"value\\"``,
``--flag value``, ``Authorization: Bearer value``. A quoted value goes to its closing quote (the
same quote behind as many backslashes), else to the end of the line; an unquoted one to white
space, a quote or one of ``& < > , ; ) ] }``, over backslash-newline. Invariant: one occurrence of a
keyword costs a bounded number of steps, plus its value; values are bounded in sum, because two
quoted ones of one kind never overlap and unquoted ones share one end. Proof:
tests/unit/redaction/test_key.py; cost: benches/redact.py.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Literal, NamedTuple, TypeAlias

from harkback.reference.redact import benign
from harkback.reference.redact.name import ASCII_LOWER, DIGIT, LETTER, NAME, WORD

NAME_LOOK_BACK = 64
NAME_TAIL = 4  # digits and underscores behind the last segment: ``password_2``
SPACES = 32
BACKSLASHES = 7  # three levels of JSON inside JSON
SCHEME = 20

QUOTES = frozenset("\"'`")
STOPS = QUOTES | frozenset(" \t\r\n\f\v&<>,;)]}")
SCHEMES = frozenset(("bearer", "basic", "token", "apikey", "negotiate", "digest", "signature"))
LINE_SCHEMES = frozenset(("digest", "signature"))
PREFIXES = frozenset("bBfFrRuU")

#: How a value hangs on its name: ``k=v``, ``k = v``, ``k: v``, ``--k v``, ``"--k", "v"``.
Form: TypeAlias = Literal["tight", "loose", "colon", "flag", "listed"]


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


class Value(NamedTuple):
    start: int
    form: Form
    bare: bool = False  # a colon behind a name without quotes


#: What follows a quote that closes: in ``getpass("Password: ", stream)`` it opens no value.
CLOSERS = frozenset(" ,)]};+.\r\n")


class Word(NamedTuple):
    """A lone word behind a colon: a secret only if its line holds nothing else."""

    start: int
    end: int


def find(
    text: str, keyword_end: int, sensitive: Callable[[str], bool], runs: Runs
) -> tuple[int, int] | None:
    """The span of the value whose name ends with the keyword that ends at ``keyword_end``."""
    end = keyword_end
    while end < len(text) and end - keyword_end < NAME_TAIL and text[end] in DIGIT | {"_"}:
        end += 1
    if end < len(text) and text[end] in WORD:
        return None
    start = keyword_end
    while start > 0 and keyword_end - start < NAME_LOOK_BACK and text[start - 1] in NAME:
        start -= 1
    found = separator(text, end, text.startswith("--", start))
    if found is None or not sensitive(text[start:end]):
        return None
    span = _value(text, found, runs)
    if span is None and found.form == "colon":
        annotated = _annotated(text, found.start)
        if annotated is not None:
            return _value(text, annotated, runs)
    return _alone(text, start, span) if isinstance(span, Word) else span


def continuation(text: str, at: int) -> int:
    """Length of a backslash-newline at ``at``, else 0."""
    if text.startswith("\\\n", at):
        return 2
    return 3 if text.startswith("\\\r\n", at) else 0


def skip_spaces(text: str, at: int) -> int:
    limit = at + SPACES
    while at < len(text) and at < limit:
        step = continuation(text, at) or (1 if text[at] in " \t" else 0)
        if not step:
            break
        at += step
    return at


def quote_at(text: str, at: int) -> int | None:
    """Number of backslashes before the quote that stands at ``at``, None without one."""
    level = 0
    while level < BACKSLASHES and text.startswith("\\", at + level):
        level += 1
    return level if text[at + level : at + level + 1] in QUOTES else None


def separator(text: str, at: int, flag: bool) -> Value | None:
    """Where the value starts, if what follows the name at ``at`` ties a value to it."""
    level = quote_at(text, at)
    if level is not None:
        at += level + 1
        at += text.startswith("]", at)
    at = _stars(text, at)
    operator = skip_spaces(text, at)
    two = text[operator : operator + 2]
    if two in ("==", "=~", "::"):
        return None
    if two in ("=>", ":=", "?="):
        return Value(skip_spaces(text, operator + 2), "loose")
    if two[:1] == "=":
        start = skip_spaces(text, operator + 1)
        return Value(start, "tight" if start - at == 1 else "loose")
    if two[:1] == ":" or two == "?:":
        start = skip_spaces(text, _stars(text, operator + two.index(":") + 1))
        return Value(start, "colon", level is None)
    if flag and level is not None and two[:1] == ",":
        return Value(skip_spaces(text, operator + 1), "listed")
    if flag and level is None and operator > at:
        return Value(operator, "flag")
    return None


def _stars(text: str, at: int) -> int:
    """Past the marks of a bold name: ``**Password:** x``, ``**Password**: x``."""
    return at + 2 if text.startswith("**", at) else at


def _value(text: str, found: Value, runs: Runs) -> tuple[int, int] | Word | None:
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


def _alone(text: str, name: int, word: Word) -> tuple[int, int] | None:
    """``password: swordfish`` is a secret where its line says nothing else, prose where it does."""
    before = name
    while before > 0 and name - before < SPACES and text[before - 1] in " \t-*>\"'":
        before -= 1
    after = skip_spaces(text, word.end)
    opens = before == 0 or text[before - 1] in "\r\n"
    closes = after == len(text) or text[after] in "\r\n"
    return (word.start, word.end) if opens and closes else None


def _annotated(text: str, start: int) -> Value | None:
    """The default behind a type: ``password: str = "x"``."""
    at = start
    while at < len(text) and at - start < benign.LIMIT:
        if text[at] not in WORD and text[at] not in ".<>|&?[],":
            break
        at += 1
    at = skip_spaces(text, at)
    if at == start or text[at : at + 1] != "=" or text[at : at + 2] in ("==", "=>", "=~"):
        return None
    return Value(skip_spaces(text, at + 1), "loose")
