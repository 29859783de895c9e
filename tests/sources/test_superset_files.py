"""The superset law of the raw scan of files, and what it is worth.

Drawn Sessions hold every form of file to it. Then the scan is broken on purpose, one part at a
time: each break must fail on the vectors of this file, or they are too weak to be trusted.
"""

from __future__ import annotations

import json
import re
import tempfile
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import harkback.engine
from harkback.engine import Engine
from harkback.model import JsonPart, StoredMessage, TextPart
from harkback.reference.json import Undecodable, strings
from harkback.sources.transcripts.source import TranscriptSource
from support.plain import Plain, settle

ENGINES = [harkback.engine.load(name) for name in ("native", "reference")]
FOLD = harkback.engine.load("reference").fold

TEXT = st.text(alphabet="aAbß/\\\"'\n\tİiée\u0301中字ｱﾞ😀\ud83d\x00{}[]", min_size=1, max_size=12)
LINE = st.fixed_dictionaries({"t": TEXT}, optional={"n": TEXT, "inner": TEXT, "title": TEXT})
SESSION = st.fixed_dictionaries(
    {"lines": st.lists(LINE, max_size=3)},
    optional={"json": TEXT, "text": TEXT, "index": TEXT},
)


def write(root: Path, name: str, drawn: dict[str, Any], ascii_only: bool) -> None:
    def dump(value: object) -> bytes:
        return json.dumps(value, ensure_ascii=ascii_only).encode("utf-8", "surrogatepass")

    records = []
    for each in drawn["lines"]:
        record = {key: value for key, value in each.items() if key != "inner"}
        if "inner" in each:
            record["n"] = dump({"k": [each["inner"]]}).decode("utf-8", "surrogatepass")
        records.append(dump(record))
    root.joinpath("p").mkdir(exist_ok=True)
    path = root / "p" / f"{name}.jsonl"
    path.write_bytes(b"".join(record + b"\n" for record in records))
    if "json" in drawn:
        path.with_suffix(".json").write_bytes(dump({"k": drawn["json"]}))
    if "text" in drawn:
        path.with_suffix(".txt").write_bytes(drawn["text"].encode("utf-8", "surrogatepass"))
    settle(*root.rglob("*.*"))


def leaves(value: Any) -> list[str]:
    if isinstance(value, str):
        return [value]
    items = value.values() if isinstance(value, dict) else value if isinstance(value, list) else ()
    return [leaf for item in items for leaf in leaves(item)]


def shown(messages: Sequence[StoredMessage]) -> list[str]:
    parts = [part for message in messages for part in message.parts]
    return [part.text for part in parts if isinstance(part, TextPart)] + [
        leaf for part in parts if isinstance(part, JsonPart) for leaf in leaves(part.value)
    ]


def missed(engine: Any, root: Path, titles: dict[str, str], terms: set[str]) -> list[str]:
    """Terms of which a Session that shows them was ruled out."""
    wrong = []
    with TranscriptSource(Plain(titles), root).view(engine) as view:
        listed = [session.id for session in view.sessions().sessions]
        held = {name: shown(view.read(name).messages) for name in listed}
        for term in terms:
            holding = {n for n in listed if any(term in FOLD(text) for text in held[n])}
            offered = view.scan([term], listed).offered
            if not holding <= offered:
                wrong.append(term)
    return wrong


@settings(max_examples=settings.default.max_examples // 2)
@given(sessions=st.lists(SESSION, min_size=1, max_size=3), ascii_only=st.booleans())
def test_every_session_that_shows_a_term_is_offered(
    sessions: list[dict[str, Any]], ascii_only: bool
) -> None:
    with tempfile.TemporaryDirectory() as folder:
        root = Path(folder)
        titles = {}
        for number, drawn in enumerate(sessions):
            write(root, str(number), drawn, ascii_only)
            if "index" in drawn:
                titles[str(number)] = re.sub("[\ud800-\udfff\0]", "\ufffd", drawn["index"])
        terms = set()
        with TranscriptSource(Plain(titles), root).view(ENGINES[1]) as view:
            for session in view.sessions().sessions:
                for text in shown(view.read(session.id).messages):
                    folded = FOLD(text)
                    terms |= {folded[:3], folded[-3:], folded[1:2]} - {""}
        for engine in ENGINES:
            assert missed(engine, root, titles, terms) == [], engine.name


# --- what the law is worth ------------------------------------------------------------------

VECTORS: tuple[tuple[dict[str, Any], str], ...] = (
    ({"lines": [{"t": "Context Window"}]}, "context"),
    ({"lines": [{"t": 'a "quoted" word'}]}, '"quoted"'),
    ({"lines": [{"t": "模型上下文"}], "ascii": True}, "模型上"),
    ({"lines": [{"t": "x"}, {"t": "Straße"}]}, "strasse"),
    ({"lines": [{"t": "x", "inner": "模型"}], "ascii": True}, "模型"),
    ({"lines": [{"t": "x", "inner": 'say "hi"'}]}, 'say "hi"'),
    ({"lines": [{"t": "x"}], "json": "needle"}, "needle"),
    ({"lines": [{"t": "x"}], "text": 'C:\\new\nsay "hi"'}, 'c:\\new\nsay "hi"'),
    ({"lines": [{"t": "x"}], "index": "Needle"}, "needle"),
    ({"lines": [{"t": "x"}], "text": "a needle"}, "needle"),
    ({"lines": [{"t": "x" * 300_000 + "needle"}]}, "needle"),
    ({"lines": [{"t": "x", "title": "Needle"}]}, "needle"),
)

Answer = list[tuple[bool, int]]
Scan = Callable[[Any, Sequence[tuple[str, str, int]], bool, str], Answer]


class Broken:
    """The reference engine with another idea of what a file may hold."""

    def __init__(self, scan: Scan) -> None:
        self._engine = ENGINES[1]
        self._scan = scan

    def __getattr__(self, name: str) -> Any:
        return getattr(self._engine, name)

    def scanner(self, terms: Sequence[str]) -> Any:
        honest, scan = self._engine.scanner(terms), self._scan

        class Scanner:
            def files(self, files: Sequence[tuple[str, str, int]], nested: bool) -> Answer:
                return scan(honest, files, nested, terms[0] if terms else "")

        return Scanner()


def without_nesting(honest: Any, files: Any, nested: bool, term: str) -> Answer:
    return honest.files(files, False)  # type: ignore[no-any-return]


def text_as_json(honest: Any, files: Any, nested: bool, term: str) -> Answer:
    return honest.files([(p, "json" if f == "text" else f, s) for p, f, s in files], nested)  # type: ignore[no-any-return]


def lines_alone(honest: Any, files: Any, nested: bool, term: str) -> Answer:
    found = honest.files(files, nested)
    return [(m and f == "lines", n) for (m, n), (_, f, _) in zip(found, files, strict=True)]


def read_by_read(honest: Any, files: Any, nested: bool, term: str) -> Answer:
    """Lines cut wherever a read ends, and each piece looked at by itself."""
    answers = []
    for path, _, _ in files:
        content, size = Path(path).read_bytes(), 256 << 10
        pieces = [content[at : at + size] for at in range(0, len(content), size)]
        answers.append((any(_holds(piece, term) for piece in pieces), content.count(b"\n")))
    return answers


def bytes_alone(honest: Any, files: Any, nested: bool, term: str) -> Answer:
    return [(term in FOLD(Path(p).read_text("utf-8", "replace")), 0) for p, _, _ in files]


def _holds(record: bytes, term: str) -> bool:
    try:
        return any(term in FOLD(text) for text in strings(record))
    except Undecodable:
        return False


MUTANTS: tuple[Scan, ...] = (
    without_nesting,
    text_as_json,
    lines_alone,
    read_by_read,
    bytes_alone,
)


def failures(engine: Any) -> list[int]:
    """The vectors on which the law does not hold."""
    broken = []
    for number, (drawn, term) in enumerate(VECTORS):
        with tempfile.TemporaryDirectory() as folder:
            write(Path(folder), "a", drawn, drawn.get("ascii", False))
            titles = {"a": drawn["index"]} if "index" in drawn else {}
            with TranscriptSource(Plain(titles), Path(folder)).view(ENGINES[0]) as view:
                held = [FOLD(text) for text in shown(view.read("a").messages)]
            assert any(term in text for text in held), f"vector {number} holds no match"
            if missed(engine, Path(folder), titles, {term}):
                broken.append(number)
    return broken


def test_the_law_holds_on_the_vectors() -> None:
    assert [failures(engine) for engine in ENGINES] == [[], []]


@pytest.mark.parametrize("scan", MUTANTS)
def test_a_broken_scan_is_caught(scan: Scan) -> None:
    assert failures(Broken(scan))


def test_leaving_out_titles_of_an_index_is_caught(monkeypatch: pytest.MonkeyPatch) -> None:
    from harkback.sources.transcripts import source

    monkeypatch.setattr(source, "names", lambda engine, terms, session: False)
    assert failures(ENGINES[0]) == [8]


def test_over_selection_is_little(chosen: Engine, tmp_path: Path) -> None:
    """The law would hold for a scan that offers everything."""
    for number in range(20):
        text = "Ünïcode, 模型 and C:\\Users\\x" if number % 2 else "plain\ttext"
        write(tmp_path, str(number), {"lines": [{"t": text, "inner": text}], "text": text}, False)
    with TranscriptSource(Plain(), tmp_path).view(chosen) as view:
        listed = [session.id for session in view.sessions().sessions]
        assert view.scan(["heliotrope"], listed).offered == frozenset()
