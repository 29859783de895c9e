"""What a change costs: nothing changed, a Message was appended, a Session was rewritten.

``python benches/refresh.py`` copies 600 transcripts and the large store, makes everything resident
and asks, in turn, with nothing changed and behind a change. Before anything is timed the answer
behind each change is held against that of a Recall that was just made. "Absent": the term is not
in what was appended; "found": it is, so the Session is read again.
"""

from __future__ import annotations

import json
import shutil
import sqlite3
import statistics
import tempfile
import time
import uuid
from collections.abc import Callable
from pathlib import Path as FilePath
from typing import Any

import corpus
import transcripts
from harkback import Recall
from harkback.sources.registry import open_source
from harkback.verification import Path
from harness import table
from recall import answers

RUNS = 7
ABSENT = "zygomorphic heliotrope"
FOUND = "freshly appended"
Append = Callable[[str], None]


def store(path: FilePath) -> Append:
    """Appends an event to a Session of a live store, as its host would."""
    db = sqlite3.connect(path, isolation_level=None)
    db.execute("PRAGMA journal_mode = WAL")
    statement = "SELECT * FROM runtime_events WHERE rowid = (SELECT MIN(rowid) FROM runtime_events)"
    cursor = db.execute(statement)
    like = dict(zip((c[0] for c in cursor.description), cursor.fetchone(), strict=True))
    (at,) = db.execute("SELECT MAX(committed_at) FROM runtime_events").fetchone()

    def append(text: str) -> None:
        nonlocal at
        at += 1000
        name = uuid.uuid4().hex
        content = {"kind": "text", "text": text}
        record = {"id": name, "role": "user", "content": content, "ts": at}
        values = {
            **like,
            "event_id": name,
            "invocation_id": name,
            "event_kind": "text",
            "payload_json": json.dumps(record),
            "committed_at": at,
        }
        marks = ", ".join("?" * len(values))
        db.execute(
            f"INSERT INTO runtime_events ({', '.join(values)}) VALUES ({marks})", [*values.values()]
        )

    return append


def tree(path: FilePath) -> Append:
    """Appends a line to a transcript, as its agent would."""
    file = sorted(path.rglob("*.jsonl"))[0]
    last: dict[str, Any] = json.loads(file.read_bytes().splitlines()[-1])

    def append(text: str) -> None:
        message = {"role": "user", "content": text}
        row = {**last, "type": "user", "message": message, "parentUuid": last["uuid"]}
        last.update(row, uuid=str(uuid.uuid4()))
        with file.open("a", encoding="utf-8") as opened:
            opened.write(json.dumps({**row, "uuid": last["uuid"]}) + "\n")

    return append


def timed(recall: Recall, term: str) -> float:
    start = time.perf_counter()
    recall.search([term])
    return (time.perf_counter() - start) * 1000


def row(name: str, path: FilePath, append: Append) -> list[object]:
    """Medians of one history, in milliseconds."""
    with Recall(open_source(path), memory_bytes=4 << 30) as recall:
        recall._path = Path.RESIDENT
        recall.search([ABSENT])
        recall._path = Path.AUTO
        for _ in range(2):
            append(FOUND)
            with Recall(open_source(path), memory_bytes=0) as fresh:
                assert answers(recall.search([FOUND])) == answers(fresh.search([FOUND]))
        times: dict[str, list[float]] = {"warm": [], "absent": [], "found": []}
        for _ in range(RUNS):
            time.sleep(0.2)  # so that the files are settled
            timed(recall, ABSENT)
            times["warm"].append(timed(recall, ABSENT))
            append("something else")
            times["absent"].append(timed(recall, ABSENT))
            append(FOUND)
            times["found"].append(timed(recall, FOUND))
        refresh = []
        for _ in range(RUNS):
            start = time.perf_counter()
            with recall._group.sources[0].view(recall._engine):
                refresh.append((time.perf_counter() - start) * 1000)
    return [name, statistics.median(refresh), *map(statistics.median, times.values())]


def main() -> None:
    with tempfile.TemporaryDirectory(dir=corpus.DATA) as folder:
        home, database = FilePath(folder, "home"), FilePath(folder, "store.sqlite")
        shutil.copytree(transcripts.cached(), home)
        shutil.copy(corpus.cached("large")[0], database)
        rows = [
            row("600 transcripts", home, tree(home)),
            row("large", database, store(database)),
        ]
    headers = ["history", "no-op refresh", "nothing changed", "appended, absent", "appended, found"]
    print(table(headers, rows))


if __name__ == "__main__":
    main()
