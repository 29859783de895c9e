"""What two scanners of other people still find in redacted text.

``detect-secrets`` runs with all plugins but those of entropy and of addresses, ``CredSweeper`` with
its patterns and filters, without its model. What would let a comment switch a scanner off is off
itself. They read planted secrets in every context of ``support.disguises``, and text without
secrets, after redaction. A finding that is the mark itself (``password = '[redacted]'`` looks like
a password to them) is none. What is left is held against a baseline, which knows a line by its
digest and never shows it: a redacted line says nothing of the secret, so it is the same whatever
that was.

``python tests/leaks/second_opinions.py`` writes the baseline anew, in an environment that has
``tests/requirements-scanners.txt``; read why before it is committed.
"""

from __future__ import annotations

import hashlib
import json
import random
import sys
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import NamedTuple

sys.path.insert(0, str(Path(__file__).parents[1]))  # when run as a script
sys.path.insert(0, str(Path(__file__).parents[2] / "benches"))

import harkback.engine
from harkback.config import REDACTED_MARK
from harkback.redaction import DEFAULT
from redact import CODE, LOGS, PROSE
from support.disguises import AROUND, BARE_ONLY, PRAGMAS
from support.planting import BARE, SHAPES, make
from support.secrets import IN_CONTEXT, SECRETS

BASELINE = Path(__file__).with_name("second_opinions.json")
#: Entropy takes every digest for a secret; addresses are no secrets.
_LEFT_OUT = {"Base64HighEntropyString", "HexHighEntropyString", "IPPublicDetector"}
_PRAGMAS = "detect_secrets.filters.allowlist.is_line_allowlisted"


class Finding(NamedTuple):
    """One scanner takes one line for a secret."""

    scanner: str
    rule: str
    line: str  # hexadecimal digest


def corpus(seed: int) -> Iterator[str]:
    """Texts with secrets in every context, texts without any."""
    dice = random.Random(seed)
    for shapes, contexts in ((SHAPES, AROUND | PRAGMAS), (BARE, BARE_ONLY)):
        for dress in contexts.values():
            for shape in shapes:
                yield dress(make(shape, dice).text)
    yield from (secret for secrets in SECRETS.values() for secret in secrets)
    yield from ("".join(parts) for contexts in IN_CONTEXT.values() for parts in contexts)
    yield from (*PROSE, *CODE, *LOGS)


def lines_of(texts: Iterable[str]) -> list[str]:
    """Each line once."""
    return list(dict.fromkeys(line for text in texts for line in text.splitlines()))


def detect_secrets(lines: list[str]) -> Iterator[Finding]:
    """The findings of ``detect-secrets``."""
    from detect_secrets.core.plugins.util import get_mapping_from_secret_type_to_class
    from detect_secrets.core.scan import scan_line
    from detect_secrets.settings import get_settings, transient_settings

    plugins = [kind.__name__ for kind in get_mapping_from_secret_type_to_class().values()]
    used = [{"name": name} for name in plugins if name not in _LEFT_OUT]
    with transient_settings({"plugins_used": used}):
        get_settings().disable_filters(_PRAGMAS)
        for line in lines:
            for found in scan_line(line):
                if not _is_mark(found.secret_value):
                    yield Finding("detect-secrets", found.type, _digest(line))


def credsweeper(lines: list[str]) -> Iterator[Finding]:
    """The findings of ``CredSweeper``."""
    from credsweeper.app import CredSweeper
    from credsweeper.file_handler.string_content_provider import StringContentProvider

    scanner = CredSweeper(use_filters=True)
    for line in lines:
        for found in scanner.file_scan(StringContentProvider([line])):
            if not all(_is_mark(each.value) for each in found.line_data_list):
                yield Finding("CredSweeper", found.rule_name, _digest(line))


def _is_mark(value: str | None) -> bool:
    return not any(map(str.isalnum, (value or "").replace(REDACTED_MARK, "")))


def _digest(line: str) -> str:
    return hashlib.sha256(line.encode("utf-8", "surrogatepass")).hexdigest()[:20]


def findings(seed: int) -> list[Finding]:
    """What both find in the redacted corpus, each once, in order."""
    redaction = DEFAULT.bind(harkback.engine.load())
    lines = lines_of(map(redaction.clean, corpus(seed)))
    return sorted({*detect_secrets(lines), *credsweeper(lines)})


def baseline() -> list[Finding]:
    """What was found before, and looked at."""
    return [Finding(*each) for each in json.loads(BASELINE.read_text(encoding="utf-8"))]


if __name__ == "__main__":
    rows = ",\n".join(json.dumps(finding) for finding in findings(1))
    BASELINE.write_text(f"[\n{rows}\n]\n", encoding="utf-8")
