"""The records of a file of lines: native equals reference, whatever the bytes and the cuts."""

from __future__ import annotations

import json
import os
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

import harkback.engine
from harkback.engine import Engine
from harkback.reference.lines import LINE_LIMIT
from support.compressed import frame, skippable

NATIVE, REFERENCE = (harkback.engine.load(name) for name in ("native", "reference"))
WRITTEN = b'{"t":"one"}\n{"t":"two"}\n'

PIECES = st.sampled_from(
    [
        b'{"t":"x"}', b"\n", b"\n", b"\r\n", b"\0\0", b" ", b"\t", b"\xef\xbb\xbf", b"\xff",
        b"\xe4\xb8", b"\xed\xa0\x80", b"\\ud83d", b"\\ude00", b"\\uD83D\\uDE00", b"\\u0000",
        b"\\u00000", b"\\", b"\\\\", b'"', b"\xe2\x80\xa8", b"\xc2\x85", b"\x0b", b"\x1c",
        "模型é😀".encode(), b"\\u6a21", b"a" * 70_000,
    ]
)  # fmt: skip


def said(engine: Engine, path: Path, stop: int) -> tuple[object, ...]:
    lines = engine.lines(str(path), stop)
    records = []
    while batch := lines.take():
        records += batch
    return records, lines.tail(), lines.damage()


@given(pieces=st.lists(PIECES, max_size=30), cut=st.integers(0, 200))
def test_both_engines_give_the_same(
    tmp_path_factory: pytest.TempPathFactory, pieces: list[bytes], cut: int
) -> None:
    path = tmp_path_factory.mktemp("lines") / "log"
    content = b"".join(pieces)
    path.write_bytes(content)
    for stop in (len(content), min(cut, len(content)), len(content) + 9):
        assert said(NATIVE, path, stop) == said(REFERENCE, path, stop)


@given(text=st.text(alphabet=st.characters(codec=None), max_size=30), raw=st.booleans())
def test_a_strict_parser_takes_every_string(
    tmp_path_factory: pytest.TempPathFactory, text: str, raw: bool
) -> None:
    """What a writer makes of any string comes out as the string that UTF-8 can hold."""
    path = tmp_path_factory.mktemp("lines") / "log"
    line = json.dumps({"t": text}, ensure_ascii=not raw).encode("utf-8", "surrogatepass")
    path.write_bytes(line + b"\n")
    records, _, _ = said(NATIVE, path, len(line) + 1)
    held = json.loads(line.decode("utf-8", "replace"))["t"]
    wanted = "".join("\ufffd" if c == "\0" or "\ud800" <= c <= "\udfff" else c for c in held)
    assert isinstance(records, list)
    assert json.loads(records[0][1])["t"] == wanted


def test_a_record_ends_at_a_newline_and_nowhere_else(engine: Engine, tmp_path: Path) -> None:
    path = tmp_path / "log"
    inside = "a\u2028b\u2029c\u0085d\x0be\x1cf"
    path.write_text(f"{inside}\r\n\n \n{inside}\rg\n", "utf-8", newline="")
    records, tail, damage = said(engine, path, path.stat().st_size)
    size = len(inside.encode())
    assert records == [(0, inside.encode()), (size + 5, f"{inside}\rg".encode())]
    assert (tail, damage) == (None, [])


def test_what_a_crash_leaves(engine: Engine, tmp_path: Path) -> None:
    path = tmp_path / "log"
    path.write_bytes(b"\xef\xbb\xbf{}\n" + b"\0" * 9 + b"\n\0\0{}\0\n" + b'{"torn')
    records, tail, damage = said(engine, path, path.stat().st_size)
    assert records == [(0, b"{}"), (16, b"{}")]
    assert tail == (22, b'{"torn')
    assert damage == [("nul_run", 6, 9)]


def test_a_long_record_costs_itself(engine: Engine, tmp_path: Path) -> None:
    path = tmp_path / "log"
    limit = LINE_LIMIT
    with path.open("wb") as file:
        file.write(b'{"t":"first"}\n')
        for size in (limit, limit + 1):
            file.truncate(file.tell() + size)  # sparse: the bytes are NUL and cost no disk
            file.seek(0, os.SEEK_END)
            file.write(b"\n")
        file.write(b'{"t":"last"}\n')
    records, _, damage = said(engine, path, path.stat().st_size)
    assert [record for _, record in records] == [b'{"t":"first"}', b'{"t":"last"}']  # type: ignore[attr-defined]
    assert damage == [("nul_run", 14, limit), ("line_too_long", 15 + limit, limit + 1)]


def test_only_what_was_listed_is_read(engine: Engine, tmp_path: Path) -> None:
    path = tmp_path / "log"
    path.write_bytes(WRITTEN)
    assert said(engine, path, 12) == ([(0, b'{"t":"one"}')], None, [])
    assert said(engine, path, 11) == ([], (0, b'{"t":"one"}'), [])
    records, tail, damage = said(engine, path, 99)
    assert (len(records), tail, damage) == (2, None, [("shrunk", 24, 0)])  # type: ignore[arg-type]


def test_what_is_no_file_is_refused(engine: Engine, tmp_path: Path) -> None:
    (tmp_path / "real").write_bytes(WRITTEN)
    (tmp_path / "link").symlink_to(tmp_path / "real")
    os.mkfifo(tmp_path / "pipe")
    with pytest.raises(FileNotFoundError):
        engine.lines(str(tmp_path / "none"), 1)
    for name in ("link", "pipe", "."):
        with pytest.raises(OSError):  # noqa: PT011  # which one is the system's to say
            engine.lines(str(tmp_path / name), 1)


# --- compressed -----------------------------------------------------------------------------

COMPRESSED = [
    ((frame(WRITTEN),), [(0, b'{"t":"one"}'), (12, b'{"t":"two"}')], []),
    ((frame(WRITTEN[:5]), skippable(b"note"), frame(WRITTEN[5:])), [0, 12], []),
    ((frame(WRITTEN)[:-3],), [], ["compression_damaged"]),
    ((frame(WRITTEN), b"garbage"), [0, 12], ["compression_damaged"]),
    ((b"",), [], ["compression_damaged"]),
    ((b"garbage",), [], ["compression_damaged"]),
    ((frame(WRITTEN), skippable(b"note")[:-1]), [0, 12], ["compression_damaged"]),
]


@pytest.mark.parametrize(("parts", "offsets", "reasons"), COMPRESSED)
def test_compressed(
    tmp_path: Path, parts: tuple[bytes, ...], offsets: list[object], reasons: list[str]
) -> None:
    path = tmp_path / "log.jsonl.zst"
    path.write_bytes(b"".join(parts))
    records, _, damage = said(NATIVE, path, path.stat().st_size)
    assert records == offsets or [at for at, _ in records] == offsets  # type: ignore[attr-defined]
    assert [reason for reason, _, _ in damage] == reasons  # type: ignore[attr-defined]
    try:
        same = said(REFERENCE, path, path.stat().st_size)
    except OSError:
        return  # this Python has no decoder, and says so
    assert same == (records, None, damage)


def test_a_compressed_file_that_is_being_written(tmp_path: Path) -> None:
    path = tmp_path / "log.jsonl.zst"
    path.write_bytes(frame(WRITTEN))
    _, _, damage = said(NATIVE, path, path.stat().st_size + 1)
    assert [reason for reason, _, _ in damage] == ["shrunk"]  # type: ignore[attr-defined]
