"""The raw scan of files: both engines keep the superset law, and count the same lines."""

from __future__ import annotations

import json
import os
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

import harkback.engine
from harkback.engine import Engine, FileForm
from harkback.reference.lines import LINE_LIMIT
from support.compressed import frame

ENGINES = NATIVE, REFERENCE = [harkback.engine.load(name) for name in ("native", "reference")]
WHOLE = (1 << 63) - 1

#: Escapes, marks, and what stands between the strings of text that may be JSON.
HARD = st.text(alphabet="ab/\\\"'\nİiée\u0301中字ｱﾞ😀\ud83d\x00{}[]:, ", max_size=10)
VALUE = st.recursive(HARD, lambda inner: st.dictionaries(HARD, inner, max_size=2), max_leaves=4)


def strings(value: object) -> list[str]:
    if isinstance(value, str):
        return [value]
    if isinstance(value, dict):
        return [s for pair in value.items() for each in pair for s in strings(each)]
    return []


def clean(text: str) -> str:
    return "".join("\ufffd" if c == "\0" or "\ud800" <= c <= "\udfff" else c for c in text)


def may_match(engine: Engine, path: Path, form: FileForm, term: str, nested: bool) -> bool:
    stop = path.stat().st_size if form == "lines" else WHOLE
    ((found, _),) = engine.scanner([term]).files([(str(path), form, stop)], nested)
    return found


@given(values=st.lists(VALUE, min_size=1, max_size=3), ascii_only=st.booleans(), data=st.data())
def test_what_a_reader_shows_is_offered(
    tmp_path_factory: pytest.TempPathFactory,
    values: list[object],
    ascii_only: bool,
    data: st.DataObject,
) -> None:
    """Strings of records, and strings of JSON in strings; whole lines of text."""
    folder = tmp_path_factory.mktemp("scan")
    records = [{"k": value, "n": json.dumps(value, ensure_ascii=ascii_only)} for value in values]
    written = [json.dumps(each, ensure_ascii=ascii_only) for each in records]
    (folder / "lines").write_bytes("\n".join(written).encode("utf-8", "surrogatepass"))
    shown = [s for each in records for s in strings(json.loads(json.dumps(each)))]
    inner = [s for value in values for s in strings(json.loads(json.dumps(value)))]
    shown_text = [clean(s) for s in shown]
    inner_text = [clean(s) for s in inner]
    (folder / "text").write_text("\n".join(shown_text), "utf-8", newline="")
    cases: list[tuple[str, FileForm, bool, list[str]]] = [
        ("lines", "lines", False, shown_text),
        ("lines", "lines", True, inner_text),
        ("text", "text", False, shown_text),
    ]
    for name, form, nested, texts in cases:
        folded = REFERENCE.fold(data.draw(st.sampled_from(texts))) if texts else ""
        if not folded:
            continue
        start = data.draw(st.integers(0, len(folded) - 1))
        term = folded[start : start + data.draw(st.integers(1, 4))]
        for engine in ENGINES:
            assert may_match(engine, folder / name, form, term, nested), (engine.name, form, term)


NESTED = [
    (r"{\"t\":\"mod\\u0065l\"}", "model"),
    (r"{\"t\":\"a\\/b\"}", "a/b"),
    (r"{\"t\":\"a\\nb\"}", "a\nb"),
    (r"{\"t\":\"say \\\"hi\\\"\"}", 'say "hi"'),
    (r"{\"t\":\"\\u6a21型\"}", "模型"),
    (r"{\"t\":\"C:\\\\u\"}", r"c:\u"),
]


@pytest.mark.parametrize(("text", "term"), NESTED)
@pytest.mark.parametrize("pad", range(0, 66, 3))
def test_json_in_strings(engine: Engine, tmp_path: Path, text: str, term: str, pad: int) -> None:
    """At every place of a block that bytes are compared in."""
    (tmp_path / "f").write_text("{" + " " * pad + f'"k":"{text}"}}\n', "utf-8")
    assert may_match(engine, tmp_path / "f", "lines", term, True)


@pytest.mark.parametrize("pad", range(33))
def test_an_inner_escape_at_every_place_of_a_block(
    engine: Engine, tmp_path: Path, pad: int
) -> None:
    (tmp_path / "f").write_text(" " * pad + r'{"k":"[\"mod\\u0065l\"]"}' + " " * 64 + "\n", "utf-8")
    assert may_match(engine, tmp_path / "f", "lines", "model", True)
    assert not may_match(engine, tmp_path / "f", "lines", "model", False)


def test_text_as_it_stands(engine: Engine, tmp_path: Path) -> None:
    path = tmp_path / "f"
    path.write_bytes('say "hi"\nC:\\new É e\u0301\0'.encode() + b"\xe4\xb8")
    for term in ('"hi"\nc:\\new', "é é", "é\ufffd\ufffd"):
        assert may_match(engine, path, "text", term, False)
    for term in ("hi c", "c:\new"):
        assert not may_match(engine, path, "text", term, False)


def test_large_files_are_shared_out(engine: Engine, tmp_path: Path) -> None:
    """Lines that end at, lie across or span the borders of the parts are looked at once, whole."""
    part = 8 << 20
    path = tmp_path / "f"
    needle = b'{"k":"needle"}'
    starts = [0, part - len(needle) - 1, part - 7, 2 * part - 1, 2 * part, 4 * part + 5]
    for start in starts:
        with path.open("wb") as file:
            file.truncate(5 * part + 11)  # sparse
            for border in (part, 2 * part):
                file.seek(border - 9_000)
                file.write(b"\n")
            if start:
                file.seek(start - 1)
                file.write(b"\n")
            file.seek(start)
            file.write(needle + b"\n")
        size, lines = path.stat().st_size, 3 + (start > 0)
        for term, expected in (("needle", True), ("other", False)):
            answer = engine.scanner([term]).files([(str(path), "lines", size)], False)
            assert answer == [(expected, lines)], start


def test_a_line_too_long_to_be_read_hides_nothing_behind_it(engine: Engine, tmp_path: Path) -> None:
    path = tmp_path / "f"
    with path.open("wb") as file:
        file.truncate(LINE_LIMIT + 2)
        file.seek(LINE_LIMIT + 2)
        file.write(b'\n{"k":"needle"}\n')
    size = path.stat().st_size
    for term, expected in (("needle", True), ("other", False)):
        assert engine.scanner([term]).files([(str(path), "lines", size)], False) == [(expected, 2)]


def test_what_cannot_be_read_may_hold_anything(engine: Engine, tmp_path: Path) -> None:
    (tmp_path / "real").write_bytes(b"{}\n")
    (tmp_path / "link").symlink_to(tmp_path / "real")
    (tmp_path / "cut.zst").write_bytes(frame(b"{}\n{}\n")[:-1])
    os.mkfifo(tmp_path / "pipe")
    for name in ("none", "link", "pipe", ".", "cut.zst"):
        asked: list[tuple[str, FileForm, int]] = [(str(tmp_path / name), "lines", 100)]
        ((found, _),) = engine.scanner(["term"]).files(asked, False)
        assert found, name
    real = str(tmp_path / "real")
    scanner = engine.scanner(["x"])
    assert scanner.files([(real, "lines", 9)], False) == [(True, 1)]  # it became shorter
    assert scanner.files([(real, "lines", 3), (real, "json", 9)], False) == [(False, 1)] * 2


def test_without_terms_it_counts(engine: Engine, tmp_path: Path) -> None:
    for number in range(40):
        (tmp_path / str(number)).write_bytes(b'{"k":1}\n' * number + b"tail")
    files: list[tuple[str, FileForm, int]] = [
        (str(tmp_path / str(number)), "lines", 8 * number + 4) for number in range(40)
    ]
    assert engine.scanner([]).files(files, True) == [(False, number) for number in range(40)]


def test_compressed_lines_are_scanned(tmp_path: Path) -> None:
    path = tmp_path / "log.jsonl.zst"
    path.write_bytes(frame(b'{"k":"one"}\n' * 30_000 + b'{"k":"needle"}\n'))
    size = path.stat().st_size
    for term, expected in (("needle", True), ("other", False)):
        assert NATIVE.scanner([term]).files([(str(path), "lines", size)], True) == [
            (expected, 30_001)
        ]
