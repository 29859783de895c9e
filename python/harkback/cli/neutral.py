"""Stored text made harmless to a terminal: it may say anything, it may do nothing.

Invariant: of what comes out, nothing but tab and line feed is a control character, nothing turns
the direction of text, and every character keeps its place, so spans stay right. Proof:
tests/surfaces/test_cli_neutral.py.
"""

from __future__ import annotations

from typing import Final

_UNSEEN: Final = "\N{REPLACEMENT CHARACTER}"
_CONTROL_PICTURES: Final = 0x2400

_NEUTRAL: Final[dict[int, str]] = {
    **{code: chr(_CONTROL_PICTURES + code) for code in range(0x20)},  # ESC becomes its picture
    0x7F: "\N{SYMBOL FOR DELETE}",
    **dict.fromkeys(range(0x80, 0xA0), _UNSEEN),  # the C1 set: CSI, OSC and others in one character
    0x61C: _UNSEEN,
    **dict.fromkeys((0x200E, 0x200F, *range(0x202A, 0x202F), *range(0x2066, 0x206A)), _UNSEEN),
    **dict.fromkeys(range(0xFFF9, 0xFFFC), _UNSEEN),  # interlinear annotation hides what it spans
    **dict.fromkeys(range(0xD800, 0xE000), _UNSEEN),
    0x85: "\n",
    0x2028: "\n",
    0x2029: "\n",
}
_KEPT: Final = {0x09: "\t", 0x0A: "\n"}
_BLOCK: Final = _NEUTRAL | _KEPT
_LINE: Final = _NEUTRAL | dict.fromkeys((0x09, 0x0A, 0x0D, 0x85, 0x2028, 0x2029), " ")


def block(text: str) -> str:
    """Text of several lines; a carriage return before a line feed becomes a blank."""
    return text.replace("\r\n", " \n").translate(_BLOCK)


def line(text: str) -> str:
    """Text that stays on one line."""
    return text.translate(_LINE)
