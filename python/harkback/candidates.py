"""Which Sessions may hold a match: the eligible ones, and of those what the raw scan offers.

Invariant: narrowing never decides. What is offered is a superset of the Sessions that hold a match;
what a Source cannot vouch for is offered. Proof: tests/differential/test_paths.py.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Hashable, Iterable, Iterator, Sequence
from functools import cached_property
from itertools import chain
from typing import NamedTuple, TypeAlias

from harkback.config import SCAN_SLICE_SECONDS, SCAN_SLICE_SESSIONS
from harkback.model import Gap, Session
from harkback.projects import Globs, excluded, project_of
from harkback.query import Query, heed
from harkback.sources.base import Catalog, View


class Candidate:
    """A Session together with the View that can read it.

    Attributes:
        view: of this question; another one of the same state may take its place in the next.
        place: what names the Session among all Sources.
    """

    def __init__(self, view: View, session: Session) -> None:
        self.view = view
        self.session = session
        self.place = (session.source, session.id)

    def turn_to(self, view: View) -> None:
        """Reads through another View of the same state; it may know more by now."""
        self.view = view
        self.__dict__.pop("described", None)

    @cached_property
    def described(self) -> Session:
        """The Session with all that is costly to know, once it was read."""
        return self.view.describe(self.session.id)


def newest_first(candidate: Candidate) -> tuple[int, str, str]:
    """Orders Candidates: by their last activity, then by what names them."""
    return (-candidate.session.last_activity_at, *candidate.place)


class Eligible(NamedTuple):
    """The Sessions that a search may speak of, newest activity first.

    Attributes:
        state: equal for two that speak of the same Sessions, of which nothing changed in between.
        whole: what it was made of, if only archived Sessions were left out.
        by_view: then, the candidates of each View.
    """

    candidates: tuple[Candidate, ...]
    gaps: tuple[Gap, ...]
    state: object
    whole: _Whole | None = None
    by_view: Sequence[Sequence[Candidate]] = ()

    def turn_to(self, views: Sequence[View]) -> None:
        """Reads through these Views from now on, which are of the same state."""
        for own, view in zip(self.by_view, views, strict=True):
            for candidate in own:
                candidate.turn_to(view)


#: What an Eligible is made of that leaves out archived Sessions at most, and whether it does.
_Whole: TypeAlias = tuple[list[tuple[Hashable, Catalog]], bool]


class Offered(NamedTuple):
    """The Sessions that may hold a match, as far as the deadline let them be scanned."""

    candidates: tuple[Candidate, ...]
    gaps: tuple[Gap, ...]
    unreached: int


def eligible(
    views: Sequence[View],
    query: Query,
    allowed: Callable[[Session], bool] | None,
    projects: Globs = (),
    before: Eligible | None = None,
) -> Eligible:
    """The Sessions in scope: inside ``within``, not archived unless asked, allowed.

    Args:
        projects: whose Sessions are out of scope, and those started from them that name no other.
        before: of an earlier question that is over; given again if it would be made again.
    """
    if query.within is None and allowed is None and not (query.projects or projects):
        return _whole(views, query, before)
    gaps: list[Gap] = []
    chosen: list[Candidate] = []
    archived = outside = refused = shut = 0
    for view in views:
        catalog = view.sessions()
        gaps.extend(catalog.gaps)
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
    gaps += _archived(archived)
    if outside:
        gaps.append(
            Gap("outside_scope", "Sessions outside the scope asked for were not searched.", outside)
        )
    if refused:
        gaps.append(Gap("host_excluded", "Sessions were excluded by the host.", refused))
    if shut:
        message = "Sessions of excluded projects were not searched."
        gaps.append(Gap("project_excluded", message, shut))
    return _eligible(views, chosen, gaps)


def _whole(views: Sequence[View], query: Query, before: Eligible | None) -> Eligible:
    """Every Session, but for those that are archived unless asked."""
    listed = [(view.epoch, view.sessions()) for view in views]
    whole = listed, query.include_archived
    if before is not None and before.whole == whole:
        before.turn_to(views)
        return before
    gaps: list[Gap] = []
    by_view: list[list[Candidate]] = []
    archived = 0
    for view, (_, catalog) in zip(views, listed, strict=True):
        heed(query.cancel)
        gaps.extend(catalog.gaps)
        told = [s for s in catalog.sessions if query.include_archived or not s.archived]
        archived += len(catalog.sessions) - len(told)
        by_view.append([Candidate(view, session) for session in told])
    chosen = list(chain.from_iterable(by_view))
    found = _eligible(views, chosen, [*gaps, *_archived(archived)])
    return found._replace(whole=whole, by_view=by_view)


def _archived(count: int) -> list[Gap]:
    message = "Archived Sessions were not searched."
    return [Gap("archived_excluded", message, count)] if count else []


def _eligible(views: Sequence[View], chosen: list[Candidate], gaps: Sequence[Gap]) -> Eligible:
    chosen.sort(key=newest_first)
    state = [view.epoch for view in views], [candidate.session for candidate in chosen]
    return Eligible(tuple(chosen), tuple(gaps), state)


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
