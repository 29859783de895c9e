"""``harkback doctor``: reads every Session of every history and says in numbers what it could not.

Invariant: what it prints are counts and reasons, never text of a transcript. Proof:
tests/surfaces/test_cli_people.py.
"""

from __future__ import annotations

import platform
import sqlite3
import sys
from collections import Counter
from dataclasses import replace
from importlib.metadata import version
from typing import TYPE_CHECKING, Final

import click

from harkback.cli.progress import Bar
from harkback.cli.selection import Selection, cache_of, choosing
from harkback.cli.sources import size_of
from harkback.engine import Engine, load
from harkback.errors import CacheError, HarkbackError
from harkback.settings import load as load_settings
from harkback.sources.base import Source

if TYPE_CHECKING:
    from harkback.cli.terminal import Terminal

HEALTHY: Final = 0
TROUBLED: Final = 1


@click.command(short_help="Reads everything, and says what cannot be read and why.")
@choosing(scope=False)
@click.pass_context
def doctor(context: click.Context, selection: Selection) -> None:
    """Reads every session of every history, and counts what cannot be read.

    Records that do not parse, files that may not be opened, answers cut short,
    and records of types that this version does not know although they hold
    text: a sign that an agent has changed its format. Also says how the cache
    is doing.

    Exit status is 0 if all was read, 1 if something was not, 2 on an error.
    """
    from harkback.cli.terminal import Terminal, plural

    terminal, engine = Terminal(sys.stdout), load()
    settings = load_settings()
    terminal.item(
        f"harkback {version('harkback')}",
        f"{engine.name.rpartition('.')[2].lstrip('_')} engine",
        f"Python {platform.python_version()}",
        f"SQLite {sqlite3.sqlite_version}",
    )
    config = "no config file" if settings.path is None else str(settings.path)
    rules = plural(len(settings.policy.rules), "rule")
    terminal.item("redaction", rules, f"policy {settings.policy.short_version}", config)
    _examine_cache(terminal, selection)
    troubled = False
    for source in selection.sources():
        try:
            found = _examine(source, engine)
        except HarkbackError as error:
            troubled = True
            terminal.item(source.name)
            terminal.note(f"  - {error.message} ({error.reason})", 4)
            continue
        said, size, problems = found
        sessions = said.pop("session", 0)
        kinds = [plural(count, kind.replace("_", " ")) for kind, count in said.most_common()]
        terminal.item(source.name, plural(sessions, "session"), size_of(size), *kinds)
        for problem, count in sorted(problems.items()):
            troubled = True
            terminal.note(f"  - {problem} ({count:,})", 4)
        if not problems:
            terminal.note("  everything was read", 4)
    context.exit(TROUBLED if troubled else HEALTHY)


def _examine_cache(terminal: Terminal, selection: Selection) -> None:
    """Tells of the cache. What is wrong with it keeps nothing from being read."""
    from harkback.cli.cache import look, tell

    cache = cache_of(load_settings())
    state = look(cache, selection)
    if cache is not None and state.trouble is None:
        try:
            cache.check()
        except CacheError as error:
            state = replace(state, trouble=f"{error.message} ({error.reason})")
    tell(terminal, state)


def _examine(source: Source, engine: Engine) -> tuple[Counter[str], int, Counter[str]]:
    """Messages by kind (and Sessions), bytes, and what could not be read."""
    said: Counter[str] = Counter()
    problems: Counter[str] = Counter()
    with source.view(engine) as view:
        catalog = view.sessions()
        problems.update({gap.message: gap.count or 1 for gap in catalog.gaps})
        with Bar(sys.stderr, "reading", len(catalog.sessions)) as bar:
            for session in catalog.sessions:
                transcript = view.read(session.id)
                said["session"] += 1
                said.update(message.kind for message in transcript.messages)
                for gap in (*transcript.gaps, *transcript.damage):
                    problems[gap.message] += gap.count or 1
                bar.step()
        return said, view.size(), problems
