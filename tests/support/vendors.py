"""Libraries of agents, which the package does not need and its adapters are made for.

Their tests run where they are installed (``tests/requirements-adapters.txt``). ``.ci/run`` sets
``HARKBACK_ADAPTERS=required``: one that is missing is then a failure, not a skip.
"""

from __future__ import annotations

import os
from importlib import import_module
from types import ModuleType

import pytest


def vendor(name: str) -> ModuleType:
    """A library, or a skip."""
    if os.environ.get("HARKBACK_ADAPTERS") == "required":
        return import_module(name)
    reason = "tests/requirements-adapters.txt is not installed"
    return pytest.importorskip(name, reason=reason)
