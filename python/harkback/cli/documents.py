"""Inputs of ``harkback redact``: bytes that become text to look at, and bytes again.

Invariant: what is not cut comes out as the bytes it came in as, whatever they are. Bytes that are
no text stand as U+FFFD before the rules and are counted. Proof: tests/surfaces/test_cli_redact.py.
"""

from __future__ import annotations

import codecs
import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import BinaryIO, Final

from harkback.config import MAX_INPUT_BYTES, REDACTED_MARK
from harkback.errors import UsageError
from harkback.model import Span

_SURROGATE: Final = re.compile("[\ud800-\udfff]")
#: Encodings that a byte order mark tells; a text without one is UTF-8.
_MARKED: Final = ((codecs.BOM_UTF16_LE, "utf-16-le"), (codecs.BOM_UTF16_BE, "utf-16-be"))


@dataclass(frozen=True, slots=True)
class Document:
    """One input as text.

    Attributes:
        text: what rules and people look at.
        damaged: bytes, or halves of UTF-16 pairs, that are no text.
    """

    text: str
    damaged: int
    _exact: str
    _encoding: str
    _errors: str
    _rest: bytes

    def pieces(self, cuts: Sequence[Span]) -> Iterable[bytes]:
        """The input with the mark in place of each cut, piece by piece."""
        at = 0
        for start, end in cuts:
            yield (self._exact[at:start] + REDACTED_MARK).encode(self._encoding, self._errors)
            at = end
        yield self._exact[at:].encode(self._encoding, self._errors)
        yield self._rest


def read(stream: BinaryIO) -> Document:
    """All of a stream: a secret may lie anywhere in it, so no part can be redacted by itself.

    Raises:
        UsageError: ``input_too_large``.
    """
    data = stream.read(MAX_INPUT_BYTES + 1)
    if len(data) > MAX_INPUT_BYTES:
        limit = f"{MAX_INPUT_BYTES >> 20} MB"
        raise UsageError("input_too_large", f"A text is longer than {limit}; split it at lines.")
    encoding, errors, rest = "utf-8", "surrogateescape", b""
    for mark, name in _MARKED:
        if data.startswith(mark):
            encoding, errors = name, "surrogatepass"
            even = len(data) & ~1
            data, rest = data[:even], data[even:]
    try:
        text = exact = data.decode(encoding)
        damaged = len(rest)
    except UnicodeDecodeError:
        exact = data.decode(encoding, errors)
        text, damaged = _SURROGATE.subn("\N{REPLACEMENT CHARACTER}", exact)
        damaged += len(rest)
    return Document(text, damaged, exact, encoding, errors, rest)
