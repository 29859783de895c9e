"""The texts of mappings: those that come with the package, and files of one's own.

They are read here, so that nothing beside the databases opens a file.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from importlib.resources import files
from pathlib import Path
from typing import Final

READY: Final = ("openai_agents", "hermes")


def ready() -> Iterator[str]:
    """The mappings that come with the package, as TOML."""
    for name in READY:
        yield (files(__name__) / f"{name}.toml").read_text("utf-8")


def read(path: str | os.PathLike[str]) -> str:
    """Raises OSError, or ValueError when it is no text."""
    return Path(path).read_text(encoding="utf-8")
