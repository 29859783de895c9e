"""The Anthropic Messages API: whole conversations through the real client, without a network."""

from __future__ import annotations

import asyncio
import base64
import json
from collections.abc import Callable
from typing import Any

import pytest

from harkback import Recall
from harkback.tools import TOOLS, Toolset
from harkback.tools.adapters import anthropic as adapter
from support.documented import adapted
from support.recalls import MATERIAL, PNG, SAID, anchor_in
from support.vendors import vendor

anthropic = vendor("anthropic")
types = vendor("anthropic.types")
httpx = vendor("anthropic._base_client").httpx2
TypeAdapter = vendor("pydantic").TypeAdapter
pytestmark = pytest.mark.filterwarnings("default")  # what others warn of is theirs

Body = dict[str, Any]


def use(name: str, **given: Any) -> Body:
    return {"type": "tool_use", "id": f"toolu_{name}", "name": name, "input": given}


def reply(body: Body) -> list[Body]:
    """What the model says next: search, then read on and look, then quote."""
    if len(body["messages"]) == 1:
        return [
            {"type": "text", "text": "Let me look."},
            use("Recall", terms=["retry limit", "ECONNRESET"]),
            use("Weather", place="here"),
        ]
    results = body["messages"][-1]["content"]
    if len(body["messages"]) == 3:
        anchor = anchor_in(results[0]["content"][0]["text"])
        return [
            use("RecallMore", anchor=anchor),
            use("RecallMaterial", id=MATERIAL),
            use("Recall", terms=["x"], limit=99),
        ]
    (said,) = {line for line in results[0]["content"][0]["text"].splitlines() if SAID in line}
    return [{"type": "text", "text": said}]


class Api:
    """Answers requests, each of which is held against the library's own types."""

    def __init__(self) -> None:
        self.bodies: list[Body] = []

    def __call__(self, request: Any) -> Any:
        body = json.loads(request.content)
        TypeAdapter(list[types.ToolParam]).validate_python(body["tools"])
        TypeAdapter(list[types.MessageParam]).validate_python(body["messages"])
        self.bodies.append(body)
        content = reply(body)
        stop = "tool_use" if content[-1]["type"] == "tool_use" else "end_turn"
        message = {
            "id": "msg_1",
            "type": "message",
            "role": "assistant",
            "model": body["model"],
            "content": content,
            "stop_reason": stop,
            "stop_sequence": None,
            "usage": {"input_tokens": 1, "output_tokens": 1},
        }
        return httpx.Response(200, json=message)


def ask(api: Api, tools: Toolset) -> str:
    """As the documentation does."""
    http = httpx.Client(transport=httpx.MockTransport(api))
    client = anthropic.Anthropic(api_key="none", http_client=http)
    return adapted("anthropic", tools)["ask_claude"](client, "m", "Why did it fail?")


async def aask(api: Api, tools: Toolset) -> str:
    http = httpx.AsyncClient(transport=httpx.MockTransport(api))
    client = anthropic.AsyncAnthropic(api_key="none", http_client=http)
    messages: list[Any] = [{"role": "user", "content": "Why did it fail?"}]
    request = {"model": "m", "max_tokens": 99, "tools": adapter.tools(tools), "messages": messages}
    while (message := await client.messages.create(**request)).stop_reason == "tool_use":
        messages.append({"role": "assistant", "content": message.content})
        answers = await adapter.aanswers(tools, message.content)
        messages.append({"role": "user", "content": answers})
    return message.content[0].text


@pytest.mark.parametrize("run", [ask, lambda *given: asyncio.run(aask(*given))])
def test_a_conversation(toolset: Toolset, run: Callable[[Api, Toolset], str]) -> None:
    api = Api()
    assert run(api, toolset) == f"| {SAID}"
    first, second, last = api.bodies
    assert [tool["name"] for tool in first["tools"]] == [spec.name for spec in TOOLS]
    assert first["tools"][0]["input_schema"] == TOOLS[0].schema
    assert SAID not in json.dumps(first)
    (found,) = second["messages"][-1]["content"]  # Weather is left to the host
    assert (found["tool_use_id"], found["is_error"]) == ("toolu_Recall", False)
    more, image, refused = last["messages"][-1]["content"]
    assert more["content"][0]["text"].startswith("RecallMore, turn.")
    shown = image["content"][1]["source"]
    assert (shown["media_type"], base64.b64decode(shown["data"])) == ("image/png", PNG)
    assert refused["is_error"] is True
    assert refused["content"][0]["text"].startswith("error limit_out_of_range:")


def test_only_what_is_granted(recall: Recall) -> None:
    tools = Toolset(recall, grants=["Recall"])
    assert [tool["name"] for tool in adapter.tools(tools)] == ["Recall"]
    (block,) = adapter.answers(tools, [types.ToolUseBlock(**use("RecallMore", anchor="x"))])
    assert block["is_error"] is True
    assert "tool_unknown" in json.dumps(block)
