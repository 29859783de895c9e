"""What a Source remembers of its Sessions while the database moves on.

Two things tell that a Session is as it was. Its **stamp** comes from indexes: how many rows it
has, which, of which times; it changes with whatever is added, removed or put elsewhere, but not
with a row that is rewritten where it stands. Its rows, read again, tell everything, and cost it.
So stamps answer at once, and what they vouched for is read again a slice at a time, View after
View, longest unread first. Invariant: with nothing written, what a stamp vouched for is what the
rows say once the slices have gone round; a store of up to one slice is read whole each time.
Proof: tests/sources/test_sqlite_memory.py, tests/sources/test_sqlite_recheck.py.
"""

from __future__ import annotations

import threading
from collections import Counter
from collections.abc import Callable, Hashable
from typing import Final, NamedTuple

from harkback.sources.sqlite.base import Marks, Reader

#: Of rows that a View reads again at least, if so many were vouched for; then the Session ends it.
RECHECK_BYTES: Final = 1 << 20
STAMP_BYTES: Final = 16  # a fingerprint begins with them


class _Known(NamedTuple):
    """A fingerprint of a Session, and the state of the database it was read in."""

    fingerprint: bytes
    state: Hashable  # None: in none that this Source has seen


class Memory:
    """Of one Source, for all its threads."""

    def __init__(self) -> None:
        self._lock = threading.Lock()  # guards what follows; held over look-ups in indexes
        self._state: Hashable = None  # that marks and stamps are of
        self._marks: Marks = None
        self._stamps: dict[str, bytes] = {}
        self._known: dict[str, _Known] = {}  # longest unread first
        self._states: Counter[Hashable] = Counter()  # how many of those were read in which
        self._counts: dict[str, tuple[bytes, int]] = {}  # with fingerprint, or stamp if unread
        self.corrections = 0  # times that rows belied a stamp

    def stamps(self, state: Hashable, reader: Reader) -> dict[str, bytes]:
        """Stamps that were taken before and hold in this state, by Session."""
        with self._lock:
            if state != self._state:
                self._marks, touched = reader.touched(self._marks)
                self._state = state
                if touched is None:
                    self._stamps.clear()
                else:
                    for session in touched:
                        self._stamps.pop(session, None)
            return dict(self._stamps)

    def took(self, state: Hashable, session: str, stamp: bytes) -> None:
        """Keeps a stamp that was taken in this state."""
        with self._lock:
            if state == self._state:
                self._stamps[session] = stamp

    def told(self, session: str, stamp: bytes) -> bytes | None:
        """The fingerprint that a Session had when its stamp was this one."""
        with self._lock:
            known = self._known.get(session)
        return known.fingerprint if known and known.fingerprint.startswith(stamp) else None

    def trust(self, session: str, fingerprint: bytes) -> None:
        """Takes somebody's word for a fingerprint; it is held against the rows before long."""
        with self._lock:
            self._know(session, _Known(fingerprint, None))

    def read(self, state: Hashable, session: str, fingerprint: bytes, count: int | None) -> None:
        """Keeps what the rows of a Session say, and how many there are if that is known.

        A count that was taken of rows which may have been others is forgotten.
        """
        with self._lock:
            if count is not None:
                self._counts[session] = (fingerprint, count)
            elif self._counts.get(session, (fingerprint, 0))[0] != fingerprint:
                del self._counts[session]
            known = self._forget(session)
            self._know(session, _Known(fingerprint, state))
            if known is not None:
                alike = fingerprint[:STAMP_BYTES] == known.fingerprint[:STAMP_BYTES]
                self.corrections += alike and fingerprint != known.fingerprint

    def counted(self, session: str, stamp: bytes, count: int) -> None:
        """Keeps how many records a Session has under its stamp."""
        with self._lock:
            self._counts[session] = (stamp, count)

    def count(self, session: str, stamp: bytes) -> int | None:
        """What was counted under this stamp."""
        with self._lock:
            fingerprint, count = self._counts.get(session, (b"", 0))
        return count if fingerprint.startswith(stamp) else None

    def is_sure(self, state: Hashable) -> bool:
        """Whether everything that is known was read in this state."""
        with self._lock:
            return self._states[state] == len(self._known)

    def recheck(
        self, state: Hashable, listed: Callable[[str], bool], read: Callable[[str], int]
    ) -> int:
        """Reads a slice again, and gives the bytes that are left of it.

        Args:
            read: tells ``Memory.read``, and gives the bytes it read.
        """
        left = RECHECK_BYTES
        if self.is_sure(state):
            return left
        with self._lock:
            unread = [s for s, known in self._known.items() if known.state != state]
        for session in unread:
            if left <= 0:
                break
            if listed(session):
                left -= read(session)
            else:
                with self._lock:
                    self._forget(session)
        return left

    def _know(self, session: str, known: _Known) -> None:
        """In the place that the Session has, if it has one: it is as long unread as it was."""
        self._uncount(self._known.get(session))
        self._known[session] = known
        self._states[known.state] += 1

    def _forget(self, session: str) -> _Known | None:
        known = self._known.pop(session, None)
        self._uncount(known)
        return known

    def _uncount(self, gone: _Known | None) -> None:
        if gone is not None:
            self._states[gone.state] -= 1
            if not self._states[gone.state]:
                del self._states[gone.state]
