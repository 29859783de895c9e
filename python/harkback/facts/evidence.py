"""Evidence: from what a fact was taken, as anchors that ``RecallMore`` can follow now.

Invariant: an anchor is given only for a Message that may be read (its Session is listed, allowed
and of no excluded project, the Message is visible and not of the Turn under way); and a fact that
was taken from a Session which the host or a person shut out is not shown at all, or what is shut
out would come back by this way. Proof: tests/unit/facts/test_evidence.py.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence

from harkback.candidates import Candidate, named
from harkback.config import MAX_EVIDENCE_LOOKED_AT, MAX_FACT_ANCHORS
from harkback.facts.base import Evidence
from harkback.model import Session, StoredMessage
from harkback.projection import project
from harkback.projects import Globs
from harkback.showing import anchor_home, anchor_id
from harkback.sources.base import Naming, View


class Witnesses:
    """The Sessions that facts were taken from.

    Args:
        views: of the Sources that could be read.
        allowed, projects: which Sessions are shut out.
        complete: every Source could be read; else nobody knows of a Session that is not listed
            whether it is shut out.
        active: (Session, Turn) that is under way.

    Attributes:
        guarding: whether any Session can be shut out.
    """

    def __init__(
        self,
        views: Sequence[View],
        allowed: Callable[[Session], bool] | None,
        projects: Globs,
        active: tuple[str, str] | None,
        *,
        complete: bool,
    ) -> None:
        self._views = views
        self._allowed = allowed
        self._projects = projects
        self._active = active
        self._complete = complete
        self.guarding = allowed is not None or bool(projects)
        self._known: frozenset[str] = frozenset()
        self._open: dict[str, list[Candidate]] = {}
        self._shut: set[str] = set()
        self._read: dict[Candidate, dict[str, StoredMessage]] = {}

    def call(self, sessions: Iterable[str]) -> None:
        """Looks Sessions up; each View's catalog is gone through once for all of them."""
        new = frozenset(sessions) - self._known
        if not new:
            return
        self._known |= new
        for candidate, readable in named(self._views, self._allowed, self._projects, new):
            if readable:
                self._open.setdefault(candidate.session.id, []).append(candidate)
            else:
                self._shut.add(candidate.session.id)

    def shut(self, evidence: Iterable[Evidence]) -> bool:
        """Whether any of it lies in a Session that is shut out; its Sessions were called."""
        if not self.guarding:
            return False
        if self._complete:
            return any(each.session in self._shut for each in evidence)
        return any(
            each.session in self._shut or each.session not in self._open for each in evidence
        )

    def anchors(self, evidence: Sequence[Evidence]) -> tuple[str, ...]:
        """Of the first Messages that may be read now; looked for in the first few only."""
        events: dict[str, list[str]] = {}
        for each in evidence[:MAX_EVIDENCE_LOOKED_AT]:
            events.setdefault(each.session, []).append(each.event)
        found: dict[str, None] = {}
        for session, names in events.items():
            for candidate in self._open.get(session, ()):
                for message in self._messages(candidate, names):
                    if self._active != (session, message.turn):
                        home = anchor_home(candidate.session.source, session)
                        found[anchor_id(home, message.id)] = None
        return tuple(found)[:MAX_FACT_ANCHORS]

    def _messages(self, candidate: Candidate, names: Sequence[str]) -> Iterator[StoredMessage]:
        """The visible Messages of these names, in their order."""
        view, session = candidate.view, candidate.session.id
        found = view.named(session, names) if isinstance(view, Naming) else None
        if found is None:
            if candidate not in self._read:
                messages = view.read(session).messages
                self._read[candidate] = {message.id: message for message in messages}
            found = self._read[candidate]
        for name in names:
            if name in found and project(found[name]):
                yield found[name]
