"""The leak check on the tools: every answer, cursor, refused argument and log line of a Toolset."""

from __future__ import annotations

import json
import re
import traceback
from collections.abc import Callable, Iterator
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from harkback import Recall
from harkback.config import JSON_BUDGET, TEXT_BUDGET
from harkback.engine import Engine
from harkback.tools import ToolAnswer, Toolset
from harkback.tools.adapters import anthropic, openai, openai_chat
from harkback.tools.arguments import READERS
from support.capture import Files, listening, reprs
from support.leaks import Planted, assert_silent
from support.planting import SHAPES, WORD, Garden
from support.recalls import Fake

TERMS = ([WORD], [WORD, "lorem", "before"], ["behind"], ["password", "curl"])


def forms(answer: ToolAnswer) -> str:
    """All that there is of an answer; each form within its Budget."""
    structure = json.dumps(answer.to_dict(), ensure_ascii=False, separators=(",", ":"))
    assert len(answer.text) <= TEXT_BUDGET
    assert len(structure) <= JSON_BUDGET
    return "\n".join((answer.text, structure, reprs([answer])))


def walk(tools: Toolset, anchor: str) -> Iterator[ToolAnswer]:
    """Everything that can be read on from an anchor."""
    for view in ("turn", "audit", "scroll"):
        asked = {"anchor": anchor, "view": view}
        for _ in range(6):
            answer = tools.call("RecallMore", asked)
            yield answer
            if "cursor" not in answer.to_dict():
                break
            asked["cursor"] = answer.to_dict()["cursor"]


def test_every_answer_and_every_page(engine: Engine, garden: Garden, files: Files) -> None:
    with listening() as heard, Recall(garden.path, engine=engine.name) as recall:
        tools = Toolset(recall)
        answers = [
            tools.call("Recall", {"terms": terms, "limit": limit, "include_archived": True})
            for terms in TERMS
            for limit in (1, 8, 25)
        ]
        answers += [tools.call("Recall", {"question": f"where is {WORD}"})]
        anchors = {p["anchor"] for a in answers for p in a.to_dict()["passages"]}
        anchors |= {p.anchor for p in recall.search([WORD], limit=None).passages}
        for anchor in sorted(anchors)[:: 1 if engine.name == "native" else 4]:
            answers += walk(tools, anchor)
        surfaces = {"answers": "\n".join(map(forms, answers)), "objects": reprs([tools])}
    assert len(anchors) > len(SHAPES)
    assert surfaces["answers"].count("[redacted]") > 100
    assert not any(answer.is_error for answer in answers)
    surfaces["elsewhere"] = heard.text()
    assert_silent(surfaces | files.changed(), garden)


def strange(planted: Planted) -> Iterator[tuple[str, Any]]:
    """A secret in every place of a call that a model could put it."""
    secret = planted.text
    for tool, readers in READERS.items():
        for name in readers:
            for value in (secret, [secret], {secret: secret}, [[secret]]):
                required = {"RecallMore": {"anchor": "0" * 32}, "RecallMaterial": {"id": "0" * 32}}
                yield tool, {**required.get(tool, {"terms": [WORD]}), name: value}
        yield tool, {secret: 1}
        yield tool, secret
        yield tool, json.dumps([secret])
    yield secret, {}
    yield "Recall", {"question": f"find {secret} for me"}


def test_an_argument_is_not_repeated(engine: Engine, garden: Garden) -> None:
    """Neither in an error nor in an answer, nor in what is logged."""
    with listening() as heard, Recall(garden.path, engine=engine.name) as recall:
        tools = Toolset(recall)
        for planted in [*garden][:: 1 if engine.name == "native" else 9]:
            said = [tools.call(tool, given) for tool, given in strange(planted)]
            assert sum(answer.is_error for answer in said) > len(said) / 2
            # A term that merely holds no secret's shape may be named as one without a match.
            refused = [answer.text for answer in said if answer.is_error]
            assert_silent({"errors": "\n".join(refused)}, [planted])
            assert max(map(len, refused)) < 300
    assert_silent({"elsewhere": heard.text()}, garden)


@pytest.mark.parametrize("name", ["search", "more", "material", "active"])
def test_what_fails_inside_says_nothing(garden: Garden, name: str) -> None:
    """An exception whose words, notes, causes and variables are stored text."""
    stored = garden.planted["assistant"].text
    lost = ValueError(f"cannot read {stored!r}")
    lost.add_note(stored)
    lost.__cause__ = KeyError(stored)

    def fail() -> Any:
        held = stored  # a variable of a frame
        assert held
        raise lost

    fake = Fake(lost)
    tools = Toolset(fake, active=fail if name == "active" else None)
    calls = {
        "search": ("Recall", {"terms": [WORD]}),
        "more": ("RecallMore", {"anchor": "0" * 32}),
        "material": ("RecallMaterial", {"id": "0" * 32}),
    }
    with listening() as heard:
        answer = tools.call(*calls.get(name, calls["search"]))
    assert answer.to_dict()["reason"] == ("active_invalid" if name == "active" else "internal")
    assert "ValueError at " in heard.text()
    assert_silent({"answer": forms(answer), "elsewhere": heard.text()}, garden)
    assert stored in "".join(traceback.format_exception(lost))  # it was there to be told


def test_a_store_at_a_place_that_holds_a_secret(garden: Garden, tmp_path: Path) -> None:
    """Its path is in answers, and in the errors of a store that has gone."""
    planted = garden.planted["text github"]
    path = tmp_path / planted.secret / "runtime.sqlite"
    path.parent.mkdir()
    path.write_bytes(garden.path.read_bytes())
    with Recall(path) as recall:
        tools = Toolset(recall)
        found = tools.call("Recall", {"terms": [WORD]})
        assert "[redacted]" in found.text
        path.write_bytes(b"not a database" * 400)
        torn = tools.call("Recall", {"terms": [WORD]})
        path.unlink()
        gone = tools.call("Recall", {"terms": [WORD]})
    assert torn.is_error
    assert gone.is_error
    assert_silent({"all": "\n".join(map(forms, (found, torn, gone)))}, garden)


def called(name: str, given: dict[str, Any]) -> dict[str, Any]:
    """One call as each API writes it."""
    written = json.dumps(given)
    return {
        "openai": SimpleNamespace(type="function_call", call_id="1", name=name, arguments=written),
        "chat": SimpleNamespace(
            type="function", id="1", function=SimpleNamespace(name=name, arguments=written)
        ),
        "anthropic": SimpleNamespace(type="tool_use", id="1", name=name, input=given),
    }


ADAPTERS: dict[str, Callable[..., Any]] = {
    "openai": openai.answers,
    "chat": openai_chat.answers,
    "anthropic": anthropic.answers,
}


@pytest.mark.parametrize("name", ADAPTERS)
def test_adapters_that_need_no_library(garden: Garden, name: str) -> None:
    surfaces: dict[str, str] = {}
    with listening() as heard, Recall(garden.path) as recall:
        tools = Toolset(recall)
        for number, terms in enumerate(TERMS):
            call = called("Recall", {"terms": terms, "limit": 25})[name]
            found = json.dumps(ADAPTERS[name](tools, [call]), ensure_ascii=False)
            surfaces[f"found {number}"] = found
            anchor = re.search(r"; anchor ([0-9a-f]{32})", found)
            assert anchor is not None
            call = called("RecallMore", {"anchor": anchor[1], "view": "audit"})[name]
            surfaces[f"more {number}"] = json.dumps(ADAPTERS[name](tools, [call]))
        secret = garden.planted["text github"].secret
        call = called("Recall", {"terms": [secret], secret: secret})[name]
        surfaces["refused"] = json.dumps(ADAPTERS[name](tools, [call]))
    surfaces["elsewhere"] = heard.text()
    assert "error arguments_invalid" in surfaces["refused"]
    assert_silent(surfaces, garden)
