"""The server over the standard streams of its process, one JSON-RPC message a line.

Reading has a thread of its own that is never waited for. Invariant: whatever a client sends, what
comes out is JSON-RPC, line by line; when its end closes, the server ends.
Proof: tests/surfaces/mcp/test_stdio.py.
"""

from __future__ import annotations

import io
import os
import sys
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from functools import partial
from typing import Any, BinaryIO, TypeAlias

import anyio
import anyio.from_thread
import anyio.to_thread
from anyio.streams.memory import MemoryObjectReceiveStream, MemoryObjectSendStream
from mcp.server.lowlevel import Server
from mcp.shared.message import SessionMessage
from mcp_types import (
    INVALID_REQUEST,
    PARSE_ERROR,
    ErrorData,
    JSONRPCError,
    jsonrpc_message_adapter,
)
from pydantic import ValidationError

from harkback.mcp.ending import Ending

_Inward: TypeAlias = MemoryObjectSendStream[SessionMessage | Exception]
_Outward: TypeAlias = MemoryObjectSendStream[SessionMessage]


def serve(server: Server[Any], wire: int, ending: Ending) -> None:
    """Serves until the client closes its end or a signal comes; then the process ends.

    Args:
        wire: the descriptor that answers are written to.
    """
    source = io.BytesIO() if sys.stdin is None else sys.stdin.buffer
    with os.fdopen(wire, "wb") as sink:
        ending.after(anyio.run, _serve, server, source, sink, ending.begin)


async def _serve(
    server: Server[Any], source: BinaryIO, wire: BinaryIO, gone: Callable[[], None]
) -> None:
    async with _streams(source, wire, gone) as (inward, outward):
        await server.run(inward, outward, server.create_initialization_options())


@asynccontextmanager
async def _streams(
    source: BinaryIO, wire: BinaryIO, gone: Callable[[], None]
) -> AsyncIterator[tuple[MemoryObjectReceiveStream[SessionMessage | Exception], _Outward]]:
    """The two streams of the SDK over two of bytes.

    Args:
        gone: told when the client has closed its end of either.
    """
    inward, received = anyio.create_memory_object_stream[SessionMessage | Exception]()
    outward, sent = anyio.create_memory_object_stream[SessionMessage]()

    async def speak() -> None:
        async with sent:
            async for message in sent:
                text = message.message.model_dump_json(by_alias=True, exclude_unset=True)
                await anyio.to_thread.run_sync(_write, wire, f"{text}\n".encode(), gone)

    async def listen() -> None:
        async with inward, outward.clone() as answers:
            hear = partial(_hear, source, inward, answers)
            await anyio.to_thread.run_sync(hear, abandon_on_cancel=True)
            gone()

    async with anyio.create_task_group() as both:
        both.start_soon(listen)
        both.start_soon(speak)
        yield received, outward


def _hear(source: BinaryIO, inward: _Inward, answers: _Outward) -> None:
    """Hands on what the client sends, and answers what is no message, until it closes its end."""
    for line in source:
        if not line.strip():
            continue
        try:
            message = SessionMessage(jsonrpc_message_adapter.validate_json(line, by_name=False))
        except ValidationError as error:
            is_json = error.errors(include_input=False)[0]["type"] != "json_invalid"
            anyio.from_thread.run(answers.send, SessionMessage(_refusal(is_json)))
        else:
            anyio.from_thread.run(inward.send, message)


def _refusal(is_json: bool) -> JSONRPCError:
    code, message = (INVALID_REQUEST, "Invalid request") if is_json else (PARSE_ERROR, "Not JSON")
    return JSONRPCError(jsonrpc="2.0", id=None, error=ErrorData(code=code, message=message))


def _write(wire: BinaryIO, data: bytes, gone: Callable[[], None]) -> None:
    try:
        wire.write(data)
        wire.flush()
    except OSError:
        gone()
