"""Files that a host keeps beside its database, for the Messages that name them.

A Message names a file of its own Session: the id of an artifact, whose row tells its path under
``artifacts``; in older stores a path under ``sessions`` and the Session's id. Invariant: what is
read is a file of the Session that the Message is in, live, of the size that was recorded, inside
one of these two folders. Proof: tests/sources/test_artifacts.py.
"""

from __future__ import annotations

import re
import sqlite3
from typing import Final

from harkback import decoding
from harkback.sources.plain import read_within
from harkback.sources.sqlite.base import columns_of

STORED: Final = "session_file"  # kind of a reference to a file that a Session owns
_NEEDED: Final = {"artifact_id", "session_id", "relative_path", "record_json"}
_ID: Final = re.compile("[A-Za-z0-9_-]{1,128}")


def ref_of(value: object, owner: str, size: int | None) -> str:
    """The ``ref`` of a part: "" unless a file of the Session ``owner`` is meant."""
    if not isinstance(value, dict) or value.get("kind") != STORED:
        return ""
    path = value.get("relativePath")
    if not owner or value.get("sessionId") != owner or not isinstance(path, str) or not path:
        return ""
    return f"{'' if size is None else size}:{path}"


def read(
    connection: sqlite3.Connection, folder: str, session: bytes, ref: str, limit: int
) -> bytes | None:
    """The bytes of a file; None if it is gone, deleted or another one.

    Args:
        folder: the real path of the one that the database lies in.
    """
    size, _, path = ref.partition(":")
    if _ID.fullmatch(path):
        row = _row(connection, session, path)
        if row is not None:
            live, relative, recorded = row
            return read_within(folder, f"artifacts/{relative}", recorded, limit) if live else None
    name = decoding.decode(session)
    if "/" in name:
        return None
    known = int(size) if size.isdecimal() else None
    return read_within(folder, f"sessions/{name}/{path}", known, limit)


def _row(
    connection: sqlite3.Connection, session: bytes, artifact: str
) -> tuple[bool, str, int | None] | None:
    """Whether an artifact is live, where it lies, and its size; None if there is none."""
    columns = columns_of(connection, "artifact_records")
    if not set(columns) >= _NEEDED:
        return None
    status = "status" if "status" in columns else "'live'"
    row = connection.execute(
        f"SELECT {status}, relative_path, record_json FROM artifact_records "
        "WHERE artifact_id = ? AND session_id = CAST(? AS TEXT)",
        (artifact, session),
    ).fetchone()
    if row is None:
        return None
    state, path, record = (decoding.decode(v) if isinstance(v, bytes) else v for v in row)
    try:
        size = decoding.parse(str(record).encode()).get("sizeBytes")
    except decoding.Damaged:
        return False, "", None
    return state == "live", str(path), size if type(size) is int else None
