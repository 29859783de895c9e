"""Prints the Nth shell command of the README, so that what it promises is what is checked."""

from __future__ import annotations

import re
import sys
from pathlib import Path

README = Path(__file__).parents[2] / "README.md"


def commands() -> list[str]:
    """The shell blocks of the README, in order."""
    return re.findall(r"```sh\n(.*?)```", README.read_text(encoding="utf-8"), re.DOTALL)


if __name__ == "__main__":
    print(commands()[int(sys.argv[1]) - 1].strip())
