"""What the server and its libraries log, on standard error, where a client keeps it.

Invariant: of an error its type and its place are told, never its words, which may be stored text.
Proof: tests/leaks/test_mcp.py, tests/unit/mcp/test_logs.py.
"""

from __future__ import annotations

import logging
import sys
from types import TracebackType
from typing import TypeAlias

from harkback.errors import type_and_place

_Told: TypeAlias = (
    tuple[type[BaseException], BaseException, TracebackType | None] | tuple[None, None, None]
)


class _Formatter(logging.Formatter):
    def formatException(self, ei: _Told) -> str:
        """Type and innermost calls."""
        return "" if ei[1] is None else type_and_place(ei[1])


def start() -> None:
    """Sends warnings and errors of every logger to standard error."""
    handler = logging.StreamHandler(sys.stderr)
    handler.setFormatter(_Formatter("harkback: %(message)s"))
    logging.basicConfig(level=logging.WARNING, handlers=[handler])
