"""The committed fold tables are what their generator writes."""

from __future__ import annotations

import importlib.util
import unicodedata
from pathlib import Path

import pytest

GENERATOR = Path(__file__).resolve().parents[2] / "rust/core/generate_fold_table.py"


@pytest.fixture
def generator():
    spec = importlib.util.spec_from_file_location("generate_fold_table", GENERATOR)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@pytest.mark.skipif(
    unicodedata.unidata_version != "14.0.0",
    reason="the tables are frozen at Unicode 14.0; this Python carries another version",
)
def test_tables_are_generated(generator):
    for path, text in generator.generate().items():
        assert path.read_text(encoding="utf-8") == text, path.name


def test_generator_refuses_another_unicode(generator, monkeypatch):
    monkeypatch.setattr(generator.unicodedata, "unidata_version", "15.1.0")
    with pytest.raises(SystemExit, match=r"14\.0\.0"):
        generator.generate()
