"""Pairs: leaves whose sensitive name stands in another leaf of the same list or object.

``["--password", "x"]``, ``{"name": "token", "value": "x"}``, in any order and with other keys in
between. Invariant: one pass over the leaves of a Message, which come in document order; a leaf that
is no name costs a look at its last key and its first character. Proof:
tests/unit/redaction/test_pairs.py.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from typing import Final

from harkback.model import Leaf

NAME_KEYS: Final = frozenset(("name", "Name", "key", "Key", "header", "param", "variable"))
VALUE_KEYS: Final = frozenset(("value", "Value", "val"))
#: A name as a leaf of its own, with the dashes of a flag.
_NAME: Final = re.compile(r"-{0,2}[^\s=:-][^\s=:]{0,62}")


def values(leaves: Sequence[Leaf], sensitive: Callable[[str], bool]) -> set[int]:
    """Places of the leaves that are values of a sensitive name in another leaf."""
    found: set[int] = set()
    pairs: dict[tuple[str, ...], _Pair] = {}
    flag: tuple[str, ...] | None = None  # where a flag stood, if the leaf before was one
    for at, (path, text) in enumerate(leaves):
        if flag is not None and path == flag and text[:1] != "-":
            found.add(at)
        flag = path if text[:1] == "-" and _sensitive(text, sensitive) else None
        last = path[-1] if path else ""
        if last in NAME_KEYS or last in VALUE_KEYS:
            pair = pairs.setdefault(path[:-1], _Pair())
            hit = pair.named(_sensitive(text, sensitive)) if last in NAME_KEYS else pair.valued(at)
            if hit is not None:
                found.add(hit)
    return found


def _sensitive(text: str, sensitive: Callable[[str], bool]) -> bool:
    return _NAME.fullmatch(text) is not None and sensitive(text)


class _Pair:
    """What is known of the object, or the objects of one list, at one path."""

    def __init__(self) -> None:
        self._secret: bool | None = None  # of the name that waits for its value
        self._value: int | None = None  # the value that waits for its name

    def named(self, secret: bool) -> int | None:
        """Takes a name; the place of its value, if that came first and is a secret."""
        value, self._value = self._value, None
        self._secret = secret if value is None else None
        return value if secret else None

    def valued(self, at: int) -> int | None:
        """Takes a value; its place, if the name before it makes it a secret."""
        if self._secret is None:
            self._value = at
        return at if self._secret else None
