"""The raw scan: may this record hold one of the terms? Every string decoded, folded, compared.

Invariant: never no to a record of which one decoded string holds, folded, one of the folded
terms. This engine says yes to those and to what cannot be decoded, and to nothing else.
Proof: tests/properties/test_scan.py.
"""

from __future__ import annotations

from collections.abc import Sequence

from harkback.reference.fold import fold
from harkback.reference.json import Undecodable, strings


class Scanner:
    """Folded terms, asked of many raw records."""

    def __init__(self, terms: Sequence[str]) -> None:
        self._terms = tuple(terms)

    def first(self, records: Sequence[bytes]) -> int | None:
        """Index of the first record that may hold any term in one of its JSON strings."""
        for index, record in enumerate(records):
            if self._may_match(record):
                return index
        return None

    def start(self) -> Scan:
        """A scan of many batches, each under the tag of what it belongs to."""
        return Scan(self)

    def _may_match(self, record: bytes) -> bool:
        if not self._terms:
            return False
        try:
            return any(term in fold(text) for text in strings(record) for term in self._terms)
        except Undecodable:
            return True


class Scan:
    """A scan of many batches: here each is scanned as it is fed."""

    def __init__(self, scanner: Scanner) -> None:
        self._scanner = scanner
        self._found: set[int] = set()

    def feed(self, tag: int, records: Sequence[bytes]) -> None:
        """Scans records of ``tag``. Raises TypeError if one is no bytes."""
        if not all(isinstance(record, bytes) for record in records):
            raise TypeError("records are bytes")
        if self._scanner.first(records) is not None:
            self._found.add(tag)

    def found(self, tag: int) -> bool:
        """Whether a record of ``tag`` may match."""
        return tag in self._found

    def finish(self) -> list[int]:
        """The tags of which a record may match, in order."""
        return sorted(self._found)


def scanner(terms: Sequence[str]) -> Scanner:
    """A Scanner for ``terms``, which are folded."""
    return Scanner(terms)
