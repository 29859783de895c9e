"""Which Sessions may hold a match: the eligible ones, and of those what the raw scan offers.

Invariant: narrowing never decides. What is offered is a superset of the Sessions that hold a match;
what a Source cannot vouch for is offered. Proof: tests/differential/test_paths.py.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property

from harkback.config import SCAN_SLICE_SECONDS, SCAN_SLICE_SESSIONS
from harkback.model import Gap, Session
from harkback.projects import Globs, excluded, project_of
from harkback.query import Query, heed
from harkback.sources.base import Catalog, View


class Candidate:
    """A Session together with the View that can read it.

    Attributes:
        place: what names the Session among all Sources.
    """

    def __init__(self, view: View, session: Session) -> None:
        self.view = view
        self.session = session
        self.place = (session.source, session.id)

    @cached_property
    def described(self) -> Session:
        """The Session with all that is costly to know, once it was read."""
        return self.view.describe(self.session.id)


@dataclass(frozen=True, slots=True)
class Eligible:
    """The Sessions that a search may speak of, newest activity first."""

    candidates: tuple[Candidate, ...]
    gaps: tuple[Gap, ...]


@dataclass(frozen=True, slots=True)
class Offered:
    """The Sessions that may hold a match, as far as the deadline let them be scanned."""

    candidates: tuple[Candidate, ...]
    gaps: tuple[Gap, ...]
    unreached: int


def eligible(
    views: Iterable[View],
    query: Query,
    allowed: Callable[[Session], bool] | None,
    projects: Globs = (),
) -> Eligible:
    """The Sessions in scope: inside ``within``, not archived unless asked, allowed.

    Args:
        projects: whose Sessions are out of scope, and those started from them that name no other.
    """
    gaps: list[Gap] = []
    chosen: list[Candidate] = []
    archived = outside = refused = shut = 0
    everything = query.within is None and allowed is None and not (query.projects or projects)
    for view in views:
        catalog = view.sessions()
        gaps.extend(catalog.gaps)
        if everything:
            heed(query.cancel)
            told = catalog.sessions if query.include_archived else _unarchived(catalog)
            archived += len(catalog.sessions) - len(told)
            chosen += [Candidate(view, session) for session in told]
            continue
        shuts, wanted = (
            _Belonging(view, catalog, projects),
            _Belonging(view, catalog, query.projects),
        )
        for session in catalog.sessions:
            heed(query.cancel)
            if not _is_within(view, query, session) or (
                query.projects and not wanted.among(session)
            ):
                outside += 1
            elif shuts.among(session):
                shut += 1
            elif session.archived and not query.include_archived:
                archived += 1
            elif allowed is not None and not _allows(allowed, view.describe(session.id)):
                refused += 1
            else:
                chosen.append(Candidate(view, session))
    if archived:
        gaps.append(Gap("archived_excluded", "Archived Sessions were not searched.", archived))
    if outside:
        gaps.append(
            Gap("outside_scope", "Sessions outside the scope asked for were not searched.", outside)
        )
    if refused:
        gaps.append(Gap("host_excluded", "Sessions were excluded by the host.", refused))
    if shut:
        message = "Sessions of excluded projects were not searched."
        gaps.append(Gap("project_excluded", message, shut))
    chosen.sort(key=lambda c: (-c.session.last_activity_at, *c.place))
    return Eligible(tuple(chosen), tuple(gaps))


def _unarchived(catalog: Catalog) -> list[Session]:
    return [session for session in catalog.sessions if not session.archived]


def find(
    views: Iterable[View],
    allowed: Callable[[Session], bool] | None,
    projects: Globs,
    chosen: Callable[[Session], bool],
) -> Candidate | None:
    """The first listed Session that is ``chosen``, archived or not, if it may be read."""
    for view in views:
        catalog = view.sessions()
        for session in catalog.sessions:
            if chosen(session):
                found = Candidate(view, session)
                belonging = _Belonging(view, catalog, projects)
                return found if _is_readable(found, allowed, belonging) else None
    return None


def named(
    views: Iterable[View],
    allowed: Callable[[Session], bool] | None,
    projects: Globs,
    sessions: frozenset[str],
) -> Iterator[tuple[Candidate, bool]]:
    """Every listed Session of one of these ids, archived or not, and whether it may be read."""
    for view in views:
        catalog = view.sessions()
        belonging = _Belonging(view, catalog, projects)
        for session in catalog.sessions:
            if session.id in sessions:
                found = Candidate(view, session)
                yield found, _is_readable(found, allowed, belonging)


def listed(
    view: View, allowed: Callable[[Session], bool] | None, projects: Globs
) -> tuple[Candidate, ...]:
    """Every Session of a View that may be read, archived or not."""
    catalog = view.sessions()
    shut = _Belonging(view, catalog, projects)
    found = (Candidate(view, session) for session in catalog.sessions)
    return tuple(each for each in found if _is_readable(each, allowed, shut))


def _is_readable(
    candidate: Candidate, allowed: Callable[[Session], bool] | None, shut: _Belonging
) -> bool:
    told = allowed is None or _allows(allowed, candidate.described)
    return told and not shut.among(candidate.session)


def offered(query: Query, candidates: Sequence[Candidate]) -> Offered:
    """Those of ``candidates`` whose Source cannot rule out a match."""
    chosen: list[Candidate] = []
    declined: dict[Gap, None] = {}
    unreached = 0
    watched = query.deadline is not None or query.cancel is not None
    size = SCAN_SLICE_SESSIONS if watched else max(1, len(candidates))
    stop = 0
    while stop < len(candidates):
        part = candidates[stop : stop + size]
        stop += size
        if query.expired():
            unreached += len(part)
            continue
        began = time.perf_counter()
        for view in dict.fromkeys(candidate.view for candidate in part):
            asked = [candidate for candidate in part if candidate.view is view]
            result = view.scan(query.folded, [candidate.session.id for candidate in asked])
            if result.declined is not None:
                declined[result.declined] = None
            chosen.extend(c for c in asked if c.session.id in result.offered)
        spent = max(time.perf_counter() - began, 1e-6)
        seconds = min(SCAN_SLICE_SECONDS, query.left() / 4)
        size = max(SCAN_SLICE_SESSIONS, int(len(part) * seconds / spent))
    return Offered(tuple(chosen), tuple(declined), unreached)


class _Belonging:
    """Which Sessions of one View belong to one of some projects."""

    def __init__(self, view: View, catalog: Catalog, projects: Globs) -> None:
        self._view = view
        self._projects = projects
        self._listed = {session.id for session in catalog.sessions} if projects else set()

    def among(self, session: Session) -> bool:
        return bool(self._projects) and excluded(
            self._projects, project_of(session.id, self._describe)
        )

    def _describe(self, session: str) -> Session | None:
        return self._view.describe(session) if session in self._listed else None


def _is_within(view: View, query: Query, session: Session) -> bool:
    return query.within in (None, session.id) or query.within == view.describe(session.id).lineage


def _allows(allowed: Callable[[Session], bool], session: Session) -> bool:
    """The host's word; a host that raises is taken to say no."""
    try:
        return bool(allowed(session))
    except Exception:
        return False
