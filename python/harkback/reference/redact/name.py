"""Names: when a key name says that its value is a secret.

A name is split where its spelling changes (camelCase, acronyms, digits, anything that is not an
ASCII letter or digit) and judged by its last segment, so ``tokenCount``, ``primary_key`` and
``tokens`` are harmless. Invariant: only ASCII letters and digits part a name, on both engines.
Proof: tests/unit/redaction/test_key.py.
"""

from __future__ import annotations

from collections.abc import Collection

UPPER = frozenset("ABCDEFGHIJKLMNOPQRSTUVWXYZ")
LOWER = frozenset("abcdefghijklmnopqrstuvwxyz")
DIGIT = frozenset("0123456789")
LETTER = UPPER | LOWER
WORD = LETTER | DIGIT | {"_"}
NAME = WORD | {"-", "."}

ASCII_LOWER = {ord(upper): ord(upper) + 32 for upper in UPPER}


def segments(name: str) -> list[str]:
    """``serviceAPIKey2`` -> ``["service", "api", "key", "2"]``."""
    found: list[str] = []
    start: int | None = None
    for at, char in enumerate(name):
        if char not in LETTER and char not in DIGIT:
            if start is not None:
                found.append(name[start:at])
            start = None
        elif start is None:
            start = at
        elif _turns(name, at):
            found.append(name[start:at])
            start = at
    if start is not None:
        found.append(name[start:])
    return [segment.translate(ASCII_LOWER) for segment in found]


def _turns(name: str, at: int) -> bool:
    before, char = name[at - 1], name[at]
    if (before in DIGIT) != (char in DIGIT):
        return True
    if char not in UPPER:
        return False
    return before in LOWER or (before in UPPER and name[at + 1 : at + 2] in LOWER)


def sensitive(name: str, names: Collection[str], qualifiers: Collection[str]) -> bool:
    """Whether the last segment is one of ``names``, or ``key`` behind one of ``qualifiers``.

    Numbers do not count: ``password2`` is a password. A name that is not ASCII, or a qualifier, is
    what the text ends with, since its script may not part words: ``数据库密码``. One of several
    words, ``session-pin``, is all the last segments: ``userSessionPin``.
    """
    trimmed = name.rstrip("0123456789_-. ")
    if any(not word.isascii() and trimmed.endswith(word) for word in names):
        return True
    parts = [segment for segment in segments(name) if segment[0] not in DIGIT]
    if not parts:
        return False
    if parts[-1] in names or any(_chained(parts, word.split("-")) for word in names):
        return True
    if parts[-1] != "key":
        return False
    if len(parts) > 1 and parts[-2] in qualifiers:
        return True
    if trimmed[-3:].translate(ASCII_LOWER) != "key":
        return False
    before = trimmed[:-3].rstrip("_-. ")
    return any(not word.isascii() and before.endswith(word) for word in qualifiers)


def _chained(parts: list[str], words: list[str]) -> bool:
    return len(words) > 1 and parts[-len(words) :] == words
