"""Raw JSON becomes text: the one rule for what no UTF-8 text can hold, and the one tolerant parser.

Invariant: a string comes out as the raw scan decodes it: escapes resolved, surrogate pairs joined,
a lone surrogate, U+0000 and each maximal invalid UTF-8 subpart replaced by U+FFFD. A record that
does not parse raises Damaged and costs only itself. Proof: tests/unit/test_decoding.py.
"""

from __future__ import annotations

import json
import re
from typing import Any, TypeAlias, cast

import orjson

Record: TypeAlias = dict[str, Any]

_REPLACED = re.compile("[\ud800-\udfff\x00]")
_NUL_ESCAPE = b"\\u0000"


class Damaged(Exception):
    """A record that is no JSON object, or nests too deeply to be read."""


def clean(text: str) -> str:
    """``text`` with U+FFFD for each surrogate and U+0000: code points stay where they are."""
    return text if text.isascii() and "\0" not in text else _REPLACED.sub("\ufffd", text)


def decode(raw: bytes) -> str:
    """Bytes that are text as they stand."""
    return clean(raw.decode("utf-8", "replace"))


def parse(raw: object) -> Record:
    """One record.

    Raises:
        Damaged: not bytes, not JSON, not an object, or too deep.
    """
    value = parse_any(raw)
    if not isinstance(value, dict):
        raise Damaged
    return cast(Record, value)


def parse_any(raw: object) -> Any:
    """One JSON value.

    Raises:
        Damaged: not bytes, not JSON, or too deep.
    """
    if not isinstance(raw, bytes):
        raise Damaged
    try:
        value = orjson.loads(raw)
        dirty = _NUL_ESCAPE in raw
    except orjson.JSONDecodeError:
        value, dirty = _parse_tolerantly(raw), True
    if not dirty:
        return value
    try:
        return _clean_all(value)
    except RecursionError:
        raise Damaged from None


def _parse_tolerantly(raw: bytes) -> Any:
    """What the strict parser refuses: lone surrogates, control characters, invalid UTF-8."""
    try:
        return json.loads(raw.decode("utf-8", "replace"), strict=False)
    except (ValueError, RecursionError):
        raise Damaged from None


def _clean_all(value: Any) -> Any:
    """``value`` with every string cleaned, keys included."""
    if isinstance(value, str):
        return clean(value)
    if isinstance(value, list):
        return [_clean_all(item) for item in value]
    if isinstance(value, dict):
        return {clean(key): _clean_all(item) for key, item in value.items()}
    return value
