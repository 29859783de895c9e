"""``harkback redact``: a text without its secrets, or what would be cut from it and why.

Invariant: no form of output holds any part of what is cut. Proof:
tests/surfaces/test_cli_redact.py.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final

import click

from harkback.cli.documents import Document, read
from harkback.cli.neutral import line
from harkback.cli.progress import sign_of_life
from harkback.engine import load as load_engine
from harkback.errors import UsageError
from harkback.model import RedactedSpan
from harkback.redaction import Policy
from harkback.settings import load as load_settings

CLEAN: Final = 0
WOULD_CUT: Final = 1
FAILED: Final = 2
STDIN: Final = "-"


@dataclass(slots=True)
class Findings:
    """What was cut of all inputs: per rule, its spans and where the first of them stand."""

    count: int = 0
    inputs: int = 0
    rules: dict[str, list[str]] = field(default_factory=dict)

    def take(self, places: Iterable[tuple[RedactedSpan, str]]) -> None:
        self.inputs += 1
        for span, place in places:
            self.count += 1
            for rule in span.rules:
                self.rules.setdefault(rule, []).append(place)


@click.command(short_help="Cuts the secrets out of a text, and says which rules did.")
@click.argument("files", metavar="[FILE]...", nargs=-1, type=click.Path())
@click.option("--check", is_flag=True, help="Print no text; end with 1 if anything would be cut.")
@click.option("--report", is_flag=True, help="Say on stderr what was cut, and by which rules.")
@click.option("--json", "as_json", is_flag=True, help="Print each cut as JSON instead of the text.")
@click.option("--strict", is_flag=True, help="Take out what could be a secret, digests too.")
@click.option("--rules", "list_rules", is_flag=True, help="List the rules in force and end.")
@click.pass_context
def redact(
    context: click.Context,
    files: tuple[str, ...],
    check: bool,
    report: bool,
    as_json: bool,
    strict: bool,
    list_rules: bool,
) -> None:
    """Prints each FILE, or standard input, with [redacted] for each secret.

    Rules are those of the search, and what the config file adds and removes.
    All other bytes stay as they are. A terminal gets control characters as
    pictures. Each input is read whole, since a secret may go over lines.

    \b
    Examples:
      harkback redact < app.log > clean.log
      harkback redact --check --report *.md
      harkback redact --json notes.txt
      harkback redact --rules

    --json prints an object for each cut: file, line and column from 1, start
    and end in code points from 0, the rules and their reasons. What was cut
    is never printed.

    \b
    Exit status:
      0  done; with --check, nothing would be cut
      1  with --check, something would be cut
      2  an error; the inputs that could be read were done
    """
    policy = load_settings(strict=strict).policy
    if list_rules:
        if files or check or report:
            raise click.UsageError("--rules stands alone, or with --json or --strict.")
        _list(policy, as_json)
        return
    redaction = policy.bind(load_engine())
    reasons = {rule.id: rule.reason for rule in policy.rules}
    findings = Findings()
    failed = False
    for name in files or (STDIN,):
        shown = redaction.clean(line(name))
        document = _read(name, shown)
        if document is None:
            failed = True
            continue
        with sign_of_life(sys.stderr, "redacting"):
            spans = redaction.spans(document.text)
        places = list(_places(document.text, spans))
        findings.take(
            (span, f"{shown}:{row}" if len(files) > 1 else str(row))
            for span, (row, _) in zip(spans, places, strict=True)
        )
        if as_json:
            _print_json(shown, spans, places, reasons)
        elif not check:
            _print_text(document, spans)
        if document.damaged:
            _say(f"{shown}: {document.damaged} bytes are not text; they are kept as they are.")
    if report:
        _report(findings, reasons, policy)
    if failed:
        context.exit(FAILED)
    context.exit(WOULD_CUT if check and findings.count else CLEAN)


def _read(name: str, shown: str) -> Document | None:
    """One input; None, and a complaint, when it cannot be read."""
    try:
        if name == STDIN:
            return read(sys.stdin.buffer)
        with Path(name).open("rb") as stream:
            return read(stream)
    except UsageError as error:
        problem = f"{error.message} ({error.reason})"
    except OSError as error:
        problem = f"{error.strerror or 'The system refused'}. (system_error)"
    _say(f"{shown}: {problem}")
    return None


def _places(text: str, spans: Iterable[RedactedSpan]) -> Iterator[tuple[int, int]]:
    """Line and column of each span, from 1; a line ends with a line feed."""
    row, start_of_row, at = 1, 0, 0
    for span in spans:
        row += text.count("\n", at, span.start)
        start_of_row = max(start_of_row, text.rfind("\n", at, span.start) + 1)
        at = span.start
        yield row, span.start - start_of_row + 1


def _print_text(document: Document, spans: list[RedactedSpan]) -> None:
    cuts = [(span.start, span.end) for span in spans]
    if sys.stdout.isatty():
        from harkback.cli.terminal import Terminal

        Terminal(sys.stdout).redacted(document.text, cuts)
        return
    for piece in document.pieces(cuts):
        sys.stdout.buffer.write(piece)
    sys.stdout.buffer.flush()


def _print_json(
    name: str,
    spans: Iterable[RedactedSpan],
    places: Iterable[tuple[int, int]],
    reasons: Mapping[str, str],
) -> None:
    for span, (row, column) in zip(spans, places, strict=True):
        _echo_json(
            {
                "file": name,
                "line": row,
                "column": column,
                "start": span.start,
                "end": span.end,
                "rules": span.rules,
                "reasons": [reasons[rule] for rule in span.rules],
            }
        )


def _list(policy: Policy, as_json: bool) -> None:
    rules = sorted(policy.rules, key=lambda rule: rule.id)
    if as_json:
        for rule in rules:
            _echo_json({"id": rule.id, "kind": rule.kind, "reason": rule.reason})
        return
    from harkback.cli.terminal import Terminal

    terminal = Terminal(sys.stdout)
    terminal.table((("rule", "kind", "reason"), *((r.id, r.kind, r.reason) for r in rules)))
    terminal.note(f"{len(rules)} rules, policy {policy.short_version}")


def _report(findings: Findings, reasons: Mapping[str, str], policy: Policy) -> None:
    from harkback.cli.terminal import Terminal, plural

    terminal = Terminal(sys.stderr)
    for rule, places in sorted(findings.rules.items()):
        lines = "line" if len(set(places)) == 1 else "lines"
        terminal.item(rule, plural(len(places), "cut"), reasons[rule])
        terminal.note(f"    {lines} {_some(places)}", 4)
    cut = plural(findings.count, "cut") if findings.count else "Nothing is cut"
    terminal.note(f"{cut} in {plural(findings.inputs, 'input')}, policy {policy.short_version}")


_SHOWN_PLACES: Final = 4


def _some(places: list[str]) -> str:
    """The first places, each once, and whether there are more."""
    known = list(dict.fromkeys(places))
    return ", ".join(known[:_SHOWN_PLACES]) + (", …" if len(known) > _SHOWN_PLACES else "")


def _echo_json(value: dict[str, Any]) -> None:
    click.echo(json.dumps(value, ensure_ascii=False, separators=(",", ":")))


def _say(sentence: str) -> None:
    click.echo(f"harkback: {line(sentence)}", err=True)
