"""Builds stores of facts row by row, as a host writes them: the damaged ones too."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterable
from pathlib import Path
from typing import Any

from harkback import Envelope, Recall
from harkback.engine import Engine
from harkback.facts.schema import SCHEMA
from support.stores import BASE_MS


class MemoryBuilder:
    """A ``memory.sqlite`` under construction; rows are committed as they are added."""

    def __init__(self, path: Path, schema: str = SCHEMA) -> None:
        self.path = path
        self.db = sqlite3.connect(path, isolation_level=None)
        self.db.execute("PRAGMA synchronous=OFF")
        self.db.executescript(schema)
        self._number = 0

    def close(self) -> None:
        self.db.close()

    def fact(
        self,
        content: Any,
        *,
        keys: Iterable[Any] = (),
        sources: Iterable[tuple[Any, Any, Any]] = (),
        **columns: Any,
    ) -> Any:
        """One fact; ``sources`` are (Session, Turn, event)."""
        self._number += 1
        at = BASE_MS + 1000 * self._number
        updated = columns.get("updated_at", at)
        observed = min(at, updated) if isinstance(updated, int) else at
        values = {
            "item_id": f"item-{self._number:04}",
            "version": 1,
            "content": content,
            "kind": "knowledge",
            "statement_type": "fact",
            "temporal_type": "undated",
            "scope_type": "workspace" if columns.get("scope_key") is not None else "global",
            "observed_at": observed,
            "lifecycle_state": "active",
            "origin": "agent_extracted",
            "content_hash": "0" * 64,
            "created_at": 0,
            "updated_at": at,
            **columns,
        }
        self.insert("memory_items", **values)
        item = values["item_id"]
        for key in keys:
            self.key(item, key)
        for session, turn, event in sources:
            self.db.execute(
                "INSERT INTO memory_item_sources VALUES (?, ?, 'run-1', ?, ?)",
                (item, session, turn, event),
            )
        return item

    def key(self, item: Any, key: Any) -> None:
        normal = key.strip() if isinstance(key, str) else key
        self.db.execute(
            "INSERT INTO memory_item_keys VALUES (?, ?, ?, 'concept', 'llm')", (item, key, normal)
        )

    def insert(self, table: str, **values: Any) -> None:
        names, marks = ", ".join(values), ", ".join("?" * len(values))
        self.db.execute(f"INSERT INTO {table} ({names}) VALUES ({marks})", list(values.values()))


def ask(
    engine: Engine, *terms: str, facts: Iterable[Any], sources: Any = (), **options: Any
) -> Envelope:
    """One search of a Recall of its own."""
    eligible = options.pop("eligible", None)
    excluded = options.pop("exclude_projects", ())
    with Recall(
        *sources, engine=engine.name, facts=facts, eligible=eligible, exclude_projects=excluded
    ) as recall:
        return recall.search(terms, **options)


def contents(answer: Envelope) -> list[str]:
    return [fact.content for fact in answer.facts]


def gaps(answer: Envelope) -> dict[str, int | None]:
    """Counts of the Gaps that are not about versions or terms."""
    usual = ("not_searched", "term_without_match")
    return {gap.code: gap.count for gap in answer.gaps if gap.code not in usual}
