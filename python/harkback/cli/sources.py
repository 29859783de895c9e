"""``harkback sources``: which histories there are, how large, how recent, and what is wrong.

Invariant: nothing is opened but what a search would open.
Proof: tests/surfaces/test_cli_people.py.
"""

from __future__ import annotations

import json
import sys
from dataclasses import asdict, dataclass

import click

from harkback.cli.progress import sign_of_life
from harkback.cli.selection import Selection, choosing
from harkback.engine import load
from harkback.errors import HarkbackError
from harkback.rendering import iso
from harkback.sources.base import Source


@dataclass(frozen=True, slots=True)
class Found:
    """One history. ``problems`` are sentences without text of a transcript."""

    name: str
    sessions: int = 0
    bytes: int = 0
    newest: int | None = None  # milliseconds since the epoch
    problems: tuple[str, ...] = ()


@click.command(short_help="Lists the histories that are found on this machine.")
@click.option("--json", "as_json", is_flag=True, help="Print the list as JSON.")
@choosing()
def sources(selection: Selection, as_json: bool) -> None:
    """Lists the histories that a search would look through.

    Looks where each known agent keeps its history, and where its environment
    variables say. Counts sessions and bytes; names what cannot be read.

    \b
    Examples:
      harkback sources
      harkback sources --store ~/backup/.claude
    """
    with sign_of_life(sys.stderr, "looking"):
        found = [look(source) for source in selection.sources()]
    if as_json:
        rows = [{**asdict(each), "newest": each.newest and iso(each.newest)} for each in found]
        click.echo(json.dumps(rows, ensure_ascii=False))
        return
    from harkback.cli.terminal import Terminal, age, plural

    terminal = Terminal(sys.stdout)
    for each in found:
        about = [plural(each.sessions, "session"), size_of(each.bytes)]
        if each.newest:
            about.append(f"last used {age(each.newest)}")
        terminal.item(each.name, *about)
        for problem in each.problems:
            terminal.note(f"  - {problem}", 4)


def look(source: Source) -> Found:
    """What a catalog tells of one history."""
    try:
        with source.view(load()) as view:
            catalog = view.sessions()
            newest = max((s.last_activity_at for s in catalog.sessions), default=None)
            problems = tuple(
                gap.message if gap.count is None else f"{gap.message} ({gap.count})"
                for gap in catalog.gaps
            )
            return Found(source.name, len(catalog.sessions), view.size(), newest, problems)
    except HarkbackError as error:
        return Found(source.name, problems=(f"{error.message} ({error.reason})",))


def size_of(count: int) -> str:
    """Bytes in the unit that says something."""
    size = float(count)
    for unit in ("B", "kB", "MB"):
        if size < 1000:
            return f"{size:.0f} {unit}" if unit == "B" or size >= 10 else f"{size:.1f} {unit}"
        size /= 1000
    return f"{size:.1f} GB"
