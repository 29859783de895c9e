"""A name that makes its value a secret, given as a word instead of a rule.

Invariant: what is given in any spelling is one rule, split into words as the engines split names.
Proof: tests/unit/redaction/test_naming.py.
"""

from __future__ import annotations

import re
from typing import Final

from harkback.errors import UsageError
from harkback.model import Rule

#: Words of a name: where case changes, and at anything that is no ASCII letter.
_WORDS: Final = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+")
_LOWER: Final = {ord("A") + letter: ord("a") + letter for letter in range(26)}


def named(name: str) -> Rule:
    """The rule for a name such as ``sessionPin``, ``session pin`` or ``口令``.

    Raises:
        UsageError: ``policy_invalid``: it has no letters, or mixes ASCII ones with others.
    """
    if name.isascii():
        words = [word.translate(_LOWER) for word in _WORDS.findall(name)]
    else:
        words = [name] if name.isalpha() and not any(map(str.isascii, name)) else []
    if not words:
        raise UsageError(
            "policy_invalid",
            "A sensitive name is made of ASCII letters, or of letters of another script alone.",
        )
    joined = "-".join(words)
    together = "".join(words)
    return Rule(
        id=f"name:{joined}",
        kind="key",
        keywords=(words[-1],) if len(words) == 1 else (words[-1], together),
        reason="A name of one's own that says that its value is a secret",
        names=(joined,) if len(words) == 1 else (joined, together),
    )
