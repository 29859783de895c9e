"""``harkback demo``: the tour, in a temporary folder.

Invariant: nothing stays behind unless asked. Proof: tests/surfaces/test_cli_demo.py.
"""

from __future__ import annotations

import shutil
import tempfile
from pathlib import Path

import click

from harkback.sources.registry import STORE_NAME


@click.command()
@click.option("--keep", is_flag=True, help="Keep the made-up history to try things on.")
def demo(keep: bool) -> None:
    """Shows in a second what harkback does, on made-up sessions.

    Writes a small history into a temporary folder, searches it, explains
    what comes back and why, and removes the folder.
    """
    from harkback.cli.tour import Tour  # here, so that a search need not load it

    folder = Path(tempfile.mkdtemp(prefix="harkback-demo-"))
    try:
        Tour(folder / STORE_NAME, keep).run()
    finally:
        if not keep:
            shutil.rmtree(folder, ignore_errors=True)
