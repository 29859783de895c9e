"""``harkback grep``: every message that matches, newest first, as its lines.

Invariant: what it finds is what a search finds, with the same redaction; nothing is left out for
want of room. Proof: tests/surfaces/test_cli_people.py.
"""

from __future__ import annotations

import json
import sys
from typing import Any, Final

import click

from harkback.cli.neutral import line
from harkback.cli.progress import sign_of_life
from harkback.cli.search import NOT_ALL_SEARCHED, code_of, complain_of, decoded
from harkback.cli.selection import Selection, choosing
from harkback.grep import Match
from harkback.rendering import gap_text, iso

MAX_CONTEXT: Final = 100


@click.command(short_help="Prints every message that matches, newest first.")
@click.argument("terms", metavar="TERM...", nargs=-1, required=True, callback=decoded)
@click.option(
    "-C",
    "--context",
    type=click.IntRange(0, MAX_CONTEXT),
    default=0,
    help="Lines to show on each side of one that matches.",
)
@click.option("-c", "--count", is_flag=True, help="Print only how many messages match.")
@click.option("--json", "as_json", is_flag=True, help="Print each message as a line of JSON.")
@choosing(scope=True)
@click.pass_context
def grep(
    context_: click.Context,
    terms: tuple[str, ...],
    context: int,
    count: bool,
    as_json: bool,
    selection: Selection,
) -> None:
    """Prints every message that holds any of a few literal TERMs, newest first.

    Compared as a search compares, secrets cut out as a search does; without
    ranking, without a limit. A message is shown by its lines that match, a long
    line by what stands around the match.

    \b
    Examples:
      harkback grep ECONNRESET -C 2
      harkback grep TODO --project shop --since 30d --kind user
      harkback grep 模型 --count

    Exit status is that of a search.
    """
    found = 0
    with selection.recall() as recall:
        lines = None if count else context
        with recall.grep(terms, context=lines, **selection.scope()) as answer:
            matches = answer.matches()
            with sign_of_life(sys.stderr):
                match = next(matches, None)
            drawn = _Json() if as_json else _Drawn()
            while match is not None:
                found += 1
                if not count:
                    drawn.match(match)
                match = next(matches, None)
            gaps = answer.gaps()
        if count:
            click.echo(str(found))
        elif not as_json:
            for gap in gaps:
                click.echo(line(gap_text(gap).rstrip("\n")), err=True)
    code = code_of(found > 0, gaps)
    if code == NOT_ALL_SEARCHED:
        complain_of(gaps)
    context_.exit(code)


class _Json:
    """A line of JSON for each message."""

    def match(self, match: Match) -> None:
        session = match.session
        shown: dict[str, Any] = {
            "anchor": match.anchor,
            "session": {"id": session.id, "title": session.title, "source": session.source},
            "kind": match.kind,
            "timestamp": iso(match.timestamp),
            "occurrences": match.occurrences,
            "lines": [
                {"number": at.number, "text": at.text, "spans": [list(s) for s in at.spans]}
                for at in match.lines
                if at is not None
            ],
        }
        if session.project:
            shown["session"]["project"] = session.project
        for name in ("in_progress", "abandoned"):
            if getattr(match, name):
                shown[name] = True
        click.echo(json.dumps(shown, ensure_ascii=False, separators=(",", ":")))


class _Drawn:
    """For a person: messages under the Session they stand in."""

    def __init__(self) -> None:
        from harkback.cli.terminal import Terminal

        self._terminal = Terminal(sys.stdout)
        self._session: tuple[str, str] | None = None

    def match(self, match: Match) -> None:
        place = match.session.source, match.session.id
        self._terminal.match(match, heading=place != self._session)
        self._session = place
