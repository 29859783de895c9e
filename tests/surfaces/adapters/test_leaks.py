"""The leak check on the adapters that make objects of their library."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Iterator
from typing import Any

import pytest

from harkback import Recall
from harkback.tools import Toolset
from support.capture import listening, reprs
from support.leaks import assert_silent
from support.planting import WORD, Garden, plant
from support.vendors import vendor

pytestmark = pytest.mark.filterwarnings("default")  # what others warn of is theirs


@pytest.fixture(scope="module")
def garden(tmp_path_factory: pytest.TempPathFactory) -> Garden:
    return plant(tmp_path_factory.mktemp("garden") / "runtime.sqlite")


@pytest.fixture
def tools(garden: Garden) -> Iterator[Toolset]:
    with Recall(garden.path) as recall:
        yield Toolset(recall, structured=True)


def calls(garden: Garden) -> list[dict[str, Any]]:
    """Arguments of ``Recall``: asked well, asked with a secret, and wrongly."""
    secret = garden.planted["text github"].secret
    good = [{"terms": terms, "limit": 25} for terms in ([WORD], ["behind", "curl"], ["lorem"])]
    return [*good, {"terms": [secret]}, {"terms": [WORD], secret: secret}]


def test_langchain(garden: Garden, tools: Toolset) -> None:
    vendor("langchain_core")
    from harkback.tools.adapters import langchain

    tool, *_ = langchain.tools(tools)
    with listening() as heard:
        messages = [
            tool.invoke({"name": "Recall", "args": given, "id": "1", "type": "tool_call"})
            for given in calls(garden)
        ]
    dumped = "\n".join(message.model_dump_json() for message in messages)
    assert [message.status for message in messages[-2:]] == ["error", "error"]
    assert "[redacted]" in dumped
    surfaces = {"messages": dumped, "objects": reprs(messages), "tool": repr(tool)}
    assert_silent(surfaces | {"elsewhere": heard.text()}, garden)


def test_openai_agents(garden: Garden, tools: Toolset) -> None:
    vendor("agents")
    from harkback.tools.adapters import openai_agents

    tool, *_ = openai_agents.tools(tools)
    with listening() as heard:
        said = [
            asyncio.run(tool.on_invoke_tool(None, json.dumps(given))) for given in calls(garden)
        ]
    assert "[redacted]" in said[0]
    assert_silent({"said": "\n".join(said), "elsewhere": heard.text()}, garden)


def test_pydantic_ai(garden: Garden, tools: Toolset) -> None:
    vendor("pydantic_ai")
    from harkback.tools.adapters import pydantic_ai

    tool, *_ = pydantic_ai.tools(tools)
    with listening() as heard:
        returns = [asyncio.run(tool.function(**given)) for given in calls(garden)]
    said = "\n".join(f"{each.return_value}\n{json.dumps(each.metadata)}" for each in returns)
    assert "[redacted]" in said
    surfaces = {"said": said, "objects": reprs(returns), "elsewhere": heard.text()}
    assert_silent(surfaces, garden)
