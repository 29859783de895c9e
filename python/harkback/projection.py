"""Projection: what of a StoredMessage is visible, as leaves. The one place that decides it.

user: displayed text, then attachment names; assistant and summary: text; tool_call: tool name,
intent, string leaves of the arguments; tool_result: string leaves of its content. Invariant: a
leaf is a contiguous substring of one decoded string of the record, so a term inside a leaf is
inside one string of the raw record. Proof: tests/unit/test_projection.py.
"""

from __future__ import annotations

import functools
from collections.abc import Iterator
from typing import Final

from harkback.model import JsonPart, JsonValue, Leaf, StoredMessage, TextPart

#: Changes when the same StoredMessage comes to have other visible text.
PROJECTION_VERSION: Final = 1


def project(stored: StoredMessage) -> list[Leaf]:
    """The visible text of a StoredMessage, in order; empty strings give no leaf."""
    found: list[Leaf] = []
    for part in stored.parts:
        if isinstance(part, TextPart):
            if part.text:
                found.append(Leaf(_path(part.field), part.text))
        elif isinstance(part, JsonPart):
            found += _string_leaves(_path(part.field), part.value)
        # An image that a tool returned has a generated name: nobody said it.
        elif stored.kind == "user" and part.name:
            found.append(Leaf(("attachments", "name"), part.name))
    return found


@functools.lru_cache(maxsize=256)
def _path(field: str) -> tuple[str, ...]:
    return tuple(field.split("."))


def _string_leaves(path: tuple[str, ...], value: JsonValue) -> Iterator[Leaf]:
    """Non-empty strings in document order; a stack, since hostile nesting runs deep."""
    stack: list[tuple[tuple[str, ...], JsonValue]] = [(path, value)]
    while stack:
        at, node = stack.pop()
        if isinstance(node, str):
            if node:
                yield Leaf(at, node)
        elif isinstance(node, dict):
            stack += [((*at, key), child) for key, child in reversed(node.items())]
        elif isinstance(node, list):
            stack += [(at, child) for child in reversed(node)]
