"""``harkback show``: reads on from an anchor that a search or a grep gave, or opens a file.

Invariant: what is shown is what ``Recall.more`` and ``Recall.material`` give, without their Budget;
a file is written only where there was none, for its owner alone. Proof:
tests/surfaces/test_cli_people.py, tests/surfaces/test_cli_material.py.
"""

from __future__ import annotations

import os
import sys
from pathlib import Path

import click

from harkback.cli.progress import sign_of_life
from harkback.cli.selection import Selection, choosing
from harkback.config import MAX_NEIGHBOURS_EACH_SIDE
from harkback.materials import REASONS
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
@click.option(
    "--material", is_flag=True, help="The digits are those beside a file: show what is in it."
)
@click.option(
    "--output",
    metavar="FILE",
    type=click.Path(path_type=Path, dir_okay=False),
    help="Write a text or an image to a new file.",
)
@click.option("--json", "as_json", is_flag=True, help="Print the answer as JSON.")
@choosing(scope=False)
def show(
    anchor: str,
    view: Scope,
    before: int,
    after: int,
    cursor: str | None,
    material: bool,
    output: Path | None,
    as_json: bool,
    selection: Selection,
) -> None:
    """Reads on from ANCHOR, the 32 digits beside a passage, a message or a file.

    \b
    Examples:
      harkback show fe7e9b58fc72c1c9515ac202a5cef5c7
      harkback show fe7e9b58fc72c1c9515ac202a5cef5c7 --view audit | less
      harkback show fe7e9b58fc72c1c9515ac202a5cef5c7 --view scroll
      harkback show 8a4170f0c4b3f1d20b6bd8a9e27c5100 --material

    The anchor stays good as long as the Session is where it was found. Secrets
    are cut out as in a search.
    """
    if output is not None and not material:
        raise click.UsageError("--output writes the content of a file: it goes with --material.")
    if material:
        _material(anchor, cursor, output, as_json, selection)
        return
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


def _material(
    name: str, cursor: str | None, output: Path | None, as_json: bool, selection: Selection
) -> None:
    """Shows or writes the content of one file. Bytes of an image never go to a terminal."""
    with selection.recall() as recall:
        with sign_of_life(sys.stderr, "reading"):
            reading = recall.material(
                name, cursor=cursor, vision=output is not None, unbounded=True
            )
        if output is not None and reading.reason is not None:
            raise click.ClickException(REASONS[reading.reason])
        if output is not None:
            _write(output, reading.content.encode() if reading.data is None else reading.data)
        if as_json:
            click.echo(reading.to_json())
            return
        from harkback.cli.terminal import Terminal

        Terminal(sys.stdout).material(reading, written=output is not None)


def _write(path: Path, content: bytes) -> None:
    """Raises OSError where there is something already, be it a link that leads nowhere."""
    flags = os.O_WRONLY | os.O_CREAT | os.O_EXCL | getattr(os, "O_BINARY", 0)
    with os.fdopen(os.open(path, flags, 0o600), "wb") as file:
        file.write(content)
