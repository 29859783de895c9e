"""The raw scan: may this record hold one of the terms? Every string decoded, folded, compared.

Invariant: never no to a record of which one decoded string holds, folded, one of the folded
terms. This engine says yes to those and to what cannot be decoded, and to nothing else.
Proof: tests/properties/test_scan.py.
"""

from __future__ import annotations

from collections.abc import Sequence

from harkback.reference.files import scan
from harkback.reference.fold import fold
from harkback.reference.json import Undecodable, strings

JOINT = b"\xff"  # between records that come as one; a single one that holds it is undecodable


class Scanner:
    """Folded terms, asked of many raw records."""

    def __init__(self, terms: Sequence[str]) -> None:
        self._terms = tuple(terms)

    def first(self, records: Sequence[bytes]) -> int | None:
        """Index of the first record that may hold any term in one of its JSON strings."""
        for index, record in enumerate(records):
            if any(self._may_match(part) for part in record.split(JOINT)):
                return index
        return None

    def files(self, files: Sequence[tuple[str, str, int]], nested: bool) -> list[tuple[bool, int]]:
        """Of each (path, form, how many of its bytes): whether it may match, and its lines."""
        return scan(files, nested, self._holds)

    def _may_match(self, record: bytes) -> bool:
        if not self._terms:
            return False
        try:
            return any(self._holds(text) for text in strings(record))
        except Undecodable:
            return True

    def _holds(self, text: str) -> bool:
        folded = fold(text)
        return any(term in folded for term in self._terms)


def scanner(terms: Sequence[str]) -> Scanner:
    """A Scanner for ``terms``, which are folded."""
    return Scanner(terms)
