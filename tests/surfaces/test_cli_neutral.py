"""What a terminal is shown of hostile text."""

from __future__ import annotations

import sys
import unicodedata

from hypothesis import given
from hypothesis import strategies as st

from harkback.cli.neutral import block, line

EVERYTHING = "".join(map(chr, range(sys.maxunicode + 1)))
BIDI = {"LRE", "RLE", "LRO", "RLO", "PDF", "LRI", "RLI", "FSI", "PDI"}


def test_nothing_of_all_characters_acts():
    for shown, kept in ((block(EVERYTHING), "\t\n"), (line(EVERYTHING), "")):
        acting = {
            c
            for c in set(shown)
            if unicodedata.category(c) in ("Cc", "Cs", "Zl", "Zp")
            or unicodedata.bidirectional(c) in BIDI
            or c in "\u061c\u200e\u200f"
        }
        assert acting == set(kept)


def test_everything_else_is_left_as_it_is():
    shown = block(EVERYTHING)
    changed = [c for c, s in zip(EVERYTHING, shown, strict=True) if c != s]
    assert all(unicodedata.category(c) in ("Cc", "Cf", "Cs", "Zl", "Zp") for c in changed)
    assert "\u200d" not in changed  # joins emoji and Indic letters
    assert len(changed) == 2048 + 63 + 12 + 3 + 2


@given(st.text(st.characters(), max_size=60))
def test_every_character_keeps_its_place(text):
    assert len(block(text)) == len(line(text)) == len(text)
    assert block(block(text)) == block(text)
    assert "\n" not in line(text)


def test_line_ends():
    assert block("a\r\nb\rc\u2028d") == "a \nb␍c\nd"
    assert line("a\r\nb\tc") == "a  b c"
    assert block("\x1b]8;;https://x.example\x07click\x1b]8;;\x07") == (
        "␛]8;;https://x.example␇click␛]8;;␇"
    )
