"""Projection: what of a StoredMessage is visible, as leaves. The one place that decides it.

user: displayed text, then attachment names; assistant and summary: text; tool_call: tool name,
intent, string leaves of the arguments; tool_result: string leaves of its content. Invariant: a
leaf is a contiguous substring of one decoded string of the record, so a term inside a leaf is
inside one string of the raw record. Proof: tests/unit/test_projection.py.
"""

from __future__ import annotations

from collections.abc import Iterator

from harkback.model import AttachmentPart, JsonPart, JsonValue, Leaf, Message, StoredMessage


def project(stored: StoredMessage) -> Message:
    """The visible entry that a StoredMessage stands for; empty strings give no leaf."""
    return Message(
        id=stored.id,
        kind=stored.kind,
        turn=stored.turn,
        timestamp=stored.timestamp,
        leaves=tuple(_leaves(stored)),
        locator=stored.locator,
        in_progress=stored.in_progress,
    )


def _leaves(stored: StoredMessage) -> Iterator[Leaf]:
    for part in stored.parts:
        if isinstance(part, AttachmentPart):
            # An image that a tool returned has a generated name: nobody said it.
            if stored.kind == "user" and part.name:
                yield Leaf(("attachments", "name"), part.name)
        elif isinstance(part, JsonPart):
            yield from _string_leaves(tuple(part.field.split(".")), part.value)
        elif part.text:
            yield Leaf(tuple(part.field.split(".")), part.text)


def _string_leaves(path: tuple[str, ...], value: JsonValue) -> Iterator[Leaf]:
    """Non-empty strings in document order; a stack, since hostile nesting runs deep."""
    stack: list[tuple[tuple[str, ...], JsonValue]] = [(path, value)]
    while stack:
        at, node = stack.pop()
        if isinstance(node, str):
            if node:
                yield Leaf(at, node)
        elif isinstance(node, dict):
            stack.extend(((*at, key), child) for key, child in reversed(node.items()))
        elif isinstance(node, list):
            stack.extend((at, child) for child in reversed(node))
