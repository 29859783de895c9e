"""``harkback mcp``: the tools of an agent, served over the Model Context Protocol.

Invariant: standard output carries the protocol and nothing else, from before the first heavy
import on. What cannot be opened is an answer to the call that needs it, not the end of the server.
Proof: tests/surfaces/mcp/test_stdio.py, tests/surfaces/mcp/test_command.py.
"""

from __future__ import annotations

import gc
import logging
import sys
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from typing import Final

import click

from harkback.cli.selection import Selection, choosing
from harkback.errors import HarkbackError, SourceError, UsageError
from harkback.model import Session
from harkback.projects import compile_globs, excluded
from harkback.recall import Recall
from harkback.tools import TOOLS, Toolset

DEFAULT_PORT: Final = 8425
_LOG: Final = logging.getLogger("harkback.mcp")


@click.command(short_help="Serves the tools for agents over MCP.")
@choosing(scope=False)
@click.option(
    "--grant",
    "grants",
    type=click.Choice([spec.name for spec in TOOLS]),
    multiple=True,
    help="Only this tool. May be repeated.  [default: all of them]",
)
@click.option("--workspace", metavar="KEY", help="The workspace whose facts are searched, too.")
@click.option("--structured", is_flag=True, help="Send each answer as JSON too, beside the text.")
@click.option("--vision", is_flag=True, help="Send images as images: the model sees them.")
@click.option("--http", is_flag=True, help="Listen for HTTP on this machine, not on stdin.")
@click.option("--host", help="The loopback address to listen on.  [default: 127.0.0.1]")
@click.option(
    "--port",
    type=click.IntRange(0, 65535),
    help=f"The port to listen on; 0: any.  [default: {DEFAULT_PORT}]",
)
def mcp(
    selection: Selection,
    grants: tuple[str, ...],
    workspace: str | None,
    structured: bool,
    vision: bool,
    http: bool,
    host: str | None,
    port: int | None,
) -> None:
    """Serves the tools for agents to a client of the Model Context Protocol.

    A client starts it and speaks to it over stdin and stdout. Register it
    once, as docs/mcp.md says for each client:

    \b
      claude mcp add --scope user harkback -- harkback mcp
      codex mcp add harkback -- harkback mcp

    It searches the histories that `harkback search` does, and ends when its
    client does. Nothing is written, nothing leaves this machine.
    """
    if not http and (host is not None or port is not None):
        raise click.UsageError("--host and --port need --http.")
    if selection.mapping is not None and not selection.paths:
        raise click.UsageError("--mapping needs --store.")
    only = _only(selection)
    from harkback.mcp import wire

    out = None if http else wire.claim()
    gc.disable()  # thousands of classes come to stay: to look for garbage is a seventh of the start
    try:
        from harkback.mcp.calls import Calls
        from harkback.mcp.ending import Ending
        from harkback.mcp.later import Later
        from harkback.mcp.logs import start
        from harkback.mcp.server import build, turn_under_way
    except ModuleNotFoundError as error:
        if str(error.name).startswith("harkback"):
            raise
        install = "pip install 'harkback[mcp]'"
        raise UsageError("extra_missing", f"This needs more packages: {install}.") from None
    gc.freeze()
    gc.enable()
    start()
    later = Later(lambda: _opened(selection, only))
    tools = Toolset(
        later,
        grants=grants or tuple(spec.name for spec in TOOLS),
        active=turn_under_way,
        workspace=workspace,
        vision=vision,
        structured=structured,
    )
    calls = Calls(tools)
    server, ending = build(tools, calls), Ending(calls, later.close)
    if out is None:
        from harkback.mcp import http as over_http

        listening = over_http.listen(host or "127.0.0.1", DEFAULT_PORT if port is None else port)
        click.echo(f"harkback: serving {over_http.address(listening)}; Ctrl-C ends it.", err=True)
        over_http.serve(server, listening, ending)
    else:
        from harkback.mcp import stdio

        if sys.stdin is not None and sys.stdin.isatty():
            click.echo("harkback: this is for an MCP client to start; Ctrl-D ends it.", err=True)
        stdio.serve(server, out, ending)


def _only(selection: Selection) -> Callable[[Session], bool] | None:
    """The rule that keeps everything but the chosen projects from every tool."""
    globs = compile_globs(selection.projects)
    return (lambda session: excluded(globs, session.project)) if globs else None


@contextmanager
def _opened(selection: Selection, only: Callable[[Session], bool] | None) -> Iterator[Recall]:
    """The Recall; why there is none is also told to the person, with the place."""
    with ExitStack() as held:
        try:
            recall = held.enter_context(selection.recall(persisting=False, eligible=only))
        except HarkbackError as error:
            about = "".join(f"{note}: " for note in getattr(error, "__notes__", ()))
            _LOG.warning("%s%s (%s)", about, error.message, error.reason)
            raise
        except click.UsageError as error:
            _LOG.warning("%s", error.message)
            raise SourceError("source_missing", error.message) from None
        yield recall
