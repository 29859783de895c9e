"""``RecallMaterial`` through a Toolset: pages of text, and an image for who sees."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from pathlib import Path

import pytest

from harkback import Recall
from harkback.config import JSON_BUDGET, TEXT_BUDGET
from harkback.engine import Engine
from harkback.tools import ToolAnswer, Toolset
from support.artifacts import artifact, attached, prompt, stored
from support.pictures import png
from support.stores import StoreBuilder

LOG = "".join(f"{n} line of a long log\n" for n in range(2000))


@pytest.fixture
def builder(tmp_path: Path) -> Iterator[StoreBuilder]:
    built = StoreBuilder(tmp_path / "runtime.sqlite")
    yield built
    built.close()


def add(builder: StoreBuilder, data: bytes, name: str, kind: str, mime: str) -> None:
    builder.session("s")
    ref = stored("s", artifact(builder, "s", "x", data, id="of_s"))
    prompt(builder, "s", "zebra", attached(name, len(data), ref, kind, mime))


def listed(tools: Toolset) -> str:
    """The id of the one file that an answer lists, as a model finds it in the text."""
    (id,) = set(
        re.findall(r"material ([0-9a-f]{32})", tools.call("Recall", {"terms": "zebra"}).text)
    )
    return id


def within(answer: ToolAnswer) -> ToolAnswer:
    assert len(answer.text) <= TEXT_BUDGET
    assert len(json.dumps(answer.to_dict(), ensure_ascii=False)) <= JSON_BUDGET
    return answer


def test_a_text_page_by_page(builder: StoreBuilder, engine: Engine) -> None:
    add(builder, LOG.encode(), "log.txt", "doc", "text/plain")
    with Recall(builder.path, engine=engine.name) as recall:
        tools = Toolset(recall)
        asked, pages = {"id": listed(tools)}, []
        while True:
            page = within(tools.call("RecallMaterial", asked))
            assert not page.is_error
            pages.append(page.to_dict()["text"])
            if "cursor" not in page.to_dict():
                break
            asked["cursor"] = page.to_dict()["cursor"]
    assert len(pages) > 2
    assert "".join(pages) == LOG


def test_an_image(builder: StoreBuilder, engine: Engine) -> None:
    add(builder, png(30, 40), "shot.png", "image", "image/png")
    with Recall(builder.path, engine=engine.name) as recall:
        id = listed(Toolset(recall))
        seen = within(Toolset(recall, vision=True).call("RecallMaterial", {"id": id}))
        blind = within(Toolset(recall).call("RecallMaterial", {"id": id}))
    assert seen.image == ("image/png", png(30, 40))
    assert blind.image is None
    assert not blind.is_error
    assert "no_vision" in blind.text


@pytest.mark.parametrize("id", ["0" * 32, "made up", "../etc/passwd"])
def test_what_is_not_listed(builder: StoreBuilder, engine: Engine, id: str) -> None:
    add(builder, b"x", "a.txt", "doc", "text/plain")
    with Recall(builder.path, engine=engine.name) as recall:
        answer = within(Toolset(recall).call("RecallMaterial", {"id": id}))
    assert answer.to_dict()["reason"] == "not_found"
