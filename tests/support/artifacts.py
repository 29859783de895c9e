"""Files as a host keeps them beside its store, and the references that Messages have to them."""

from __future__ import annotations

from typing import Any

from support.stores import StoreBuilder, dumps

SCHEMA = """
CREATE TABLE IF NOT EXISTS artifact_records (
  storage_key TEXT PRIMARY KEY,
  artifact_id TEXT NOT NULL,
  session_id TEXT NOT NULL,
  created_at INTEGER NOT NULL,
  status TEXT NOT NULL,
  relative_path TEXT NOT NULL UNIQUE,
  record_json TEXT NOT NULL
);
"""


def artifact(
    builder: StoreBuilder,
    session: str,
    name: str,
    data: bytes | None,
    *,
    id: str = "art_1",
    status: str = "live",
    path: str | None = None,
    size: object = None,
    schema: str = SCHEMA,
) -> str:
    """Adds a row, and the file unless there is no ``data``; gives the artifact's id."""
    builder.db.executescript(schema)
    relative = path or f"{session}/{id}-{name}"
    if data is not None:
        place = builder.path.parent / "artifacts" / relative
        place.parent.mkdir(parents=True, exist_ok=True)
        place.write_bytes(data)
    known = len(data or b"") if size is None else size
    record = {"id": id, "sessionId": session, "name": name, "sizeBytes": known}
    columns = {
        "storage_key": f"{session}:{id}",
        "artifact_id": id,
        "session_id": session,
        "created_at": 1,
        "status": status,
        "relative_path": relative,
        "record_json": dumps(record),
    }
    if "status" not in schema:
        del columns["status"]
    names, marks = ", ".join(columns), ", ".join("?" * len(columns))
    builder.db.execute(
        f"INSERT INTO artifact_records ({names}) VALUES ({marks})", list(columns.values())
    )
    return id


def stored(session: str, path: str) -> dict[str, Any]:
    """A reference to a file of a Session."""
    return {"kind": "session_file", "sessionId": session, "relativePath": path}


def attached(
    name: str, size: object, ref: object, kind: str = "doc", mime: str = "text/plain"
) -> dict[str, Any]:
    """An attachment of a prompt."""
    return {"name": name, "kind": kind, "mimeType": mime, "bytes": size, "ref": ref}


def prompt(builder: StoreBuilder, session: str, text: str, *files: Any, **more: Any) -> str:
    """A prompt with attachments, in the ledger."""
    content = {"kind": "text", "text": text, "attachments": list(files)}
    return builder.event(session, content, role="user", **more)
