"""``harkback search``: one question to one or more stores, and what its answer means to a script.

Invariant: 0 only if something was found, 1 only if nothing was missed within the scope that the
answer names. Proof: tests/surfaces/test_cli.py.
"""

from __future__ import annotations

import os
import sys
import time
from collections.abc import Iterable, Iterator
from typing import Final, get_args

import click

from harkback.cli.progress import sign_of_life
from harkback.cli.selection import Selection, choosing
from harkback.config import DEFAULT_LIMIT, MAX_LIMIT
from harkback.envelope import Envelope
from harkback.facts.base import FactSource
from harkback.model import Gap, GapCode
from harkback.query import Order

FOUND: Final = 0
NOT_FOUND: Final = 1
NOT_ALL_SEARCHED: Final = 2

#: Inside the scope of the question there is text that was not searched. Every other Gap tells of
#: the scope itself, or of how the answer was made.
MISSED: Final[frozenset[GapCode]] = frozenset(
    {
        "source_failed",
        "source_unreadable",
        "source_locked",
        "source_incomplete",
        "session_unreadable",
        "record_damaged",
        "record_oversized",
        "format_drift",
        "body_archived",
        "deadline",
        "facts_unavailable",
    }
)


def outcome(envelope: Envelope) -> int:
    """The exit code of an answer."""
    hidden = any(gap.code == "hits_not_shown" for gap in envelope.gaps)
    return code_of(bool(envelope.passages or envelope.facts) or hidden, envelope.gaps)


def code_of(found: bool, gaps: Iterable[Gap]) -> int:
    """The exit code of a command that looked for something."""
    if found:
        return FOUND
    return NOT_ALL_SEARCHED if any(gap.code in MISSED for gap in gaps) else NOT_FOUND


def complain_of(gaps: Iterable[Gap]) -> None:
    """Says on stderr why nothing found is not the same as nothing there."""
    reasons = ", ".join(dict.fromkeys(gap.code for gap in gaps if gap.code in MISSED))
    sentence = f"Nothing was found, but not everything could be searched. ({reasons})"
    click.echo(f"harkback: {sentence}", err=True)


def decoded(_: click.Context, __: click.Parameter, terms: tuple[str, ...]) -> tuple[str, ...]:
    """Terms as UTF-8 even where the locale made Python read them as something else."""
    return tuple(
        os.fsencode(term).decode("utf-8", "replace")
        if any("\udc80" <= c <= "\udcff" for c in term)
        else term
        for term in terms
    )


def _memory_files(folders: Iterable[str]) -> Iterator[FactSource]:
    from harkback.facts.files import MemoryFiles

    return map(MemoryFiles, dict.fromkeys(map(os.path.realpath, folders)))


@click.command(short_help="Finds passages that hold any of a few literal terms.")
@click.argument("terms", metavar="TERM...", nargs=-1, required=True, callback=decoded)
@choosing(scope=True)
@click.option(
    "--limit",
    type=click.IntRange(1, MAX_LIMIT),
    help=f"How many passages to show.  [default: {DEFAULT_LIMIT}]",
)
@click.option("--all", "everything", is_flag=True, help="Show every passage, however many.")
@click.option(
    "--sort",
    "order",
    type=click.Choice(get_args(Order)),
    default="relevance",
    show_default=True,
    help="Best first, or newest first.",
)
@click.option(
    "--memory-files",
    "folders",
    metavar="FOLDER",
    type=click.Path(exists=True, file_okay=False),
    multiple=True,
    help="Facts of CLAUDE.md, AGENTS.md and MEMORY.md of this project, too. May be repeated.",
)
@click.option("--explain", is_flag=True, help="Show what each score is made of.")
@click.option("--json", "as_json", is_flag=True, help="Print the answer as JSON, as agents get it.")
@click.pass_context
def search(
    context: click.Context,
    terms: tuple[str, ...],
    selection: Selection,
    limit: int | None,
    everything: bool,
    order: Order,
    folders: tuple[str, ...],
    explain: bool,
    as_json: bool,
) -> None:
    """Finds passages of past sessions that hold any of a few literal TERMs.

    1 to 8 terms, compared without regard to case or width; what holds more of
    them, or rarer ones, comes first. Quote a phrase to keep it together. Put
    -- before a term that starts with a dash. Facts that a host keeps beside
    its store are shown above the passages.

    \b
    Examples:
      harkback search 模型 "context window"
      harkback search ECONNRESET --since 7d --sort newest --limit 3
      harkback search timeout --source codex --project shop --json
      harkback search timeout --store a.sqlite --store b.sqlite

    \b
    Exit status:
      0  something was found
      1  nothing was found, and everything in scope was searched
      2  an error; or nothing was found in what could be searched, and
         something could not: damaged, incomplete or archived away
    Archived sessions are out of scope: they are counted among what the
    answer leaves out, and do not make it a 2. So are projects that the
    config file excludes.
    """
    if everything and limit is not None:
        raise click.UsageError("--all and --limit exclude each other.")
    number = None if everything else limit or DEFAULT_LIMIT
    started = time.perf_counter()
    facts = list(_memory_files(folders)) if folders else []
    with selection.recall(facts=facts) as recall:
        with sign_of_life(sys.stderr):
            envelope = recall.search(
                terms, limit=number, order=order, explain=explain, **selection.scope()
            )
        seconds = time.perf_counter() - started
        if as_json:
            click.echo(envelope.to_json())
        else:
            from harkback.cli.terminal import Terminal

            Terminal(sys.stdout).answer(envelope, seconds)
    code = outcome(envelope)
    if code == NOT_ALL_SEARCHED:
        complain_of(envelope.gaps)
    context.exit(code)
