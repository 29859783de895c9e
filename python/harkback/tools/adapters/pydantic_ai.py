"""A Toolset as tools of Pydantic AI, for ``Agent(tools=...)``.

The structured form, if the Toolset gives it, is the metadata of the return: a model does not see
it. Proof: tests/surfaces/adapters/test_pydantic_ai.py.
"""

from __future__ import annotations

import copy
from typing import TYPE_CHECKING, Any

from harkback.tools.specs import ToolSpec
from harkback.tools.toolset import Toolset

if TYPE_CHECKING:
    from pydantic_ai import Tool


def tools(toolset: Toolset) -> list[Tool[Any]]:
    """The granted tools."""
    from pydantic_ai import BinaryContent, Tool, ToolReturn

    def tool(spec: ToolSpec) -> Tool[Any]:
        async def call(**arguments: Any) -> ToolReturn[Any]:
            answer = await toolset.acall(spec.name, arguments)
            content: Any = answer.text
            if answer.image is not None:
                mime, data = answer.image
                content = [answer.text, BinaryContent(data, media_type=mime)]
            metadata = answer.to_dict() if toolset.structured else None
            return ToolReturn(content, metadata=metadata)

        return Tool.from_schema(
            call, spec.name, spec.description, copy.deepcopy(spec.schema), takes_ctx=False
        )

    return list(map(tool, toolset.specs))
