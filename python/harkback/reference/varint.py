"""Integers of as many bytes as they need, and a reader over bytes that may be anything.

Seven bits to a byte, least significant first, the high bit says that another follows; signed ones
alternate (0, -1, 1, -2, ...). Proof: tests/differential/test_segments.py.
"""

from __future__ import annotations


class Malformed(ValueError):
    """Bytes that do not read as what they should be."""

    def __init__(self) -> None:
        super().__init__("not a whole segment of this format")


def number(value: int) -> bytes:
    """``value`` as bytes; it is not negative."""
    if value < 0:
        raise Malformed
    out = bytearray()
    while value >= 0x80:
        out.append(value & 0x7F | 0x80)
        value >>= 7
    out.append(value)
    return bytes(out)


def signed(value: int) -> bytes:
    """``value`` as bytes; of one beyond 64 bits, its last 64."""
    value = wrapped(value)
    return number(value << 1 ^ value >> 63)


def wrapped(value: int) -> int:
    """The last 64 bits of ``value``, as a signed integer."""
    return (value + 2**63) % 2**64 - 2**63


class Reader:
    """What is left to read of some bytes. Each method raises Malformed where they say else."""

    def __init__(self, data: bytes) -> None:
        self._data = data
        self._at = 0

    @property
    def left(self) -> int:
        """Bytes that were not read."""
        return len(self._data) - self._at

    def bytes(self, count: int) -> bytes:
        """The next ``count`` bytes."""
        if count > self.left:
            raise Malformed
        self._at += count
        return self._data[self._at - count : self._at]

    def number(self) -> int:
        """An integer below 2**64."""
        value = 0
        for at in range(10):
            (byte,) = self.bytes(1)
            value |= (byte & 0x7F) << 7 * at
            if byte < 0x80:
                if value >= 2**64:
                    break
                return value
        raise Malformed

    def signed(self) -> int:
        """A signed integer of 64 bits."""
        value = self.number()
        return value >> 1 ^ -(value & 1)

    def count(self) -> int:
        """A count of items that take at least a byte each, or a length."""
        count = self.number()
        if count > self.left:
            raise Malformed
        return count
