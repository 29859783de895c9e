"""The baseline: candidate Sessions named by SQLite itself, as a careful host would write it.

``instr(lower(json), term)`` over both stores. SQLite's ``lower`` folds ASCII only, so a function
registered on the connection offers every record where that is not the whole fold. Invariant: on
the fold NFC and lower case, the answer is a superset of the Sessions that match.
Proof: tests/unit/test_bench_sql_narrowing.py.

``python benches/sql_narrowing.py [SHAPE]`` prints medians per planted term.
"""

from __future__ import annotations

import contextlib
import itertools
import re
import sqlite3
import sys
import unicodedata
from collections.abc import Collection, Sequence
from functools import partial
from pathlib import Path
from typing import Final

from corpus import cached
from harness import median_ms, table

RUNS: Final = 5
_ASCII: Final = bytes(range(128))
_ESCAPED: Final = re.compile(r'["\\\x00-\x1f]')  # stands escaped in JSON

# Neither cased nor able to compose with what stands before it: punctuation, kana, ideographs,
# small Latin-1 letters. Text of nothing else needs no closer look.
_INERT: Final = re.compile(
    "[\u00a1-\u00bf\u00df-\u00ff\u2010-\u2027\u3001-\u3029\u3041-\u3096\u30a1-\u30ff"
    "\u4e00-\u9fff\uff01-\uff20\uff3b-\uff60]*+"
)

_LEDGER: Final = """
SELECT DISTINCT session_id FROM runtime_events
 WHERE session_id IN ({eligible}) AND ({payload})
UNION
SELECT DISTINCT session_id FROM runtime_partial_snapshots WHERE session_id IN ({eligible})
"""
_INLINE: Final = """
SELECT DISTINCT message.session_id
  FROM session_messages AS message
  LEFT JOIN session_message_payloads AS payload
    ON payload.session_id = message.session_id AND payload.sequence = message.sequence
 WHERE message.session_id IN ({old})
   AND message.message_type IN ('user', 'assistant', 'tool_call', 'tool_result')
   AND payload.sequence IS NULL
   AND ({record})
"""
# Joined here, not by group_concat: an ORDER BY inside the aggregate needs SQLite 3.44, and over an
# ordered subquery the same search takes about twice as long.
_CHUNKS: Final = """
SELECT payload.session_id, payload.sequence, payload.record_bytes, chunk.data
  FROM session_message_payloads AS payload
  LEFT JOIN session_message_chunks AS chunk
    ON chunk.session_id = payload.session_id AND chunk.sequence = payload.sequence
 WHERE payload.session_id IN ({old})
 ORDER BY payload.session_id, payload.sequence, chunk.chunk_index
"""


def fold_unstable(text: object) -> bool:
    """Whether SQLite's ``lower`` may differ from the lower case of the NFC form of ``text``."""
    if not isinstance(text, str) or text.isascii():
        return False
    rest = text.encode().translate(None, _ASCII).decode()
    if _INERT.fullmatch(rest):
        return False
    return rest.lower() != rest or not unicodedata.is_normalized("NFC", text)


def connect(path: Path) -> sqlite3.Connection:
    """A read-only connection that knows ``fold_unstable``."""
    connection = sqlite3.connect(f"{path.resolve().as_uri()}?mode=ro&immutable=1", uri=True)
    connection.create_function("fold_unstable", 1, fold_unstable, deterministic=True)
    return connection


def eligible(connection: sqlite3.Connection) -> dict[str, bool]:
    """Ids of the Sessions that are listed, and whether the ledger owns each."""
    rows = connection.execute(
        "SELECT session_id, COALESCE(json_extract(payload_json, '$.transcriptLedgerVersion'), -1)"
        " FROM session_metadata"
        " WHERE session_id NOT IN (SELECT session_id FROM session_metadata_tombstones)"
    )
    return {session: version == 1 for session, version in rows}


def narrow(
    connection: sqlite3.Connection, terms: Sequence[str], with_function: bool = True
) -> set[str]:
    """Sessions that may hold one of the folded ``terms``; every one where SQL cannot vouch.

    Without the function the scan misses records outside its fold: for timing only.
    """
    listed = eligible(connection)
    if any(_ESCAPED.search(term) for term in terms):
        return set(listed)
    old = [session for session, owned in listed.items() if not owned]
    chunked = _chunked(connection, terms, old, with_function)
    if chunked is None:
        return set(listed)
    payload, record = (
        _clause(column, len(terms), with_function)
        for column in ("payload_json", "message.record_json")
    )
    ledger = _LEDGER.format(eligible=_marks(listed), payload=payload)
    inline = _INLINE.format(old=_marks(old), record=record)
    rows = [
        *connection.execute(ledger, [*listed, *terms, *listed]),
        *connection.execute(inline, [*old, *terms]),
    ]
    return chunked | {session for (session,) in rows}


def _chunked(
    connection: sqlite3.Connection, terms: Sequence[str], old: Sequence[str], with_function: bool
) -> set[str] | None:
    """Sessions whose reassembled bodies may hold a term; None when a body is not whole."""
    needles = [term.encode() for term in terms]
    found: set[str] = set()
    rows = connection.execute(_CHUNKS.format(old=_marks(old)), old)
    for (session, _, size), chunks in itertools.groupby(rows, key=lambda row: row[:3]):
        body = b"".join(data or b"" for *_, data in chunks)
        if len(body) != size:
            return None
        lowered = body.lower()  # of bytes: ASCII only, as SQLite's lower
        if any(needle in lowered for needle in needles) or (
            with_function and fold_unstable(body.decode())
        ):
            found.add(session)
    return found


def _clause(column: str, terms: int, with_function: bool) -> str:
    tests = [f"instr(lower({column}), ?) > 0"] * terms
    return " OR ".join([*tests, f"fold_unstable({column})"] if with_function else tests)


def _marks(values: Collection[str]) -> str:
    return ", ".join("?" * len(values))


def main() -> None:
    """Prints, per planted term of a shape, medians with and without the function."""
    shape = sys.argv[1] if len(sys.argv) > 1 else "large"
    path, manifest = cached(shape)
    rows: list[list[object]] = []
    with contextlib.closing(connect(path)) as connection:
        for term, planted in manifest.terms.items():
            named = narrow(connection, [term])
            if not named >= set(planted.sessions):
                raise SystemExit(f"{term!r}: a Session that holds it was not named")
            bare = narrow(connection, [term], with_function=False)
            slow = median_ms(partial(narrow, connection, [term]), RUNS)
            fast = median_ms(partial(narrow, connection, [term], with_function=False), RUNS)
            rows.append([term, len(planted.sessions), len(named), slow, len(bare), fast])
    print(f"{shape}: {manifest.bytes / 1e6:.1f} MB, {len(manifest.sessions)} Sessions, median ms")
    print(table(["term", "hold it", "named", "ms", "named, no function", "ms"], rows))


if __name__ == "__main__":
    main()
