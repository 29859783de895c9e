"""What was listed of one root for one View, and how a file was then.

Invariant: whatever a View reads of a file later is held to the state it was listed in.
Proof: tests/unit/sources/transcripts/test_files.py, tests/sources/test_transcripts_source.py.
"""

from __future__ import annotations

import os
import time
from collections.abc import Hashable
from typing import Any, NamedTuple

from harkback.config import SETTLED_NS


class State(NamedTuple):
    """A file as a stat tells it."""

    size: int
    modified_ns: int
    inode: int


def state_of(found: os.stat_result) -> State:
    return State(found.st_size, found.st_mtime_ns, found.st_ino)


class Listed(NamedTuple):
    """A file that was listed: where it lies, links resolved, and how it was then."""

    place: str
    state: State


class Listing:
    """What was listed of one root for one View: every later reading is held to it.

    Args:
        heads: what was made of heads before, by file and function; see ``Files.of_head``.
    """

    def __init__(
        self, root: str, heads: dict[tuple[str, Hashable], tuple[State, Any]] | None = None
    ) -> None:
        self.heads = {} if heads is None else heads
        self.root = os.path.realpath(root)
        self.taken_ns = time.time_ns()
        self.files: dict[str, Listed] = {}
        self.folders: dict[str, tuple[str, bool] | None] = {"": (self.root, False)}
        self.reached: dict[str, str] = {self.root: ""}  # folder by its place -> by its path

    def settled(self, state: State) -> bool:
        """Whether nobody was writing when the listing was taken, as far as its time tells."""
        return self.taken_ns - state.modified_ns > SETTLED_NS
