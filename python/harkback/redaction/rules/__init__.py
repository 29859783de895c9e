"""The classes of secrets that are known, one file per family.

Invariant: ids are unique, and every rule has positives and near misses in
tests/unit/redaction/test_rules.py.
"""

from __future__ import annotations

from harkback.redaction.rules import cloud, commands, forges, models, names, services, structure

RULES = (
    *models.RULES,
    *cloud.RULES,
    *forges.RULES,
    *services.RULES,
    *structure.RULES,
    *commands.RULES,
    *names.RULES,
)
