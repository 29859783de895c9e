"""A Toolset for the OpenAI Responses API. ``openai_chat`` is for Chat Completions.

``tools`` goes into a request; ``answers`` takes the output of its response and gives what goes into
the input of the next. Calls of other tools are left to the host.
Proof: tests/surfaces/adapters/test_openai.py.
"""

from __future__ import annotations

import asyncio
from collections.abc import Iterable
from typing import TYPE_CHECKING, Any

from harkback.tools.answer import ToolAnswer
from harkback.tools.specs import NAMES
from harkback.tools.toolset import Toolset

if TYPE_CHECKING:
    from openai.types.responses import FunctionToolParam
    from openai.types.responses.response_input_param import FunctionCallOutput


def tools(toolset: Toolset) -> list[FunctionToolParam]:
    """The granted tools, for ``tools=``."""
    return [
        {
            "type": "function",
            "name": spec.name,
            "description": spec.description,
            "parameters": spec.strict_schema(),
            "strict": True,
        }
        for spec in toolset.specs
    ]


def answers(toolset: Toolset, output: Iterable[Any]) -> list[FunctionCallOutput]:
    """What answers the calls in ``response.output``, in their order."""
    return [
        _item(call, toolset.call(call.name, call.arguments)) for call in output if _is_ours(call)
    ]


async def aanswers(toolset: Toolset, output: Iterable[Any]) -> list[FunctionCallOutput]:
    """``answers``, all calls at once."""
    calls = list(filter(_is_ours, output))
    found = await asyncio.gather(*(toolset.acall(call.name, call.arguments) for call in calls))
    return list(map(_item, calls, found))


def _is_ours(item: Any) -> bool:
    return bool(item.type == "function_call" and item.name in NAMES)


def _item(call: Any, answer: ToolAnswer) -> FunctionCallOutput:
    item: FunctionCallOutput = {
        "type": "function_call_output",
        "call_id": call.call_id,
        "output": answer.text,
    }
    if image := answer.encoded_image():
        url = f"data:{image[0]};base64,{image[1]}"
        item["output"] = [
            {"type": "input_text", "text": answer.text},
            {"type": "input_image", "image_url": url},
        ]
    return item
