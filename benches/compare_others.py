"""The other programs of the comparison: ripgrep, SQLite FTS5, tantivy, bm25s, and the SQL shape.

Each is a Row: it builds what it needs, names the Messages that match, and answers as its users
would ask it (ranked, the best 8 with their text, where it ranks). Invariant: a Row says None where
it cannot answer a question at all; it is timed only on what it answers as it should.
"""

from __future__ import annotations

import contextlib
import re
import shutil
import sqlite3
import subprocess
import tempfile
import time
from collections.abc import Iterator
from importlib import import_module
from pathlib import Path
from typing import Any, Final, Protocol, TypeAlias

from compare_text import Text
from corpus import cached
from sql_narrowing import connect, narrow

Found: TypeAlias = set[tuple[int, int]]  # (Session, line)
TOP: Final = 8


class Row(Protocol):
    """One program over one text."""

    name: str
    disk: int  # bytes that it keeps beside the text, 0 if none
    built: float  # seconds that making ready took

    def matches(self, terms: tuple[str, ...]) -> Found | None:
        """Every Message that it says matches; None: it cannot answer that."""

    def ask(self, terms: tuple[str, ...]) -> object:
        """What is timed."""

    def append(self, line: str) -> bool:
        """Takes one more Message, so that the next question sees it; False: it cannot."""

    def close(self) -> None: ...


class Ripgrep:
    """``rg -F -i -c`` as a process over the text."""

    name = "rg -F -i -c, a process"
    disk = 0
    built = 0.0

    def __init__(self, text: Text, _: str) -> None:
        self._folder = text.folder

    def _run(self, terms: tuple[str, ...], *flags: str) -> str:
        asked = [part for term in terms for part in ("-e", term)]
        command = ["rg", "-a", "-F", "-i", *flags, *asked, "-g", "*.txt", "--", str(self._folder)]
        done = subprocess.run(command, capture_output=True, check=False, encoding="utf-8")
        assert done.returncode < 2, done.stderr
        return done.stdout

    def matches(self, terms: tuple[str, ...]) -> Found | None:
        shown = self._run(terms, "-n", "--no-heading", "-o", "--max-columns", "1")
        places = re.findall(r"(\d{5})\.txt:(\d+):", shown)
        return {(int(session), int(line) - 1) for session, line in places}

    def count(self, terms: tuple[str, ...]) -> int:
        """Messages that match."""
        return sum(int(line.rpartition(":")[2]) for line in self._run(terms, "-c").splitlines())

    def ask(self, terms: tuple[str, ...]) -> object:
        return self._run(terms, "-c")

    def append(self, line: str) -> bool:
        return False

    def close(self) -> None:
        pass


class SqlShape:
    """Candidate Sessions named by SQLite's own ``instr(lower())`` and a function for the rest."""

    name = "SQL instr(lower()), Sessions only"
    disk = 0
    built = 0.0

    def __init__(self, text: Text, shape: str) -> None:
        self._connection = connect(cached(shape)[0])
        self._numbers = {session: number for number, session in enumerate(text.sessions)}

    def sessions(self, terms: tuple[str, ...]) -> set[int]:
        """The Sessions that it offers."""
        offered = narrow(self._connection, [term.lower() for term in terms])
        return {self._numbers[session] for session in offered}

    def matches(self, terms: tuple[str, ...]) -> Found | None:
        return None

    def ask(self, terms: tuple[str, ...]) -> object:
        return self.sessions(terms)

    def append(self, line: str) -> bool:
        return False

    def close(self) -> None:
        self._connection.close()


class Fts5:
    """SQLite FTS5 with its trigram tokenizer; ranked by its own bm25."""

    name = "SQLite FTS5 trigram"

    def __init__(self, text: Text, _: str) -> None:
        start = time.perf_counter()
        self._folder = tempfile.TemporaryDirectory()
        path = Path(self._folder.name) / "fts.sqlite"
        self._connection = sqlite3.connect(path)
        self._connection.execute("PRAGMA journal_mode = WAL")
        self._connection.execute(
            "CREATE VIRTUAL TABLE text USING fts5"
            "(body, session UNINDEXED, line UNINDEXED, tokenize = 'trigram')"
        )
        with self._connection:
            self._connection.executemany("INSERT INTO text VALUES (?, ?, ?)", _lines(text))
        self._connection.execute("PRAGMA wal_checkpoint(TRUNCATE)")
        self.disk = path.stat().st_size
        self.built = time.perf_counter() - start

    def _query(self, terms: tuple[str, ...]) -> str:
        return " OR ".join('"' + term.replace('"', '""') + '"' for term in terms)

    def matches(self, terms: tuple[str, ...]) -> Found | None:
        if any(len(term) < 3 for term in terms):
            return None
        statement = "SELECT session, line FROM text WHERE text MATCH ?"
        return set(self._connection.execute(statement, (self._query(terms),)))

    def ask(self, terms: tuple[str, ...]) -> object:
        statement = "SELECT * FROM text WHERE text MATCH ? ORDER BY rank LIMIT ?"
        return self._connection.execute(statement, (self._query(terms), TOP)).fetchall()

    def append(self, line: str) -> bool:
        with self._connection:
            self._connection.execute("INSERT INTO text VALUES (?, -1, -1)", (line,))
        return True

    def close(self) -> None:
        self._connection.close()
        self._folder.cleanup()


class Tantivy:
    """tantivy with its default tokenizer: words; several of them as a phrase."""

    name = "tantivy, words"

    def __init__(self, text: Text, _: str) -> None:
        start = time.perf_counter()
        tantivy: Any = import_module("tantivy")
        builder = tantivy.SchemaBuilder()
        builder.add_text_field("body", stored=True)
        for name in ("session", "line"):
            builder.add_integer_field(name, stored=True)
        self._folder = tempfile.TemporaryDirectory()
        self._tantivy = tantivy
        self._index = tantivy.Index(builder.build(), path=self._folder.name)
        writer = self._index.writer(heap_size=256 << 20, num_threads=2)
        for line, session, number in _lines(text):
            writer.add_document(tantivy.Document(body=line, session=session, line=number))
        writer.commit()
        writer.wait_merging_threads()
        self._index.reload()
        self.disk = sum(p.stat().st_size for p in Path(self._folder.name).rglob("*") if p.is_file())
        self.built = time.perf_counter() - start

    def _query(self, terms: tuple[str, ...]) -> Any:
        quoted = " OR ".join('"' + re.sub(r'["\\]', " ", term) + '"' for term in terms)
        return self._index.parse_query(quoted, ["body"])

    def matches(self, terms: tuple[str, ...]) -> Found | None:
        searcher = self._index.searcher()
        try:
            hits = searcher.search(self._query(terms), limit=max(1, searcher.num_docs)).hits
        except ValueError:
            return None
        documents = (searcher.doc(address) for _, address in hits)
        return {(d.get_first("session"), d.get_first("line")) for d in documents}

    def ask(self, terms: tuple[str, ...]) -> object:
        searcher = self._index.searcher()
        hits = searcher.search(self._query(terms), limit=TOP).hits
        return [searcher.doc(address).get_first("body") for _, address in hits]

    def append(self, line: str) -> bool:
        writer = self._index.writer(heap_size=64 << 20, num_threads=1)
        writer.add_document(self._tantivy.Document(body=line, session=-1, line=-1))
        writer.commit()
        self._index.reload()
        return True

    def close(self) -> None:
        self._folder.cleanup()


class Bm25s:
    """bm25s in memory, with its own tokenizer: words."""

    name = "bm25s, words"
    disk = 0

    def __init__(self, text: Text, _: str) -> None:
        start = time.perf_counter()
        bm25s: Any = import_module("bm25s")
        self._bm25s = bm25s
        self._places: list[tuple[int, int]] = []
        lines: list[str] = []
        for line, session, number in _lines(text):
            self._places.append((session, number))
            lines.append(line)
        self._retriever = bm25s.BM25()
        tokens = bm25s.tokenize(lines, stopwords=None, show_progress=False)
        self._retriever.index(tokens, show_progress=False)
        self.built = time.perf_counter() - start

    def _retrieve(self, terms: tuple[str, ...], count: int) -> tuple[Any, Any]:
        asked = self._bm25s.tokenize([" ".join(terms)], stopwords=None, show_progress=False)
        result = self._retriever.retrieve(asked, k=count, show_progress=False)
        return result.documents[0], result.scores[0]

    def matches(self, terms: tuple[str, ...]) -> Found | None:
        try:
            documents, scores = self._retrieve(terms, len(self._places))
        except (ValueError, IndexError):
            return None
        return {self._places[d] for d, s in zip(documents, scores, strict=True) if s > 0}

    def ask(self, terms: tuple[str, ...]) -> object:
        return self._retrieve(terms, TOP)

    def append(self, line: str) -> bool:
        return False  # it has to index all of the text again

    def close(self) -> None:
        pass


def _lines(text: Text) -> Iterator[tuple[str, int, int]]:
    for session in range(len(text.sessions)):
        for number, line in enumerate(text.lines(session)):
            yield line, session, number


def available(row: type[Row]) -> bool:
    """Whether what the row compares with is installed here."""
    if row is Ripgrep:
        return shutil.which("rg") is not None
    with contextlib.suppress(ImportError):
        if row is Tantivy:
            import_module("tantivy")
        elif row is Bm25s:
            import_module("bm25s")
        return True
    return False
