"""The leak check on files: their names, what stands in them, and what is said of them."""

from __future__ import annotations

import base64
import os
import random
from collections.abc import Iterator
from pathlib import Path

import pytest

from harkback import QueryError, Recall
from harkback.engine import Engine
from support.artifacts import artifact, attached, prompt, stored
from support.capture import Files, listening, reprs, told
from support.claude_rows import FOLDER, SESSION, Chain, call, text
from support.leaks import Planted, assert_silent, seen
from support.pictures import pdf, png
from support.planting import SHAPES, make
from support.stores import StoreBuilder

TERM = "quincetree"


class Drawer:
    """A store with a file for every shape of secret, and the secrets."""

    def __init__(self, folder: Path) -> None:
        self.planted: list[Planted] = []
        self._dice = random.Random(7)
        folder.mkdir()
        self.builder = StoreBuilder(folder / "runtime.sqlite")
        for shape in sorted(SHAPES):
            body = f"lorem {self.secret(shape, f'body {shape}')} ipsum\n".encode()
            self.file(f"s-{shape}", "notes.txt", body)
        name = self.secret("github", "name")
        mime = self.secret("openai", "mime")
        self.file("f-named", f"{name}.txt", b"plain", mime=f"text/{mime}")
        self.file("f-json", "a.json", f'{{"token": "{self.secret("github", "json")}"}}'.encode())
        self.file(
            "f-pdf",
            "a.pdf",
            pdf(self.secret("github", "pdf")),
            kind="pdf",
            mime="application/pdf",
        )
        self.file("f-torn", "a.txt", b"\xff" + self.secret("github", "torn").encode())
        picture = png(3, 3, self.secret("aws", "picture").encode())
        self.file("f-image", "a.png", picture, kind="image", mime="image/png")
        self.builder.session("f-moved")
        moved = artifact(self.builder, "f-moved", "x", self.secret("gitlab", "moved").encode())
        self.builder.text("f-moved", f"{TERM} asks", role="user")
        self.builder.result("f-moved", {"kind": "archived_tool_result", "artifactId": moved})
        self.builder.close()

    def secret(self, shape: str, channel: str) -> str:
        self.planted.append(make(shape, self._dice, channel))
        return self.planted[-1].text

    def file(
        self, session: str, name: str, data: bytes, kind: str = "doc", mime: str = "text/plain"
    ) -> None:
        self.builder.session(session)
        ref = stored(session, artifact(self.builder, session, "x", data, id=f"of-{session}"))
        told_of = attached(name, len(data), ref, kind, mime)
        prompt(self.builder, session, f"{TERM} see", told_of)


@pytest.fixture
def drawer(tmp_path: Path) -> Drawer:
    return Drawer(tmp_path / "history")


def everything(recall: Recall) -> Iterator[tuple[str, str]]:
    """All that can be had of all files, in every form."""
    answer = recall.search([TERM], limit=None)
    yield "answer", answer.text() + answer.to_json() + repr(answer)
    for material in answer.materials:
        cursor = None
        while True:
            found = recall.material(material.id, cursor=cursor)
            yield f"{material.id} {cursor}", found.text() + found.to_json() + repr(found)
            cursor = found.cursor
            if cursor is None:
                break


def test_names_and_bodies(engine: Engine, drawer: Drawer, files: Files) -> None:
    before = Files((drawer.builder.path.parent,))
    with listening() as heard, Recall(drawer.builder.path, engine=engine.name) as recall:
        surfaces = dict(everything(recall))
        surfaces["objects"] = reprs([recall, *recall._group.sources, recall._corpus])
        with pytest.raises(QueryError) as caught:
            recall.material("0" * 32)
    surfaces |= {"error": told(caught.value), "elsewhere": heard.text()}
    assert len(surfaces) > len(SHAPES) + 6
    assert "[redacted]" in "".join(surfaces.values())
    assert_silent(surfaces | files.changed(), drawer.planted)
    assert before.changed() == {}


def test_the_check_sees_what_is_not_redacted(drawer: Drawer) -> None:
    """An image goes as it is, to who asks for its bytes; nothing else of it is shown."""
    with Recall(drawer.builder.path, engine="native") as recall:
        answer = recall.search([TERM], within="f-image")
        found = recall.material(answer.materials[0].id, vision=True)
    assert found.data is not None
    assert [leak.channel for leak in seen({"bytes": found.data}, drawer.planted)] == ["picture"]
    assert_silent(found.text() + found.to_json(), drawer.planted)


@pytest.mark.parametrize("shape", ["github", "pem", "password"])
def test_a_secret_at_every_place_around_a_border(
    engine: Engine, tmp_path: Path, shape: str
) -> None:
    """Pages end at many places of the secret and of what stands around it."""
    planted = make(shape, random.Random(3), shape)
    chain, outputs = Chain(), {}
    chain.user([text(f"{TERM} please")])
    for number, lead in enumerate(range(9_900, 11_700, 37 if engine.name == "native" else 180)):
        outputs[f"c{number}.txt"] = f"{'x ' * (lead // 2)}\n{planted.text}\n{'z ' * 2000}"
        chain.assistant(call(f"c{number}"))
        chain.result(f"c{number}", f"<persisted-output>\nFull output saved to: /x/c{number}.txt\n")
        chain.user([text(f"{TERM} again")])
    folder = tmp_path / ".claude" / FOLDER
    (folder / SESSION / "tool-results").mkdir(parents=True)
    for name, output in outputs.items():
        (folder / SESSION / "tool-results" / name).write_text(output)
    (folder / f"{SESSION}.jsonl").write_bytes(chain.bytes())
    with Recall(tmp_path / ".claude", engine=engine.name) as recall:
        materials = recall.search([TERM], limit=None).materials
        assert len(materials) == len(outputs)
        borders = set()
        for material in materials:
            first = recall.material(material.id)
            assert first.cursor is not None
            second = recall.material(material.id, cursor=first.cursor)
            borders.add("[redacted]" in first.content)
            assert_silent({"first": first.text(), "second": second.text()}, [planted])
            assert_silent(first.content + second.content, [planted])
    assert borders == {True, False}


def test_a_base64_text_is_redacted_when_it_was_decoded(engine: Engine, tmp_path: Path) -> None:
    planted = make("github", random.Random(5), "inside base64")
    data = base64.b64encode(f"key {planted.text} end".encode()).decode()
    source = {"type": "base64", "media_type": "text/plain", "data": data}
    chain = Chain()
    chain.user([text(f"{TERM} see"), {"type": "document", "source": source}])
    path = tmp_path / ".claude" / FOLDER / f"{SESSION}.jsonl"
    path.parent.mkdir(parents=True)
    path.write_bytes(chain.bytes())
    with Recall(tmp_path / ".claude", engine=engine.name) as recall:
        surfaces = dict(everything(recall))
    assert "key [redacted] end" in "".join(surfaces.values())
    assert_silent(surfaces, [planted])
    assert os.listdir(path.parent) == [path.name]  # noqa: PTH208
