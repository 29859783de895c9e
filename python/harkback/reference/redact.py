"""Redact."""

from __future__ import annotations

import re
from collections.abc import Sequence

from harkback.model import RedactedSpan, Rule


class Redactor:
    """Rules, prepared once."""

    def __init__(self, rules: Sequence[Rule]) -> None:
        self._rules = [re.compile(rule.shape, re.ASCII) for rule in rules]

    def spans(self, text: str, sensitive: bool = False) -> list[RedactedSpan]:
        """What is taken out."""
        if sensitive:
            return [RedactedSpan(0, len(text), ())] if text else []
        found = [match.span() for rule in self._rules for match in rule.finditer(text)]
        return [RedactedSpan(start, end, ()) for start, end in found]
