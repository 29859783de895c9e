"""What every Source owes of the files it lists: the bytes of each, and of nothing else."""

from __future__ import annotations

import base64
import json
import sqlite3
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from harkback.engine import Engine
from harkback.model import AttachmentPart
from harkback.sources.base import Source
from harkback.sources.opencode.source import OpenCodeSource
from harkback.sources.registry import open_source
from harkback.sources.sqlite.source import SqliteSource
from harkback.sources.transcripts.base import Format
from harkback.sources.transcripts.claude_code import ClaudeCode
from harkback.sources.transcripts.codex import Codex
from harkback.sources.transcripts.copilot_cli import CopilotCli
from harkback.sources.transcripts.gemini_cli import GeminiCli
from harkback.sources.transcripts.source import TranscriptSource
from support import claude_rows, codex_rows
from support.artifacts import artifact, attached, prompt, stored
from support.claude_rows import Chain
from support.compressed import frame
from support.opencode import OpenCodeBuilder
from support.pictures import png
from support.stores import StoreBuilder
from support.transcripts import lines

ONE, TWO = png(4, 4), png(5, 5)
TEXT = "whole output, é模\n".encode() * 50
B1, B2 = (base64.b64encode(data).decode() for data in (ONE, TWO))
U1, U2 = (f"data:image/png;base64,{data}" for data in (B1, B2))
AGENTS = """
CREATE TABLE agent_sessions (session_id TEXT PRIMARY KEY,
  created_at TIMESTAMP DEFAULT CURRENT_TIMESTAMP, updated_at TIMESTAMP DEFAULT CURRENT_TIMESTAMP);
CREATE TABLE agent_messages (id INTEGER PRIMARY KEY AUTOINCREMENT, session_id TEXT NOT NULL,
  message_data TEXT NOT NULL, created_at TIMESTAMP DEFAULT CURRENT_TIMESTAMP);
INSERT INTO agent_sessions (session_id) VALUES ('s');
"""

Make = Callable[[Path], tuple[Source, list[bytes | None]]]


def write(folder: Path, contents: dict[str, bytes]) -> None:
    for path, data in contents.items():
        (folder / path).parent.mkdir(parents=True, exist_ok=True)
        (folder / path).write_bytes(data)


def transcripts(format: Format, folder: Path, contents: dict[str, bytes]) -> TranscriptSource:
    write(folder, contents)
    return TranscriptSource(format, folder)


def claude_code(folder: Path) -> tuple[Source, list[bytes | None]]:
    chain = Chain()
    chain.user([claude_rows.text("look"), claude_rows.image(B1)])
    chain.assistant(claude_rows.call("c1"), claude_rows.call("c2"), claude_rows.call("c3"))
    chain.result("c1", [claude_rows.text("a chart"), claude_rows.image(B2)])
    for call, name in (("c2", "c2.txt"), ("c3", "gone.txt")):
        chain.result(
            call, f"<persisted-output>\nFull output saved to: C:\\x\\{name}\n</persisted-output>"
        )
    linked = {"type": "image", "source": {"type": "url", "url": "https://example.invalid/a.png"}}
    chain.user([linked, claude_rows.text("and this")])
    beside = f"{claude_rows.FOLDER}/{claude_rows.SESSION}/tool-results/c2.txt"
    source = transcripts(ClaudeCode(), folder, {**chain.files(), beside: TEXT})
    return source, [ONE, TWO, TEXT, None, None]


def codex(folder: Path, zipped: bool = False) -> tuple[Source, list[bytes | None]]:
    content = [
        {"type": "input_image", "image_url": U1},
        {"type": "input_image", "image_url": "https://example.invalid/a.png"},
        {"type": "input_file", "filename": "b.txt", "file_data": "data:text/plain,a%20b"},
    ]
    made = codex_rows.item("image_generation_call", id="i", result=B2)
    ((path, data),) = codex_rows.rollout(
        codex_rows.meta(), codex_rows.item("message", role="user", content=content), made
    ).items()
    if zipped:
        path = "archived_sessions/" + path.rpartition("/")[2] + ".zst"
        data = frame(data)
    return transcripts(Codex(), folder, {path: data}), [ONE, None, b"a b", TWO]


def codex_zipped(folder: Path) -> tuple[Source, list[bytes | None]]:
    return codex(folder, zipped=True)


def gemini(folder: Path, whole: bool = False) -> tuple[Source, list[bytes | None]]:
    head = {"sessionId": "a" * 36, "projectHash": "x", "startTime": "2026-01-01T00:00:00Z"}
    inline = {"inlineData": {"mimeType": "image/png", "data": B1}}
    result = [{"inlineData": {"mimeType": "image/png", "data": B2}}]
    messages = [
        {"id": "1", "type": "user", "content": [{"text": "look"}, inline]},
        {
            "id": "2",
            "type": "gemini",
            "content": "so",
            "toolCalls": [{"id": "c", "name": "shot", "args": {}, "result": result}],
        },
        {
            "id": "3",
            "type": "user",
            "content": [{"fileData": {"mimeType": "image/png", "fileUri": "gs://a/b.png"}}],
        },
    ]
    name = f"tmp/p/chats/session-2026-01-01T00-00-{'a' * 8}.json"
    contents = {name: json.dumps({**head, "messages": messages}).encode()}
    if not whole:
        contents = {name + "l": lines(head, messages[0], messages[0], *messages[1:])}
    return transcripts(GeminiCli(), folder, contents), [ONE, TWO, None]


def gemini_document(folder: Path) -> tuple[Source, list[bytes | None]]:
    return gemini(folder, whole=True)


def copilot(folder: Path) -> tuple[Source, list[bytes | None]]:
    def event(kind: str, **data: object) -> dict[str, object]:
        return {"type": kind, "id": kind + str(len(data)), "timestamp": 1, "data": data}

    files = [
        {"type": "blob", "data": B1, "mimeType": "image/png", "displayName": "a.png"},
        {"type": "file", "path": "/etc/passwd"},
        {"type": "blob", "assetId": "sha256:x"},
    ]
    binary = [{"type": "image", "data": "omitted", "mimeType": "image/png"}]
    rows = lines(
        event("session.start", sessionId="s"),
        event("user.message", content="look", attachments=files),
        event("session.binary_asset", assetId="sha256:x", data=B2, mimeType="image/png"),
        event("tool.execution_complete", toolCallId="c", result={"binaryResultsForLlm": binary}),
    )
    source = transcripts(CopilotCli(), folder, {"session-state/s/events.jsonl": rows})
    return source, [ONE, None, TWO, None]


def opencode(folder: Path) -> tuple[Source, list[bytes | None]]:
    builder = OpenCodeBuilder(folder)
    builder.session("s")
    message = builder.message("s")
    builder.part(message, text="look")
    builder.part(message, "file", mime="image/png", filename="a.png", url=U1)
    builder.part(message, "file", mime="text/plain", url="file:///etc/passwd")
    answer = builder.message("s", "assistant")
    for name in ("tool_1", "tool_2"):
        builder.tool(
            answer,
            name,
            output="cut",
            metadata={"truncated": True, "outputPath": f"/elsewhere/{name}"},
            attachments=[{"type": "file", "mime": "image/png", "url": U2}],
        )
    builder.close()
    write(folder, {"tool-output/tool_1": TEXT})
    return OpenCodeSource(folder), [ONE, None, TEXT, TWO, None, TWO]


def opencode_tree(folder: Path) -> tuple[Source, list[bytes | None]]:
    part = {"type": "file", "mime": "image/png", "filename": "a.png", "url": U1}
    other = {"type": "file", "mime": "text/plain", "filename": "b", "url": "data:,a%20b"}
    write(
        folder,
        {
            "storage/session/p/ses_1.json": b'{"title": "t"}',
            "storage/message/ses_1/msg_1.json": b'{"role": "user", "time": {"created": 5}}',
            "storage/part/msg_1/prt_1.json": json.dumps(part).encode(),
            "storage/part/msg_1/prt_2.json": json.dumps(other).encode(),
        },
    )
    return OpenCodeSource(folder), [ONE, b"a b"]


def host(folder: Path) -> tuple[Source, list[bytes | None]]:
    builder = StoreBuilder(folder / "runtime.sqlite")
    builder.session("s")
    one = artifact(builder, "s", "a.png", ONE, id="one")
    prompt(
        builder,
        "s",
        "look",
        attached("a.png", len(ONE), stored("s", one), "image", "image/png"),
        attached("b", 1, {"kind": "external_file", "absolutePath": "/etc/passwd"}),
    )
    two = artifact(builder, "s", "b.png", TWO, id="two")
    builder.result("s", {"kind": "image", "mimeType": "image/png", "ref": stored("s", two)})
    builder.close()
    return SqliteSource(builder.path), [ONE, None, TWO]


def agents(folder: Path) -> tuple[Source, list[bytes | None]]:
    """A database that a mapping describes."""
    content = [{"type": "input_text", "text": "look"}, {"type": "input_image", "image_url": U1}]
    linked = [{"type": "input_image", "image_url": "https://example.invalid/a.png"}]
    items = [
        {"role": "user", "content": content},
        {"type": "function_call_output", "call_id": "c", "output": [{"image_url": U2}]},
        {"role": "user", "content": linked},
    ]
    with sqlite3.connect(folder / "agents.db") as database:
        database.executescript(AGENTS)
        for item in items:
            database.execute(
                "INSERT INTO agent_messages (session_id, message_data) VALUES ('s', ?)",
                (json.dumps(item),),
            )
    database.close()
    return open_source(folder / "agents.db"), [ONE, TWO, None]


SOURCES: dict[str, Make] = {
    make.__name__: make
    for make in (
        claude_code,
        codex,
        codex_zipped,
        gemini,
        gemini_document,
        copilot,
        opencode,
        opencode_tree,
        host,
        agents,
    )
}


@pytest.fixture(params=SOURCES)
def made(
    request: pytest.FixtureRequest, chosen: Engine, tmp_path: Path
) -> Iterator[tuple[Source, list[bytes | None]]]:
    zipped = SOURCES[request.param] is codex_zipped
    if zipped and chosen.name == "reference" and sys.version_info < (3, 14):
        pytest.skip("the standard library has no decoder of .zst")
    folder = tmp_path / "history"
    folder.mkdir()
    source, wanted = SOURCES[request.param](folder)
    yield source, wanted
    source.close()


def listed(source: Source, engine: Engine) -> dict[str, list[AttachmentPart]]:
    found: dict[str, list[AttachmentPart]] = {}
    with source.view(engine) as view:
        for session in view.sessions().sessions:
            messages = view.read(session.id).messages
            around = view.read_around(session.id, [m.locator for m in messages])
            found[session.id] = [
                p for m in around for p in m.parts if isinstance(p, AttachmentPart)
            ]
    return found


def test_the_bytes_of_every_file_are_found_again(
    made: tuple[Source, list[bytes | None]], chosen: Engine, opens: list[str]
) -> None:
    source, wanted = made
    ((session, parts),) = listed(source, chosen).items()
    with source.view(chosen) as view:
        found = [view.material(session, p.ref, 1 << 20) if p.ref else None for p in parts]
    assert found == wanted
    for part, data in zip(parts, wanted, strict=True):
        if data is not None and not part.ref.startswith(":"):  # of whose size nothing tells
            assert part.bytes == len(data)
    assert [p.pixels for p in parts if p.bytes == len(ONE) and p.ref.startswith("inline")] in (
        [],
        [(4, 4)],
        [(4, 4), (5, 5)],
        [(4, 4), (5, 5), (5, 5)],
    )
    assert not [path for path in opens if "passwd" in path]


def test_a_ref_that_nothing_has_gives_nothing(
    made: tuple[Source, list[bytes | None]], chosen: Engine
) -> None:
    source, _ = made
    ((session, _),) = listed(source, chosen).items()
    with source.view(chosen) as view:
        for ref in ("inline:5:" + "0" * 32, "file:../x", "file:", "file:opencode.db", "5:x", ":.."):
            assert view.material(session, ref, 1 << 20) is None
