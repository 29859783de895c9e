"""A segment that stays in its file: the head in memory, blocks read as they are asked for.

What is read is held against its checksum the first time. One open file serves all segments of it.
Proof: tests/unit/test_segments.py, tests/differential/test_segments.py.
"""

from __future__ import annotations

import os
import sys
import threading
import weakref
import zlib
from collections.abc import Iterator, Sequence

from harkback.model import Row
from harkback.reference import layout, signature, table
from harkback.reference.segment import Segment, Verified
from harkback.reference.varint import Malformed


class Pack:
    """An open file that segments lie in."""

    def __init__(self, path: str) -> None:
        self._file = open(path, "rb", buffering=0)  # noqa: PTH123, SIM115 - closed with the last segment
        self._lock = threading.Lock()  # a place in the file is its own state

    def __del__(self) -> None:
        if hasattr(self, "_file"):
            self._file.close()

    def stat(self) -> os.stat_result:
        """Of the file that is open, whatever lies at its path by now."""
        return os.fstat(self._file.fileno())

    def read(self, offset: int, count: int) -> bytes:
        """``count`` bytes from ``offset`` on.

        Raises:
            Malformed: the file ends before.
            OSError: it cannot be read.
        """
        data = bytearray()
        with self._lock:
            self._file.seek(offset)
            while len(data) < count:
                more = self._file.read(count - len(data))
                if not more:
                    raise Malformed
                data += more
        return bytes(data)


class Packs:
    """The packs that are open, each as long as a segment lies in it."""

    def __init__(self) -> None:
        self._open: weakref.WeakValueDictionary[str, Pack] = weakref.WeakValueDictionary()
        self._lock = threading.Lock()

    def open(self, path: str) -> Pack:
        """The file that lies at ``path`` now, opened once. Raises OSError."""
        with self._lock:
            pack = self._open.get(path)
            if pack is None or not os.path.samestat(os.stat(path), pack.stat()):  # noqa: PTH116
                pack = self._open[path] = Pack(path)
            return pack


class Attached:
    """A segment of a pack."""

    def __init__(self, pack: Pack, offset: int, length: int) -> None:
        """Reads the head.

        Raises:
            Malformed: no whole segment of this format lies there.
            OSError: the file cannot be read.
        """
        if offset + length > pack.stat().st_size:
            raise Malformed
        size = layout.FIXED + layout.read_opening(pack.read(offset, layout.FIXED), length)
        blocks, signed = layout.read_directory(pack.read(offset, size), length)
        self._head = layout.read_head(pack.read(offset, size + signed), blocks)
        self._pack = pack
        self._start = offset + self._head.size
        self._checked: set[int] = set()

    def size(self) -> int:
        """Bytes of the head."""
        blocks, signatures, _ = self._head
        return sum(map(sys.getsizeof, (self._head, blocks, *blocks, signatures, *signatures)))

    def messages(self) -> Segment:
        """Every Message. Raises Malformed."""
        return tuple(
            message
            for at, _ in enumerate(self._head.blocks)
            for message in self._table(at).messages(self._text(at))
        )

    def rows(self, start: int, stop: int) -> list[Row]:
        """What is kept of Messages ``start`` up to ``stop``. Raises Malformed."""
        rows: list[Row] = []
        first = 0
        for at, block in enumerate(self._head.blocks):
            if start < first + block.messages and first < stop:
                rows += self._table(at).rows[max(0, start - first) : stop - first]
            first += block.messages
        return rows

    def holding(self, terms: Sequence[str]) -> Iterator[tuple[int, int, Verified]]:
        """Index, ordinal of the Turn, and Message, of blocks that hold a term. Raises Malformed."""
        first = 0
        for at, block in enumerate(self._head.blocks):
            wanted = [term for term in terms if signature.passes(term, self._head.signatures[at])]
            if wanted:
                text = self._text(at)
                if any(term.encode() in text for term in wanted):
                    kept = self._table(at)
                    for row, message in enumerate(kept.messages(text)):
                        yield first + row, kept.ordinals[row], message
            first += block.messages

    def _table(self, at: int) -> table.Table:
        block = self._head.blocks[at]
        offset = self._offset(at) + block.text_bytes
        kept = self._part(2 * at + 1, offset, block.table_bytes, block.table_sum)
        return table.read(kept, block.messages, block.text_bytes)

    def _text(self, at: int) -> bytes:
        block = self._head.blocks[at]
        return self._part(2 * at, self._offset(at), block.text_bytes, block.text_sum)

    def _offset(self, at: int) -> int:
        before = self._head.blocks[:at]
        return self._start + sum(block.text_bytes + block.table_bytes for block in before)

    def _part(self, part: int, offset: int, count: int, checksum: int) -> bytes:
        try:
            data = self._pack.read(offset, count)
        except OSError:
            raise Malformed from None
        if part not in self._checked:
            if zlib.crc32(data) != checksum:
                raise Malformed
            self._checked.add(part)
        return data
