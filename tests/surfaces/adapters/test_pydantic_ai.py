"""Pydantic AI: runs of an agent with a model that follows a script."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from typing import Any

import pytest

from harkback import Recall
from harkback.tools import TOOLS, Toolset
from harkback.tools.adapters import pydantic_ai as adapter
from support.documented import adapted
from support.recalls import MATERIAL, PNG, SAID, Pictured, anchor_in
from support.vendors import vendor

pydantic_ai = vendor("pydantic_ai")
messages = vendor("pydantic_ai.messages")
models = vendor("pydantic_ai.models.function")
pytestmark = pytest.mark.filterwarnings("default")  # what others warn of is theirs

Call = messages.ToolCallPart


def returned(said: list[Any]) -> list[Any]:
    parts = (part for message in said for part in message.parts)
    return [part for part in parts if isinstance(part, messages.ToolReturnPart)]


def script(said: list[Any], info: Any) -> Any:
    """Searches, then reads on and looks, then quotes."""
    listed = {tool.name: tool.parameters_json_schema for tool in info.function_tools}
    assert listed == {spec.name: spec.schema for spec in TOOLS}
    given = returned(said)
    if not given:
        return messages.ModelResponse([Call("Recall", {"terms": "retry limit"})])
    if len(given) == 1:
        more = Call("RecallMore", {"anchor": anchor_in(given[0].content)})
        image = Call("RecallMaterial", {"id": MATERIAL})
        return messages.ModelResponse([more, image, Call("Recall", {"terms": ["x"], "n": 1})])
    (line,) = {line for line in given[1].content.splitlines() if SAID in line}
    return messages.ModelResponse([messages.TextPart(line)])


def agent(toolset: Toolset) -> Any:
    return pydantic_ai.Agent(models.FunctionModel(script), tools=adapter.tools(toolset))


@pytest.mark.parametrize(
    "run",
    [
        lambda built, asked: built.run_sync(asked),
        lambda built, asked: asyncio.run(built.run(asked)),
    ],
)
def test_a_conversation(toolset: Toolset, run: Callable[[Any, str], Any]) -> None:
    result = run(agent(toolset), "Why did it fail?")
    assert result.output == f"| {SAID}"
    found, more, image, refused = returned(result.all_messages())
    assert found.metadata is None
    assert more.content.startswith("RecallMore, turn.")
    text, picture = image.content
    assert text == "RecallMaterial, an image.\n"
    assert (picture.data, picture.media_type) == (PNG, "image/png")
    assert refused.content.startswith("error arguments_invalid:")


def test_the_structured_form_is_metadata(recall: Recall) -> None:
    toolset = Toolset(Pictured(recall), structured=True, vision=True)
    found, *_, refused = returned(agent(toolset).run_sync("Why?").all_messages())
    assert found.metadata["passages"][0]["matched_terms"] == ["retry limit"]
    assert refused.metadata["kind"] == "error"


def test_only_what_is_granted(recall: Recall) -> None:
    (tool,) = adapter.tools(Toolset(recall, grants=["Recall"]))
    assert tool.name == "Recall"


def test_the_example(toolset: Toolset, capsys: pytest.CaptureFixture[str]) -> None:
    adapted("pydantic_ai", toolset)
    assert capsys.readouterr().out.startswith('{"Recall":"Recall: ')
