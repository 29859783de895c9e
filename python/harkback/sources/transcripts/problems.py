"""What a problem is called in an answer: reasons that reading counts, as Gaps.

Invariant: a problem with a whole file, of which every scan offers the Session, is told always; one
with a record only beside a Hit. No Gap carries text of a transcript. Proof:
tests/unit/sources/transcripts/test_problems.py.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from typing import Final

from harkback.model import Gap, GapCode

_FILES: Final[Mapping[str, str]] = {
    "compression_damaged": "Compressed transcripts were damaged and read up to the damage.",
    "compression_unsupported": "Compressed transcripts cannot be read by this engine.",
    "denied": "Files or folders may not be read; check their permissions.",
    "document_too_long": "Files too large to be read whole were left out.",
    "index_unreadable": "An agent's own index of titles could not be read.",
    "name_undecodable": "Files whose names are no text were left out.",
    "not_followed": "Links to files elsewhere, and what is no file, were left out.",
    "shrunk": "Files became shorter while they were read.",
    "unreadable": "Files or folders could not be read.",
    "vanished": "Files were gone before they could be read.",
}
_RECORDS: Final[Mapping[str, str]] = {
    "in_flight": "Answers are still being written; they are shown as far as they are.",
    "damaged_record": "Records of a shape that cannot be read were left out.",
    "invalid_utf8": "Records held bytes that are no text; U+FFFD stands for them.",
    "line_too_long": "Records too long to be read were left out.",
    "not_json": "Records that are no JSON object were left out.",
    "nul_run": "Records of NUL bytes, as a crash leaves them, were left out.",
    "unknown_type_with_text": "Records of an unknown type hold text that was left out.",
}
_SILENT: Final = "unknown_type"
_CODES: Final[Mapping[str, GapCode]] = {
    "document_too_long": "record_oversized",
    "in_flight": "stream_in_flight",
    "line_too_long": "record_oversized",
    "unknown_type_with_text": "format_drift",
}


def of_listing(problems: Counter[str]) -> tuple[Gap, ...]:
    """What keeps a catalog from being whole."""
    return tuple(
        Gap("source_incomplete", _message(reason), count)
        for reason, count in sorted(problems.items())
        if reason != _SILENT
    )


def of_session(problems: Counter[str]) -> tuple[tuple[Gap, ...], tuple[Gap, ...]]:
    """Gaps and damage of one Session's Transcript."""
    gaps, damage = [], []
    for reason, count in sorted(problems.items()):
        if reason in _FILES:
            code = _CODES.get(reason, "session_unreadable")
            gaps.append(Gap(code, _FILES[reason], count))
        elif reason != _SILENT:
            damage.append(Gap(_CODES.get(reason, "record_damaged"), _message(reason), count))
    return tuple(gaps), tuple(damage)


def _message(reason: str) -> str:
    known = _FILES.get(reason) or _RECORDS.get(reason)
    return known or f"Records were left out: {reason.replace('_', ' ')}."
