"""Harkback: Recall over AI-agent session history.

A few literal terms in; passages of past Sessions out, with what was not searched named beside them.
Stages in the order of the data flow: sources, projection, redaction, query, candidates, corpus,
verification, ranking, windows, facts, passages, materials, envelope, recall; above them the tools,
the MCP server and the command line.

What is public is loaded when it is first asked for: a host pays for what it uses, when it uses it.
Proof: tests/surfaces/test_import.py.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any, Final

if TYPE_CHECKING:
    from harkback.cache import SegmentCache
    from harkback.envelope import Envelope
    from harkback.errors import (
        CacheError,
        HarkbackError,
        QueryError,
        SettingsError,
        SourceError,
        StoreError,
        UsageError,
    )
    from harkback.facts.base import Evidence
    from harkback.facts.files import MemoryFiles
    from harkback.facts.memory import MemoryStore
    from harkback.facts.store import FactStore
    from harkback.materials import MaterialReading
    from harkback.model import Fact, Gap, Material, Passage, PassageMessage, Rule, Session
    from harkback.query import terms_from_query
    from harkback.recall import Recall
    from harkback.redaction import DEFAULT as DEFAULT_POLICY
    from harkback.redaction import STRICT as STRICT_POLICY
    from harkback.redaction import Finder, Policy
    from harkback.sources.sqlite.source import SqliteSource
    from harkback.store import Store

    __version__: str

__all__ = [
    "DEFAULT_POLICY",
    "STRICT_POLICY",
    "CacheError",
    "Envelope",
    "Evidence",
    "Fact",
    "FactStore",
    "Finder",
    "Gap",
    "HarkbackError",
    "Material",
    "MaterialReading",
    "MemoryFiles",
    "MemoryStore",
    "Passage",
    "PassageMessage",
    "Policy",
    "QueryError",
    "Recall",
    "Rule",
    "SegmentCache",
    "Session",
    "SettingsError",
    "SourceError",
    "SqliteSource",
    "Store",
    "StoreError",
    "UsageError",
    "__version__",
    "terms_from_query",
]

_HOMES: Final = {
    "DEFAULT_POLICY": "harkback.redaction",
    "STRICT_POLICY": "harkback.redaction",
    "CacheError": "harkback.errors",
    "Envelope": "harkback.envelope",
    "Evidence": "harkback.facts.base",
    "Fact": "harkback.model",
    "FactStore": "harkback.facts.store",
    "Finder": "harkback.redaction",
    "Gap": "harkback.model",
    "HarkbackError": "harkback.errors",
    "Material": "harkback.model",
    "MaterialReading": "harkback.materials",
    "MemoryFiles": "harkback.facts.files",
    "MemoryStore": "harkback.facts.memory",
    "Passage": "harkback.model",
    "PassageMessage": "harkback.model",
    "Policy": "harkback.redaction",
    "QueryError": "harkback.errors",
    "Recall": "harkback.recall",
    "Rule": "harkback.model",
    "SegmentCache": "harkback.cache",
    "Session": "harkback.model",
    "SettingsError": "harkback.errors",
    "SourceError": "harkback.errors",
    "SqliteSource": "harkback.sources.sqlite.source",
    "Store": "harkback.store",
    "StoreError": "harkback.errors",
    "UsageError": "harkback.errors",
    "terms_from_query": "harkback.query",
}


def __getattr__(name: str) -> Any:
    value: Any
    if name == "__version__":
        from importlib.metadata import version

        value = version("harkback")
    elif name in _HOMES:
        value = getattr(import_module(_HOMES[name]), name.removesuffix("_POLICY"))
    else:
        raise AttributeError(f"module 'harkback' has no attribute {name!r}")
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
