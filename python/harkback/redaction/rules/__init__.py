"""The classes of secrets that are known, one file per family.

Invariant: ids are unique, and every rule has fakes that have to go and near misses that have to
stay (tests/support/fakes, tests/unit/redaction/test_rules.py). ``STRICT_RULES`` come on top of
``RULES`` where a host asks for it.
"""

from __future__ import annotations

from harkback.redaction.rules import (
    chat,
    cloud,
    commands,
    forges,
    infrastructure,
    models,
    monitoring,
    names,
    payments,
    personal,
    registries,
    strict,
    structure,
    vendors,
)

STRICT_RULES = strict.STRICT_RULES

RULES = (
    *models.RULES,
    *cloud.RULES,
    *forges.RULES,
    *registries.RULES,
    *chat.RULES,
    *payments.RULES,
    *monitoring.RULES,
    *infrastructure.RULES,
    *vendors.RULES,
    *personal.RULES,
    *structure.RULES,
    *commands.RULES,
    *names.RULES,
)

__all__ = ["RULES", "STRICT_RULES"]
