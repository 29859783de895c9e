"""What is known of a segment beside the engine's own part of it.

Invariant: all of it is of one state of the Session, the one that ``fingerprint`` names. Proof:
tests/unit/persisting/test_persisting.py, tests/differential/test_paths_moving.py.
"""

from __future__ import annotations

from collections.abc import Hashable
from dataclasses import dataclass
from typing import TYPE_CHECKING

from harkback.candidates import Candidate
from harkback.model import AttachmentPart, Gap
from harkback.sources.base import Transcript

if TYPE_CHECKING:
    from harkback.cache import Place


@dataclass(slots=True)
class Segment:
    """One segment. ``holders``: who needs it to stay."""

    key: str
    place: tuple[str, str]
    fingerprint: bytes
    epoch: Hashable  # the last state of the Source that it was found equal to
    bytes: int
    gaps: tuple[Gap, ...]
    damage: tuple[Gap, ...]  # told only of a Session with a Hit
    stored: Place | None = None  # where it is attached from
    storable: bool = True
    failed: int = 0  # leaves that a finder raised on
    #: Places of the Messages that have files; None: not known, any may have some.
    files: frozenset[int] | None = None
    holders: int = 0


def segment_of(key: str, candidate: Candidate, transcript: Transcript, failed: int) -> Segment:
    """What is known of a segment that its caller holds and the engine does not know yet."""
    message = "A finder of the host raised on pieces of text; each was taken out whole."
    failures = (Gap("finder_failed", message, failed),) if failed else ()
    return Segment(
        key=key,
        place=candidate.place,
        fingerprint=transcript.fingerprint,
        epoch=candidate.view.epoch,
        bytes=0,
        gaps=transcript.gaps,
        damage=transcript.damage + failures,
        failed=failed,
        files=frozenset(
            at
            for at, message in enumerate(transcript.messages)
            if any(isinstance(part, AttachmentPart) for part in message.parts)
        ),
        holders=1,
    )
