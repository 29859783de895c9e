"""A Toolset as function tools of the OpenAI Agents SDK, for ``Agent(tools=...)``.

Proof: tests/surfaces/adapters/test_openai_agents.py.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from harkback.tools.specs import ToolSpec
from harkback.tools.toolset import Toolset

if TYPE_CHECKING:
    from agents import FunctionTool


def tools(toolset: Toolset) -> list[FunctionTool]:
    """The granted tools."""
    from agents import FunctionTool, ToolOutputImage, ToolOutputText

    def tool(spec: ToolSpec) -> FunctionTool:
        async def call(_: Any, arguments: str) -> Any:
            answer = await toolset.acall(spec.name, arguments)
            image = answer.encoded_image()
            if image is None:
                return answer.text
            url = f"data:{image[0]};base64,{image[1]}"
            return [ToolOutputText(text=answer.text), ToolOutputImage(image_url=url)]

        return FunctionTool(
            name=spec.name,
            description=spec.description,
            params_json_schema=spec.strict_schema(),
            on_invoke_tool=call,
        )

    return list(map(tool, toolset.specs))
