"""The OpenAI API, both of its ways: whole conversations through the real client, no network."""

from __future__ import annotations

import asyncio
import base64
import json
from collections.abc import Callable
from types import SimpleNamespace
from typing import Any

import pytest

from harkback import Recall
from harkback.tools import TOOLS, Toolset
from harkback.tools.adapters import openai as responses
from harkback.tools.adapters import openai_chat as chat
from support.documented import adapted
from support.recalls import MATERIAL, PNG, SAID, anchor_in
from support.vendors import vendor

openai = vendor("openai")
httpx = vendor("openai._base_client").httpx2
response_types = vendor("openai.types.responses")
chat_types = vendor("openai.types.chat")
TypeAdapter = vendor("pydantic").TypeAdapter
pytestmark = pytest.mark.filterwarnings("default")  # what others warn of is theirs

Body = dict[str, Any]
URL = f"data:image/png;base64,{base64.b64encode(PNG).decode()}"


def script(texts: list[str]) -> list[tuple[str, str]] | str:
    """What the model does next: search, then read on and look, then quote.

    Args:
        texts: the answers that it was given so far.
    """
    if not texts:
        return [("Recall", '{"terms": ["retry limit"], "limit": null}'), ("Weather", "{}")]
    if len(texts) == 1:
        more = json.dumps({"anchor": anchor_in(texts[0]), "view": None})
        image = json.dumps({"id": MATERIAL, "cursor": None})
        return [("RecallMore", more), ("RecallMaterial", image), ("Recall", '{"terms": 7}')]
    (said,) = {line for line in texts[1].splitlines() if SAID in line}
    return said


class Api:
    """Answers requests, each of which is held against the library's own types."""

    def __init__(self) -> None:
        self.bodies: list[Body] = []

    def __call__(self, request: Any) -> Any:
        body = json.loads(request.content)
        self.bodies.append(body)
        answer = self._responses if request.url.path.endswith("/responses") else self._chat
        return httpx.Response(200, json=answer(body))

    def _responses(self, body: Body) -> Body:
        TypeAdapter(list[response_types.ToolParam]).validate_python(body["tools"])
        TypeAdapter(response_types.ResponseInputParam).validate_python(body["input"])
        given = [item["output"] for item in body["input"] if item.get("output")]
        does = script([each if isinstance(each, str) else each[0]["text"] for each in given])
        if isinstance(does, str):
            part = {"type": "output_text", "text": does, "annotations": []}
            message = {"type": "message", "id": "m", "role": "assistant", "status": "completed"}
            output = [message | {"content": [part]}]
        else:
            output = [
                {"type": "function_call", "call_id": name, "name": name, "arguments": arguments}
                for name, arguments in does
            ]
        return {
            "id": "r",
            "object": "response",
            "created_at": 0,
            "model": "m",
            "output": output,
            "parallel_tool_calls": True,
            "tool_choice": "auto",
            "tools": [],
        }

    def _chat(self, body: Body) -> Body:
        TypeAdapter(list[chat_types.ChatCompletionFunctionToolParam]).validate_python(body["tools"])
        TypeAdapter(list[chat_types.ChatCompletionMessageParam]).validate_python(body["messages"])
        does = script([m["content"] for m in body["messages"] if m["role"] == "tool"])
        message: Body = {"role": "assistant", "content": does if isinstance(does, str) else None}
        if not isinstance(does, str):
            message["tool_calls"] = [
                {"id": name, "type": "function", "function": {"name": name, "arguments": given}}
                for name, given in does
            ]
        stop = "stop" if isinstance(does, str) else "tool_calls"
        choice = {"index": 0, "finish_reason": stop, "message": message}
        return {
            "id": "c",
            "object": "chat.completion",
            "created": 0,
            "model": "m",
            "choices": [choice],
        }


def sync(api: Api) -> Any:
    http = httpx.Client(transport=httpx.MockTransport(api))
    return openai.OpenAI(api_key="none", http_client=http)


def awaited(api: Api) -> Any:
    http = httpx.AsyncClient(transport=httpx.MockTransport(api))
    return openai.AsyncOpenAI(api_key="none", http_client=http)


def ask(api: Api, toolset: Toolset) -> str:
    """As the documentation does."""
    return adapted("openai", toolset)["ask"](sync(api), "m", "Why did it fail?")


async def aask(api: Api, toolset: Toolset) -> str:
    client, tools = awaited(api), responses.tools(toolset)
    items: list[Any] = [{"role": "user", "content": "Why did it fail?"}]
    while True:
        response = await client.responses.create(model="m", tools=tools, input=items)
        found = await responses.aanswers(toolset, response.output)
        if not found:
            return response.output_text
        items += [*response.output, *found]


def ask_chat(api: Api, toolset: Toolset) -> str:
    """As the documentation does."""
    return adapted("openai_chat", toolset)["ask_chat"](sync(api), "m", "Why did it fail?")


async def aask_chat(api: Api, toolset: Toolset) -> str:
    client, tools = awaited(api), chat.tools(toolset)
    messages: list[Any] = [{"role": "user", "content": "Why did it fail?"}]
    while True:
        created = await client.chat.completions.create(model="m", tools=tools, messages=messages)
        message = created.choices[0].message
        found = await chat.aanswers(toolset, message.tool_calls)
        if not found:
            return message.content
        messages += [message, *found]


Run = Callable[[Api, Toolset], str]


@pytest.mark.parametrize("run", [ask, lambda *given: asyncio.run(aask(*given))])
def test_a_conversation_of_responses(toolset: Toolset, run: Run) -> None:
    api = Api()
    assert run(api, toolset) == f"| {SAID}"
    first, second, last = api.bodies
    assert [tool["name"] for tool in first["tools"]] == [spec.name for spec in TOOLS]
    assert SAID not in json.dumps(first)
    assert second["input"][-1]["call_id"] == "Recall"  # Weather is left to the host
    more, image, refused = last["input"][-3:]
    assert more["output"].startswith("RecallMore, turn.")
    assert image["output"][1] == {"type": "input_image", "image_url": URL}
    assert refused["output"].startswith("error term_not_text:")


@pytest.mark.parametrize("run", [ask_chat, lambda *given: asyncio.run(aask_chat(*given))])
def test_a_conversation_of_chat_completions(toolset: Toolset, run: Run) -> None:
    api = Api()
    assert run(api, toolset) == f"| {SAID}"
    first, second, last = api.bodies
    assert [tool["function"]["name"] for tool in first["tools"]] == [spec.name for spec in TOOLS]
    assert SAID not in json.dumps(first)
    assert second["messages"][-1]["tool_call_id"] == "Recall"
    more, image, refused, pictures = last["messages"][-4:]
    assert more["content"].startswith("RecallMore, turn.")
    assert image["content"] == "RecallMaterial, an image.\n"
    assert refused["content"].startswith("error term_not_text:")
    assert pictures["role"] == "user"
    assert pictures["content"] == [{"type": "image_url", "image_url": {"url": URL}}]


def test_schemas_are_strict(toolset: Toolset) -> None:
    """As the API asks for: every property required, null where one may be left out."""
    for flat, nested in zip(responses.tools(toolset), chat.tools(toolset), strict=True):
        assert flat["strict"] is nested["function"]["strict"] is True
        schema = flat["parameters"]
        assert nested["function"]["parameters"] == schema
        assert schema["required"] == list(schema["properties"])
        assert schema["additionalProperties"] is False
    more = responses.tools(toolset)[1]["parameters"]["properties"]
    assert more["anchor"]["type"] == "string"
    assert more["view"]["type"] == ["string", "null"]
    assert more["view"]["enum"] == ["turn", "audit", "scroll", None]
    assert TOOLS[1].schema["required"] == ["anchor"]  # a copy was changed
    assert TOOLS[1].schema["properties"]["view"]["type"] == "string"


def test_only_what_is_granted(recall: Recall) -> None:
    tools = Toolset(recall, grants=["RecallMore"])
    assert [tool["name"] for tool in responses.tools(tools)] == ["RecallMore"]
    assert [tool["function"]["name"] for tool in chat.tools(tools)] == ["RecallMore"]
    called = SimpleNamespace(name="Recall", arguments='{"terms": ["a"]}')
    call = SimpleNamespace(type="function_call", call_id="1", **vars(called))
    assert responses.answers(tools, [call])[0]["output"].startswith("error tool_unknown:")
    (message,) = chat.answers(tools, [SimpleNamespace(id="1", type="function", function=called)])
    assert str(message["content"]).startswith("error tool_unknown:")
    assert chat.answers(tools, None) == []
