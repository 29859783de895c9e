"""The raw scan of Codex, Gemini CLI and Copilot CLI offers every Session that shows a term.

Text is put wherever these formats show text, in a Session for each place: in JSON inside strings,
in records that were split or begun twice, in the files beside a transcript. Whatever is read must
be offered by the scan.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from harkback.engine import Engine
from harkback.projection import project
from harkback.sources.transcripts.base import Format
from harkback.sources.transcripts.codex import Codex
from harkback.sources.transcripts.copilot_cli import CopilotCli
from harkback.sources.transcripts.gemini_cli import GeminiCli
from harkback.sources.transcripts.source import TranscriptSource
from support.hard_text import texts
from support.transcripts import lines

ROLLOUT = "sessions/2026/06/12/rollout-2026-06-12T09-30-00-{}.jsonl"
THREAD = "019eb93c-5740-7f74-b4a3-{:012}"


def codex(said: str, escaped: bool) -> dict[str, bytes]:
    inner = json.dumps({"cmd": said, "deep": [{"more": said}]}, ensure_ascii=escaped)
    shell = json.dumps({"output": said, "metadata": {"exit_code": 0}}, ensure_ascii=escaped)
    preface = "# Context from my IDE setup:\n## My request for Codex:\n"
    block = [{"type": "input_text", "text": preface + said}]
    items: list[dict[str, Any]] = [
        {"type": "message", "role": "user", "content": block},
        {"type": "function_call", "name": "exec", "arguments": inner, "call_id": "c1"},
        {"type": "function_call_output", "output": shell, "call_id": "c1"},
        {"type": "function_call", "name": "exec", "arguments": inner[:-2], "call_id": "c2"},
        {"type": "custom_tool_call", "name": "apply_patch", "input": said, "call_id": "c3"},
        {"type": "local_shell_call", "action": {"command": ["sh", said]}},
        {"type": "web_search_call", "action": {"type": "search", "query": said}},
    ]
    summary = {"type": "compacted", "payload": {"message": said}}
    named = {"type": "message", "role": "assistant", "content": "x"}
    threads = [THREAD.format(number) for number in range(len(items) + 2)]
    index = {"id": threads[-1], "thread_name": said}
    return {
        **{
            ROLLOUT.format(thread): written([record], escaped)
            for thread, record in zip(threads, [*items, summary, named], strict=True)
        },
        "session_index.jsonl": written([index], escaped),
    }


def gemini(said: str, escaped: bool) -> dict[str, bytes]:
    answer = {"functionResponse": {"response": {"output": said}}}
    records: list[dict[str, Any]] = [
        {"id": "1", "type": "user", "content": "expanded", "displayContent": said},
        {"id": "1", "type": "gemini", "content": [{"text": said}]},
        {"id": "1", "type": "gemini", "toolCalls": [{"name": "x", "args": {"a": [said]}}]},
        {"id": "1", "type": "gemini", "toolCalls": [{"name": "x", "result": [answer]}]},
        {"$set": {"summary": said}},
    ]
    name = "tmp/app/chats/session-2026-03-04T09-30-1f0c9a5{}.json{}"
    document = json.dumps({"messages": records[:2]}, ensure_ascii=escaped, indent=1)
    return {
        **{name.format(at, "l"): written([record], escaped) for at, record in enumerate(records)},
        name.format("x", ""): document.encode("utf-8", "surrogatepass"),
    }


def copilot(said: str, escaped: bool) -> dict[str, bytes]:
    request = {"toolCallId": "c1", "name": "bash", "arguments": json.dumps({"command": said})}
    events: list[dict[str, Any]] = [
        {"type": "user.message", "data": {"content": said}},
        {"type": "assistant.message", "data": {"content": said}},
        {"type": "assistant.message", "data": {"toolRequests": [request]}},
        {"type": "tool.execution_complete", "data": {"result": {"detailedContent": said}}},
    ]
    split = written([{"type": "user.message", "data": {"content": f"a\n{said}"}}], escaped)
    begun = json.dumps({"type": "user.message", "data": {"content": "cut"}})[:-6].encode()
    compact = json.dumps(events[0], ensure_ascii=escaped, separators=(",", ":"))
    twice = begun + compact.encode("utf-8", "surrogatepass") + b"\n"
    named = f"id: x\nname: {said}\n".encode("utf-8", "surrogatepass")
    return {
        **{
            f"session-state/{at}/events.jsonl": written([record], escaped)
            for at, record in enumerate(events)
        },
        "session-state/split/events.jsonl": split.replace(b"\\n", b"\n"),
        "session-state/twice/events.jsonl": twice,
        "session-state/named/events.jsonl": lines(
            {"type": "user.message", "data": {"content": "x"}}
        ),
        "session-state/named/workspace.yaml": named,
    }


def written(records: list[dict[str, Any]], escaped: bool) -> bytes:
    return b"".join(
        json.dumps(record, ensure_ascii=escaped).encode("utf-8", "surrogatepass") + b"\n"
        for record in records
    )


@pytest.mark.parametrize(
    ("reader", "build"), [(Codex(), codex), (GeminiCli(), gemini), (CopilotCli(), copilot)]
)
@settings(max_examples=40)
@given(said=texts, escaped=st.booleans(), where=st.floats(0, 1), length=st.integers(1, 12))
def test_what_is_read_is_offered(
    engine: Engine,
    tmp_path: Path,
    reader: Format,
    build: Any,
    said: str,
    escaped: bool,
    where: float,
    length: int,
) -> None:
    for name, content in build(said, escaped).items():
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_bytes(content)
    source = TranscriptSource(reader, tmp_path)
    with source.view(engine) as view:
        for session in view.sessions().sessions:
            for message in view.read(session.id).messages:
                for leaf in project(message):
                    folded = engine.fold(leaf.text)
                    start = int(where * len(folded))
                    term = folded[start : start + length]
                    if term and engine.fold(term) == term:
                        offered = view.scan([term], [session.id]).offered
                        assert session.id in offered, (session.id, message.kind, term)
    source.close()
