"""Harkback: Recall over AI-agent session history.

A few literal terms in; passages of past Sessions out, with what was not searched named beside them.
Stages in the order of the data flow: sources, projection, redaction, query, candidates, corpus,
verification, ranking, windows, passages, envelope, recall; above them the command line.
"""

from __future__ import annotations

from harkback.envelope import Envelope
from harkback.errors import HarkbackError, QueryError, SourceError, StoreError, UsageError
from harkback.model import Gap, Passage, PassageMessage, Session
from harkback.query import terms_from_query
from harkback.recall import Recall
from harkback.redaction import Policy
from harkback.sources.sqlite.source import SqliteSource
from harkback.store import Store

__all__ = [
    "Envelope",
    "Gap",
    "HarkbackError",
    "Passage",
    "PassageMessage",
    "Policy",
    "QueryError",
    "Recall",
    "Session",
    "SourceError",
    "SqliteSource",
    "Store",
    "StoreError",
    "UsageError",
    "__version__",
    "terms_from_query",
]

__version__: str


def __getattr__(name: str) -> str:
    """``__version__`` when it is asked for: reading the metadata takes as long as all the rest."""
    if name == "__version__":
        from importlib.metadata import version

        return version("harkback")
    raise AttributeError(f"module 'harkback' has no attribute {name!r}")
