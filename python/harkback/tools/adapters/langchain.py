"""A Toolset as tools of LangChain, for an agent, a ``ToolNode`` or ``bind_tools``.

An error is a ``ToolMessage`` with status ``error``. The structured form, if the Toolset gives it,
is its artifact: a model does not see it. Proof: tests/surfaces/adapters/test_langchain.py.
"""

from __future__ import annotations

import copy
from typing import TYPE_CHECKING, Any

from harkback.tools.answer import ToolAnswer
from harkback.tools.toolset import Toolset

if TYPE_CHECKING:
    from langchain_core.tools import BaseTool


def tools(toolset: Toolset) -> list[BaseTool]:
    """The granted tools, for code that waits and for code that awaits."""
    from langchain_core.tools import BaseTool, ToolException

    class Tool(BaseTool):
        def _run(self, /, **arguments: Any) -> Any:
            return given(toolset.call(self.name, arguments))

        async def _arun(self, /, **arguments: Any) -> Any:
            return given(await toolset.acall(self.name, arguments))

    def given(answer: ToolAnswer) -> tuple[Any, dict[str, Any] | None]:
        if answer.is_error:
            raise ToolException(answer.text)
        content: Any = answer.text
        if image := answer.encoded_image():
            shown = {"type": "image", "mime_type": image[0], "base64": image[1]}
            content = [{"type": "text", "text": answer.text}, shown]
        return content, answer.to_dict() if toolset.structured else None

    return [
        Tool(
            name=spec.name,
            description=spec.description,
            args_schema=copy.deepcopy(spec.schema),
            response_format="content_and_artifact",
            handle_tool_error=True,
        )
        for spec in toolset.specs
    ]
