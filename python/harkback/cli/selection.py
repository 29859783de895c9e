"""Which history a command speaks of: its options, and the Sources and the scope they stand for.

Without ``--store`` it is whatever is found on this machine. Invariant: a Source is opened once,
however often it is named, and excluded projects stay excluded whatever else is asked for.
Proof: tests/surfaces/test_cli_people.py.
"""

from __future__ import annotations

import os
import re
import sys
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING, Any, Final, TypeVar

import click

from harkback.cache import SegmentCache
from harkback.cache.folder import default_folder
from harkback.config import DEFAULT_KINDS, PERSIST_SECONDS
from harkback.errors import SourceError
from harkback.facts.base import FactSource
from harkback.facts.registry import beside
from harkback.model import KINDS
from harkback.recall import Recall
from harkback.settings import Settings, load
from harkback.sources.base import Source
from harkback.sources.registry import open_source

if TYPE_CHECKING:
    from harkback.sources.discovery import Place

C = TypeVar("C", bound=Callable[..., Any])

_UNITS: Final = {"m": 60, "h": 3600, "d": 86400, "w": 7 * 86400}
#: A person looks for titles too.
_PERSONS_KINDS: Final = (*DEFAULT_KINDS, "title")


def _moment(at_end: bool) -> Callable[..., datetime | None]:
    """Reads a date, a date and time, or an age such as ``7d``; local time where none is named.

    Args:
        at_end: a day that is named without a time is meant to its end.
    """

    def read(_: click.Context, __: click.Parameter, value: str | None) -> datetime | None:
        if value is None:
            return None
        age = re.fullmatch(r"([0-9]{1,6})([mhdw])", value)
        try:
            if age is not None:
                return datetime.now(UTC) - timedelta(seconds=int(age[1]) * _UNITS[age[2]])
            moment = datetime.fromisoformat(value)
            if at_end and re.fullmatch(r"[0-9-]{8,10}", value):
                moment += timedelta(days=1, milliseconds=-1)
            return moment.astimezone() if moment.tzinfo is None else moment
        except (ValueError, OverflowError):
            problem = "A time is a date (2026-11-30), a date and time, or an age (7d)."
        raise click.BadParameter(problem)

    return read


@dataclass(frozen=True, slots=True)
class Selection:
    """What was chosen. Empty means: everything."""

    paths: tuple[str, ...]
    agents: tuple[str, ...]
    mapping: str | None = None
    projects: tuple[str, ...] = ()
    exclude: tuple[str, ...] = ()
    since: datetime | None = None
    until: datetime | None = None
    kinds: tuple[str, ...] = ()
    include_archived: bool = False
    include_abandoned: bool = False

    def scope(self) -> dict[str, Any]:
        """The arguments of ``Recall.search`` and ``Recall.grep`` that say where to look."""
        return {
            "projects": self.projects,
            "since": self.since,
            "until": self.until,
            "kinds": self.kinds or _PERSONS_KINDS,
            "include_archived": self.include_archived,
            "include_abandoned": self.include_abandoned,
        }

    @contextmanager
    def recall(
        self, *, facts: Iterable[FactSource] = (), persisting: bool = True, **options: Any
    ) -> Iterator[Recall]:
        """A Recall over what was chosen and the facts beside it, under the config file's policy.

        Args:
            facts: stores of facts, beside those.
            persisting: once the block is done, and what it wrote is on its way, Sessions are
                stored in the cache for a bounded while; not if ``--exclude`` left some out, which
                are no less wanted the next time.
            options: more arguments of the Recall.

        Raises:
            SourceError: with the path as a note; ``source_missing`` when no history is found.
        """
        settings = load()
        sources = self.sources()
        recall = Recall(
            *sources,
            policy=settings.policy,
            exclude_projects=(*settings.exclude_projects, *self.exclude),
            facts=(*beside(sources), *facts),
            cache=cache_of(settings),
            **options,
        )
        try:
            yield recall
            if persisting and not self.exclude:
                sys.stdout.flush()
                with suppress(SourceError):  # the answer is given
                    recall.persist(PERSIST_SECONDS)
        except SourceError as error:
            if len(sources) == 1:  # of several the error does not tell which
                error.add_note((self.paths or (sources[0].name,))[0])
            raise
        finally:
            recall.close()

    def sources(self) -> list[Source]:
        """The Sources, each once however often it is named."""
        sources: dict[str, Source] = {}
        if self.mapping is not None and not self.paths:
            raise click.BadParameter("It needs --store.", param_hint="--mapping")
        for path in self.paths:
            try:
                source = open_source(path, mapping=self.mapping)
            except SourceError as error:
                error.add_note(path)
                raise
            sources.setdefault(source.name, source)
        for place in () if self.paths else self.places():
            source = place.open()
            sources.setdefault(source.name, source)
        if not sources:
            raise SourceError(
                "source_missing",
                "No history of a known agent was found; name one with --store PATH.",
            )
        return list(sources.values())

    def places(self) -> list[Place]:
        """What was found on this machine, of the agents asked for."""
        from harkback.sources.discovery import discover  # --store needs none of it

        found = discover()
        known = {place.agent for place in found}
        for agent in self.agents:
            if agent not in known:
                there = ", ".join(sorted(known)) or "nothing"
                raise click.BadParameter(
                    f"No history of {agent!r} was found; there is: {there}.", param_hint="--source"
                )
        return [place for place in found if not self.agents or place.agent in self.agents]


def cache_of(settings: Settings) -> SegmentCache | None:
    """The cache of the command; None if it is switched off."""
    return SegmentCache(default_folder(settings.cache_folder)) if settings.cache else None


_WHERE: Final = (
    click.option(
        "--store",
        "paths",
        metavar="PATH",
        multiple=True,
        help="A database, or a folder of an agent or a host. May be repeated.  "
        "[default: every history found on this machine]",
    ),
    click.option(
        "--mapping",
        metavar="FILE",
        type=click.Path(exists=True, dir_okay=False),
        help="What the tables of the databases that --store names mean, as TOML.",
    ),
    click.option(
        "--source",
        "agents",
        metavar="AGENT",
        multiple=True,
        help="Only histories of this agent, such as claude-code. May be repeated.",
    ),
)
_PROJECTS: Final = (
    click.option(
        "--project",
        "projects",
        metavar="GLOB",
        multiple=True,
        help="Only sessions of this project: a folder's name or path. May be repeated.",
    ),
    click.option(
        "--exclude",
        metavar="GLOB",
        multiple=True,
        help="No session of this project, as in the config file. May be repeated.",
    ),
)
_WHAT: Final = (
    click.option(
        "--since",
        metavar="TIME",
        callback=_moment(at_end=False),
        help="Not before this time: a date, or an age such as 7d.",
    ),
    click.option(
        "--until", metavar="TIME", callback=_moment(at_end=True), help="Not after this time."
    ),
    click.option(
        "--kind",
        "kinds",
        type=click.Choice(KINDS),
        multiple=True,
        help="Only messages of this kind. May be repeated.  [default: all but summary]",
    ),
    click.option("--include-archived", is_flag=True, help="Archived sessions too."),
    click.option(
        "--include-abandoned", is_flag=True, help="Turns that were rewound or rolled back, too."
    ),
)


def _folders(_: click.Context, __: click.Parameter, folders: tuple[str, ...]) -> list[FactSource]:
    if not folders:
        return []
    from harkback.facts.files import MemoryFiles

    return [MemoryFiles(folder) for folder in dict.fromkeys(map(os.path.realpath, folders))]


#: The facts of projects, for ``Selection.recall``.
memory_files: Final = click.option(
    "--memory-files",
    "facts",
    metavar="FOLDER",
    type=click.Path(exists=True, file_okay=False),
    callback=_folders,
    multiple=True,
    help="Facts of CLAUDE.md, AGENTS.md and MEMORY.md of this project, too. May be repeated.",
)


def choosing(*, projects: bool = False, scope: bool = False) -> Callable[[C], C]:
    """The options that choose histories, which the command takes as one argument ``selection``.

    Args:
        projects: those that choose projects of them, too.
        scope: those, and what of them.
    """
    options = (*_WHERE, *(_PROJECTS if projects or scope else ()), *(_WHAT if scope else ()))
    names = ["paths", "mapping", "agents"]
    if projects or scope:
        names += ["projects", "exclude"]
    if scope:
        names += ["since", "until", "kinds", "include_archived", "include_abandoned"]

    def decorate(command: C) -> C:
        def with_selection(*args: Any, **given: Any) -> Any:
            chosen = Selection(**{name: given.pop(name) for name in names})
            return command(*args, selection=chosen, **given)

        with_selection.__doc__ = command.__doc__
        with_selection.__name__ = command.__name__
        earlier: Sequence[Any] = getattr(command, "__click_params__", ())
        with_selection.__click_params__ = list(earlier)  # type: ignore[attr-defined]
        for option in reversed(options):
            option(with_selection)
        return with_selection  # type: ignore[return-value]

    return decorate
