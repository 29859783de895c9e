"""The OpenAI Agents SDK: a run of an agent with a model that follows a script."""

from __future__ import annotations

import json
from typing import Any
from uuid import uuid4

import pytest

from harkback import Recall
from harkback.tools import TOOLS, Toolset
from harkback.tools.adapters import openai_agents as adapter
from support.documented import adapted
from support.recalls import MATERIAL, SAID, anchor_in
from support.vendors import vendor

agents = vendor("agents")
converter = vendor("agents.models.openai_responses").Converter
types = vendor("openai.types.responses")
pytestmark = pytest.mark.filterwarnings("default")  # what others warn of is theirs


def use(name: str, **given: Any) -> Any:
    return types.ResponseFunctionToolCall(
        type="function_call", call_id=uuid4().hex, name=name, arguments=json.dumps(given)
    )


class Scripted(agents.Model):
    """Searches, then reads on and looks, then quotes."""

    def __init__(self) -> None:
        self.inputs: list[Any] = []
        self.tools: list[Any] = []

    async def get_response(self, *, input: Any, tools: Any, **_: Any) -> Any:
        self.inputs.append(input)
        self.tools = tools
        answers = [] if isinstance(input, str) else [i for i in input if i.get("output")]
        if not answers:
            output = [use("Recall", terms=["retry limit"], question=None)]
        elif len(answers) == 1:
            anchor = anchor_in(answers[0]["output"])
            output = [
                use("RecallMore", anchor=anchor, before=None, view="turn"),
                use("RecallMaterial", id=MATERIAL, cursor=None),
                use("Recall", terms=["x"], limit="8"),
            ]
        else:
            (line,) = {line for line in answers[1]["output"].splitlines() if SAID in line}
            part = types.ResponseOutputText(type="output_text", text=line, annotations=[])
            output = [
                types.ResponseOutputMessage(
                    id="m", type="message", role="assistant", status="completed", content=[part]
                )
            ]
        return agents.ModelResponse(output=output, usage=agents.Usage(), response_id=None)

    async def stream_response(self, *_: Any, **__: Any):
        raise NotImplementedError
        yield


def run(model: Scripted, toolset: Toolset) -> str:
    agent = agents.Agent(name="a", model=model, tools=adapter.tools(toolset))
    config = agents.RunConfig(tracing_disabled=True)
    return agents.Runner.run_sync(agent, "Why did it fail?", run_config=config).final_output


def test_a_conversation(toolset: Toolset) -> None:
    model = Scripted()
    assert run(model, toolset) == f"| {SAID}"
    assert SAID not in json.dumps(model.inputs[0])
    more, image, refused = model.inputs[-1][-3:]
    assert more["output"].startswith("RecallMore, turn.")
    assert [part["type"] for part in image["output"]] == ["input_text", "input_image"]
    assert image["output"][1]["image_url"].startswith("data:image/png;base64,iVBOR")
    assert refused["output"].startswith("error arguments_invalid:")


def test_what_goes_into_a_request(toolset: Toolset) -> None:
    model = Scripted()
    run(model, toolset)
    sent = converter.convert_tools(model.tools, handoffs=[]).tools
    assert [tool["name"] for tool in sent] == [spec.name for spec in TOOLS]
    for tool, spec in zip(sent, TOOLS, strict=True):
        assert tool["strict"] is True
        assert tool["parameters"] == spec.strict_schema()


def test_only_what_is_granted(recall: Recall) -> None:
    (tool,) = adapter.tools(Toolset(recall, grants=["Recall"]))
    assert tool.name == "Recall"


def test_the_example(toolset: Toolset) -> None:
    agent = adapted("openai_agents", toolset)["agent"]
    assert [tool.name for tool in agent.tools] == [spec.name for spec in TOOLS]
