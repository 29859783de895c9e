"""The command ``harkback``: the same answers as ``Recall``, drawn for a person.

Invariant: one exit code, one sentence on stderr when something is wrong, never a traceback for
what a person or the other end of a pipe can cause. Nothing here decides what an answer holds.
Proof: tests/surfaces/test_cli.py, tests/surfaces/test_cli_process.py.
"""

from harkback.cli.command import main

__all__ = ["main"]
