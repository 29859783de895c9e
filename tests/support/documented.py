"""Examples of ``docs/tools.md``, for the tests that run them."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

from harkback.tools import Toolset

PAGE = Path(__file__).parents[2] / "docs" / "tools.md"
EXAMPLES = re.findall(
    r"^```python\n(.*?)^```", PAGE.read_text(encoding="utf-8"), re.DOTALL | re.MULTILINE
)
OF_ADAPTERS = [example for example in EXAMPLES if "harkback.tools.adapters" in example]


def run(examples: list[str], names: dict[str, Any]) -> dict[str, Any]:
    """Runs examples one after another; gives the names that they leave behind."""
    for example in examples:
        exec(compile(example, str(PAGE), "exec"), names)
    return names


def adapted(module: str, toolset: Toolset) -> dict[str, Any]:
    """Runs the example of one adapter."""
    (example,) = (each for each in OF_ADAPTERS if f"import {module}\n" in each)
    return run([example], {"__name__": "example", "toolset": toolset})
