"""``harkback show``: reads on from an anchor that a search or a grep gave.

Invariant: what is shown is what ``Recall.more`` gives, without its Budget. Proof:
tests/surfaces/test_cli_people.py.
"""

from __future__ import annotations

import sys

import click

from harkback.cli.progress import sign_of_life
from harkback.cli.selection import Selection, choosing
from harkback.config import MAX_NEIGHBOURS_EACH_SIDE
from harkback.reading import SCOPES, Scope

_SIDE = click.IntRange(0, MAX_NEIGHBOURS_EACH_SIDE)


@click.command(short_help="Reads on around a message that was found.")
@click.argument("anchor")
@click.option(
    "--view",
    type=click.Choice(SCOPES),
    default="turn",
    show_default=True,
    help="The Turn around the message, all of the message, or the Session.",
)
@click.option("--before", type=_SIDE, default=MAX_NEIGHBOURS_EACH_SIDE, show_default=True)
@click.option("--after", type=_SIDE, default=MAX_NEIGHBOURS_EACH_SIDE, show_default=True)
@click.option("--cursor", metavar="CURSOR", help="Go on where the last answer ended.")
@click.option("--json", "as_json", is_flag=True, help="Print the answer as JSON.")
@choosing(scope=False)
def show(
    anchor: str,
    view: Scope,
    before: int,
    after: int,
    cursor: str | None,
    as_json: bool,
    selection: Selection,
) -> None:
    """Reads on from ANCHOR, the 32 digits beside a passage or a message.

    \b
    Examples:
      harkback show fe7e9b58fc72c1c9515ac202a5cef5c7
      harkback show fe7e9b58fc72c1c9515ac202a5cef5c7 --view audit | less
      harkback show fe7e9b58fc72c1c9515ac202a5cef5c7 --view scroll

    The anchor stays good as long as the Session is where it was found. Secrets
    are cut out as in a search.
    """
    with selection.recall() as recall:
        with sign_of_life(sys.stderr, "reading"):
            reading = recall.more(
                anchor, view=view, before=before, after=after, cursor=cursor, unbounded=True
            )
        if as_json:
            click.echo(reading.to_json())
            return
        from harkback.cli.terminal import Terminal

        Terminal(sys.stdout).reading(reading)
