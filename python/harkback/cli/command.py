"""The command group: what every command of it shares, and how each of them may end.

A command is imported when it is asked for, so that none pays for another. Invariant: a command
ends with 0, 1 or 2 as its help says, 130 when interrupted, 141 when its reader has gone (as a
shell reports it for a process that SIGPIPE ended). Proof: tests/surfaces/test_cli_process.py,
tests/surfaces/test_import.py.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Mapping
from importlib import import_module
from typing import Any, Final

import click

from harkback.cli.neutral import line
from harkback.errors import HarkbackError

#: Where each command is: module, and its name there.
_COMMANDS: Final[Mapping[str, str]] = {
    "cache": "harkback.cli.cache:cache",
    "demo": "harkback.cli.demo:demo",
    "doctor": "harkback.cli.doctor:doctor",
    "grep": "harkback.cli.grep:grep",
    "mcp": "harkback.cli.mcp:mcp",
    "redact": "harkback.cli.redact:redact",
    "search": "harkback.cli.search:search",
    "show": "harkback.cli.show:show",
    "sources": "harkback.cli.sources:sources",
}
FAILED: Final = 2
INTERRUPTED: Final = 128 + 2  # SIGINT
READER_GONE: Final = 128 + 13  # SIGPIPE


class _Group(click.Group):
    """Turns the ways in which a command can fail into a sentence and an exit code.

    What commands write is flushed as they write it, so a reader that has gone is noticed here.
    """

    def list_commands(self, ctx: click.Context) -> list[str]:
        return sorted(_COMMANDS)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        place = _COMMANDS.get(cmd_name)
        if place is None:
            return None
        module, name = place.split(":")
        found: click.Command = getattr(import_module(module), name)
        return found

    def invoke(self, ctx: click.Context) -> Any:
        try:
            return super().invoke(ctx)
        except HarkbackError as error:
            about = "".join(f"{note}: " for note in getattr(error, "__notes__", ()))
            _complain(f"{about}{error.message} ({error.reason})")
            ctx.exit(FAILED)
        except KeyboardInterrupt:
            ctx.exit(INTERRUPTED)
        except BrokenPipeError:
            ctx.exit(READER_GONE)
        except OSError as error:
            _complain(f"{error.strerror or 'The system refused'}. (system_error)")
            ctx.exit(FAILED)


@click.group(
    cls=_Group, context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 80}
)
@click.version_option(package_name="harkback", message="%(prog)s %(version)s")
def command() -> None:
    """Finds what was said and done in past sessions of AI agents.

    Give a few literal terms; get the passages that hold them, best first, and
    what was not searched beside them. No index, no daemon; histories are never
    written to, and nothing leaves this machine. Secrets are cut out before
    anything is matched, shown or kept.

    \b
    Try it:            harkback demo
    What is there:     harkback sources
    Find passages:     harkback search TERM...
    Find every match:  harkback grep TERM...
    Read on:           harkback show ANCHOR
    Clean a text:      harkback redact < FILE
    Serve agents:      harkback mcp
    What is kept:      harkback cache status

    Histories of known agents are found where they lie; --store names others.
    """


def main() -> None:
    """Runs the command of this process and ends it."""
    _prepare_streams()
    command(prog_name="harkback")


def _prepare_streams() -> None:
    """UTF-8 whatever the locale says: history is in every script, and a `?` beats a traceback."""
    if sys.stdout is None:  # closed by the caller
        sys.stdout = open(os.devnull, "w", encoding="utf-8")  # noqa: SIM115, PTH123
    if sys.stderr is None:
        sys.stderr = open(os.devnull, "w", encoding="utf-8")  # noqa: SIM115, PTH123
    for stream in (sys.stdout, sys.stderr):
        reconfigure = getattr(stream, "reconfigure", None)
        if reconfigure is not None:
            reconfigure(encoding="utf-8", errors="replace")


def _complain(sentence: str) -> None:
    click.echo(f"harkback: {line(sentence)}", err=True)
