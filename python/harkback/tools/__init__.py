"""The three tools that an agent calls, as data, and the Toolset that answers their calls.

``TOOLS`` says what they are; a ``Toolset`` binds those that a host grants to one Recall; each
module of ``harkback.tools.adapters`` hands a Toolset to one library and imports it only then.
"""

from __future__ import annotations

from harkback.tools.answer import ToolAnswer
from harkback.tools.specs import TOOLS, ToolSpec
from harkback.tools.toolset import Toolset

__all__ = ["TOOLS", "ToolAnswer", "ToolSpec", "Toolset"]
