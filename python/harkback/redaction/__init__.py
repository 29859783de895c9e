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

from harkback.redaction.finders import Finder
from harkback.redaction.policy import Policy, Redaction, apply
from harkback.redaction.rules import RULES
from harkback.redaction.rules.strict import STRICT_RULES

#: What is a secret wherever it stands.
DEFAULT = Policy.shipped(RULES)
#: What could be one, too: it costs digests and commit ids.
STRICT = Policy.shipped(RULES + STRICT_RULES)

__all__ = ["DEFAULT", "STRICT", "Finder", "Policy", "Redaction", "apply"]
