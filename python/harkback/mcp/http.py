"""The server over streamable HTTP, for clients on this machine alone.

Invariant: it listens on a loopback address or not at all, and a request that names another host, or
comes from a page of another origin, is refused before it is read: a web page whose name was made
to point here gets nothing. Proof: tests/surfaces/mcp/test_http.py.
"""

from __future__ import annotations

import socket
import sys
from collections.abc import Generator
from contextlib import contextmanager
from typing import Any, Final

import anyio
import uvicorn
from mcp.server.lowlevel import Server
from mcp.server.transport_security import TransportSecuritySettings

from harkback.errors import UsageError
from harkback.mcp.ending import Ending

LOOPBACK: Final = ("127.0.0.1", "::1", "localhost")
PATH: Final = "/mcp"


class _Quiet(uvicorn.Server):
    @contextmanager
    def capture_signals(self) -> Generator[None, None, None]:
        """Leaves them to ``Ending``."""
        yield


def listen(host: str, port: int) -> socket.socket:
    """A socket that only this machine reaches; port 0 takes any that is free.

    Raises:
        UsageError: ``not_loopback``.
        OSError: the port is taken.
    """
    if host not in LOOPBACK:
        names = ", ".join(LOOPBACK)
        raise UsageError("not_loopback", f"Only this machine may connect; name one of: {names}.")
    family = socket.AF_INET6 if host == "::1" else socket.AF_INET
    listening = socket.socket(family, socket.SOCK_STREAM)
    if sys.platform != "win32":  # there it would let another program share the port
        listening.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    listening.bind(("127.0.0.1" if host == "localhost" else host, port))
    listening.listen()
    return listening


def serve(server: Server[Any], listening: socket.socket, ending: Ending) -> None:
    """Serves until a signal comes; then the process ends."""
    port = listening.getsockname()[1]
    names = [f"{name}:{port}" for name in ("127.0.0.1", "[::1]", "localhost")]
    app = server.streamable_http_app(
        streamable_http_path=PATH,
        transport_security=TransportSecuritySettings(
            allowed_hosts=names, allowed_origins=[f"http://{name}" for name in names]
        ),
    )
    config = uvicorn.Config(app, log_config=None, access_log=False, ws="none", lifespan="on")
    ending.after(anyio.run, _Quiet(config).serve, [listening])


def address(listening: socket.socket) -> str:
    """What a client is given."""
    host, port = listening.getsockname()[:2]
    return f"http://{f'[{host}]' if ':' in host else host}:{port}{PATH}"
