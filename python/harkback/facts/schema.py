"""The tables of a host's ``memory.sqlite``. Facts of the host, not of Harkback.

``SCHEMA`` creates what a reader may meet; ``NEEDED`` names the columns that a reader cannot do
without, so that a newer schema which still has them is read.
"""

from __future__ import annotations

from typing import Final, Literal, TypeAlias

MEMORY_SCHEMA_VERSION: Final = 5  # PRAGMA user_version
MEMORY_NAME: Final = "memory.sqlite"

FactKind: TypeAlias = Literal["preference", "identity", "context", "knowledge", "failure", "note"]
Origin: TypeAlias = Literal["agent_extracted", "user_requested"]

MAX_CONTENT_CODE_POINTS: Final = 2000
MAX_KEYS: Final = 32
MAX_KEY_CODE_POINTS: Final = 256
MAX_SOURCES: Final = 256
MAX_IDENTIFIER_CODE_POINTS: Final = 512

SCHEMA: Final = """
CREATE TABLE memory_items (
  item_id TEXT PRIMARY KEY,
  version INTEGER NOT NULL CHECK (version >= 1),
  content TEXT NOT NULL CHECK (length(content) > 0),
  kind TEXT NOT NULL
    CHECK (kind IN ('preference', 'identity', 'context', 'knowledge', 'failure', 'note')),
  statement_type TEXT NOT NULL CHECK (statement_type IN ('fact', 'plan', 'prediction')),
  temporal_type TEXT NOT NULL
    CHECK (temporal_type IN ('undated', 'point', 'interval', 'open_ended')),
  scope_type TEXT NOT NULL CHECK (scope_type IN ('global', 'workspace')),
  scope_key TEXT,
  event_started_at INTEGER,
  event_ended_at INTEGER,
  observed_at INTEGER NOT NULL CHECK (observed_at >= 0),
  lifecycle_state TEXT NOT NULL CHECK (lifecycle_state IN ('active', 'archived')),
  origin TEXT NOT NULL CHECK (origin IN ('agent_extracted', 'user_requested')),
  content_hash TEXT NOT NULL CHECK (length(content_hash) = 64),
  created_at INTEGER NOT NULL,
  updated_at INTEGER NOT NULL,
  CHECK ((scope_type = 'global') = (scope_key IS NULL)),
  CHECK (created_at <= updated_at),
  CHECK (observed_at <= updated_at),
  CHECK (
    CASE temporal_type
      WHEN 'undated' THEN event_started_at IS NULL AND event_ended_at IS NULL
      WHEN 'point' THEN event_started_at IS NOT NULL AND event_ended_at IS NULL
      WHEN 'interval' THEN event_started_at IS NOT NULL AND event_ended_at >= event_started_at
      ELSE event_started_at IS NOT NULL AND event_ended_at IS NULL
    END
  )
);
CREATE INDEX memory_items_by_scope
  ON memory_items (scope_type, scope_key, lifecycle_state, updated_at DESC, item_id);
CREATE TABLE memory_item_keys (
  item_id TEXT NOT NULL REFERENCES memory_items (item_id) ON DELETE CASCADE,
  key_text TEXT NOT NULL,
  normalized_key TEXT NOT NULL,
  key_type TEXT NOT NULL CHECK (key_type IN ('exact', 'entity', 'concept', 'alias', 'code')),
  key_origin TEXT NOT NULL CHECK (key_origin IN ('deterministic', 'llm', 'user')),
  PRIMARY KEY (item_id, normalized_key)
) WITHOUT ROWID;
CREATE INDEX memory_item_keys_by_key ON memory_item_keys (normalized_key, item_id);
CREATE TABLE memory_item_sources (
  item_id TEXT NOT NULL REFERENCES memory_items (item_id) ON DELETE CASCADE,
  session_id TEXT NOT NULL,
  run_id TEXT NOT NULL,
  turn_id TEXT NOT NULL,
  event_id TEXT NOT NULL,
  PRIMARY KEY (item_id, event_id)
) WITHOUT ROWID;
CREATE TABLE memory_write_operations (
  operation_id TEXT PRIMARY KEY,
  operation_type TEXT NOT NULL
    CHECK (operation_type IN ('create', 'update', 'archive', 'restore', 'batch')),
  request_hash TEXT NOT NULL CHECK (length(request_hash) = 64),
  result_json TEXT NOT NULL,
  committed_at INTEGER NOT NULL
);
CREATE TABLE memory_extraction_cursors (
  session_id TEXT PRIMARY KEY,
  processed_ordinal INTEGER NOT NULL CHECK (processed_ordinal > 0),
  updated_at INTEGER NOT NULL
);
CREATE TABLE memory_extraction_receipts (
  operation_id TEXT PRIMARY KEY REFERENCES memory_write_operations (operation_id),
  session_id TEXT NOT NULL,
  request_hash TEXT NOT NULL CHECK (length(request_hash) = 64),
  result_json TEXT NOT NULL,
  committed_at INTEGER NOT NULL
);
CREATE TABLE memory_extraction_failures (
  session_id TEXT PRIMARY KEY,
  from_ordinal INTEGER NOT NULL,
  through_ordinal INTEGER NOT NULL,
  coverage_hash TEXT NOT NULL,
  first_operation_id TEXT NOT NULL UNIQUE,
  first_trigger TEXT NOT NULL CHECK (first_trigger IN ('remember', 'extract', 'compaction')),
  compaction_checkpoint_id TEXT,
  first_failure_class TEXT NOT NULL CHECK (
    first_failure_class IN
      ('provider', 'schema', 'evidence', 'localization', 'requested_admission')
  ),
  failed_at INTEGER NOT NULL,
  CHECK ((first_trigger = 'compaction') = (compaction_checkpoint_id IS NOT NULL))
);
CREATE TABLE memory_compaction_policy_denials (
  session_id TEXT NOT NULL,
  compaction_checkpoint_id TEXT NOT NULL,
  denied_at INTEGER NOT NULL,
  PRIMARY KEY (session_id, compaction_checkpoint_id)
);
"""

#: Columns without which a database is no store of facts that can be read.
NEEDED: Final[dict[str, tuple[str, ...]]] = {
    "memory_items": (
        "item_id",
        "content",
        "kind",
        "scope_type",
        "scope_key",
        "observed_at",
        "lifecycle_state",
        "updated_at",
    ),
    "memory_item_keys": ("item_id", "key_text"),
    "memory_item_sources": ("item_id", "session_id", "turn_id", "event_id"),
}
