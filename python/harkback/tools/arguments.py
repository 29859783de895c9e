"""What a model sent, checked and brought into shape, in one place.

Models send strange things. What can only mean one thing is taken: null or an empty string is an
argument left out, one string is a list of one term, ``8.0`` is 8, a page number is a cursor. The
rest is refused with what to do instead. Ranges are checked by the stages that own them. Invariant:
what is refused is never repeated. Proof: tests/unit/tools/test_arguments.py.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Mapping
from datetime import datetime, timedelta
from typing import TYPE_CHECKING, Any, Final, TypeAlias

from harkback.errors import QueryError

if TYPE_CHECKING:
    from harkback.query import Moment

Reader: TypeAlias = Callable[[str, Any], Any]
#: As milliseconds, a time in 1973; a smaller number is one of seconds.
_SMALLEST_MILLISECONDS: Final = 10**11
_LONGEST_MESSAGE: Final = 10**12  # code points; larger than any that is read
_DAY: Final = re.compile(r"\d{4}-?\d\d-?\d\d", re.ASCII)


def read(tool: str, given: object) -> dict[str, Any]:
    """The arguments of a call of ``tool``, ready to hand on; those left out are left out.

    Args:
        given: a mapping, or the JSON text of one.

    Raises:
        QueryError: what is wrong, and what to send instead.
    """
    readers = READERS[tool]
    given = _decoded(given)
    if not isinstance(given, Mapping) or not given.keys() <= readers.keys():
        raise _invalid(f"{tool} takes an object with some of: {', '.join(readers)}.")
    taken = {
        name: readers[name](name, value) for name, value in given.items() if not _is_left_out(value)
    }
    for name in _REQUIRED.get(tool, ()):
        if name not in taken:
            raise _invalid(f"{name} is required: give it as an answer of Recall shows it.")
    if tool == "RecallMore" and "view" not in taken and taken.get("cursor", "").isdecimal():
        taken["view"] = "audit"  # no other view counts its pages in characters
    return taken


def _decoded(given: object) -> object:
    if isinstance(given, str):
        try:
            given = json.loads(given) if given.strip() else None
        except (ValueError, RecursionError):
            raise _invalid("The arguments are no JSON object; send one.") from None
    return {} if given is None else given


def _is_left_out(value: object) -> bool:
    return value is None or (isinstance(value, str) and not value.strip())


def _invalid(message: str) -> QueryError:
    return QueryError("arguments_invalid", message)


def _terms(_: str, value: Any) -> list[str]:
    if isinstance(value, str):
        value = _listed(value)
    if not isinstance(value, list | tuple) or not all(isinstance(term, str) for term in value):
        raise QueryError("term_not_text", "terms is a list of strings, one literal each.")
    return [term for term in value if term.strip()]


def _listed(text: str) -> object:
    """A list that was written as a string is that list; any other string is one term."""
    if text.lstrip().startswith("["):
        try:
            listed = json.loads(text)
        except (ValueError, RecursionError):
            return [text]
        if isinstance(listed, list) and all(isinstance(each, str) for each in listed):
            return listed
    return [text]


def _text(name: str, value: Any) -> str:
    if not isinstance(value, str):
        raise _invalid(f"{name} is a string.")
    return value.strip()


def _whole(name: str, value: Any) -> int:
    if isinstance(value, float) and value.is_integer():
        return int(value)
    if type(value) is not int:
        raise _invalid(f"{name} is a whole number.")
    return value


def _flag(name: str, value: Any) -> bool:
    if not isinstance(value, bool):
        raise _invalid(f"{name} is true or false.")
    return value


def _cursor(name: str, value: Any) -> str:
    is_page = type(value) is int and 0 <= value < _LONGEST_MESSAGE
    return _text(name, str(value) if is_page else value)


def _since(name: str, value: Any) -> Moment:
    return _moment(name, value)


def _until(name: str, value: Any) -> Moment:
    """A day that is named without a time is meant to its end."""
    moment = _moment(name, value)
    if isinstance(moment, datetime) and _DAY.fullmatch(value.strip()):
        return moment + timedelta(hours=23, minutes=59, seconds=59, milliseconds=999)
    return moment


def _moment(name: str, value: Any) -> Moment:
    try:
        if isinstance(value, str):
            return datetime.fromisoformat(value.strip())
        milliseconds = _whole(name, value)
        if milliseconds >= _SMALLEST_MILLISECONDS:
            return milliseconds
    except (ValueError, QueryError):
        pass
    raise QueryError(
        "time_range",
        f"{name} is a time such as 2026-11-30 or 2026-11-30T14:00Z, or milliseconds since 1970.",
    )


READERS: Final[Mapping[str, Mapping[str, Reader]]] = {
    "Recall": {
        "terms": _terms,
        "question": _text,
        "limit": _whole,
        "within": _text,
        "since": _since,
        "until": _until,
        "include_archived": _flag,
    },
    "RecallMore": {
        "anchor": _text,
        "before": _whole,
        "after": _whole,
        "view": _text,
        "cursor": _cursor,
    },
    "RecallMaterial": {"id": _text, "cursor": _cursor},
}
_REQUIRED: Final = {"RecallMore": ("anchor",), "RecallMaterial": ("id",)}
