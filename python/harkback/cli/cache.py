"""``harkback cache``: what of the histories is kept on disk, ready to be searched; made, removed.

Invariant: nothing but the cache's own files is written or deleted, and what is told of it are
counts, sizes and its place. Proof: tests/surfaces/test_cli_cache.py.
"""

from __future__ import annotations

import json
import sys
from contextlib import ExitStack
from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING, Final

import click

from harkback.cache import SegmentCache
from harkback.cli.progress import Bar
from harkback.cli.selection import Selection, cache_of, choosing
from harkback.cli.sources import size_of
from harkback.errors import CacheError
from harkback.persisting import Coverage
from harkback.settings import load

if TYPE_CHECKING:
    from harkback.cli.terminal import Terminal

WHOLE: Final = 0
NOT_WHOLE: Final = 1


@click.group(short_help="Shows, builds or deletes what is kept on disk for faster searches.")
def cache() -> None:
    """Keeps sessions ready to be searched, in a folder of harkback's own.

    What is kept is the text that redaction leaves, readable by you alone.
    Searches add to it once they have answered. Answers are the same with and
    without it. HARKBACK_CACHE names another folder; `enabled = false` under
    `[cache]` in the config file switches it off.
    """


@dataclass(frozen=True, slots=True)
class State:
    """What there is to tell of a cache. ``trouble``: why it is of no use, if it is not."""

    folder: str | None  # None: switched off
    bytes: int = 0
    coverage: Coverage | None = None
    rebuilt: int = 0
    manifest_rebuilt: int = 0
    trouble: str | None = None


def look(found: SegmentCache | None, selection: Selection) -> State:
    """What a cache holds of the selected histories. Raises SourceError."""
    if found is None:
        return State(None)
    folder = str(found.folder.path)
    try:
        size, counts = found.bytes(), found.counts()
        with selection.recall(persisting=False) as recall:
            coverage = recall.coverage()
    except CacheError as error:
        return State(folder, trouble=f"{error.message} ({error.reason})")
    return State(folder, size, coverage, counts.get("segments", 0), counts.get("manifest", 0))


@cache.command()
@click.option("--json", "as_json", is_flag=True, help="Print it as JSON.")
@choosing(scope=False)
def status(as_json: bool, selection: Selection) -> None:
    """Says where the cache is, how large, and how much of it is current.

    Stale sessions are those that changed since they were kept: a search reads
    them anew.
    """
    state = look(cache_of(load()), selection)
    if as_json:
        click.echo(json.dumps(asdict(state), ensure_ascii=False))
        return
    from harkback.cli.terminal import Terminal

    tell(Terminal(sys.stdout), state)


def tell(terminal: Terminal, state: State) -> None:
    """Draws it for a person."""
    from harkback.cli.terminal import plural

    if state.folder is None:
        terminal.item("cache", "switched off in the config file")
        return
    about = [size_of(state.bytes), state.folder]
    if state.coverage is not None:
        about.insert(
            0, f"{state.coverage.current:,} of {plural(state.coverage.sessions, 'session')}"
        )
        if state.coverage.stale:
            about.insert(1, f"{state.coverage.stale:,} stale")
    terminal.item("cache", *about)
    if state.trouble:
        terminal.note(f"  - {state.trouble}", 4)
    if state.rebuilt:
        terminal.note(f"  - damaged segments were made anew ({state.rebuilt:,})", 4)
    if state.manifest_rebuilt:
        terminal.note(f"  - a damaged manifest was made anew ({state.manifest_rebuilt:,})", 4)


@cache.command()
@choosing(scope=False)
@click.pass_context
def build(context: click.Context, selection: Selection) -> None:
    """Reads every session that is not kept as it is now, and keeps it.

    Exit status is 0 if all are kept, 1 if some could not be: they moved while
    they were read, or another process is writing.
    """
    if cache_of(load()) is None:
        raise click.UsageError("The cache is switched off in the config file.")
    with ExitStack() as drawn, selection.recall(persisting=False, memory_bytes=0) as recall:
        bars: list[Bar] = []

        def progress(done: int, total: int) -> None:
            if not bars:
                bars.append(drawn.enter_context(Bar(sys.stderr, "keeping", total, done - 1)))
            bars[0].step()

        persisted = recall.persist(progress=progress)
    if persisted.trouble is not None:
        raise persisted.trouble
    from harkback.cli.terminal import plural

    left = f"; {persisted.left:,} could not be" if persisted.left else ""
    click.echo(f"{plural(persisted.stored, 'session')} kept{left}")
    context.exit(NOT_WHOLE if persisted.left else WHOLE)


@cache.command()
def clear() -> None:
    """Deletes what is kept, and nothing else."""
    found = cache_of(load()) or SegmentCache()
    click.echo(f"{size_of(found.clear())} freed")
