"""Problems as Gaps."""

from __future__ import annotations

from collections import Counter
from typing import get_args

from harkback.engine import LineDamage
from harkback.sources.transcripts import problems


def test_whole_files_are_told_always_and_records_beside_a_hit() -> None:
    gaps, damage = problems.of_session(
        Counter(denied=1, shrunk=2, not_json=3, own_reason=4, unknown_type=5)
    )
    assert [(gap.code, gap.count) for gap in gaps] == [
        ("session_unreadable", 1),
        ("session_unreadable", 2),
    ]
    assert [(gap.code, gap.count) for gap in damage] == [
        ("record_damaged", 3),
        ("record_damaged", 4),
    ]
    assert damage[1].message == "Records were left out: own reason."


def test_a_catalog_says_what_it_lacks() -> None:
    (gap,) = problems.of_listing(Counter(denied=2, unknown_type=1))
    assert (gap.code, gap.count) == ("source_incomplete", 2)


def test_every_damage_of_lines_has_words_of_its_own() -> None:
    for reason in get_args(LineDamage):
        gaps, damage = problems.of_session(Counter({reason: 1}))
        (gap,) = (*gaps, *damage)
        assert reason.replace("_", " ") not in gap.message
