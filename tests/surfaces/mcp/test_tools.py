"""What is listed and what is answered, over the SDK's own client."""

from __future__ import annotations

import base64
import json
import os
from collections.abc import Awaitable, Callable, Iterator
from pathlib import Path
from typing import Any

import anyio
import pytest
from mcp import Client, ClientSession, StdioServerParameters, stdio_client
from mcp.shared.exceptions import MCPError
from mcp_types import CallToolResult, ImageContent, TextContent

from harkback import Recall, Store
from support.mcp import Raw, client, raw, started

MAX_LIST_BYTES = 3072


def asked(act: Callable[[ClientSession], Awaitable[None]], *options: Any, patch: str = "") -> None:
    """Does something with a session of a server."""

    async def run() -> None:
        async with client(*options, patch=patch) as session:
            await act(session)

    anyio.run(run)


async def call(session: ClientSession, name: str, **arguments: Any) -> CallToolResult:
    found = await session.call_tool(name, arguments)
    assert isinstance(found, CallToolResult)
    return found


def text(result: CallToolResult) -> str:
    content = result.content[0]
    assert isinstance(content, TextContent)
    return content.text


#: What a request says of itself in a protocol without a handshake.
MODERN = {
    "io.modelcontextprotocol/protocolVersion": "2026-07-28",
    "io.modelcontextprotocol/clientInfo": {"name": "test", "version": "0"},
    "io.modelcontextprotocol/clientCapabilities": {},
}


@pytest.mark.parametrize("params", [None, {"_meta": MODERN}], ids=["2025-11-25", "2026-07-28"])
def test_the_list_is_small_and_says_that_nothing_is_changed(zoo: Path, params: Any) -> None:
    with raw("--store", zoo, hello=params is None) as server:
        server.ask("tools/list", params)
        line = server.out[-1]
    result = json.loads(line)["result"]
    assert [tool["name"] for tool in result["tools"]] == ["Recall", "RecallMore", "RecallMaterial"]
    for tool in result["tools"]:
        assert "outputSchema" not in tool
        assert tool["inputSchema"]["type"] == "object"
        assert tool["annotations"] == {
            "readOnlyHint": True,
            "idempotentHint": True,
            "openWorldHint": False,
        }
    sent = json.dumps(result, ensure_ascii=False, separators=(",", ":")).encode()
    assert sent in line  # as it was sent, to the byte
    assert len(sent) <= MAX_LIST_BYTES


def test_only_what_is_granted_is_listed_and_answered(zoo: Path) -> None:
    async def act(session: ClientSession) -> None:
        listed = await session.list_tools()
        assert [tool.name for tool in listed.tools] == ["Recall"]
        with pytest.raises(MCPError, match="The tools are: Recall"):
            await session.call_tool("RecallMore", {"anchor": "0" * 32})

    asked(act, "--store", zoo, "--grant", "Recall")


def test_an_unknown_tool_is_refused_by_name(zoo: Path) -> None:
    async def act(session: ClientSession) -> None:
        with pytest.raises(MCPError, match="The tools are: Recall, RecallMaterial, RecallMore"):
            await session.call_tool("zebra", {})

    asked(act, "--store", zoo)


def test_answers_are_the_text_that_a_model_reads(zoo: Path) -> None:
    async def act(session: ClientSession) -> None:
        found = await call(session, "Recall", terms=["north stable"], limit=2)
        with Recall(zoo) as recall:
            expected = recall.search(["north stable"], limit=2)
            anchor = expected.passages[0].anchor
            assert text(found) == expected.text()
            more = await call(session, "RecallMore", anchor=anchor, view="scroll")
            assert text(more) == recall.more(anchor, view="scroll").text()
        for result in (found, more):
            assert not result.is_error
            assert result.structured_content is None
            assert len(result.content) == 1

    asked(act, "--store", zoo)


def test_a_client_of_the_protocol_without_a_handshake(zoo: Path) -> None:
    async def act() -> None:
        command, *arguments = started("--store", zoo)
        parameters = StdioServerParameters(command=command, args=arguments, env=dict(os.environ))
        async with Client(stdio_client(parameters)) as modern:
            assert modern.session.protocol_version == "2026-07-28"
            found = await modern.call_tool("Recall", {"terms": ["north stable"]})
            assert isinstance(found, CallToolResult)
            with Recall(zoo) as recall:
                assert text(found) == recall.search(["north stable"]).text()

    anyio.run(act)


def test_structure_comes_beside_the_text_only_where_it_is_asked_for(zoo: Path) -> None:
    async def act(session: ClientSession) -> None:
        found = await call(session, "Recall", terms=["zebra"])
        with Recall(zoo) as recall:
            expected = recall.search(["zebra"])
        assert found.structured_content == json.loads(expected.to_json())
        assert text(found) == expected.text()
        failed = await call(session, "Recall", terms=[])
        assert failed.structured_content["kind"] == "error"
        assert failed.structured_content["reason"] == "no_terms"

    asked(act, "--store", zoo, "--structured")


@pytest.fixture(scope="module")
def server(zoo: Path) -> Iterator[Raw]:
    with raw("--store", zoo) as server:
        yield server
        assert server.leave()[0] == 0


def answer(server: Raw, name: str, arguments: Any, **meta: Any) -> tuple[bool, str]:
    """Whether a call failed, and the text of its answer."""
    number = server.call(name, arguments, **meta)
    message = server.receive()
    assert message["id"] == number
    (content,) = message["result"]["content"]
    return message["result"].get("isError", False), content["text"]


@pytest.mark.parametrize(
    ("name", "arguments", "reason"),
    [
        ("Recall", {}, "no_terms"),
        ("Recall", {"terms": list("abcdefghi")}, "too_many_terms"),
        ("Recall", {"terms": [7]}, "term_not_text"),
        ("Recall", {"terms": ["x"], "limit": 99}, "limit_out_of_range"),
        ("Recall", {"query": "x"}, "arguments_invalid"),
        ("RecallMore", {}, "arguments_invalid"),
        ("RecallMore", {"anchor": "0" * 32}, "not_found"),
    ],
)
def test_errors_are_values(server: Raw, name: str, arguments: Any, reason: str) -> None:
    failed, said = answer(server, name, arguments)
    assert failed
    assert said.startswith(f"error {reason}: ")
    assert said.count("\n") == 1


def test_arguments_that_are_no_object_are_an_error_of_the_protocol(server: Raw) -> None:
    refused = server.ask("tools/call", {"name": "Recall", "arguments": ["zebra"]})
    assert refused["error"]["code"] == -32602
    assert "zebra" not in json.dumps(refused)


def test_the_turn_that_codex_calls_from_is_no_evidence(server: Raw, zoo: Path) -> None:
    with Recall(zoo) as recall:
        found = recall.search(["north stable"]).passages[0]
    here = {"session_id": found.session.id, "turn_id": found.turn_id}
    _, elsewhere = answer(server, "Recall", {"terms": ["north stable"]})
    _, inside = answer(
        server, "Recall", {"terms": ["north stable"]}, **{"x-codex-turn-metadata": here}
    )
    assert found.anchor in elsewhere
    assert found.anchor not in inside
    assert "active_turn_excluded" in inside


@pytest.mark.parametrize("meta", [{"x-codex-turn-metadata": {"turn_id": 7}}, {"sessionID": 7}])
def test_what_else_a_client_tells_of_itself_changes_nothing(server: Raw, meta: Any) -> None:
    failed, said = answer(server, "Recall", {"terms": ["north stable"]}, **meta)
    assert not failed
    assert "north stable" in said


def test_the_session_that_opencode_calls_from_is_marked(zoo: Path) -> None:
    with Recall(zoo) as recall:
        session = recall.search(["north stable"]).passages[0].session.id
    with raw("--store", zoo, "--structured") as server:
        server.call("Recall", {"terms": ["north stable"]}, sessionID=session)
        found = server.receive()["result"]["structuredContent"]["passages"][0]
        assert server.leave()[0] == 0
    assert found["is_current_session"] is True


@pytest.mark.parametrize("options", [("--project", "zoo"), ("--exclude", "farm")])
def test_projects_out_of_scope_are_out_of_reach(zoo: Path, options: tuple[str, str]) -> None:
    with Recall(zoo) as recall:
        farm = recall.search(["okapi"]).passages[0]
    with raw("--store", zoo, *options) as server:
        _, found = answer(server, "Recall", {"terms": ["zebra", "okapi"]})
        failed, more = answer(server, "RecallMore", {"anchor": farm.anchor})
        assert server.leave()[0] == 0
    assert "Zoo" in found
    assert "Farm" not in found
    assert (failed, more[:16]) == (True, "error not_found:")


def test_a_history_that_cannot_be_opened_is_asked_for_again_at_the_next_call(
    tmp_path: Path,
) -> None:
    path = tmp_path / "runtime.sqlite"
    with raw("--store", path) as server:
        failed, said = answer(server, "Recall", {"terms": ["zebra"]})
        assert (failed, said[:22]) == (True, "error source_missing: ")
        with Store.create(path) as store:
            store.session("late").turn().user("a late zebra")
        failed, said = answer(server, "Recall", {"terms": ["zebra"]})
        assert not failed
        assert "a late zebra" in said
        assert server.leave()[0] == 0
    assert any(b"source_missing" in line and bytes(path) in line for line in server.err)


def test_an_agent_without_a_history_is_told_by_name(tmp_path: Path) -> None:
    with raw("--source", "nobody") as server:
        failed, said = answer(server, "Recall", {"terms": ["zebra"]})
        assert server.leave()[0] == 0
    assert failed
    assert said.startswith("error source_missing: No history of 'nobody' was found; there is: ")


def test_the_workspace_of_facts_is_handed_on(zoo: Path) -> None:
    patch = """
quiet = recall.Recall.search
def search(*args, workspace, **kwargs):
    assert workspace == "shop"
    return quiet(*args, **kwargs)
recall.Recall.search = search
"""

    async def act(session: ClientSession) -> None:
        assert "zebra" in text(await call(session, "Recall", terms=["zebra"]))

    asked(act, "--store", zoo, "--workspace", "shop", patch=patch)


def test_an_image_goes_as_an_image(zoo: Path) -> None:
    patch = """
class Image:
    kind, mime, data = "image", "image/png", b"\\x89PNG"
    def text(self):
        return "An image.\\n"
    def to_dict(self):
        return {}
def material(self, id, *, vision, **_):
    assert vision
    return Image()
recall.Recall.material = material
"""

    async def act(session: ClientSession) -> None:
        found = await call(session, "RecallMaterial", id="0" * 32)
        assert text(found) == "An image.\n"
        image = found.content[1]
        assert isinstance(image, ImageContent)
        assert (image.mime_type, base64.b64decode(image.data)) == ("image/png", b"\x89PNG")

    asked(act, "--store", zoo, "--vision", patch=patch)
