"""Writes the fold tables of both engines from one Unicode Character Database.

The fold is frozen at Unicode 14.0, so this runs only where ``unicodedata`` is 14.0 (CPython 3.11).
Both tables come from the same dictionary, so the engines cannot drift apart.
Proof: tests/unit/test_fold_table.py generates again and compares.

    python rust/core/generate_fold_table.py
"""

from __future__ import annotations

import sys
import unicodedata
from collections.abc import Callable, Iterable
from pathlib import Path

UNICODE_VERSION = "14.0.0"
ALGORITHM = 1
ROOT = Path(__file__).resolve().parents[2]
RUST_TABLE = ROOT / "rust/core/src/fold_table.rs"
PYTHON_TABLE = ROOT / "python/harkback/reference/fold_table.py"

SCALARS = [*range(0xD800), *range(0xE000, 0x110000)]
PAGE = 256

#: What a code point is to the fold; the digits of the native table.
INERT, REPLACE, COMPLEX, JOINING, UNASSIGNED = range(5)


def nfc(text: str) -> str:
    return unicodedata.normalize("NFC", text)


def nfd(text: str) -> str:
    return unicodedata.normalize("NFD", text)


def assigned(code: int) -> bool:
    return unicodedata.category(chr(code)) != "Cn"


def width(code: int) -> str:
    """Full-width ASCII, the ideographic space, and half-width katakana with its punctuation."""
    if 0xFF01 <= code <= 0xFF5E or code == 0x3000 or 0xFF61 <= code <= 0xFF9F:
        kind, target = unicodedata.decomposition(chr(code)).split()
        assert kind in ("<wide>", "<narrow>")
        return chr(int(target, 16))
    return chr(code)


def mapping() -> dict[int, str]:
    """The middle step of the fold, one code point at a time: width, then full case folding."""
    table = {}
    for code in filter(assigned, SCALARS):
        folded = "".join(char.casefold() for char in width(code))
        if folded != chr(code):
            table[code] = folded
    return table


def composing() -> set[str]:
    """Code points that stand second in a primary composition (NFC quick check: maybe)."""
    second = {chr(code) for code in [*range(0x1161, 0x1176), *range(0x11A8, 0x11C3)]}
    for code in filter(assigned, SCALARS):
        parts = unicodedata.decomposition(chr(code)).split()
        if len(parts) == 2 and not parts[0].startswith("<") and nfc(chr(code)) == chr(code):
            second.add(chr(int(parts[1], 16)))
    return second


def joining(table: dict[int, str]) -> set[int]:
    """Code points that are no border: normalising may join them to, or move them into, the past.

    A text a + b normalises piecewise if the first code point of NFD(b) is a starter that no
    composition takes as its second. The fold normalises twice, before and after the mapping, so
    both forms are asked. U+0307, which an ``i`` swallows, is a combining mark and so among them.
    """
    second = composing()

    def joins(text: str) -> bool:
        first = nfd(text)[0]
        return unicodedata.combining(first) != 0 or first in second

    found = set()
    for code in filter(assigned, SCALARS):
        before, after = joins(chr(code)), joins(table.get(code, chr(code)))
        # Only a code point that composes with nothing may become joining through the mapping:
        # so a border stays one whatever it composes with before it is mapped.
        assert before or not after or code in (0xFF9E, 0xFF9F)
        if before or after:
            found.add(code)
    return found


def classes(table: dict[int, str], not_border: set[int]) -> list[int]:
    """Class of every code point; surrogates, which no text of either engine holds, are inert."""
    result = [INERT] * 0x110000
    for code in SCALARS:
        char, mapped = chr(code), table.get(code, chr(code))
        if not assigned(code):
            result[code] = UNASSIGNED
        elif code in not_border:
            result[code] = JOINING
        elif nfc(char) != char or nfc(mapped) != mapped or "i\u0307" in mapped:
            result[code] = COMPLEX
        elif mapped != char:
            result[code] = REPLACE
    return result


def ranges(keep: Callable[[int], bool]) -> list[tuple[int, int]]:
    """Maximal runs (first, last) of the scalar values that ``keep`` accepts."""
    found: list[tuple[int, int]] = []
    for code in filter(keep, SCALARS):
        if found and found[-1][1] == code - 1:
            found[-1] = (found[-1][0], code)
        else:
            found.append((code, code))
    return found


def rust(table: dict[int, str], code_classes: list[int]) -> str:
    pages: dict[str, int] = {}
    index = []
    for start in range(0, 0x110000, PAGE):
        page = "".join(map(str, code_classes[start : start + PAGE]))
        index.append(pages.setdefault(page, len(pages)))
    assert len(pages) <= 256
    rows = [index[at : at + 32] for at in range(0, len(index), 32)]
    escaped = {
        code: "".join(f"\\u{{{ord(char):x}}}" for char in folded) for code, folded in table.items()
    }
    lines = [
        "//! Fold table of Unicode 14.0, written by `rust/core/generate_fold_table.py`.",
        "",
        "/// Unicode version and algorithm: stored with everything derived from a fold.",
        f'pub const FOLD_VERSION: &str = "{UNICODE_VERSION}/{ALGORITHM}";',
        "",
        "/// Page of [`CLASSES`] of every block of 256 code points.",
        "#[rustfmt::skip]",
        f"pub(crate) static PAGES: [u8; {len(index)}] = [",
        *(f"    {', '.join(map(str, row))}," for row in rows),
        "];",
        "",
        "/// Distinct pages of 256 digits, each the class of a code point.",
        "#[rustfmt::skip]",
        f"pub(crate) static CLASSES: [[u8; {PAGE}]; {len(pages)}] = [",
        *(f'    *b"{page}",' for page in pages),
        "];",
        "",
        "/// Width and full case folding of the code points that they change, in order.",
        "#[rustfmt::skip]",
        f"pub(crate) static MAP: [(char, &str); {len(table)}] = [",
        *(f"    ('\\u{{{code:x}}}', \"{text}\")," for code, text in escaped.items()),
        "];",
        "",
    ]
    return "\n".join(lines)


def python(table: dict[int, str], not_border: set[int]) -> str:
    def rows(pairs: Iterable[tuple[int, int]]) -> list[str]:
        return [f"    (0x{first:04X}, 0x{last:04X})," for first, last in pairs]

    lines = [
        '"""Fold table of Unicode 14.0, written by rust/core/generate_fold_table.py."""',
        "",
        "#: Unicode version and algorithm: stored with everything derived from a fold.",
        f'FOLD_VERSION = "{UNICODE_VERSION}/{ALGORITHM}"',
        "",
        "#: Width and full case folding of the code points that they change.",
        "MAP: dict[int, str] = {",
        *(f"    0x{code:04X}: {text!a}," for code, text in table.items()),
        "}",
        "",
        "#: Runs (first, last) of scalar values that Unicode 14.0 does not assign.",
        "UNASSIGNED: tuple[tuple[int, int], ...] = (",
        *rows(ranges(lambda code: not assigned(code))),
        ")",
        "",
        "#: Runs (first, last) of code points that are no composition border.",
        "JOINING: tuple[tuple[int, int], ...] = (",
        *rows(ranges(not_border.__contains__)),
        ")",
        "",
    ]
    return "\n".join(lines)


def generate() -> dict[Path, str]:
    """Text of each generated file.

    Raises:
        SystemExit: this Python carries another version of Unicode.
    """
    if unicodedata.unidata_version != UNICODE_VERSION:
        raise SystemExit(
            f"needs Unicode {UNICODE_VERSION} (CPython 3.11), not {unicodedata.unidata_version}"
        )
    table = mapping()
    not_border = joining(table)
    return {
        RUST_TABLE: rust(table, classes(table, not_border)),
        PYTHON_TABLE: python(table, not_border),
    }


if __name__ == "__main__":
    for path, text in generate().items():
        path.write_text(text, encoding="utf-8")
        sys.stdout.write(f"{path.relative_to(ROOT)}: {len(text)} bytes\n")
