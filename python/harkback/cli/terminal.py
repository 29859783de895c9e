"""An answer drawn for a person: facts, Sessions, their Passages, then what is left out.

Invariant: what stood in history reaches the terminal neutralised (``harkback.cli.neutral``), and
without colour nothing is added to it but layout. Lines are wrapped, and long Messages of an answer
folded, only on a terminal; in a pipe a line of history stays one line, with its tabs, and all of
them are there.
Proof: tests/surfaces/test_cli_terminal.py.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterator, Sequence
from datetime import UTC, datetime, timedelta
from itertools import groupby
from typing import TYPE_CHECKING, Final, TextIO

from rich.cells import cell_len
from rich.text import Text

from harkback.cli.neutral import block, line
from harkback.cli.ways import how_to_open
from harkback.config import REDACTED_MARK
from harkback.envelope import Envelope
from harkback.model import Explanation, Fact, Passage, PassageMessage, SessionCard, Span
from harkback.rendering import gap_text, material_text

if TYPE_CHECKING:  # a search draws none of them, and in a pipe nothing is drawn
    from rich.console import Console

    from harkback.grep import Match
    from harkback.materials import MaterialReading
    from harkback.reading import Reading

_MATCH: Final = "bold yellow"
_ROLES: Final = {
    "user": ("user", "bold green"),
    "assistant": ("assistant", "bold cyan"),
    "tool_call": ("tool call", "bold blue"),
    "tool_result": ("tool result", "bold blue"),
    "summary": ("summary", "bold magenta"),
    "title": ("title", "bold magenta"),
}
_INDENT: Final = 4
_LINE_CELLS: Final = 8  # of the number of a line
_ROLE_CELLS: Final = 13
_TEXT_START: Final = _INDENT + _ROLE_CELLS
_MAX_TEXT_CELLS: Final = 120  # longer lines are hard to read back from
_MIN_TEXT_CELLS: Final = 20
_MAX_LINES: Final = 12  # of a Message in an answer: a log would push the others off the screen
_LINES_BEFORE: Final = 4  # the first match
_CUT: Final = "[… "  # begins what a window says of its cut
#: Variables that tell Rich of a terminal where the stream is none.
_FORCING: Final = {"FORCE_COLOR", "TTY_COMPATIBLE"}
_EPOCH: Final = datetime(1970, 1, 1, tzinfo=UTC)


def _console(stream: TextIO) -> Console | None:
    """None where nothing is drawn: most of what drawing needs to load is not needed then."""
    if not stream.isatty() and not _FORCING & os.environ.keys():
        return None
    from rich.console import Console

    class Leaving(Console):
        def on_broken_pipe(self) -> None:
            """Leaves it to the command how to end."""
            raise

    console = Leaving(file=stream, highlight=False, markup=False, emoji=False)
    return console if console.is_terminal else None


class Terminal:
    """Draws on one stream; colour and width are what the stream has."""

    def __init__(self, stream: TextIO) -> None:
        self._stream = stream
        self._console = _console(stream)

    def answer(self, envelope: Envelope, seconds: float) -> None:
        """The whole answer, and how long it took."""
        self.facts(envelope.facts)
        self.passages(envelope.passages)
        if envelope.left_out:
            self._left_out(envelope)
        self.gaps(envelope)
        self.print(Text(_summary(envelope, seconds), "dim"))

    def facts(self, facts: Sequence[Fact]) -> None:
        """Distilled facts, each with the anchors that lead to where it was said."""
        if not facts:
            return
        self.print(Text("Facts", "bold"))
        for fact in facts:
            of = fact.source if fact.scope == "file" else ""
            about = [fact.kind, when(fact.observed_at), of, ", ".join(fact.anchors)]
            head = Text(line(" · ".join(each for each in about if each)), "dim")
            lines = self._fit(head, 2, _INDENT)
            lines += self._fit(Text(block(fact.content)), _INDENT, _INDENT)
            self.print(Text("\n").join(lines))
        self.print(Text())

    def passages(self, passages: Sequence[Passage]) -> None:
        """Passages under their Sessions; a Session stands where its first Passage does."""
        numbered = list(enumerate(passages, 1))
        first: dict[tuple[str, str], int] = {}
        for number, passage in numbered:
            first.setdefault(_place(passage.session), number)
        numbered.sort(key=lambda pair: (first[_place(pair[1].session)], pair[0]))
        several_sources = len({place[0] for place in first}) > 1
        for _, group in groupby(numbered, key=lambda pair: _place(pair[1].session)):
            members = list(group)
            self._session(members[0][1].session, several_sources)
            for number, passage in members:
                self.print(Text("\n").join(self._passage(number, passage)))
                self.print(Text())

    def match(self, match: Match, *, heading: bool) -> None:
        """A Message by its lines that match, under its Session when another one begins."""
        if heading:
            self._session(match.session, with_source=False)
        name, _ = _ROLES[match.kind]
        head = f"  {when(match.timestamp)}  {name}  {match.anchor}"
        if match.abandoned:
            head += "  abandoned"
        self.print(Text(head, "dim"))
        for each in match.lines:
            if each is None:
                self.print(Text(" " * _LINE_CELLS + "…", "dim"))
                continue
            body = Text(line(each.text), "" if each.spans else "dim")
            for start, end in each.spans:
                body.stylize(f"not dim {_MATCH}", start, end)
            for number, shown in enumerate(self._fit(body, 0, 0, _LINE_CELLS + 2)):
                place = "" if number else str(each.number)
                self.print(Text(place.rjust(_LINE_CELLS) + "  ", "dim") + shown)

    def reading(self, reading: Reading) -> None:
        """What stands around, or in, one Message."""
        self._session(reading.passage.session, with_source=True)
        lines = self._passage(None, reading.passage)
        self.print(Text("\n").join(lines))
        if reading.cursor is not None:
            self.note(f"There is more: --cursor {reading.cursor}")

    def material(self, reading: MaterialReading, *, written: bool) -> None:
        """What is told of a file and, unless it went elsewhere, its text."""
        self.note(line(material_text(reading.material)), 2)
        if reading.reason == "no_vision":
            self.note("It is an image: --output FILE writes it.")
        elif reading.reason is not None:
            from harkback.materials import REASONS

            self.note(REASONS[reading.reason])
        elif reading.kind == "text" and not written:
            body = Text(block(reading.content))
            self.print(body, end="" if body.plain.endswith("\n") else "\n")
        if reading.unread_pages:
            self.note(f"{plural(reading.unread_pages, 'more page')} not read")

    def gaps(self, envelope: Envelope) -> None:
        """What is not in the answer; of facts only a model has to be told that there are none."""
        gaps = [gap for gap in envelope.gaps if gap.code != "not_searched"]
        if gaps:
            self.print(Text("Not in this answer", "dim bold"))
            for gap in gaps:
                self.note(line(gap_text(gap).rstrip("\n")), 2)

    def note(self, text: str, hanging: int = 0) -> None:
        """A dim line of Harkback's own words."""
        lines = self._fit(Text(text, "dim"), 0, hanging)
        self.print(Text("\n").join(lines))

    def redacted(self, text: str, cuts: Sequence[Span]) -> None:
        """A text with marks that catch the eye in place of its cuts; its lines stay as they are."""
        shown = Text()
        at = 0
        for start, end in cuts:
            shown.append(block(text[at:start]))
            shown.append(REDACTED_MARK, _MATCH)
            at = end
        shown.append(block(text[at:]))
        self.print(shown, end="" if text.endswith("\n") else "\n")

    def item(self, name: str, *about: str) -> None:
        """A name that stands out, and what there is to say of it."""
        text = Text.assemble((line(name), "bold yellow"), *(f" · {line(each)}" for each in about))
        self.print(Text("\n").join(self._fit(text, 0, _INDENT)))

    def table(self, rows: Sequence[tuple[str, ...]]) -> None:
        """Columns under a heading; the last one is wrapped beside the others."""
        widths = [max(map(cell_len, column)) for column in list(zip(*rows, strict=True))[:-1]]
        for number, (*cells, last) in enumerate(rows):
            head = Text()
            for cell, width in zip(cells, widths, strict=True):
                head.append(cell + " " * (width - cell_len(cell) + 2))
            style = "bold" if number == 0 else ""
            for place, shown in enumerate(self._fit(Text(last), 0, 0, len(head))):
                start = Text(" " * len(head)) if place else head
                whole = Text.assemble(start, shown, style=style)
                self.print(whole)

    def print(self, text: Text, end: str = "\n") -> None:
        """Text as it stands: it is wrapped already."""
        if self._console is not None:
            self._console.print(text, soft_wrap=True, end=end)
        else:
            self._stream.write(text.plain + end)
            self._stream.flush()

    def _session(self, session: SessionCard, with_source: bool) -> None:
        title = Text(line(session.title) or "(untitled)", "bold")
        about = [session.project, session.source if with_source else None]
        at = session.last_activity_at
        about.append(f"{when(at)} ({age(at)})" if when(at) else None)
        known = " · ".join(line(each) for each in about if each)
        lines = self._fit(title, 0, 2) + self._fit(Text(known, "dim"), 0, 2)
        if way := how_to_open(session):
            lines += self._fit(Text(line(way), "dim"), 0, 2)
        self.print(Text("\n").join(lines))

    def _passage(self, number: int | None, passage: Passage) -> Iterator[Text]:
        """A Passage of an answer has a number; one that is read on from does not."""
        if number is not None:
            anchor = next(message for message in passage.messages if message.is_anchor)
            head = Text.assemble(
                (f"[{number}]", "bold"),
                (f" {passage.anchor} {when(anchor.timestamp)} ", "dim"),
                (line(", ".join(passage.matched_terms)), "yellow"),
            )
            yield from self._fit(head, 0, _INDENT)
        if passage.also_in:
            also = Text(line("also in " + ", ".join(passage.also_in)), "dim")
            yield from self._fit(also, _INDENT, _INDENT)
        if passage.has_more_before:
            yield Text(" " * _INDENT + "…", "dim")
        for message in passage.messages:
            yield from self._message(message, folding=number is not None)
        if passage.has_more_after:
            yield Text(" " * _INDENT + "…", "dim")
        if passage.explanation is not None:
            yield from self._explanation(passage.explanation, 0)

    def _message(self, message: PassageMessage, *, folding: bool) -> Iterator[Text]:
        name, style = _ROLES[message.kind]
        role = Text(" " * (_INDENT - 2))
        role.append("▸ " if message.is_anchor else "  ", "yellow")
        role.append(name, style if message.is_anchor else "dim")
        role.pad_right(_TEXT_START - len(role))
        notes = []
        if message.field is not None:
            notes.append(line(message.field))
        if message.in_progress:
            notes.append("still being written")
        if message.abandoned:
            notes.append("abandoned")
        if message.anchor is not None and not message.is_anchor:
            notes.append(message.anchor)
        body = Text(block(message.text), "" if message.is_anchor else "dim")
        for start, end in message.spans:
            body.stylize(f"not dim {_MATCH}", start, end)
        lines = [Text(", ".join(notes), "dim")] if notes else []
        text = self._fit(body, 0, 0, _TEXT_START)
        lines += _folded(text) if folding and self._console is not None else text
        for material in message.materials:
            lines += self._fit(Text(line(material_text(material)), "dim"), 0, 2, _TEXT_START)
        if message.more_materials:
            lines.append(Text(plural(message.more_materials, "more file"), "dim"))
        for number, shown in enumerate(lines):
            whole = (Text(" " * _TEXT_START) if number else role) + shown
            whole.rstrip()
            yield whole

    def _explanation(self, explanation: Explanation, depth: int) -> Iterator[Text]:
        shown = f"{explanation.value:.4f}  {line(explanation.label)}"
        yield Text(" " * (_INDENT + 2 + 3 * depth) + shown, "dim")
        for part in explanation.parts:
            yield from self._explanation(part, depth + 1)

    def _left_out(self, envelope: Envelope) -> None:
        self.print(Text("Hits that have no passage of their own", "dim bold"))
        for hit in envelope.left_out:
            place = f"message {hit.sequence} of {line(hit.session)}"
            self.note(f"- {hit.score:.4f}  {hit.fate.replace('_', ' ')}: {place}", 2)

    def _fit(self, text: Text, indent: int, hanging: int, start: int = 0) -> list[Text]:
        """Lines no wider than the terminal: the first one indented, the next ones hanging.

        Args:
            start: cells that stand before every line already.
        """
        if self._console is None:
            lines = list(text.split("\n", allow_blank=True)) or [text]
        else:
            room = self._console.width - start - max(indent, hanging)
            width = max(_MIN_TEXT_CELLS, min(room, _MAX_TEXT_CELLS))
            lines = list(text.wrap(self._console, width, overflow="fold", tab_size=4))
        for number, each in enumerate(lines):
            each.rstrip()
            each.pad_left(hanging if number else indent)
        return lines


def _folded(lines: list[Text]) -> list[Text]:
    """The lines around the first match, and how many there are besides.

    What the window says of its own cut stays.
    """
    head = lines[: lines[0].plain.startswith(_CUT)]
    tail = lines[len(lines) - lines[-1].plain.startswith(_CUT) :]
    lines = lines[len(head) : len(lines) - len(tail)]
    if len(lines) <= _MAX_LINES + 1:
        return [*head, *lines, *tail]
    matches = (number for number, each in enumerate(lines) if each.spans)
    start = min(max(0, next(matches, 0) - _LINES_BEFORE), len(lines) - _MAX_LINES)
    end = start + _MAX_LINES
    before, after = (
        [Text(f"… {plural(count, 'more line')}", "dim")] if count else []
        for count in (start, len(lines) - end)
    )
    return [*head, *before, *lines[start:end], *after, *tail]


def _place(session: SessionCard) -> tuple[str, str]:
    return session.source, session.id


def when(milliseconds: int) -> str:
    """Local date and time to the minute; empty for a time that no calendar has."""
    try:
        moment = (_EPOCH + timedelta(milliseconds=milliseconds)).astimezone()
    except (OverflowError, OSError, ValueError):
        return ""
    return f"{moment:%Y-%m-%d %H:%M}"


def age(milliseconds: int) -> str:
    """How long ago that was, in the largest unit that says something."""
    now = datetime.now(UTC)
    seconds = (now - _EPOCH).total_seconds() - milliseconds / 1000
    if seconds < 0:
        return "in the future"
    for unit, size in (
        ("year", 365 * 86400),
        ("month", 30 * 86400),
        ("day", 86400),
        ("hour", 3600),
        ("minute", 60),
    ):
        if seconds >= size:
            return f"{plural(int(seconds // size), unit)} ago"
    return "just now"


def plural(count: int, noun: str) -> str:
    """A count with its noun."""
    many = f"{noun[:-1]}ies" if re.search("[^aeiou]y$", noun) else f"{noun}s"
    return f"{count:,} {noun if count == 1 else many}"


def duration(seconds: float) -> str:
    """A time taken, to the digits that matter."""
    if seconds < 0.001:
        return f"{seconds * 1e6:.0f} µs"
    if seconds < 0.1:
        return f"{seconds * 1000:.1f} ms"
    return f"{seconds * 1000:.0f} ms" if seconds < 1 else f"{seconds:.1f} s"


def _summary(envelope: Envelope, seconds: float) -> str:
    reach = envelope.searched
    counts = [(len(envelope.facts), "fact"), (len(envelope.passages), "passage")]
    found = ", ".join(plural(count, noun) for count, noun in counts if count) or "Nothing found"
    searched = f"{plural(reach.sessions, 'session')} searched, {plural(reach.records, 'record')}"
    return f"{found} · {searched}, {duration(seconds)}"
