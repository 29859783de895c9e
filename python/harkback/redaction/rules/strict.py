"""What is a secret only by suspicion: rules of the strict policy alone."""

from __future__ import annotations

from harkback.model import Rule

STRICT_RULES = (
    Rule(
        id="bare-hex",
        kind="word",
        keywords=(),
        reason="32 or more hexadecimal digits: a key or a digest, nobody can tell",
        shape="[0-9a-fA-F]{32,512}",
        run="0-9A-Za-z_",
    ),
)
