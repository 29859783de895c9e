"""The text of a PDF, and what becomes of one that is made to do harm."""

from __future__ import annotations

import subprocess
import sys
import time
import zlib
from pathlib import Path

import pytest

from harkback import pdf
from support.pictures import pdf as document


def test_the_text_of_its_pages() -> None:
    found = pdf.extract(document("first page", "second page"))
    assert found is not None
    assert found.text.split() == ["first", "page", "second", "page"]
    assert found.unread == 0


def test_pages_and_text_are_bounded(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(pdf, "MAX_PDF_PAGES", 2)
    assert pdf.extract(document("a", "b", "c", "d")) == pdf.Extract("a\n\nb", 2)
    monkeypatch.setattr(pdf, "MAX_PDF_CODE_POINTS", 3)
    assert pdf.extract(document("abcdef", "b")) == pdf.Extract("abc", 1)


@pytest.mark.parametrize(
    "data",
    [b"", b"%PDF-1.4", b"\0" * 1000, document("x")[:200], b"%PDF-1.4\n" + b"[" * 100_000],
    ids=["empty", "head", "zeros", "torn", "nested"],
)
def test_what_is_none_gives_nothing(data: bytes) -> None:
    found = pdf.extract(data)
    assert found is None or not found.text.strip()


def _with_stream(data: bytes) -> bytes:
    """A page whose content is this, once it was unpacked."""
    packed = zlib.compress(data, 9)
    plain = document("MARK")
    start = plain.index(b"<</Length")
    end = plain.index(b"endobj", start)
    head = b"<</Filter/FlateDecode/Length %d>>\nstream\n" % len(packed)
    return plain[:start] + head + packed + b"\nendstream\n" + plain[end:]


def test_a_small_file_that_unpacks_to_gigabytes(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(pdf, "PDF_MEMORY_BYTES", 256 << 20)
    bomb = _with_stream(b" " * (400 << 20))
    assert len(bomb) < 1 << 20
    found = pdf.extract(bomb)
    assert found is None or len(found.text) < 1000


def test_one_that_takes_for_ever_is_given_up(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(pdf, "PDF_SECONDS", 1)
    monkeypatch.setattr(pdf, "_TAKE_OUT", "while True: pass")
    before = time.monotonic()
    assert pdf.extract(document("x")) is None
    assert time.monotonic() - before < 10


def test_nothing_is_imported_from_the_working_folder(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "pypdf.py").write_text("raise SystemExit(9)")
    (tmp_path / "io.py").write_text("raise SystemExit(9)")
    monkeypatch.chdir(tmp_path)
    assert pdf.extract(document("x")) == pdf.Extract("x", 0)


def test_a_python_that_cannot_be_started(monkeypatch: pytest.MonkeyPatch) -> None:
    for broken in ("", "/nowhere/python"):
        monkeypatch.setattr(sys, "executable", broken)
        assert pdf.extract(document("x")) is None


def test_the_library_is_not_loaded_here() -> None:
    script = "import harkback.materials, sys; assert 'pypdf' not in sys.modules"
    subprocess.run([sys.executable, "-c", script], check=True)
    assert pdf.available()
