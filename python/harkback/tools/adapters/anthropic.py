"""A Toolset for the Anthropic Messages API.

``tools`` goes into a request; ``answers`` takes the content of its message and gives the blocks of
the user's next. Calls of other tools are left to the host.
Proof: tests/surfaces/adapters/test_anthropic.py.
"""

from __future__ import annotations

import asyncio
import copy
from collections.abc import Iterable
from typing import TYPE_CHECKING, Any

from harkback.tools.answer import ToolAnswer
from harkback.tools.specs import NAMES
from harkback.tools.toolset import Toolset

if TYPE_CHECKING:
    from anthropic.types import ToolParam, ToolResultBlockParam


def tools(toolset: Toolset) -> list[ToolParam]:
    """The granted tools, for ``tools=``."""
    return [
        {
            "name": spec.name,
            "description": spec.description,
            "input_schema": copy.deepcopy(spec.schema),
        }
        for spec in toolset.specs
    ]


def answers(toolset: Toolset, content: Iterable[Any]) -> list[ToolResultBlockParam]:
    """What answers the calls in ``message.content``, in their order."""
    return [_block(call, toolset.call(call.name, call.input)) for call in content if _is_ours(call)]


async def aanswers(toolset: Toolset, content: Iterable[Any]) -> list[ToolResultBlockParam]:
    """``answers``, all calls at once."""
    calls = list(filter(_is_ours, content))
    found = await asyncio.gather(*(toolset.acall(call.name, call.input) for call in calls))
    return list(map(_block, calls, found))


def _is_ours(block: Any) -> bool:
    return bool(block.type == "tool_use" and block.name in NAMES)


def _block(call: Any, answer: ToolAnswer) -> ToolResultBlockParam:
    content: list[Any] = [{"type": "text", "text": answer.text}]
    if image := answer.encoded_image():
        source = {"type": "base64", "media_type": image[0], "data": image[1]}
        content.append({"type": "image", "source": source})
    return {
        "type": "tool_result",
        "tool_use_id": call.id,
        "content": content,
        "is_error": answer.is_error,
    }
