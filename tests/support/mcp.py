"""MCP servers as real processes: through the SDK's own client, and through raw lines.

A server may be started with a patch: Python that runs before the command, to make a search slow or
noisy. It finds ``harkback.recall`` imported as ``recall``.
"""

from __future__ import annotations

import json
import os
import queue
import subprocess
import sys
import threading
import time
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager, contextmanager, suppress
from typing import Any

from mcp import ClientSession, StdioServerParameters, stdio_client

PATIENCE_SECONDS = 30
#: A search that goes on until it is cancelled, and says when it is.
ENDLESS = """
import sys
from harkback import QueryError
def search(*_, cancel, **__):
    print("searching", file=sys.stderr, flush=True)
    cancel.wait(60)
    print("cancelled", file=sys.stderr, flush=True)
    raise QueryError("cancelled", "The caller gave up.")
recall.Recall.search = search
"""
HELLO = {
    "protocolVersion": "2025-11-25",
    "capabilities": {},
    "clientInfo": {"name": "test", "version": "0"},
}


def started(*options: str | os.PathLike[str], patch: str = "") -> list[str]:
    """The command of a server."""
    main = "from harkback.cli import main; main()"
    code = f"import harkback.recall as recall\n{patch}\n{main}"
    start = ["-c", code] if patch else ["-m", "harkback"]
    return [sys.executable, *start, "mcp", *map(os.fspath, options)]


@asynccontextmanager
async def client(*options: str | os.PathLike[str], patch: str = "") -> AsyncIterator[ClientSession]:
    """A session of the SDK's client, initialized."""
    command, *arguments = started(*options, patch=patch)
    server = StdioServerParameters(command=command, args=arguments, env=dict(os.environ))
    async with stdio_client(server) as streams, ClientSession(*streams) as session:
        await session.initialize()
        yield session


class Raw:
    """A server, spoken to line by line; keeps every byte that it writes."""

    def __init__(self, *options: str | os.PathLike[str], patch: str = "", hello: bool = True):
        self.process = subprocess.Popen(
            started(*options, patch=patch),
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            # Buffered, as a client starts it: what is printed must not wait to reach the wire.
            env={k: v for k, v in os.environ.items() if k != "PYTHONUNBUFFERED"},
        )
        self.out: list[bytes] = []
        self.err: list[bytes] = []
        self._lines: queue.Queue[bytes] = queue.Queue()
        self._readers = [
            threading.Thread(target=self._read, args=(pipe, kept), daemon=True)
            for pipe, kept in ((self.process.stdout, self.out), (self.process.stderr, self.err))
        ]
        for reader in self._readers:
            reader.start()
        self._ids = 0
        if hello:
            assert "result" in self.ask("initialize", HELLO)
            self.send({"jsonrpc": "2.0", "method": "notifications/initialized"})

    def _read(self, pipe: Any, kept: list[bytes]) -> None:
        for line in pipe:
            kept.append(line)
            if kept is self.out:
                self._lines.put(line)

    def send(self, message: object) -> None:
        """One line, of an object or as it is."""
        line = message if isinstance(message, bytes) else json.dumps(message).encode() + b"\n"
        assert self.process.stdin is not None
        self.process.stdin.write(line)
        self.process.stdin.flush()

    def request(self, method: str, params: dict[str, Any] | None = None) -> int:
        """Sends a request; gives its id."""
        self._ids += 1
        message = {"jsonrpc": "2.0", "id": self._ids, "method": method}
        self.send(message if params is None else {**message, "params": params})
        return self._ids

    def call(self, name: str, arguments: dict[str, Any], **meta: Any) -> int:
        """Sends the call of a tool; gives its id."""
        params: dict[str, Any] = {"name": name, "arguments": arguments}
        return self.request("tools/call", {**params, "_meta": meta} if meta else params)

    def receive(self, seconds: float = PATIENCE_SECONDS) -> dict[str, Any]:
        """The next message."""
        message: dict[str, Any] = json.loads(self._lines.get(timeout=seconds))
        return message

    def ask(self, method: str, params: dict[str, Any] | None = None) -> dict[str, Any]:
        """The answer of a request; nothing else may come before it."""
        number = self.request(method, params)
        message = self.receive()
        assert message["id"] == number
        return message

    def said(self, text: bytes) -> None:
        """Waits until a line of standard error is this one."""
        end = time.monotonic() + PATIENCE_SECONDS
        while text + b"\n" not in self.err:
            assert time.monotonic() < end, self.err
            time.sleep(0.005)

    def leave(self) -> tuple[int, float]:
        """Closes this end; gives the exit code and how many seconds it took."""
        began = time.monotonic()
        assert self.process.stdin is not None
        self.process.stdin.close()
        return self.wait(), time.monotonic() - began

    def wait(self) -> int:
        """The exit code, once all that was written is read."""
        code = self.process.wait(PATIENCE_SECONDS)
        for reader in self._readers:
            reader.join()
        return code


@contextmanager
def raw(*options: str | os.PathLike[str], patch: str = "", hello: bool = True) -> Iterator[Raw]:
    """A server that is gone at the end, whatever happens."""
    server = Raw(*options, patch=patch, hello=hello)
    try:
        yield server
    finally:
        server.process.kill()
        server.wait()
        for pipe in (server.process.stdin, server.process.stdout, server.process.stderr):
            assert pipe is not None
            with suppress(BrokenPipeError):
                pipe.close()
