"""The pattern language of rules: what Python's ``re`` and Rust's ``regex`` both mean the same by.

Literals, classes, ``|``, groups, and repetitions with a bound. Not in it: look-around,
back-references, flags, anchors (``\\b`` only as the last thing), ``* +`` and ``{n,}``, negated
class escapes, and a repeated group that repeats something itself. At most one group captures.
Invariant: a shape that ``check`` lets through compiles on both engines, means the same on both and
matches in bounded time. Proof: tests/unit/redaction/test_shape.py.
"""

from __future__ import annotations

import functools
import re

MAX_REPEAT = 1000

_TOKEN = re.compile(
    r"""
    (?P<escape>\\.)
  | (?P<set>\[\^?\]?(?:\\.|[^\]\\])*\])
  | (?P<open>\((?:\?:)?)
  | (?P<close>\))
  | (?P<repeat>\{(?P<low>[0-9]+)(?:,(?P<high>[0-9]+))?\}\??|\?\??)
  | (?P<literal>[^\\\[\](){}?*+^$|]+|\|)
    """,
    re.VERBOSE | re.DOTALL,
)
#: Escaped letters that mean the same on both engines.
_ESCAPES = "bdswnrtfv"
_SET_ESCAPES = "dswnrtfv"


def either_case(word: str) -> str:
    """``"key"`` -> ``"[kK][eE][yY]"``: a literal whatever its case, without a flag."""
    return "".join(
        f"[{char}{char.swapcase()}]" if char.isascii() and char.isalpha() else re.escape(char)
        for char in word
    )


def check(shape: str) -> str | None:
    """Why ``shape`` is not in the language, None if it is."""
    reader = _Reader()
    at = 0
    while at < len(shape):
        token = _TOKEN.match(shape, at)
        if token is None:
            return f"holds something outside the common subset at {at}"
        at = token.end()
        problem = reader.take(token, at == len(shape))
        if problem is not None:
            return problem
    return reader.finish()


class _Reader:
    """What of a shape has been read: open groups, and what may be repeated."""

    def __init__(self) -> None:
        self._captures = 0
        self._groups: list[bool] = []  # per open group, whether it repeats something
        self._closed = False  # the same of the group that closed last
        self._previous = ""

    def take(self, token: re.Match[str], last: bool) -> str | None:
        """Why this token may not stand here, None if it may."""
        kind = token.lastgroup or ""
        problem = None
        if kind == "escape":
            problem = _escape(token[0], last)
        elif kind == "set":
            problem = _set(token[0])
        elif kind == "open":
            self._captures += token[0] == "("
            self._groups.append(False)
        elif kind == "close":
            problem = self._close()
        elif kind == "repeat":
            problem = self._repeat(token)
        self._previous = "" if token[0] == "|" else kind
        return problem

    def finish(self) -> str | None:
        if not self._previous:
            return "is empty, or ends with nothing"
        if self._groups:
            return "leaves a group open"
        return "captures more than one group" if self._captures > 1 else None

    def _close(self) -> str | None:
        if not self._groups:
            return "closes a group that is not open"
        self._closed = self._groups.pop()
        self._mark(self._closed)
        return None

    def _repeat(self, token: re.Match[str]) -> str | None:
        low, high = int(token["low"] or 0), int(token["high"] or token["low"] or 1)
        if self._previous not in ("escape", "set", "close", "literal"):
            return "repeats nothing"
        if self._previous == "close" and self._closed and high > 1:
            return "repeats a group that repeats something"
        if high > MAX_REPEAT:
            return f"repeats more than {MAX_REPEAT} times"
        if high < low:
            return "has a range that runs backwards"
        self._mark(True)
        return None

    def _mark(self, repeats: bool) -> None:
        if self._groups and repeats:
            self._groups[-1] = True


def check_run(members: str) -> str | None:
    """Why ``members`` is not the inside of a class, None if it is."""
    return _set(f"[{members}]") if members and "]" not in members else "is no class"


def _escape(text: str, last: bool) -> str | None:
    char = text[1]
    if char == "b":
        return None if last else "has \\b before its end"
    if (char.isalnum() and char not in _ESCAPES) or not char.isascii() or char in "<>":
        return f"holds the escape {text}"
    return None


@functools.lru_cache(maxsize=4096)  # `[aA]` and its kin stand in most shapes
def _set(text: str) -> str | None:
    members = text[2:-1] if text.startswith("[^") else text[1:-1]
    if not members or members.startswith("]"):
        return "has an empty class"
    bare = re.sub(r"\\.", "", members, flags=re.DOTALL)
    if "[" in bare or any(twice in bare for twice in ("&&", "--", "~~", "||")):
        return "has a class that the two engines read differently"
    for escape in re.findall(r"\\(.)", members, flags=re.DOTALL):
        if escape.isalnum() and escape not in _SET_ESCAPES:
            return f"has \\{escape} in a class"
    for low, high in re.findall(r"(\\?.)-(\\?.)", members, flags=re.DOTALL):
        if low[-1] > high[-1]:
            return "has a range that runs backwards"
    return None
