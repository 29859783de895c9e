"""The MCP server: the tools of ``harkback.tools`` for any client that speaks the protocol.

``server`` says what is served, ``calls`` runs it, ``stdio`` and ``http`` carry it, ``ending`` ends
it. Everything but ``wire`` and ``later`` needs the extra ``harkback[mcp]``, and is imported only by
who serves.
"""
