"""Standard output kept for the protocol alone, before anything heavy is imported.

Invariant: from here on what prints, in Python or below it, writes to standard error; only the
holder of the wire reaches the client. Proof: tests/surfaces/mcp/test_stdio.py.
"""

from __future__ import annotations

import os
import sys


def claim() -> int:
    """A descriptor of standard output, which nothing else can write to any more."""
    sys.stdout.flush()
    wire = os.dup(sys.stdout.fileno())
    os.dup2(sys.stderr.fileno(), sys.stdout.fileno())
    sys.stdout = sys.stderr
    return wire
