"""What the shelf holds of the very states that Views are of, and what is known of many at once.

Invariant: a stored segment is told of only if the token of its View says that nothing changed since
it was stored.
Proof: tests/unit/persisting/test_persisting.py, tests/differential/test_paths_stored.py.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING

from harkback.candidates import Candidate, Eligible
from harkback.sources.base import View

if TYPE_CHECKING:  # who has no cache does not load what it is made of
    from harkback.cache import Place, Shelf


class Stored:
    """Asks a shelf; without one nothing is stored. Safe to use from several threads."""

    def __init__(self, shelf: Shelf | None) -> None:
        self._shelf = shelf
        #: What was looked at last, and what became of it: most searches find nothing changed.
        self._counted: tuple[object, int] = (None, 0)
        self._complete: object = None

    def now(self, candidates: Iterable[Candidate]) -> Iterator[tuple[Candidate, Place | None]]:
        """Each with the stored segment of the state that its View is of."""
        tokens: dict[View, bytes | None] = {}
        for candidate in candidates:
            place = None if self._shelf is None else self._shelf.find(*candidate.place)
            view = candidate.view
            if place is not None:
                if view not in tokens:
                    tokens[view] = view.token
                place = place if place.token == tokens[view] else None
            yield candidate, place

    def all(self, views: Iterable[View], found: Eligible) -> bool:
        """Whether the shelf holds these as they are now, and nothing else of their Sources, of
        which ``views`` are.
        """
        shelf = self._shelf
        if shelf is None:
            return False
        sources = sorted(view.name for view in views)
        seen = (shelf.state, sources, found.state)
        if self._complete == seen:
            return True
        counts = Counter(candidate.session.source for candidate in found.candidates)
        complete = all(shelf.count(source) == counts[source] for source in sources) and all(
            place is not None for _, place in self.now(found.candidates)
        )
        self._complete = seen if complete else None
        return complete

    def records(self, found: Eligible) -> int:
        """Searchable records of them all: the N of the ranking.

        A Source is asked unless nothing has changed since they were stored, or since they were
        counted; that is cheap where it was scanned.
        """
        before, total = self._counted
        if before != found.state:
            total = sum(
                each.view.record_count(each.session.id) if place is None else place.records
                for each, place in self.now(found.candidates)
            )
            self._counted = (found.state, total)
        return total
