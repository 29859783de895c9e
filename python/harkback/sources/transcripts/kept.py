"""What a Source of transcripts keeps between its Views, by the states of the files it came from.

Invariant: what is kept is found again only under the state or fingerprint that it was read in; of
decoded Sessions only the last few are kept. Proof: tests/sources/test_transcripts_source.py.
"""

from __future__ import annotations

import itertools
import threading
from collections import OrderedDict
from collections.abc import Hashable
from dataclasses import dataclass
from typing import Any, Final

from harkback.sources.base import Transcript
from harkback.sources.transcripts.base import Outline
from harkback.sources.transcripts.listing import State

KEPT_SESSIONS: Final = 8  # decoded ones
KEPT_BYTES: Final = 64 << 20  # of their files; the last one is kept whatever its size

serials = itertools.count()


@dataclass(frozen=True, slots=True)
class Read:
    """A Session that was decoded, and what only that tells of it."""

    transcript: Transcript
    title: str
    started_at: int
    bytes: int  # of its files


class Kept:
    """What was read, with the state that it was read in. Safe for several threads."""

    def __init__(self) -> None:
        self.lines: dict[str, tuple[State, int]] = {}  # by place of the file
        self.outlines: dict[str, tuple[Hashable, Outline]] = {}  # by Session, as all that follow
        self.heads: dict[tuple[str, Hashable], tuple[State, Any]] = {}
        self.titles: dict[str, tuple[bytes, str, int]] = {}
        self.fingerprints: dict[str, tuple[Hashable, bytes]] = {}  # by states that were settled
        self._sessions: OrderedDict[str, Read] = OrderedDict()
        self._bytes = 0
        self._epoch: tuple[Hashable, int] = (None, 0)
        self._lock = threading.Lock()  # guards the three before it

    def epoch(self, state: Hashable) -> int:
        """A number for a state, the one that it has already if it was the last: told apart fast."""
        with self._lock:
            if self._epoch[0] != state:
                self._epoch = (state, next(serials))
            return self._epoch[1]

    def find(self, session: str, fingerprint: bytes) -> Read | None:
        with self._lock:
            found = self._sessions.get(session)
            if found is None or found.transcript.fingerprint != fingerprint:
                return None
            self._sessions.move_to_end(session)
            return found

    def keep(self, session: str, read: Read) -> None:
        self.titles[session] = (read.transcript.fingerprint, read.title, read.started_at)
        with self._lock:
            before = self._sessions.pop(session, None)
            self._bytes += read.bytes - (before.bytes if before else 0)
            self._sessions[session] = read
            while len(self._sessions) > 1 and (
                len(self._sessions) > KEPT_SESSIONS or self._bytes > KEPT_BYTES
            ):
                _, gone = self._sessions.popitem(last=False)
                self._bytes -= gone.bytes
