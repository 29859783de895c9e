"""LangChain and LangGraph: an agent of theirs with a model that follows a script."""

from __future__ import annotations

import asyncio
import base64
from collections.abc import Callable, Sequence
from typing import Any

import pytest

from harkback import Recall
from harkback.tools import TOOLS, Toolset
from harkback.tools.adapters import langchain as adapter
from support.documented import adapted
from support.recalls import MATERIAL, PNG, SAID, Pictured, anchor_in
from support.vendors import vendor

messages = vendor("langchain_core.messages")
models = vendor("langchain_core.language_models.chat_models")
outputs = vendor("langchain_core.outputs")
conversion = vendor("langchain_core.utils.function_calling")
graph = vendor("langgraph.graph")
prebuilt = vendor("langgraph.prebuilt")
pytestmark = pytest.mark.filterwarnings("default")  # what others warn of is theirs


def use(name: str, **given: Any) -> dict[str, Any]:
    return {"name": name, "args": given, "id": name, "type": "tool_call"}


class Scripted(models.BaseChatModel):
    """Searches, then reads on and looks, then quotes."""

    @property
    def _llm_type(self) -> str:
        return "scripted"

    def bind_tools(self, tools: Sequence[Any], **_: Any) -> Any:
        listed = [conversion.convert_to_openai_tool(tool) for tool in tools]
        assert [each["function"]["name"] for each in listed] == [spec.name for spec in TOOLS]
        assert listed[0]["function"]["parameters"]["additionalProperties"] is False
        return self

    def _generate(self, said: list[Any], *_: Any, **__: Any) -> Any:
        given = [message for message in said if isinstance(message, messages.ToolMessage)]
        if not given:
            does = messages.AIMessage("", tool_calls=[use("Recall", terms=["retry limit"])])
        elif len(given) == 1:
            anchor = anchor_in(given[0].content)
            calls = [
                use("RecallMore", anchor=anchor, view=None),
                use("RecallMaterial", id=MATERIAL),
                use("Recall", terms=["x"], limit=True),
            ]
            does = messages.AIMessage("", tool_calls=calls)
        else:
            (line,) = {line for line in given[1].content.splitlines() if SAID in line}
            does = messages.AIMessage(line)
        return outputs.ChatResult(generations=[outputs.ChatGeneration(message=does)])


def agent(toolset: Toolset) -> Any:
    tools = adapter.tools(toolset)
    model = Scripted().bind_tools(tools)
    built = graph.StateGraph(graph.MessagesState)
    built.add_node("model", lambda state: {"messages": [model.invoke(state["messages"])]})
    built.add_node("tools", prebuilt.ToolNode(tools))
    built.add_edge(graph.START, "model")
    built.add_conditional_edges("model", prebuilt.tools_condition)
    built.add_edge("tools", "model")
    return built.compile()


@pytest.mark.parametrize(
    "run",
    [
        lambda built, asked: built.invoke(asked),
        lambda built, asked: asyncio.run(built.ainvoke(asked)),
    ],
)
def test_a_conversation(toolset: Toolset, run: Callable[[Any, Any], dict[str, Any]]) -> None:
    said = run(agent(toolset), {"messages": [("user", "Why did it fail?")]})["messages"]
    assert said[-1].content == f"| {SAID}"
    found, more, image, refused = (m for m in said if isinstance(m, messages.ToolMessage))
    assert (found.status, found.artifact) == ("success", None)
    assert more.content.startswith("RecallMore, turn.")
    (shown,) = (block for block in image.content_blocks if block["type"] == "image")
    assert (shown["mime_type"], base64.b64decode(shown["base64"])) == ("image/png", PNG)
    assert refused.status == "error"
    assert refused.content.startswith("error arguments_invalid:")


def test_the_structured_form_is_an_artifact(recall: Recall) -> None:
    tool, *_ = adapter.tools(Toolset(Pictured(recall), structured=True))
    message = tool.invoke(use("Recall", terms=["retry limit"]))
    assert message.artifact["kind"] == "recall"
    assert message.artifact["passages"][0]["matched_terms"] == ["retry limit"]
    assert message.content.startswith("Recall: 1 passages.")


def test_only_what_is_granted_and_a_tool_alone(recall: Recall) -> None:
    (tool,) = adapter.tools(Toolset(recall, grants=["Recall"]))
    assert tool.name == "Recall"
    assert SAID in tool.invoke({"terms": ["retry limit"]})
    assert SAID in asyncio.run(tool.ainvoke({"question": "retry limit"}))
    for odd in ({"config": 1}, {"run_manager": 1}, {"self": 1}, {"arguments": 1}):
        answer = tool.invoke({"terms": ["retry limit"], **odd})
        assert SAID in answer or answer.startswith("error arguments_invalid:")


def test_the_example(toolset: Toolset, capsys: pytest.CaptureFixture[str]) -> None:
    assert adapted("langchain", toolset)["node"].tools_by_name.keys() == {s.name for s in TOOLS}
    assert capsys.readouterr().out.startswith("Recall: 0 passages.")
