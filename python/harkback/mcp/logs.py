"""What the server and its libraries log, on standard error, where a client keeps it.

Invariant: of an error its type and its place are told, never its words, which may be stored text.
Proof: tests/leaks/test_mcp.py, tests/unit/mcp/test_logs.py.
"""

from __future__ import annotations

import logging
import sys
import traceback
from pathlib import PurePath
from types import TracebackType
from typing import Final, TypeAlias

_Told: TypeAlias = (
    tuple[type[BaseException], BaseException, TracebackType | None] | tuple[None, None, None]
)
_INNERMOST_CALLS: Final = 3


class _Formatter(logging.Formatter):
    def formatException(self, ei: _Told) -> str:
        """Type and innermost calls."""
        kind, _, trace = ei
        calls = traceback.extract_tb(trace)[-_INNERMOST_CALLS:]
        places = ", ".join(f"{PurePath(call.filename).name}:{call.lineno}" for call in calls)
        return f"{'' if kind is None else kind.__name__} at {places}"


def start() -> None:
    """Sends warnings and errors of every logger to standard error."""
    handler = logging.StreamHandler(sys.stderr)
    handler.setFormatter(_Formatter("harkback: %(message)s"))
    logging.basicConfig(level=logging.WARNING, handlers=[handler])
