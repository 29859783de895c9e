"""Where Codex keeps rollouts, which of several copies of one is read, and what names it.

Invariant: one Session per thread id: a live rollout before an archived one, an uncompressed one
before a compressed one, rows before the older whole document, then the newest.
Proof: tests/unit/sources/transcripts/test_codex_finding.py.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final

from harkback.decoding import decode
from harkback.sources.transcripts.base import Entry, FileRef, Files, Found
from harkback.sources.transcripts.values import text

_ROLLOUT: Final = re.compile(
    r"rollout-[0-9T:-]+?-"
    r"([0-9a-fA-F]{8}(?:-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12})\.(jsonl|jsonl\.zst|json)"
)
_STATE: Final = re.compile(r"state_([0-9]{1,9})\.sqlite")
_NAMES: Final = "session_index.jsonl"


def find(files: Files) -> Iterator[Found]:
    """Every rollout under a home folder of Codex."""
    best: dict[str, tuple[tuple[bool, bool, bool, int], Entry, bool]] = {}
    for archived, entry in _rollouts(files):
        matched = _ROLLOUT.fullmatch(entry.path.rpartition("/")[2])
        if matched is None or entry.is_folder or not entry.size:
            continue
        end = matched[2]
        rank = (not archived, end != "jsonl.zst", end != "json", entry.modified)
        held = best.get(matched[1])
        if held is None or rank > held[0]:
            best[matched[1]] = (rank, entry, archived)
    titles = _titles(files) if best else {}
    for name, (_, entry, archived) in best.items():
        form = FileRef(
            entry.path,
            "json" if entry.path.endswith(".json") else "lines",
            entry.size,
            entry.modified,
        )
        yield Found(name, (form,), archived=archived, title=titles.get(name, ""))


def _rollouts(files: Files) -> Iterator[tuple[bool, Entry]]:
    for entry in files.listing("sessions", "rollout-*"):  # whole documents of spring 2025
        yield False, entry
    for year in files.listing("sessions", "[0-9][0-9][0-9][0-9]"):
        for month in files.listing(year.path, "[0-9][0-9]"):
            for day in files.listing(month.path, "[0-9][0-9]"):
                for entry in files.listing(day.path, "rollout-*"):
                    yield False, entry
    for entry in files.listing("archived_sessions", "rollout-*"):
        yield True, entry


def _titles(files: Files) -> dict[str, str]:
    """Titles by thread: the name that a user gave last, else the one in the newest database."""
    states = {
        int(matched[1]): entry.path
        for entry in files.listing("", "state_*.sqlite")
        if (matched := _STATE.fullmatch(entry.path)) and not entry.is_folder
    }
    found: dict[str, str] = {}
    if states:
        for thread, title in files.rows(states[max(states)], "SELECT id, title FROM threads"):
            found[_decoded(thread)] = _decoded(title)
    for index in files.listing("", _NAMES):
        for record in files.records(index.path):
            if name := text(record.value.get("thread_name")):
                found[text(record.value.get("id"))] = name
    return found


def _decoded(value: object) -> str:
    return decode(value) if isinstance(value, bytes) else text(value)
