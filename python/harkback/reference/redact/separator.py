"""Separators: how a value hangs on its name, and where it starts.

``key = value``, ``key: value``, ``key := value``, ``"key" => "value"``, ``--flag value``,
``<key>value</key>``, ``key%3Dvalue``, ``密码：value``, ``密码是 value``, and pairs whose first
half is the name: ``name="key" value="x"``. Colours of a terminal and characters without width do
not part a name from its value. Invariant: a bounded number of steps from the end of the name.
Proof: tests/unit/redaction/test_key.py, tests/unit/redaction/test_forms.py.
"""

from __future__ import annotations

from typing import Literal, NamedTuple, TypeAlias

from harkback.reference.redact.name import ASCII_LOWER, DIGIT, UPPER, WORD

SPACES = 32
BACKSLASHES = 7  # three levels of JSON inside JSON
TYPE_LIMIT = 64
COLOUR = 16  # characters of an escape sequence of a terminal
QUOTES = frozenset("\"'`")
INVISIBLE = frozenset("\u00a0\u200b\u200c\u200d\u2060\u3000\ufeff")

#: ``k=v``, ``k = v``, ``k: v``, ``--k v``, ``"--k", "v"``, ``密码是 v``, ``a=b;k=v;``, ``k%3Dv``,
#: ``<k>v</k>``, ``name=k value=v``, ``k: type = v``.
Form: TypeAlias = Literal[
    "tight",
    "loose",
    "colon",
    "flag",
    "listed",
    "stated",
    "clause",
    "encoded",
    "element",
    "paired",
    "default",
]


class Value(NamedTuple):
    start: int
    form: Form
    bare: bool = False  # a colon behind a name without quotes


def continuation(text: str, at: int) -> int:
    """Length of a backslash-newline at ``at``, else 0."""
    if text.startswith("\\\n", at):
        return 2
    return 3 if text.startswith("\\\r\n", at) else 0


def skip_spaces(text: str, at: int, more: str = "") -> int:
    """Past SPACES steps over white space of one line, and over each of ``more``."""
    for _ in range(SPACES):
        char = text[at : at + 1]
        if char and (char in " \t" or char in INVISIBLE or char in more):
            at += 1
        else:
            step = continuation(text, at) or _colour(text, at)
            if not step:
                break
            at += step
    return at


def _colour(text: str, at: int) -> int:
    """Length of the escape sequence that sets a colour at ``at``, else 0."""
    if not text.startswith("\x1b[", at):
        return 0
    end = at + 2
    while end < len(text) and end - at < COLOUR and (text[end] in DIGIT or text[end] == ";"):
        end += 1
    return end + 1 - at if text.startswith("m", end) else 0


def quote_at(text: str, at: int) -> int | None:
    """Number of backslashes before the quote that stands at ``at``, None without one."""
    level = 0
    while level < BACKSLASHES and text.startswith("\\", at + level):
        level += 1
    return level if text[at + level : at + level + 1] in QUOTES else None


def separator(text: str, name: int, at: int, foreign: bool) -> Value | None:
    """Where the value starts, if what follows the name ``text[name:at]`` ties a value to it.

    Args:
        foreign: the name ends in another script, whose verbs may tie: ``密码是 x``.
    """
    encoded = _encoded(text, at)
    if encoded is not None:
        return Value(encoded, "encoded")
    level = quote_at(text, at)
    if level is not None:
        at += level + 1
        at += text.startswith("]", at)
    at = _stars(text, at)
    operator = skip_spaces(text, at)
    two = text[operator : operator + 2]
    if two in ("==", "=~", "::"):
        return None
    if two in ("=>", ":=", "?=", "->"):
        return Value(skip_spaces(text, operator + 2), "loose")
    if two[:1] in ("=", "＝"):
        start = skip_spaces(text, operator + 1)
        if any(char in " \t" for char in text[at:start]):
            return Value(start, "loose")
        return Value(start, "clause" if level is None and _in_clause(text, name) else "tight")
    if two[:1] in (":", "：") or two == "?:":
        start = skip_spaces(text, _stars(text, operator + 1 + (two == "?:")))
        return Value(start, "colon", level is None)
    if foreign and two[:1] in ("是", "为"):
        start = skip_spaces(text, operator + 1)
        if text[start : start + 1] in (":", "："):
            start = skip_spaces(text, start + 1)
        return Value(start, "stated")
    if two[:1] == ">" and operator == at and level is None and text[name - 1 : name] == "<":
        return Value(at + 1, "element")
    if _is_name(text, name):
        return _paired(text, at)
    return _flag(text, name, at, operator, level is not None)


def _flag(text: str, name: int, at: int, operator: int, quoted: bool) -> Value | None:
    """``--key value``, ``-Key value``, ``"--key", "value"``."""
    long = text.startswith("--", name)
    if not long and not (text.startswith("-", name) and text[name + 1 : name + 2] in UPPER):
        return None
    if quoted:
        listed = text.startswith(",", operator)
        return Value(skip_spaces(text, operator + 1), "listed") if listed else None
    return Value(operator, "flag") if operator > at else None


def _in_clause(text: str, name: int) -> bool:
    """Whether the name follows a semicolon: ``Server=a;Password=b c;``."""
    return text[max(name - 2, 0) : name].rstrip(" ").endswith(";")


def _encoded(text: str, at: int) -> int | None:
    """Past the percent-encoded ``=`` or ``:``, and the quotes and spaces around it."""
    at = percent(text, at, ("22", "27"))
    tied = percent(text, at, ("3d", "3a"))
    if tied == at:
        return None
    return percent(text, percent(text, tied, ("20",)), ("22", "27"))


def percent(text: str, at: int, codes: tuple[str, ...]) -> int:
    """Past one of ``codes`` behind a percent sign that may itself be encoded; ``at`` without."""
    if not text.startswith("%", at):
        return at
    code = at + 1
    for _ in range(2):
        code += 2 * text.startswith("25", code)
    return code + 2 if text[code : code + 2].translate(ASCII_LOWER) in codes else at


def _is_name(text: str, name: int) -> bool:
    """Whether the name is a value itself: ``name="token"``, ``"key": "token"``."""
    at = _back_over(text, name, "\"'`\\ \t")
    if at == 0 or text[at - 1] not in "=:":
        return False
    at = _back_over(text, at - 1, "\"'`\\ \t")
    for word in ("name", "key"):
        start = at - len(word)
        if start >= 0 and text[start:at].translate(ASCII_LOWER) == word:
            return start == 0 or text[start - 1] not in WORD
    return False


def _back_over(text: str, at: int, chars: str) -> int:
    for _ in range(BACKSLASHES + 3):
        if at == 0 or text[at - 1] not in chars:
            break
        at -= 1
    return at


def _paired(text: str, at: int) -> Value | None:
    """The value of the pair whose name ends at ``at``: ``value="x"``, ``>x<``."""
    if text.startswith(">", at):
        return Value(at + 1, "element")
    at = skip_spaces(text, at, ",\r\n")
    level = quote_at(text, at)
    at += level + 1 if level is not None else 0
    if text[at : at + 5].translate(ASCII_LOWER) != "value" or text[at + 5 : at + 6] in WORD:
        return None
    at += 5
    level = quote_at(text, at)
    at = skip_spaces(text, at + (level + 1 if level is not None else 0))
    return Value(skip_spaces(text, at + 1), "paired") if text[at : at + 1] in ("=", ":") else None


def _stars(text: str, at: int) -> int:
    """Past the marks of a bold name: ``**Password:** x``, ``**Password**: x``."""
    return at + 2 if text.startswith("**", at) else at


def annotated(text: str, start: int) -> Value | None:
    """The default behind a type: ``password: str = "x"``."""
    at = start
    while at < len(text) and at - start < TYPE_LIMIT:
        if text[at] not in WORD and text[at] not in ".<>|&?[],":
            break
        at += 1
    at = skip_spaces(text, at)
    if at == start or text[at : at + 1] != "=" or text[at : at + 2] in ("==", "=>", "=~"):
        return None
    return Value(skip_spaces(text, at + 1), "default")
