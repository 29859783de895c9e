"""Values of a decoded record, read without trust: any field may be of any JSON type.

Invariant: nothing here raises, whatever it is given. Proof:
tests/unit/sources/transcripts/test_values.py.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from typing import Any, Final

from harkback.decoding import Damaged, parse
from harkback.model import JsonPart, JsonValue, TextPart

_EPOCH: Final = datetime(1970, 1, 1, tzinfo=UTC)
_MILLISECOND: Final = timedelta(milliseconds=1)
#: From here on a number is milliseconds, below it is seconds: 1973 in the one, 5138 in the other.
_SECONDS_END: Final = 1e11
_TIME_END: Final = 2**63


def text(value: object) -> str:
    """A string as it stands; anything else is no text."""
    return value if isinstance(value, str) else ""


def mapping(value: object) -> dict[str, Any]:
    return value if isinstance(value, dict) else {}


def mappings(value: object) -> Iterator[dict[str, Any]]:
    """The objects of a list, in order; what else it holds is passed over."""
    if isinstance(value, list):
        for item in value:
            if isinstance(item, dict):
                yield item


def milliseconds(value: object) -> int:
    """An ISO-8601 time (UTC if it names no zone) or a number of seconds or milliseconds; else 0."""
    if isinstance(value, str):
        try:
            moment = datetime.fromisoformat(value)
        except ValueError:
            return 0
        if moment.tzinfo is None:
            moment = moment.replace(tzinfo=UTC)
        return (moment - _EPOCH) // _MILLISECOND
    if isinstance(value, bool) or not isinstance(value, int | float):
        return 0
    if not -_TIME_END < value < _TIME_END:  # NaN is not
        return 0
    return int(value if abs(value) >= _SECONDS_END else value * 1000)


def visible(field: str, value: object) -> list[TextPart | JsonPart]:
    """What is visible of a JSON value: a string as it stands, the string leaves of others."""
    if isinstance(value, str):
        return [TextPart(field, value)] if value else []
    return [JsonPart(field, value)] if isinstance(value, dict | list) and value else []


def arguments(field: str, value: object) -> list[TextPart | JsonPart]:
    """Arguments of a call that may come as JSON inside a string; unreadable, they are text."""
    inner = nested(value) if isinstance(value, str) else None
    return visible(field, value if inner is None else inner)


def nested(value: str) -> dict[str, JsonValue] | None:
    """The JSON object that is the whole of a string; None if there is none."""
    if not value.lstrip().startswith("{"):
        return None
    try:
        return parse(value.encode("utf-8", "surrogatepass"))
    except Damaged:
        return None


def carries_text(value: object) -> bool:
    """Whether any string of ``value`` is text: has words, as no id, path, time or digest does."""
    stack = [value]
    while stack:
        node = stack.pop()
        if isinstance(node, str):
            if " " in node or not node.isascii():
                return True
        elif isinstance(node, dict):
            stack += node.values()
        elif isinstance(node, list):
            stack += node
    return False


def count_unknown(problems: Counter[str], value: object) -> None:
    """Counts a record or block of an unknown type; with text in it, it tells of a new release."""
    problems["unknown_type_with_text" if carries_text(value) else "unknown_type"] += 1
