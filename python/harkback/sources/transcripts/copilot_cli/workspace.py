"""``workspace.yaml``: the few flat ``key: value`` lines of it that are read.

Invariant: a value is a contiguous piece of its line, or "". One that its quoting changes, or that
goes on in further lines, is not read: nothing else in the file is worth a YAML parser.
Proof: tests/unit/sources/transcripts/test_copilot_cli.py.
"""

from __future__ import annotations

import re
from typing import Final

_LINE: Final = re.compile(r"([A-Za-z_][A-Za-z0-9_]*):[ \t]+(\S.*)")
_QUOTED: Final = re.compile(r"""(?:"([^"\\]*)"|'([^']*)')\s*(?:#.*)?""")
_COMMENT: Final = re.compile(r"\s+#.*")
_NOTHING: Final = frozenset({"null", "Null", "NULL", "~"})


def values(document: str) -> dict[str, str]:
    """The scalars on lines that are not indented; the first of a key counts."""
    found: dict[str, str] = {}
    for line in document.split("\n"):
        if matched := _LINE.fullmatch(line.rstrip("\r")):
            found.setdefault(matched[1], _scalar(matched[2]))
    return found


def _scalar(written: str) -> str:
    if written[0] in "\"'":
        quoted = _QUOTED.fullmatch(written)
        return (quoted[1] or quoted[2] or "") if quoted else ""
    if written[0] in "|>&*!%@`[{":
        return ""
    plain = _COMMENT.split(written)[0].rstrip()
    return "" if plain in _NOTHING else plain
