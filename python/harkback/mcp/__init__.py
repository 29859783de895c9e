"""The MCP server: the tools of ``harkback.tools`` for any client that speaks the protocol.

``server`` says what is served, ``calls`` runs it, ``stdio`` and ``http`` carry it, ``ending`` ends
it. The package alone needs nothing; whoever serves needs the extra ``harkback[mcp]``.
"""
