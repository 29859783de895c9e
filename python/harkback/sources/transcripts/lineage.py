"""Which transcripts continue one another: resumes, forks, and the children of either.

Sessions of one origin form one lineage, and so do parent and child. Its first is the Session that
is its own origin, else the earliest that is no child and no copy. Invariant: every Session has one
lineage, whatever the links say. Proof: tests/unit/sources/transcripts/test_lineage.py.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import NamedTuple


class Kin(NamedTuple):
    """What of a Session decides its place."""

    id: str
    parent: str | None
    origin: str  # "" if it stands alone
    copied: bool
    started_at: int


def place(kin: Iterable[Kin]) -> dict[str, tuple[str, int]]:
    """Lineage (the id of its first Session) and generation of each."""
    by_id = {each.id: each for each in kin}
    first: dict[str, str] = {}  # a member of the group, nearer to the one that stands for it

    def representative(name: str) -> str:
        path = []
        while (above := first.get(name, name)) != name:
            path.append(name)
            name = above
        first.update(dict.fromkeys(path, name))
        return name

    origins: dict[str, str] = {}
    for each in by_id.values():
        others = [name for name in (each.parent, each.origin) if name in by_id]
        if each.origin:
            others.append(origins.setdefault(each.origin, each.id))
        for other in filter(None, others):
            first[representative(each.id)] = representative(other)
    groups: dict[str, list[Kin]] = {}
    for each in by_id.values():
        groups.setdefault(representative(each.id), []).append(each)
    placed: dict[str, tuple[str, int]] = {}
    for group in groups.values():
        group.sort(
            key=lambda k: (
                k.parent in by_id,
                k.origin not in ("", k.id),
                k.copied,
                k.started_at,
                k.id,
            )
        )
        placed.update((each.id, (group[0].id, place)) for place, each in enumerate(group))
    return placed
