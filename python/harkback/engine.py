"""The one switch between the two engines, and the contract both of them keep.

``native`` is the Rust extension; ``reference`` is its pure-Python twin, plain enough to be checked
by reading. Invariant: every method returns the same on both, value for value, with two exceptions:
``Scanner.first`` owes only the superset law (it may say yes to a record that holds no match; it
never says no to one that does), and ``Corpus.size`` tells what a segment costs on its own engine.
Proof: tests/differential.
"""

from __future__ import annotations

import importlib
import os
from collections.abc import Sequence
from typing import Literal, Protocol, TypeAlias, cast

from harkback.errors import UsageError
from harkback.model import Counts, Entry, Hits, Ranked, RedactedSpan, Row, Rule, Scope, Span

EngineName: TypeAlias = Literal["native", "reference"]
ENGINE_VARIABLE = "HARKBACK_ENGINE"

#: Why a chunked body cannot be trusted: an index is missing or doubled; the joined length is not
#: the recorded one; the digest of a chunk, or of the whole, is another. Looked for in this order.
ChunkDamage: TypeAlias = Literal["chunk_gap", "chunk_length", "chunk_digest"]

#: How a file is to be read: JSON records on lines, one JSON document, or text as it stands.
FileForm: TypeAlias = Literal["lines", "json", "text"]
#: A record is over the limit; a crash left NUL bytes; bytes that are no text were replaced; the
#: compressed stream breaks off or is damaged; the file became shorter while it was read.
LineDamage: TypeAlias = Literal[
    "line_too_long", "nul_run", "invalid_utf8", "compression_damaged", "shrunk"
]


class Scanner(Protocol):
    """Folded terms, prepared once, asked of many raw records."""

    def first(self, records: Sequence[bytes]) -> int | None:
        """Index of the first record that may hold any term in one of its JSON strings.

        A record may be several, joined by the byte 0xFF, which UTF-8 never has.
        """

    def files(
        self, files: Sequence[tuple[str, FileForm, int]], nested: bool
    ) -> list[tuple[bool, int]]:
        """Of each (path, form, how many of its bytes): whether it may hold a term, and its lines.

        Without terms it counts lines, which are bytes 0x0A of the uncompressed stream. A file that
        cannot be read whole may hold anything. ``nested``: a string that is itself JSON text also
        shows its own strings.
        """


class Lines(Protocol):
    """The records of a file of lines, read as they are asked for, fit for a strict JSON parser.

    A record ends at the byte 0x0A. Blank lines are none. U+FFFD stands for each ill-formed part of
    UTF-8, lone surrogate and U+0000.
    """

    def take(self) -> list[tuple[int, bytes]]:
        """The next records with their offsets in the uncompressed stream; none at the end.

        Raises OSError.
        """

    def tail(self) -> tuple[int, bytes] | None:
        """What follows the last 0x0A, once ``take`` gave nothing; None if nothing does."""

    def close(self) -> None:
        """Lets go of the file; nothing more is read."""

    def damage(self) -> list[tuple[LineDamage, int, int]]:
        """What was met so far: (reason, offset, bytes); bytes are 0 where none were lost."""


class Redactor(Protocol):
    """Rules, prepared once. The union of all rules over one whole leaf, never a window of it."""

    def spans(self, text: str, sensitive: bool = False) -> list[RedactedSpan]:
        """What is taken out of ``text``: disjoint, in order, grown to composition borders."""

    def sensitive(self, name: str) -> bool:
        """Whether a value under this key name is a secret, whatever it looks like."""


class Corpus(Protocol):
    """The one implementation of the predicate: a term lies inside one span of surviving text.

    A segment is the folded surviving text of one (source, Session) and what positions it needs.
    Safe to call from several threads. Raises KeyError for a key that is not held. Of an attached
    segment, ``extend``, ``dump``, ``search`` and ``rows`` raise SegmentDamaged when a block that
    they read is not what was written.
    """

    def put(self, key: str, entries: Sequence[Entry]) -> None:
        """Redacts, folds and keeps ``entries`` in their order; replaces what the key held.

        Raises ValueError when an Entry has cuts, but not a list of them for each leaf.
        """

    def extend(self, key: str, entries: Sequence[Entry], retracted: Sequence[str]) -> None:
        """Takes out the Messages with these ids, then appends ``entries``.

        An attached segment is in memory afterwards.
        """

    def drop(self, key: str) -> None:
        """Forgets a key; one that is not held is no error."""

    def dump(self, key: str) -> bytes:
        """The segment of ``key`` as one piece of bytes, the same on both engines.

        It holds surviving text only. Raises SegmentDamaged.
        """

    def attach(self, key: str, path: str | os.PathLike[str], offset: int, length: int) -> None:
        """Keeps a dumped segment where it lies in a file; replaces what the key held.

        Its head is read and checked; text and tables are read when they are asked for. The file may
        grow or lose its name meanwhile; these ``length`` bytes stay as they are. Raises ValueError
        when they are not one whole segment of this ``FORMAT``, OSError when they cannot be read.
        """

    def size(self, key: str) -> int:
        """Bytes that the segment of ``key`` occupies in memory; of an attached one its head."""

    def search(self, terms: Sequence[str], keys: Sequence[str], scope: Scope | None = None) -> Hits:
        """Every Message of ``keys`` in scope that holds at least one of the folded ``terms``.

        Without a scope everything is. Raises ValueError when a term is empty.
        """

    def rows(self, key: str, start: int, stop: int) -> list[Row]:
        """What is kept of Messages ``start`` up to ``stop``, cut to what the segment has.

        Neither is negative.
        """


class Tally(Protocol):
    """The Hits of one question, of which those that are shown become values.

    Called in this order: ``take`` for each search, ``repeats``, ``settle``, ``score``, ``ranked``.
    Keys are counted over all searches.
    """

    def take(
        self, corpus: Corpus, terms: Sequence[str], keys: Sequence[str], scope: Scope
    ) -> tuple[list[int], int, int]:
        """Adds the Hits of ``Corpus.search``: its ``holding``, ``outside_time``, ``abandoned``.

        Terms are the same each time. The corpus is of the same engine.
        """

    def repeats(self) -> list[int]:
        """Keys of the Sessions that share a Message with another: equal in id and digest."""

    def settle(self, origins: Sequence[int], places: Sequence[int], most: int) -> Counts:
        """One Hit for a Message that several Sessions replay.

        Of Hits in several Sessions the first stays, by (origin, time, place, row), and the others
        of its own Session; the rest are its ``also_in``.

        Args:
            origins: per key, how original its Session is, least first; looked at for ``repeats``.
            places: per key, its place in the order of Sessions.
            most: code points that count of a length.

        Raises:
            ValueError: they are not as many as there are keys.
        """

    def score(
        self, idf: Sequence[float], mean_length: float, weights: Sequence[float], newest: bool
    ) -> None:
        """Scores every Hit, and puts them in order.

        score = weight * sum over terms, in order, of idf*tf*(k1+1) / (tf + k1*(1-b+b*len/mean)).
        The order is (score desc, time desc, place, row); ``newest``: time before score. Of
        ``weights`` there is one per kind. Raises ValueError when ``mean_length`` is not positive.
        """

    def ranked(self, start: int, stop: int) -> list[Ranked]:
        """The Hits in places ``start`` up to ``stop``, cut to what there is."""


class Engine(Protocol):
    """The hot path. Terms handed to ``scanner``, ``Corpus.search`` and ``locate`` are folded."""

    name: EngineName
    FORMAT: int  # version of the bytes of a segment
    FOLD_VERSION: str  # of the fold that its text went through

    def __hash__(self) -> int: ...

    def fold(self, text: str) -> str:
        """NFC, width, full case folding, dotted i, NFC; frozen at Unicode 14.0."""

    def locate(
        self, text: str, cuts: Sequence[Span], terms: Sequence[str], reach: int | None = None
    ) -> list[tuple[int, int, int]]:
        """Occurrences (start, end, term index) in the surviving text, in original offsets.

        The same predicate as the Corpus: per term non-overlapping, left to right, inside one
        surviving span. Ordered by start, then term index. A match inside a composition segment
        covers the whole of it. Raises ValueError when a term is empty.

        Args:
            reach: only those that begin less than so many surviving code points behind the start
                of the first.
        """

    def grow(self, text: str, spans: Sequence[Span]) -> list[Span]:
        """``spans`` grown outward to composition borders, those that overlap or touch as one.

        Given in any order; no offset is negative. Raises ValueError when a span is empty or
        reaches behind the end of ``text``.
        """

    def scanner(self, terms: Sequence[str]) -> Scanner: ...

    def lines(self, path: str, stop: int) -> Lines:
        """The records in the first ``stop`` bytes of a file; ``.zst`` is decompressed.

        Raises OSError when it cannot be opened; ENOTSUP: compressed, and there is no decoder.
        """

    def reassemble(
        self, chunks: Sequence[tuple[int, bytes, str]], length: int, sha256: str
    ) -> tuple[bytes | None, ChunkDamage | None]:
        """Joins (index, data, hex SHA-256) chunks, given in any order, into the body they are."""

    def redactor(self, rules: Sequence[Rule]) -> Redactor:
        """Raises ValueError naming the rule whose shape is not in the common subset."""

    def corpus(self, redactor: Redactor) -> Corpus: ...

    def tally(self) -> Tally: ...

    def bm25_terms(
        self, frequency: Sequence[int], length: int, idf: Sequence[float], mean_length: float
    ) -> list[float]:
        """What each term adds to the score of one Hit, before its weight: the explanation.

        Raises ValueError when columns differ in length or ``mean_length`` is not positive.
        """


def load(name: EngineName | None = None) -> Engine:
    """The engine asked for, else the one that ``HARKBACK_ENGINE`` names, else ``native``.

    Raises:
        UsageError: unknown name, or the extension is not installed.
    """
    chosen = name or os.environ.get(ENGINE_VARIABLE) or "native"
    if chosen == "reference":
        return cast(Engine, importlib.import_module("harkback.reference"))
    if chosen != "native":
        raise UsageError("engine_unknown", "An engine is 'native' or 'reference'.")
    try:
        return cast(Engine, importlib.import_module("harkback._native"))
    except ImportError:
        raise UsageError(
            "engine_unavailable",
            "The compiled extension is missing; install the wheel, or set "
            f"{ENGINE_VARIABLE}=reference to run without it.",
        ) from None
