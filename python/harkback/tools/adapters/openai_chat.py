"""A Toolset for Chat Completions, of OpenAI or of whoever speaks their protocol.

As ``openai``, but a tool message of Chat Completions holds text alone: images follow in a message
of the user, behind all of them. So give ``answers`` every call of one completion at once, and put
what the host's own tools answer before what it gives.
Proof: tests/surfaces/adapters/test_openai.py.
"""

from __future__ import annotations

import asyncio
from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, Any

from harkback.tools.answer import ToolAnswer
from harkback.tools.specs import NAMES
from harkback.tools.toolset import Toolset

if TYPE_CHECKING:
    from openai.types.chat import ChatCompletionFunctionToolParam, ChatCompletionMessageParam


def tools(toolset: Toolset) -> list[ChatCompletionFunctionToolParam]:
    """The granted tools, for ``tools=``."""
    return [
        {
            "type": "function",
            "function": {
                "name": spec.name,
                "description": spec.description,
                "parameters": spec.strict_schema(),
                "strict": True,
            },
        }
        for spec in toolset.specs
    ]


def answers(toolset: Toolset, calls: Iterable[Any] | None) -> list[ChatCompletionMessageParam]:
    """What answers ``message.tool_calls``, in their order."""
    ours = _ours(calls)
    return _messages(ours, [toolset.call(c.function.name, c.function.arguments) for c in ours])


async def aanswers(
    toolset: Toolset, calls: Iterable[Any] | None
) -> list[ChatCompletionMessageParam]:
    """``answers``, all calls at once."""
    ours = _ours(calls)
    asked = (toolset.acall(call.function.name, call.function.arguments) for call in ours)
    return _messages(ours, await asyncio.gather(*asked))


def _ours(calls: Iterable[Any] | None) -> list[Any]:
    return [c for c in calls or () if c.type == "function" and c.function.name in NAMES]


def _messages(calls: list[Any], found: Sequence[ToolAnswer]) -> list[ChatCompletionMessageParam]:
    messages: list[ChatCompletionMessageParam] = [
        {"role": "tool", "tool_call_id": call.id, "content": answer.text}
        for call, answer in zip(calls, found, strict=True)
    ]
    urls = [f"data:{i[0]};base64,{i[1]}" for i in (a.encoded_image() for a in found) if i]
    if urls:
        content: Any = [{"type": "image_url", "image_url": {"url": url}} for url in urls]
        messages.append({"role": "user", "content": content})
    return messages
