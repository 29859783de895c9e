"""Key rules: the value under or after a sensitive name, in every textual form known.

``separator`` says how a value hangs on its name, ``value`` where it ends and whether it is a
secret. Invariant: one occurrence of a keyword costs a bounded number of steps, plus its value.
Proof: tests/unit/redaction/test_key.py; cost: benches/redact.py.
"""

from __future__ import annotations

from collections.abc import Callable

from harkback.reference.redact.ends import Runs
from harkback.reference.redact.name import DIGIT, NAME, WORD
from harkback.reference.redact.separator import COLOUR, annotated, separator
from harkback.reference.redact.value import Word, alone, value

NAME_LOOK_BACK = 64
FOREIGN_LOOK_BACK = 8  # code points that are not ASCII, left of the name: ``数据库password``
#: ``checksum/secret`` of a Helm chart is the digest of a file.
CHECKSUM = "checksum/"
NAME_TAIL = 4  # digits and underscores behind the last segment: ``password_2``


def find(
    text: str, keyword_end: int, sensitive: Callable[[str], bool], runs: Runs
) -> tuple[int, int] | None:
    """The span of the value whose name ends with the keyword that ends at ``keyword_end``."""
    end = keyword_end
    while end < len(text) and end - keyword_end < NAME_TAIL and text[end] in DIGIT | {"_"}:
        end += 1
    if end < len(text) and text[end] in WORD:
        return None
    start = keyword_end
    while start > 0 and keyword_end - start < NAME_LOOK_BACK and text[start - 1] in NAME:
        start -= 1
    start = _unescaped(text, start, keyword_end)
    found = separator(text, start, end, not text[keyword_end - 1].isascii())
    if found is None:
        return None
    word = start
    while start > 0 and word - start < FOREIGN_LOOK_BACK and not text[start - 1].isascii():
        start -= 1
    if text.endswith(CHECKSUM, 0, start) or not sensitive(text[start:end]):
        return None
    span = value(text, found, runs)
    if span is None and found.form == "colon":
        behind = annotated(text, found.start)
        span = value(text, behind, runs) if behind is not None else None
    return alone(text, start, span, found.form) if isinstance(span, Word) else span


def _unescaped(text: str, start: int, end: int) -> int:
    """Where a name starts that follows an escape: ``\\npassword``, ``%3Ftoken``, a colour."""
    before = text[start - 1 : start]
    if before == "\\" and text[start] in "nrt":
        return start + 1
    if before == "%":
        code = start + 2 * text.startswith("25", start)
        return min(code + 2, end)
    if before in ("[", ";"):
        at = start
        while at > 0 and start - at < COLOUR and text[at - 1] in DIGIT | {";"}:
            at -= 1
        final = start
        while final < end and text[final] in DIGIT:
            final += 1
        if text[max(at - 2, 0) : at] == "\x1b[" and text.startswith("m", final):
            return min(final + 1, end)
    return start
