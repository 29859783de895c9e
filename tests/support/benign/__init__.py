"""Text without a secret, drawn from a seed: what redaction has to leave alone.

It talks about passwords, tokens and keys all the time, and is full of what looks random: commit
ids, digests, identifiers, encoded images. ``text(kind, size, seed)`` makes any amount of a kind.
"""

from __future__ import annotations

import random
from collections.abc import Callable

from support.benign import code, configuration, data, logs, prose, web

Maker = Callable[[random.Random], str]

KINDS: dict[str, Maker] = {
    "prose en": prose.english,
    "prose zh": prose.chinese,
    "prose de": prose.german,
    "prose ja": prose.japanese,
    "code python": code.python,
    "code typescript": code.typescript,
    "code rust": code.rust,
    "code go": code.go,
    "code java": code.java,
    "code sql": code.sql,
    "code shell": code.shell,
    "logs": logs.lines,
    "stack traces": logs.traces,
    "lock files": data.lock,
    "diffs": data.diff,
    "images": data.image,
    "hashes": data.hashes,
    "minified": web.minified,
    "css": web.css,
    "html": web.html,
    "yaml": configuration.yaml,
    "terraform": configuration.terraform,
    "json": configuration.json_text,
}
PROSE = tuple(kind for kind in KINDS if kind.startswith("prose"))


def text(kind: str, size: int, seed: int = 1) -> str:
    """About ``size`` characters of ``kind``."""
    choose = random.Random(f"{seed} {kind}")
    pieces: list[str] = []
    length = 0
    while length < size:
        piece = KINDS[kind](choose)
        pieces.append(piece)
        length += len(piece) + 1
    return "\n".join(pieces)
