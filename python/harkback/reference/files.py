"""The raw scan of files: may one hold a term, and how many bytes 0x0A has it?

Forms: ``lines`` are JSON records that end at 0x0A, ``json`` is one JSON document, ``text`` is
visible as it stands. ``nested``: a string that is itself JSON text also shows its own strings.
Invariant: never no to a file of which a reader shows, folded, one of the terms; a file that cannot
be read whole may hold anything. Proof: tests/differential/test_files.py,
tests/sources/test_superset_files.py.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence

from harkback.reference.json import Undecodable, strings
from harkback.reference.lines import LINE_LIMIT
from harkback.reference.stream import Stream


def scan(
    files: Sequence[tuple[str, str, int]], nested: bool, holds: Callable[[str], bool]
) -> list[tuple[bool, int]]:
    """(may match, lines) of each file.

    Args:
        files: (path, form, how many of its bytes) each.
        nested: strings are looked into for JSON.
        holds: whether a text holds a term, once folded.
    """
    return [_scan(path, form, stop, nested, holds) for path, form, stop in files]


def _scan(
    path: str, form: str, stop: int, nested: bool, holds: Callable[[str], bool]
) -> tuple[bool, int]:
    found, lines = False, 0
    try:
        stream = Stream(path, stop)
    except OSError:
        return True, 0
    try:
        if form != "lines":
            whole = _whole(stream)
            too_long = len(whole) > LINE_LIMIT  # its reader says so
            return too_long or _may_match(whole, form, nested, holds), whole.count(b"\n")
        for record, ended in _records(stream):
            lines += ended
            found = found or (record is not None and _may_match(record, form, nested, holds))
        return found or stream.damage is not None, lines
    except OSError:
        return True, lines
    finally:
        stream.close()


def _whole(stream: Stream) -> bytes:
    """All there is, up to the limit and one byte."""
    found = b""
    while len(found) <= LINE_LIMIT and (piece := stream.read()):
        found += piece
    return found[: LINE_LIMIT + 1]


def _records(stream: Stream) -> Iterator[tuple[bytes | None, int]]:
    """Each line, and how many 0x0A end it; None for one that is too long to be read."""
    rest = b""
    skipped = False
    while piece := stream.read():
        *ended, last = piece.split(b"\n")
        for line in ended:
            too_long = skipped or len(rest) + len(line) > LINE_LIMIT
            yield (None if too_long else rest + line), 1
            rest, skipped = b"", False
        rest += last
        if len(rest) > LINE_LIMIT:
            rest, skipped = b"", True
    yield (None if skipped else rest), 0


def _may_match(record: bytes, form: str, nested: bool, holds: Callable[[str], bool]) -> bool:
    if form == "text":
        return holds(record.decode("utf-8", "replace").replace("\0", "\ufffd"))
    try:
        return any(holds(text) or (nested and _inside(text, holds)) for text in strings(record))
    except Undecodable:
        return True


def _inside(text: str, holds: Callable[[str], bool]) -> bool:
    """Whether the strings of JSON text hold a term; what is no JSON text has none."""
    try:
        return any(holds(inner) for inner in strings(text.encode()))
    except Undecodable:
        return False
