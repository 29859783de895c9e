"""Redaction: what is taken out of a leaf before anything else may see it.

``policy`` says what a policy is, ``shape`` the language of its patterns, ``rules`` the classes of
secrets that are known, ``finders`` how a host's own code takes part, ``naming`` how a name becomes
a rule. Kinds of rules:

* ``pattern``: a bounded shape at a keyword;
* ``run``: a shape after which the secret goes on to the end of a class of characters;
* ``between``: a block from a shape to a literal, or to the end of the leaf;
* ``key``: the value under or after a sensitive name;
* ``word``: a whole run of a class of characters which a shape matches.

Invariant: no window, page or cut changes a span; a span is found on the whole leaf.
Proof: tests/unit/redaction, tests/properties/test_redaction.py.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from harkback.redaction.finders import Finder
from harkback.redaction.policy import Policy, Redaction, apply
from harkback.redaction.rules import RULES

if TYPE_CHECKING:
    #: What could be one, too: it costs digests and commit ids.
    STRICT: Policy

#: What is a secret wherever it stands.
DEFAULT = Policy.shipped(RULES)
__all__ = ["DEFAULT", "STRICT", "Finder", "Policy", "Redaction", "apply"]


def __getattr__(name: str) -> Policy:
    """``STRICT``, once somebody asks for it: its digest would be a part of every start."""
    if name != "STRICT":
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    from harkback.redaction.rules.strict import STRICT_RULES

    made = globals()["STRICT"] = Policy.shipped(RULES + STRICT_RULES)
    return made
