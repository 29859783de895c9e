"""The leak check over the MCP server: all that it writes on either stream, and what it logs."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from support.capture import Files
from support.leaks import assert_silent
from support.planting import SHAPES, WORD, Garden

pytest.importorskip("mcp")

from support.mcp import Raw, raw

#: A search that fails with stored text in its words, and a log record of a library that quotes it.
TREACHEROUS = """
import logging
def search(self, *_, **__):
    secret = open({path!r}).read()
    try:
        raise ValueError(secret)
    except ValueError:
        logging.getLogger("mcp").exception("handler raised")
    raise RuntimeError(secret)
recall.Recall.search = search
"""


def called(server: Raw, name: str, **arguments: object) -> dict[str, object]:
    server.call(name, arguments)
    result: dict[str, object] = server.receive()["result"]
    return result


@pytest.mark.parametrize("options", [(), ("--structured",)])
def test_answers_and_errors(garden: Garden, files: Files, options: tuple[str, ...]) -> None:
    with raw("--store", garden.path, *options) as server:
        server.ask("tools/list")
        found = called(server, "Recall", terms=[WORD, "lorem"], limit=25)
        text = json.dumps(found)
        assert "[redacted]" in text
        anchors = {each[:32] for each in text.split("; anchor ")[1:]}
        assert len(anchors) > 3
        for anchor in anchors:
            for view in ("turn", "audit", "scroll"):
                called(server, "RecallMore", anchor=anchor, view=view)
        called(server, "RecallMore", anchor="0" * 32)
        called(server, "RecallMaterial", id="0" * 32)
        assert server.leave()[0] == 0
    assert len(server.out) > 10
    surfaces = {"out": b"".join(server.out), "err": b"".join(server.err)}
    assert_silent(surfaces | files.changed(), garden)
    assert files.changed() == {}


def test_a_secret_that_is_asked_for_is_not_repeated(garden: Garden) -> None:
    asked = [garden.planted[f"text {shape}"] for shape in SHAPES]
    with raw("--store", garden.path) as server:
        for planted in asked:
            result = called(server, "Recall", terms=[planted.text])
            assert result["isError"], planted.channel
            called(server, "Recall", question=planted.text)
            server.ask("tools/call", {"name": planted.secret, "arguments": {}})
            server.ask("tools/call", {"name": "Recall", "arguments": [planted.secret]})
            server.send(planted.secret.encode() + b"\n")
            server.receive()
        assert server.leave()[0] == 0
    assert_silent({"out": b"".join(server.out), "err": b"".join(server.err)}, asked)


def test_an_error_that_quotes_what_was_stored_is_told_without_its_words(
    garden: Garden, tmp_path: Path
) -> None:
    planted = garden.planted["assistant"]
    path = tmp_path / "secret"
    path.write_text(planted.text, encoding="utf-8")
    with raw("--store", garden.path, patch=TREACHEROUS.format(path=str(path))) as server:
        result = called(server, "Recall", terms=[WORD])
        assert result["isError"]
        assert server.leave()[0] == 0
    told = b"".join(server.err)
    assert b"ValueError at" in told
    assert b"RuntimeError at" in told
    assert_silent({"out": b"".join(server.out), "err": told}, [planted])
