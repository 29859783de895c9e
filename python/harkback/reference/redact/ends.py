"""Ends: how far a value goes, by the form it stands in.

A run of one form has the same end wherever it is entered, so what was measured last is remembered.
Invariant: memory only saves time; measuring costs a text its length once per form, and a block of
YAML once per indentation. Proof: tests/unit/redaction/test_forms.py; cost: benches/redact.py.
"""

from __future__ import annotations

from collections.abc import Callable

from harkback.reference.redact.separator import QUOTES, continuation, percent

STOPS = (
    QUOTES
    | frozenset(" \t\r\n\f\v&<>,;)]}")
    | frozenset("　、。，；！？（）［］｛｝＜＞＆〈〉《》「」『』【】“”")
)
CLAUSE_STOPS = QUOTES | frozenset("\r\n;<>")
#: What ends a percent-encoded value: ``&``, a space, quotes, line ends, ``, ; ] }``.
ENCODED_STOPS = ("26", "20", "22", "27", "0a", "0d", "2c", "3b", "5d", "7d")
INDENTS = 64


class Runs:
    """The runs measured last."""

    def __init__(self) -> None:
        self._known: dict[str, tuple[int, int]] = {}

    def value_end(self, text: str, at: int) -> int:
        """End of the unquoted value at ``at``; a backslash keeps a space or a line end in it."""

        def step(at: int) -> int:
            joined = continuation(text, at) or 2 * text.startswith("\\ ", at)
            return joined or int(text[at] not in STOPS)

        return self._end("value", text, at, step)

    def line_end(self, text: str, at: int) -> int:
        """End of the line that ``at`` lies in."""
        return self._end("line", text, at, lambda at: int(text[at] not in "\r\n"))

    def clause_end(self, text: str, at: int) -> int:
        """End of a value between semicolons."""
        return self._end("clause", text, at, lambda at: int(text[at] not in CLAUSE_STOPS))

    def element_end(self, text: str, at: int) -> int:
        """End of the text of an XML element that stands on one line."""
        return self._end("element", text, at, lambda at: int(text[at] not in "<\r\n"))

    def encoded_end(self, text: str, at: int) -> int:
        """End of a percent-encoded value."""

        def step(at: int) -> int:
            return int(text[at] not in STOPS and percent(text, at, ENCODED_STOPS) == at)

        return self._end("encoded", text, at, step)

    def triple_end(self, text: str, at: int, mark: str) -> int:
        """Start of the next three ``mark``; the length of the text without any."""
        return self._end(mark, text, at, lambda at: int(not text.startswith(mark * 3, at)))

    def block_end(self, text: str, at: int, indent: int) -> int:
        """End of the last line of the block of this indentation in which the line ``at`` lies."""
        start, end = self._known.get(f"block {indent}", (0, -1))
        if not start <= at <= end:
            end = _block_end(text, at, indent)
            self._known[f"block {indent}"] = (at, end)
        return end

    def _end(self, kind: str, text: str, at: int, step: Callable[[int], int]) -> int:
        """First place from ``at`` on where ``step`` goes no further."""
        start, end = self._known.get(kind, (0, -1))
        if not start <= at <= end:
            end = at
            while end < len(text) and (taken := step(end)):
                end += taken
            self._known[kind] = (at, end)
        return end


def indent_at(text: str, at: int) -> int:
    """Spaces at the start of the line at ``at``, as far as they count."""
    end = at
    while end < len(text) and end - at < INDENTS - 1 and text[end] == " ":
        end += 1
    return end - at


def _block_end(text: str, at: int, indent: int) -> int:
    end = line = at
    while line < len(text):
        stop = text.find("\n", line)
        stop = len(text) if stop < 0 else stop
        if text[line:stop].strip(" \t\r"):
            if indent_at(text, line) < indent:
                break
            end = stop - text.endswith("\r", line, stop)
        line = stop + 1
    return end
