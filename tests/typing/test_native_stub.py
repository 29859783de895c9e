"""The stub of the extension says what the extension holds."""

from __future__ import annotations

import subprocess
import sys


def test_stub_and_extension_agree() -> None:
    run = subprocess.run(
        [sys.executable, "-m", "mypy.stubtest", "harkback._native"],
        capture_output=True,
        text=True,
        check=False,
    )
    assert run.returncode == 0, run.stdout + run.stderr
