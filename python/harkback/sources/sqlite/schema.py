"""The tables of a host store (two files of history in one database: ledger and pre-ledger).

Facts of the host, not of Harkback. ``SCHEMA`` creates what a reader may meet;
``NEEDED`` names the columns that a reader cannot do without, so that a newer schema which still
has them is read.
"""

from __future__ import annotations

from typing import Final

RUNTIME_SCHEMA_VERSION: Final = 12  # PRAGMA user_version
METADATA_SCHEMA_VERSION: Final = 28  # session_metadata_schema.version
#: The newest of which it is known what they changed: versions 13 to 17 added indexes.
KNOWN_RUNTIME_VERSION: Final = 17
CHUNK_MARKER: Final = '{"$maka":"session-message-chunks-v1"}'
CHUNK_BYTES: Final = 65_536  # a record longer than this is cut in slices of exactly this length

SCHEMA: Final = """
CREATE TABLE runtime_events (
  event_id TEXT PRIMARY KEY,
  session_id TEXT NOT NULL,
  invocation_id TEXT NOT NULL,
  run_id TEXT NOT NULL,
  turn_id TEXT NOT NULL,
  event_seq INTEGER NOT NULL CHECK (event_seq > 0),
  event_kind TEXT NOT NULL,
  payload_json TEXT NOT NULL,
  committed_at INTEGER NOT NULL,
  UNIQUE (invocation_id, event_seq)
);
CREATE INDEX runtime_events_by_run ON runtime_events (session_id, run_id, event_seq);
CREATE INDEX runtime_events_by_session ON runtime_events (session_id, committed_at, event_id);
CREATE TABLE runtime_partial_snapshots (
  stream_key TEXT PRIMARY KEY,
  session_id TEXT NOT NULL,
  invocation_id TEXT NOT NULL,
  run_id TEXT NOT NULL,
  turn_id TEXT NOT NULL,
  after_event_id TEXT,
  payload_json TEXT NOT NULL,
  text_content TEXT NOT NULL,
  updated_at INTEGER NOT NULL
);
CREATE INDEX runtime_partial_snapshots_by_run
  ON runtime_partial_snapshots (session_id, run_id, updated_at, stream_key);
CREATE TABLE runtime_partial_segments (
  stream_key TEXT NOT NULL REFERENCES runtime_partial_snapshots (stream_key) ON DELETE CASCADE,
  segment_seq INTEGER NOT NULL CHECK (segment_seq > 0),
  text_content TEXT NOT NULL,
  updated_at INTEGER NOT NULL,
  PRIMARY KEY (stream_key, segment_seq)
);
CREATE TABLE runtime_session_event_ordinals (
  session_id TEXT NOT NULL,
  ordinal INTEGER NOT NULL CHECK (ordinal > 0),
  event_id TEXT NOT NULL UNIQUE REFERENCES runtime_events (event_id) ON DELETE CASCADE,
  PRIMARY KEY (session_id, ordinal)
) WITHOUT ROWID;
CREATE TABLE core_agent_runs (
  session_id TEXT NOT NULL,
  run_id TEXT NOT NULL,
  created_at INTEGER NOT NULL,
  record_json TEXT NOT NULL,
  latest_model_call_sequence INTEGER,
  PRIMARY KEY (session_id, run_id)
);
CREATE TABLE session_metadata_schema (scope TEXT PRIMARY KEY, version INTEGER NOT NULL);
CREATE TABLE session_metadata (
  session_id TEXT PRIMARY KEY,
  payload_json TEXT NOT NULL,
  created_at INTEGER NOT NULL,
  last_used_at INTEGER NOT NULL,
  last_message_at INTEGER,
  name TEXT NOT NULL,
  is_flagged INTEGER NOT NULL,
  is_archived INTEGER NOT NULL,
  parent_session_id TEXT,
  revision_root_session_id TEXT,
  revision_index INTEGER,
  has_unread INTEGER NOT NULL,
  backend TEXT NOT NULL,
  llm_connection_slug TEXT NOT NULL,
  model TEXT NOT NULL,
  metadata_version INTEGER NOT NULL,
  committed_at INTEGER NOT NULL,
  subagent_parent_session_id TEXT,
  subagent_parent_run_id TEXT,
  subagent_tool_call_id TEXT,
  subagent_swarm_id TEXT,
  subagent_item_id TEXT,
  subagent_request_fingerprint TEXT,
  subagent_initial_turn_id TEXT,
  subagent_initial_run_id TEXT,
  external_adapter_id TEXT,
  external_source_session_id TEXT
);
CREATE INDEX session_metadata_by_recency
  ON session_metadata (is_archived, last_message_at DESC, last_used_at DESC, session_id);
CREATE TABLE session_metadata_tombstones (
  session_id TEXT PRIMARY KEY,
  deleted_at INTEGER NOT NULL,
  retirement_unit_id TEXT,
  cleanup_pending INTEGER NOT NULL DEFAULT 0
);
CREATE TABLE session_messages (
  session_id TEXT NOT NULL REFERENCES session_metadata (session_id) ON DELETE CASCADE,
  sequence INTEGER NOT NULL CHECK (sequence >= 0),
  message_id TEXT NOT NULL,
  message_type TEXT NOT NULL,
  message_ts INTEGER NOT NULL,
  record_json TEXT NOT NULL,
  PRIMARY KEY (session_id, sequence)
);
CREATE INDEX session_messages_by_identity ON session_messages (session_id, message_id);
CREATE INDEX session_messages_by_time ON session_messages (session_id, message_ts, sequence);
CREATE TABLE session_message_payloads (
  session_id TEXT NOT NULL,
  sequence INTEGER NOT NULL,
  record_bytes INTEGER NOT NULL CHECK (record_bytes > 65536),
  sha256 TEXT NOT NULL CHECK (length(sha256) = 64),
  PRIMARY KEY (session_id, sequence),
  FOREIGN KEY (session_id, sequence)
    REFERENCES session_messages (session_id, sequence) ON DELETE CASCADE
) WITHOUT ROWID;
CREATE TABLE session_message_chunks (
  session_id TEXT NOT NULL,
  sequence INTEGER NOT NULL,
  chunk_index INTEGER NOT NULL CHECK (chunk_index >= 0),
  data BLOB NOT NULL CHECK (length(data) BETWEEN 1 AND 65536),
  sha256 TEXT NOT NULL CHECK (length(sha256) = 64),
  PRIMARY KEY (session_id, sequence, chunk_index),
  FOREIGN KEY (session_id, sequence)
    REFERENCES session_message_payloads (session_id, sequence) ON DELETE CASCADE
) WITHOUT ROWID;
CREATE TABLE projects (
  project_id TEXT PRIMARY KEY,
  identity TEXT NOT NULL UNIQUE,
  name TEXT NOT NULL,
  last_used_at INTEGER NOT NULL,
  archived_at INTEGER
);
CREATE TABLE project_locations (
  project_id TEXT NOT NULL,
  path TEXT NOT NULL,
  is_worktree INTEGER NOT NULL,
  last_used_at INTEGER NOT NULL,
  PRIMARY KEY (project_id, path)
);
"""

#: Columns without which a table counts as missing. A newer schema that still has them is read.
NEEDED: Final[dict[str, tuple[str, ...]]] = {
    "session_metadata": ("session_id", "payload_json", "created_at", "last_used_at", "name"),
    "session_metadata_tombstones": ("session_id",),
    "runtime_events": (
        "event_id",
        "session_id",
        "run_id",
        "turn_id",
        "event_seq",
        "event_kind",
        "payload_json",
        "committed_at",
    ),
    "core_agent_runs": ("session_id", "run_id", "created_at", "record_json"),
    "runtime_partial_snapshots": (
        "stream_key",
        "session_id",
        "run_id",
        "turn_id",
        "after_event_id",
        "payload_json",
        "text_content",
        "updated_at",
    ),
    "runtime_partial_segments": ("stream_key", "segment_seq", "text_content", "updated_at"),
    "session_messages": (
        "session_id",
        "sequence",
        "message_id",
        "message_type",
        "message_ts",
        "record_json",
    ),
    "session_message_payloads": ("session_id", "sequence", "record_bytes", "sha256"),
    "session_message_chunks": ("session_id", "sequence", "chunk_index", "data", "sha256"),
}

#: A database with none of these is no store at all.
IDENTIFYING: Final = ("session_metadata", "runtime_events", "session_messages")

#: Kinds and types that can carry visible text; everything else is a control fact.
EVENT_KINDS: Final = ("text", "function_call", "function_response")
MESSAGE_TYPES: Final = ("user", "assistant", "tool_call", "tool_result")
