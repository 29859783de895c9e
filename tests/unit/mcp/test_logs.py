"""What is logged of an error: what kind it was and where, and no word of it."""

from __future__ import annotations

import io
import logging
import sys

import pytest

from harkback.mcp import logs


@pytest.fixture
def written(monkeypatch):
    stream = io.StringIO()
    root = logging.getLogger()
    monkeypatch.setattr(sys, "stderr", stream)
    monkeypatch.setattr(root, "handlers", [])
    level = root.level
    logs.start()
    yield stream
    root.setLevel(level)


def test_words_of_an_error_are_left_out(written):
    try:
        raise ValueError("what was stored")
    except ValueError:
        logging.getLogger("mcp").exception("handler for %r raised", "tools/call")
    told = written.getvalue()
    assert told.startswith("harkback: handler for 'tools/call' raised\nValueError at test_logs.py:")
    assert "stored" not in told


def test_nothing_below_a_warning(written):
    logging.getLogger("uvicorn.error").info("Started")
    logging.getLogger("mcp").debug("transport yielded %r", "what was sent")
    assert written.getvalue() == ""
