"""Harkback's own rows of the comparison: each path and engine, in memory and on disk.

Invariant: what is timed is a whole ``search()``, passages and envelope included; that the Messages
are the right ones is asked of ``grep``, which ends in the same predicate.
"""

from __future__ import annotations

import json
import os
import shutil
import sqlite3
import subprocess
import sys
import tempfile
import time
import uuid
from pathlib import Path as FilePath
from typing import Any, Final

from compare_others import Found
from compare_text import Text
from corpus import cached
from harkback import Envelope, Recall
from harkback.cache import SegmentCache
from harkback.engine import EngineName
from harkback.showing import anchor_home, anchor_id
from harkback.verification import Path
from transcripts import ENVIRONMENT

GIGABYTE: Final = 1 << 30
COMMAND: Final = str(FilePath(sys.executable).with_name("harkback"))


class Ours:
    """A Recall over a copy of the store, on one path."""

    name = ""
    disk = 0
    engine: EngineName = "native"
    path = Path.AUTO
    memory_bytes = 4 * GIGABYTE

    def __init__(self, text: Text, shape: str) -> None:
        self._folder = tempfile.TemporaryDirectory(dir=cached(shape)[0].parent)
        self.store = FilePath(self._folder.name).resolve() / "runtime.sqlite"
        shutil.copyfile(cached(shape)[0], self.store)
        self._anchors = {
            anchor_id(anchor_home(str(self.store), session), message): (number, line)
            for number, session in enumerate(text.sessions)
            for line, message in enumerate(text.ids[number])
        }
        start = time.perf_counter()
        self.recall = self._open()
        self.built = time.perf_counter() - start

    def _open(self) -> Recall:
        recall = Recall(self.store, engine=self.engine, memory_bytes=self.memory_bytes)
        recall._path = self.path
        recall.search(["fill the memory"])
        return recall

    def matches(self, terms: tuple[str, ...]) -> Found | None:
        with self.recall.grep(terms, context=None) as found:
            return {self._anchors[match.anchor] for match in found.matches()}

    def count(self, terms: tuple[str, ...]) -> int:
        """Messages that match, of which the answer shows a few."""
        answer = self.recall.search(terms)
        hidden = (gap.count or 0 for gap in answer.gaps if gap.code == "hits_not_shown")
        return len(answer.passages) + sum(hidden)

    def ask(self, terms: tuple[str, ...]) -> Envelope | bytes:
        return self.recall.search(terms)

    def append(self, line: str) -> bool:
        _append(self.store, line)
        return True

    def close(self) -> None:
        self.recall.close()
        self._folder.cleanup()


class Reference(Ours):
    """The plain Python twin, all of the verified text in memory."""

    name = "reference engine, resident"
    engine: EngineName = "reference"
    path = Path.RESIDENT


class Narrowed(Ours):
    """Nothing kept between searches."""

    name = "native, narrowed, nothing kept"
    path = Path.NARROWED
    memory_bytes = 0


class Resident(Ours):
    """All of the verified text in memory."""

    name = "native, resident"
    path = Path.RESIDENT


class Persisted(Ours):
    """Segments on disk, searched where they lie."""

    name = "native, persisted"

    def _open(self) -> Recall:
        cache = SegmentCache(FilePath(self._folder.name).resolve() / "cache")
        with Recall(self.store, cache=cache) as builder:
            assert builder.persist().left == 0
        self.disk = cache.bytes()
        return Recall(self.store, cache=cache)


class Fresh(Persisted):
    """The same, asked by the command: a process for each question."""

    name = "native, persisted, a process"

    def ask(self, terms: tuple[str, ...]) -> Envelope | bytes:
        command = [COMMAND, "search", "--json", "--store", str(self.store), "--", *terms]
        folder = FilePath(self._folder.name).resolve() / "cache"
        env = {**ENVIRONMENT, "HARKBACK_CACHE": str(folder), "HARKBACK_CONFIG": os.devnull}
        done = subprocess.run(command, capture_output=True, check=False, env=env)
        assert done.returncode in (0, 1), done.stderr
        return done.stdout if done.returncode == 0 else b""


def _append(store: FilePath, line: str) -> None:
    """One more Message in the newest Session of the ledger, as its host would write it."""
    connection = sqlite3.connect(store)
    session, ordinal = connection.execute(
        "SELECT session_id, max(ordinal) FROM runtime_session_event_ordinals GROUP BY session_id"
        " ORDER BY (SELECT last_used_at FROM session_metadata m WHERE m.session_id ="
        " runtime_session_event_ordinals.session_id) DESC LIMIT 1"
    ).fetchone()
    names = [row[1] for row in connection.execute("PRAGMA table_info(runtime_events)")]
    (last,) = connection.execute(
        "SELECT e.rowid FROM runtime_events e JOIN runtime_session_event_ordinals o"
        " ON o.event_id = e.event_id WHERE e.session_id = ? AND e.event_kind = 'text'"
        " ORDER BY o.ordinal DESC LIMIT 1",
        (session,),
    ).fetchone()
    kept = connection.execute("SELECT * FROM runtime_events WHERE rowid = ?", (last,)).fetchone()
    row: dict[str, Any] = dict(zip(names, kept, strict=True))
    (latest,) = connection.execute(
        "SELECT max(committed_at) FROM runtime_events WHERE session_id = ?", (session,)
    ).fetchone()
    own = str(uuid.uuid4())
    event = json.loads(row["payload_json"])
    event |= {"id": own, "ts": latest + 1, "refs": {"providerEventId": own}}
    event["content"] = {"kind": "text", "text": line}
    (seq,) = connection.execute(
        "SELECT max(event_seq) + 1 FROM runtime_events WHERE invocation_id = ?",
        (row["invocation_id"],),
    ).fetchone()
    row |= {"event_id": own, "event_seq": seq, "payload_json": json.dumps(event)}
    row["committed_at"] = latest + 1
    with connection:
        marks = ", ".join("?" * len(names))
        connection.execute(f"INSERT INTO runtime_events VALUES ({marks})", list(row.values()))
        connection.execute(
            "INSERT INTO runtime_session_event_ordinals VALUES (?, ?, ?)",
            (session, ordinal + 1, own),
        )
    connection.close()
