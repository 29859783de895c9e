"""The tools as data: small, plain, and what the code takes."""

from __future__ import annotations

import json
import subprocess
import sys

import pytest

from harkback.config import MAX_LIMIT, MAX_NEIGHBOURS_EACH_SIDE, MAX_TERMS
from harkback.reading import SCOPES
from harkback.tools import TOOLS, ToolSpec
from harkback.tools.arguments import READERS

by_tool = pytest.mark.parametrize("spec", TOOLS, ids=lambda spec: spec.name)
PLAIN = {"string", "integer", "boolean", "array"}


def test_the_list_of_all_tools_is_small() -> None:
    hints = {"readOnlyHint": True, "idempotentHint": True, "openWorldHint": False}
    listed = [
        {
            "name": spec.name,
            "description": spec.description,
            "inputSchema": spec.schema,
            "annotations": {"title": spec.name, "destructiveHint": False, **hints},
        }
        for spec in TOOLS
    ]
    message = {"jsonrpc": "2.0", "id": 1, "result": {"tools": listed}}
    assert len(json.dumps(message, ensure_ascii=False).encode()) <= 3072  # with white space, too


@by_tool
def test_a_schema_names_what_the_code_takes(spec: ToolSpec) -> None:
    assert list(spec.schema["properties"]) == list(READERS[spec.name])


@by_tool
def test_a_schema_holds_what_every_vendor_takes(spec: ToolSpec) -> None:
    assert set(spec.schema) == {"type", "properties", "required", "additionalProperties"}
    assert spec.schema["additionalProperties"] is False
    assert set(spec.schema["required"]) < set(spec.schema["properties"])
    for each in spec.schema["properties"].values():
        assert each["type"] in PLAIN
        used = {"type", "description", "items", "maxItems", "minimum", "maximum", "enum"}
        assert set(each) <= used


def test_limits_are_those_of_the_code() -> None:
    recall, more, _ = (spec.schema["properties"] for spec in TOOLS)
    assert recall["terms"]["maxItems"] == MAX_TERMS
    assert (recall["limit"]["minimum"], recall["limit"]["maximum"]) == (1, MAX_LIMIT)
    for side in ("before", "after"):
        assert (more[side]["minimum"], more[side]["maximum"]) == (0, MAX_NEIGHBOURS_EACH_SIDE)
    assert tuple(more["view"]["enum"]) == SCOPES


def test_the_names_are_the_three() -> None:
    assert [spec.name for spec in TOOLS] == ["Recall", "RecallMore", "RecallMaterial"]


def test_importing_the_tools_loads_no_vendor() -> None:
    code = (
        "import harkback.tools, pkgutil, sys, harkback.tools.adapters as a\n"
        "from importlib import import_module\n"
        "[import_module(f'{a.__name__}.{m.name}') for m in pkgutil.iter_modules(a.__path__)]\n"
        "print(*sys.modules)"
    )
    done = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, timeout=60, check=True
    )
    loaded = {name.partition(".")[0] for name in done.stdout.split()}
    vendors = {"openai", "anthropic", "langchain_core", "agents", "pydantic_ai", "mcp", "pydantic"}
    assert not loaded & vendors
