"""Ids of their own and places in a lineage, for all Sessions of a database at once.

Invariant: a lineage has one root whatever the links say; no ancestor is asked twice.
Proof: tests/sources/test_sqlite_catalog.py.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace

from harkback.model import Session
from harkback.sources.base import own_name


def placed(sessions: Iterable[Session]) -> list[Session]:
    """Every Session in the order given, under an id of its own, with its root and generation."""
    return _with_lineage(_distinct(sessions))


def _distinct(sessions: Iterable[Session]) -> list[Session]:
    """Every Session under an id of its own: stored ids can differ in bytes that are no text."""
    taken: dict[str, int] = {}
    found = []
    for session in sessions:
        name = own_name(taken, session.id)
        found.append(session if name == session.id else replace(session, id=name, lineage=name))
    return found


def _with_lineage(sessions: list[Session]) -> list[Session]:
    """Every Session with its root and generation: how many parents lie between the two."""
    parents = {session.id: session.parent for session in sessions}
    places: dict[str, tuple[str, int]] = {}
    done = []
    for session in sessions:
        if session.parent:
            root, generation = _place(session.id, parents, places)
            session = replace(session, lineage=root, generation=generation)
        done.append(session)
    return done


def _place(
    session: str, parents: dict[str, str | None], places: dict[str, tuple[str, int]]
) -> tuple[str, int]:
    """Root and generation of a Session; remembers those of its ancestors, so none is asked twice.

    A ring's root is its smallest id.
    """
    path: dict[str, None] = {}
    at: str | None = session
    while at is not None and at not in places and at not in path:
        path[at] = None
        at = parents.get(at)
    order = list(path)
    if at is None:
        places[order[-1]] = (order[-1], 0)
    elif at not in places:
        start = order.index(at)
        ring = order[start:]
        root = min(ring)
        places[root] = (root, 0)
        behind = ring.index(root) + 1
        order = order[:start] + ring[behind:] + ring[:behind]  # each before its parent
    for name in reversed(order):
        parent = parents.get(name)
        if name not in places and parent is not None:
            root, generation = places[parent]
            places[name] = (root, generation + 1)
    return places[session]
