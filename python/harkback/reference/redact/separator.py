"""Separators: how a value hangs on its name, and where it starts.

``key = value``, ``key: value``, ``key := value``, ``"key" => "value"``, ``--flag value``,
``密码：value``, ``密码是 value``. Invariant: a bounded number of steps from the end of the name.
Proof: tests/unit/redaction/test_key.py.
"""

from __future__ import annotations

from typing import Literal, NamedTuple, TypeAlias

from harkback.reference.redact.name import WORD

SPACES = 32
BACKSLASHES = 7  # three levels of JSON inside JSON
TYPE_LIMIT = 64
QUOTES = frozenset("\"'`")

#: ``k=v``, ``k = v``, ``k: v``, ``--k v``, ``"--k", "v"``, ``密码是 v``.
Form: TypeAlias = Literal["tight", "loose", "colon", "flag", "listed", "stated"]


class Value(NamedTuple):
    start: int
    form: Form
    bare: bool = False  # a colon behind a name without quotes


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


def separator(text: str, at: int, flag: bool, foreign: bool) -> Value | None:
    """Where the value starts, if what follows the name at ``at`` ties a value to it.

    Args:
        flag: the name starts with two dashes.
        foreign: the name ends in another script, whose verbs may tie: ``密码是 x``.
    """
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
    if two[:1] in ("=", "＝"):
        start = skip_spaces(text, operator + 1)
        return Value(start, "tight" if start - at == 1 else "loose")
    if two[:1] in (":", "：") or two == "?:":
        start = skip_spaces(text, _stars(text, operator + 1 + (two == "?:")))
        return Value(start, "colon", level is None)
    if foreign and two[:1] in ("是", "为"):
        start = skip_spaces(text, operator + 1)
        if text[start : start + 1] in (":", "："):
            start = skip_spaces(text, start + 1)
        return Value(start, "stated")
    if flag and level is not None and two[:1] == ",":
        return Value(skip_spaces(text, operator + 1), "listed")
    if flag and level is None and operator > at:
        return Value(operator, "flag")
    return None


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
    return Value(skip_spaces(text, at + 1), "loose")
