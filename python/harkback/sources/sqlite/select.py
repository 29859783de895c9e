"""Values that a mapping points to: a column, or a place inside of its JSON.

A reference is ``column``, or ``column:path`` with a path such as ``content[].text``. Where the
path expects more and there is a string, the string is taken as it stands: programs write a message
as a string or as a list of blocks. Invariant: whatever a value holds, nothing is raised.
Proof: tests/unit/sources/sqlite/test_select.py.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import Any, Final, NamedTuple

from harkback.decoding import Damaged, decode, parse_any

EACH: Final = "[]"
_STEP = re.compile(r"\[\]|[^.\[\]]+")


class Ref(NamedTuple):
    """Where a value lies; without a column: inside of the item at hand."""

    column: str | None
    steps: tuple[str, ...] = ()
    has_path: bool = False

    def values(self, row: Row, item: Any = None) -> Iterator[Any]:
        """Every value at this place of a row."""
        if self.column is None:
            yield from _walk(item, self.steps)
        elif self.has_path:
            yield from _walk(row.parsed(self.column), self.steps)
        else:
            yield row.plain(self.column)

    def first(self, row: Row, item: Any = None) -> Any:
        return next(self.values(row, item), None)

    def texts(self, row: Row, item: Any = None) -> Iterator[str]:
        """Every text at this place; a string on the way to it is one, a column without JSON too."""
        if self.column is None or not self.has_path:
            found = self.values(row, item)
        else:
            found = _walk(row.shaped(self.column, self.steps), self.steps, strings=True)
        for value in found:
            if isinstance(value, str) and value:
                yield value


class Row:
    """The values of a row by column; JSON in it is parsed once."""

    def __init__(self, values: Mapping[str, Any]) -> None:
        self._values = values
        self._parsed: dict[str, Any] = {}

    def plain(self, column: str) -> Any:
        """The value as it stands: text, a number, or None."""
        value = self._values.get(column)
        return decode(value) if isinstance(value, bytes) else value

    def parsed(self, column: str) -> Any:
        """The object or list that a column holds, else None."""
        if column not in self._parsed:
            self._parsed[column] = json_in(self._values.get(column))
        return self._parsed[column]

    def shaped(self, column: str, steps: tuple[str, ...]) -> Any:
        """The JSON in a column if it is such that the path leads into it, else the text itself."""
        value = self.parsed(column)
        wanted = list if steps[:1] == (EACH,) else dict
        if isinstance(value, wanted) and (isinstance(value, dict) or _are_blocks(value)):
            return value
        return self.plain(column)


def json_in(value: object) -> Any:
    """The object or list that a text is; None for any other."""
    raw = value.encode() if isinstance(value, str) else value
    if not isinstance(raw, bytes) or raw.lstrip()[:1] not in (b"{", b"["):
        return None
    try:
        return parse_any(raw)
    except Damaged:
        return None


def reference(text: str, *, inside: bool = False) -> Ref | None:
    """Parses a reference; ``inside`` of an item a name is a path. None if it is none."""
    column, colon, path = text.partition(":")
    if not colon and inside:
        column, colon, path = "", ":", text
    steps = tuple(_STEP.findall(path))
    if "".join(steps) != path.replace(".", "") or not (column or inside):
        return None
    return Ref(column or None, steps, bool(colon))


def _walk(value: Any, steps: tuple[str, ...], *, strings: bool = False) -> Iterator[Any]:
    if not steps or (strings and isinstance(value, str)):
        yield value
    elif steps[0] == EACH:
        for item in value if isinstance(value, list) else ():
            yield from _walk(item, steps[1:], strings=strings)
    elif isinstance(value, dict) and steps[0] in value:
        yield from _walk(value[steps[0]], steps[1:], strings=strings)


def _are_blocks(items: list[Any]) -> bool:
    """Whether a list is one of blocks, and not a text that happens to be a list."""
    return bool(items) and all(isinstance(item, dict) and "type" in item for item in items)
