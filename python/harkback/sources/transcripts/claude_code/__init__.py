"""Claude Code: transcripts under ``projects``, one line a row. Facts: docs/claude-code.md."""

from harkback.sources.transcripts.claude_code.finding import roots
from harkback.sources.transcripts.claude_code.format import ClaudeCode

__all__ = ["ClaudeCode", "roots"]
