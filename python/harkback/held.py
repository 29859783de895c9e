"""Held segments: which are in memory, who needs each to stay, and which go when memory runs out.

Invariant: a segment that somebody holds stays as it is. One that nobody holds goes once its Session
has moved on, or, least recently used first, once there is no memory for it. Nothing here reads,
folds or asks a Source, so the lock is held for moments.
Proof: tests/unit/test_held.py, tests/surfaces/test_cost.py.
"""

from __future__ import annotations

import threading
from collections import OrderedDict
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass

from harkback.candidates import Candidate, Eligible
from harkback.segment import Segment


@dataclass(slots=True)
class Roster:
    """Segments of every Session of one state, held once for all who search it.

    Attributes:
        segments: None for what is not held as it is now.
        over: no other search joins, and the last who uses it lets go of them all.
    """

    state: object
    segments: list[Segment | None]
    over: bool
    users: int = 1


class Held:
    """Of one Recall, for all its threads.

    Args:
        memory_bytes: what may stay that nobody holds.
        drop: frees the segment of a key.
    """

    def __init__(self, memory_bytes: int, drop: Callable[[str], None]) -> None:
        self._memory_bytes = memory_bytes
        self._drop = drop
        self._lock = threading.Lock()  # guards what follows
        self._known: dict[str, Segment] = {}  # by key
        self._idle: OrderedDict[str, Segment] = OrderedDict()  # held by nobody, least recent first
        self._current: dict[tuple[str, str], str] = {}  # newest state of a Session -> its key
        self._roster: Roster | None = None
        self.bytes = 0
        self.dropped = 0  # segments that went

    def has_room(self) -> bool:
        """Whether another segment can be kept without dropping one."""
        return self.bytes < self._memory_bytes

    def newest(self, candidates: Iterable[Candidate]) -> list[Segment | None]:
        """What there is of them, of whatever state, held by nobody for it."""
        with self._lock:
            return self._newest(candidates)

    def find(self, candidate: Candidate) -> Segment | None:
        """The same of one, held for the caller."""
        with self._lock:
            (segment,) = self._newest([candidate])
            self._hold(segment)
            return segment

    def keep(self, segment: Segment) -> None:
        """Makes a segment known that is whole now; its caller holds it."""
        with self._lock:
            before = self._known.get(self._current.get(segment.place, ""))
            self._known[segment.key] = segment
            self.bytes += segment.bytes
            self._current[segment.place] = segment.key
            if before is not None and not before.holders:
                self._forget(before)
            if self.bytes > self._memory_bytes:
                self._retire()

    def let_go(self, segment: Segment) -> None:
        """The caller does not hold it any more."""
        with self._lock:
            self._let_go(segment)

    def resize(self, segment: Segment, size: int) -> None:
        """A held segment occupies so many bytes from now on."""
        with self._lock:
            self.bytes += size - segment.bytes
            segment.bytes = size

    def take_out(self, segment: Segment) -> bool:
        """Nobody finds it any more, and the caller has it alone; False: somebody holds it."""
        with self._lock:
            self._retire()
            # By identity: who was faster may have put another one under the same key.
            if segment.holders or self._known.get(segment.key) is not segment:
                return False
            self._take_out(segment)
            return True

    def hide(self, segment: Segment) -> None:
        """Nobody finds it any more; who holds it has it still."""
        with self._lock:
            self._retire()
            if self._current.get(segment.place) == segment.key:
                del self._current[segment.place]
                if not segment.holders:
                    self._forget(segment)

    # --- all at once ------------------------------------------------------------------------

    def join(self, found: Eligible) -> Roster | None:
        """The roster of this state, if there is one."""
        with self._lock:
            roster = self._roster
            if roster is None or roster.state != found.state:
                return None
            roster.users += 1
            return roster

    def muster(
        self,
        found: Eligible,
        same: Callable[[Sequence[Segment | None], Sequence[Candidate]], list[Segment | None]],
    ) -> Roster:
        """A roster of this state, for others too if nothing is missing.

        Args:
            same: gives those that are of the state of their Candidate, None in place of others.
        """
        with self._lock:
            self._retire()
            held = self._newest(found.candidates)
            for segment in held:
                self._hold(segment)
        current: list[Segment | None] = [None] * len(held)
        try:
            current = same(held, found.candidates)
        finally:
            with self._lock:
                for old, new in zip(held, current, strict=True):
                    if old is not None and new is None:
                        self._let_go(old)
        roster = Roster(found.state, current, over=True)
        if None not in current:
            with self._lock:
                self._retire()  # what another thread made meanwhile
                if self.bytes <= self._memory_bytes:
                    roster.over = False
                    self._roster = roster
        return roster

    def leave(self, roster: Roster) -> None:
        """The caller does not use it any more."""
        with self._lock:
            roster.users -= 1
            if roster.over and not roster.users:
                self._disband(roster)

    # --- the caller has the lock --------------------------------------------------------------

    def _newest(self, candidates: Iterable[Candidate]) -> list[Segment | None]:
        known, current = self._known, self._current
        return [known.get(current.get(candidate.place, "")) for candidate in candidates]

    def _hold(self, segment: Segment | None) -> None:
        if segment is not None:
            segment.holders += 1
            self._idle.pop(segment.key, None)

    def _retire(self) -> None:
        """Segments are held for those alone who use them now."""
        roster, self._roster = self._roster, None
        if roster is not None:
            roster.over = True
            if not roster.users:
                self._disband(roster)

    def _disband(self, roster: Roster) -> None:
        for segment in reversed(roster.segments):  # what stands last was of use the longest ago
            if segment is not None:
                self._let_go(segment)

    def _let_go(self, segment: Segment) -> None:
        segment.holders -= 1
        if not segment.holders:
            self._idle[segment.key] = segment
            if self._current.get(segment.place) != segment.key:
                self._forget(segment)  # a newer state took its place while it was held
        while self._idle and self.bytes > self._memory_bytes:
            self._forget(next(iter(self._idle.values())))

    def _forget(self, segment: Segment) -> None:
        self._take_out(segment)
        self._drop(segment.key)

    def _take_out(self, segment: Segment) -> None:
        """Makes a segment unknown."""
        del self._known[segment.key]
        self._idle.pop(segment.key, None)
        if self._current.get(segment.place) == segment.key:
            del self._current[segment.place]
        self.bytes -= segment.bytes
        self.dropped += 1
