"""The compiled engine; ``harkback.engine`` says what each function does and when it raises."""

from collections.abc import Sequence
from typing import Final, Literal, final

from harkback.engine import ChunkDamage
from harkback.model import Entry, Hits, RedactedSpan, Row, Rule, Span

__all__ = [
    "Corpus",
    "Redactor",
    "Scanner",
    "bm25",
    "bm25_terms",
    "corpus",
    "fold",
    "grow",
    "locate",
    "name",
    "reassemble",
    "redactor",
    "scanner",
]

name: Final[Literal["native"]]

def fold(text: str) -> str: ...
def locate(text: str, cuts: Sequence[Span], terms: Sequence[str]) -> list[tuple[int, int, int]]: ...
def grow(text: str, spans: Sequence[Span]) -> list[Span]: ...
def scanner(terms: Sequence[str]) -> Scanner: ...
def reassemble(
    chunks: Sequence[tuple[int, bytes, str]], length: int, sha256: str
) -> tuple[bytes | None, ChunkDamage | None]: ...
def redactor(rules: Sequence[Rule]) -> Redactor: ...
def corpus(redactor: Redactor) -> Corpus: ...
def bm25(
    frequency: Sequence[Sequence[int]],
    length: Sequence[int],
    weight: Sequence[float],
    idf: Sequence[float],
    mean_length: float,
) -> list[float]: ...
def bm25_terms(
    frequency: Sequence[int], length: int, idf: Sequence[float], mean_length: float
) -> list[float]: ...

@final
class Scanner:
    def first(self, records: Sequence[bytes]) -> int | None: ...

@final
class Redactor:
    def spans(self, text: str, sensitive: bool = False) -> list[RedactedSpan]: ...
    def sensitive(self, name: str) -> bool: ...

@final
class Corpus:
    def put(self, key: str, entries: Sequence[Entry]) -> None: ...
    def extend(self, key: str, entries: Sequence[Entry], retracted: Sequence[str]) -> None: ...
    def drop(self, key: str) -> None: ...
    def size(self, key: str) -> int: ...
    def search(self, terms: Sequence[str], keys: Sequence[str]) -> Hits: ...
    def rows(self, key: str, start: int, stop: int) -> list[Row]: ...
