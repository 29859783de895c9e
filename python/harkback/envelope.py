"""The Envelope: the whole answer, in the text form a model reads and in JSON.

Invariant: neither form is longer than its Budget, whatever the history holds (a search with
``limit=None``, for a person's terminal, has no Budget). Proof: tests/unit/test_envelope.py.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import Any

from harkback.candidates import Eligible
from harkback.config import (
    JSON_GAPS_BUDGET,
    JSON_LEFT_OUT_BUDGET,
    MAX_DISPOSITIONS,
    TEXT_GAPS_BUDGET,
)
from harkback.facts.base import Found
from harkback.model import Fact, Gap, GapCode, Material, Passage, Searched
from harkback.query import Query
from harkback.ranking import RankedHit, Ranking
from harkback.redaction import Redaction
from harkback.rendering import (
    FACTS_HEAD,
    NOTICE,
    VERSION,
    compact_json,
    fact_json,
    fact_text,
    gap_json,
    gap_text,
    iso,
    label,
    material_json,
    materials_of,
    message_text,
    passage_head_text,
    passage_json,
    reading_on_text,
)
from harkback.verification import Verified

_ECHO_CODE_POINTS = 40  # of a term that matched nothing


@dataclass(frozen=True, slots=True)
class Disposition:
    """What became of a Hit that is not shown, for an explained answer."""

    session: str
    sequence: int
    score: float
    fate: str


@dataclass(frozen=True, slots=True)
class Envelope:
    """The whole answer to one question."""

    passages: tuple[Passage, ...]
    gaps: tuple[Gap, ...]
    searched: Searched
    left_out: tuple[Disposition, ...] = ()
    facts: tuple[Fact, ...] = ()

    @property
    def materials(self) -> tuple[Material, ...]:
        """Those of the Messages that are shown, once each."""
        return materials_of(self.passages)

    def text(self) -> str:
        """What a model reads: a notice, facts, Passages, what was not searched."""
        reach = self.searched
        oldest = None if reach.oldest_activity is None else iso(reach.oldest_activity)
        facts = f"{len(self.facts)} facts, " if self.facts else ""
        lines = [
            f"Recall: {facts}{len(self.passages)} passages. {NOTICE}\n",
            f"Searched {reach.sessions} Sessions, {reach.records} records"
            + (f", oldest activity {oldest}.\n" if oldest else ".\n"),
            reading_on_text(self.passages),
        ]
        if self.facts:
            lines.append(FACTS_HEAD)
            lines.extend(map(fact_text, self.facts))
        for number, passage in enumerate(self.passages, 1):
            lines.append("\n" + passage_head_text(number, passage))
            lines.extend(message_text(message) for message in passage.messages)
        if self.gaps:
            lines.append("\nNot in this answer:\n")
            kept = _within(TEXT_GAPS_BUDGET, self.gaps, lambda gap: len(gap_text(gap)))
            lines.extend(map(gap_text, kept))
        return "".join(lines)

    def to_dict(self) -> dict[str, Any]:
        """The structure, of values that JSON has."""
        gaps = _within(
            JSON_GAPS_BUDGET, self.gaps, lambda gap: len(compact_json(gap_json(gap))) + 1
        )
        shown: dict[str, Any] = {
            "version": VERSION,
            "kind": "recall",
            "notice": NOTICE,
            "facts": [fact_json(fact) for fact in self.facts],
            "passages": [passage_json(passage) for passage in self.passages],
            "materials": list(map(material_json, self.materials)),
            "gaps": [gap_json(gap) for gap in gaps],
            "searched": {
                "sessions": self.searched.sessions,
                "records": self.searched.records,
                "oldest_activity": (
                    None
                    if self.searched.oldest_activity is None
                    else iso(self.searched.oldest_activity)
                ),
                "every_session": self.searched.every_session,
            },
        }
        room = JSON_LEFT_OUT_BUDGET
        for d in self.left_out:
            fate = {"session": d.session, "sequence": d.sequence, "score": d.score, "fate": d.fate}
            room -= len(compact_json(fate)) + 1
            if room < 0:
                break
            shown.setdefault("left_out", []).append(fate)
        return shown

    def to_json(self) -> str:
        """``to_dict`` as the very string to send."""
        return compact_json(self.to_dict())


def assemble(
    query: Query,
    found: Eligible,
    verified: Verified,
    ranking: Ranking,
    shown: Sequence[tuple[RankedHit, Passage]],
    failures: Sequence[Gap],
    redaction: Redaction,
    facts: Found,
) -> Envelope:
    """Puts the answer together and names everything that is not in it."""
    gaps = [
        *failures,
        *found.gaps,
        *verified.gaps,
        *ranking.gaps,
        *_unmatched(query, ranking, facts),
        *_not_shown(ranking, [hit for hit, _ in shown]),
    ]
    oldest = found.candidates[-1].session.last_activity_at if found.candidates else None
    unsearched = {
        "deadline",
        "source_failed",
        "source_unreadable",
        "source_locked",
        "session_unreadable",
        "archived_excluded",
        "host_excluded",
        "project_excluded",
    }
    return Envelope(
        passages=tuple(passage for _, passage in shown),
        gaps=_merged([*gaps, *facts.gaps]),
        searched=Searched(
            sessions=len(found.candidates) - _count(verified.gaps, "deadline"),
            records=ranking.records,
            oldest_activity=oldest,
            every_session=not any(gap.code in unsearched for gap in gaps)
            and not (query.within or query.projects),
        ),
        left_out=tuple(
            Disposition(
                label(redaction.clean(hit.candidate.session.id)),
                hit.row,
                round(hit.score, 4),
                hit.disposition,
            )
            for hit in ranking.left_out[:MAX_DISPOSITIONS]
        ),
        facts=facts.facts,
    )


def _unmatched(query: Query, ranking: Ranking, facts: Found) -> Iterable[Gap]:
    found = zip(query.terms, ranking.matched, facts.matched, strict=True)
    missing = [term for term, said, distilled in found if not said and not distilled]
    if missing:
        named = ", ".join(label(term, _ECHO_CODE_POINTS) for term in missing)
        yield Gap("term_without_match", f"No match for: {named}.", len(missing))


def _not_shown(ranking: Ranking, shown: Sequence[RankedHit]) -> Iterable[Gap]:
    """Hits without a Passage of their own; one that stands in another's Turn is counted too."""
    hidden = ranking.total - len(shown)
    if hidden:
        sessions = len(ranking.per_session - Counter(hit.candidate.place for hit in shown))
        where = f"{sessions} {'Session' if sessions == 1 else 'Sessions'}"
        message = f"More Hits, in {where}, are not shown; narrow the terms."
        yield Gap("hits_not_shown", message, hidden)


def _merged(gaps: Iterable[Gap]) -> tuple[Gap, ...]:
    """Equal reasons once, their counts added up, in the order of first mention."""
    counts: dict[tuple[GapCode, str], int | None] = {}
    for gap in gaps:
        key = (gap.code, gap.message)
        before = counts.get(key)
        counts[key] = gap.count if before is None else before + (gap.count or 0)
    return tuple(Gap(code, message, count) for (code, message), count in counts.items())


def _count(gaps: Iterable[Gap], code: GapCode) -> int:
    return sum(gap.count or 0 for gap in gaps if gap.code == code)


def _within(budget: int, gaps: Sequence[Gap], cost: Callable[[Gap], int]) -> Sequence[Gap]:
    """As many as the budget pays for; if not all, the last one says how many are not shown."""
    if sum(map(cost, gaps)) <= budget:
        return gaps
    kept: list[Gap] = []
    budget -= cost(_more_gaps(len(gaps)))
    for gap in gaps:
        budget -= cost(gap)
        if budget < 0:
            break
        kept.append(gap)
    return [*kept, _more_gaps(len(gaps) - len(kept))]


def _more_gaps(count: int) -> Gap:
    return Gap("text_shortened", "More reasons are not shown.", count)
