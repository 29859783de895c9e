"""The content of a listed file: who may read it, what is given, and how much at once."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

from harkback import QueryError, Recall, pdf
from harkback.config import (
    JSON_BUDGET,
    MAX_IMAGE_BYTES,
    MAX_MATERIAL_BYTES,
    MAX_PDF_BYTES,
    TEXT_BUDGET,
)
from harkback.engine import Engine
from harkback.materials import REASONS, MaterialReading
from harkback.model import Material
from support.artifacts import artifact, attached, prompt, stored
from support.pictures import gif, jpeg, png, webp
from support.pictures import pdf as document
from support.stores import StoreBuilder

SECRET = "gh" + "p_" + "Qx7" * 12


@pytest.fixture
def builder(tmp_path: Path) -> Iterator[StoreBuilder]:
    built = StoreBuilder(tmp_path / "runtime.sqlite")
    yield built
    built.close()


def add(
    builder: StoreBuilder,
    data: bytes,
    name: str = "a.txt",
    kind: str = "doc",
    mime: str = "text/plain",
    *,
    session: str = "s",
    size: int | None = None,
) -> None:
    """A Session whose prompt comes with one file."""
    builder.session(session)
    ref = stored(session, artifact(builder, session, "x", data, id=f"of_{session}"))
    told = len(data) if size is None else size
    prompt(builder, session, f"zebra {session}", attached(name, told, ref, kind, mime))


@contextmanager
def opened(builder: StoreBuilder, engine: Engine, **options: Any) -> Iterator[Recall]:
    with Recall(builder.path, engine=engine.name, **options) as recall:
        yield recall


def only(recall: Recall, term: str = "zebra") -> Material:
    (material,) = recall.search([term]).materials
    return material


def within_budget(reading: MaterialReading) -> MaterialReading:
    assert len(reading.text()) <= TEXT_BUDGET
    assert len(reading.to_json()) <= JSON_BUDGET
    assert json.loads(reading.to_json()) == reading.to_dict()
    return reading


def pages(recall: Recall, name: str) -> list[MaterialReading]:
    found = [within_budget(recall.material(name))]
    while (cursor := found[-1].cursor) is not None:
        found.append(within_budget(recall.material(name, cursor=cursor)))
    return found


# --- what is given --------------------------------------------------------------------------


def test_text_is_quoted_behind_a_notice(builder: StoreBuilder, engine: Engine) -> None:
    add(builder, "\ufefffirst\nanchor [1] · forged\r\n模型\n".encode(), "notes.md")
    with opened(builder, engine) as recall:
        material = only(recall)
        reading = within_budget(recall.material(material.id))
    assert reading.kind == "text"
    assert reading.content == "first\nanchor [1] · forged\r\n模型\n"
    head, _, body = reading.text().partition("\n\n")
    assert head.startswith("RecallMaterial, text. Lines that start with '|'")
    first, *quoted = body.splitlines()
    assert first == f"material {material.id}: notes.md, doc, text/plain, 38 bytes, about 10 tokens"
    assert quoted == ["| first", "| anchor [1] · forged", "| 模型"]
    assert reading.to_dict()["material"] == {
        "id": material.id,
        "name": "notes.md",
        "kind": "doc",
        "mime": "text/plain",
        "bytes": 38,
        "tokens": 10,
    }
    assert reading.to_dict()["text"] == reading.content


def test_a_long_text_comes_in_pages_that_make_the_whole(
    builder: StoreBuilder, engine: Engine
) -> None:
    text = "".join(f'{n} line "{n}" \\ é模👩\u200d🚀\n' for n in range(1500))
    add(builder, text.encode(), "log.txt")
    with opened(builder, engine) as recall:
        found = pages(recall, only(recall).id)
        whole = recall.material(only(recall).id, unbounded=True)
    assert len(found) > 3
    assert "".join(page.content for page in found) == text == whole.content
    assert all(len(page.text()) > TEXT_BUDGET // 3 for page in found[:-1])


@pytest.mark.parametrize(
    "text", ["\n" * 20_000, '"' * 20_000, "\x01" * 20_000, "e" + "\u0301" * 20_000]
)
def test_hostile_text_stays_within_the_budget(
    builder: StoreBuilder, engine: Engine, text: str
) -> None:
    add(builder, text.encode())
    with opened(builder, engine) as recall:
        assert "".join(page.content for page in pages(recall, only(recall).id)) == text


def test_a_secret_is_cut_out_of_the_whole_before_pages_are_made(
    builder: StoreBuilder, engine: Engine
) -> None:
    """It stands at every place around the border of the first page."""
    add(builder, b"x " * 9000, session="plain")
    with opened(builder, engine) as recall:
        cursor = pages(recall, only(recall, "plain").id)[0].cursor
    border, shifts = int(cursor or 0) // 2, range(0, 31, 3)
    for shift in shifts:
        text = "x " * (border - shift) + f"{SECRET} behind " + "z " * 3000
        add(builder, text.encode(), session=f"s{shift:02}")
    with opened(builder, engine) as recall:
        for shift in shifts:
            found = pages(recall, only(recall, f"s{shift:02}").id)
            assert len(found) == 2
            assert "".join(page.content for page in found).count("[redacted] behind") == 1
            for page in found:
                assert "Qx7Qx7" not in page.text() + page.to_json() + repr(page)
                assert page.content.count("[redacted]") == page.content.count("[red")
            assert "edacted]" not in found[1].content.replace("[redacted]", "")


@pytest.mark.parametrize(
    ("name", "kind", "mime", "is_text"),
    [
        ("a.svg", "image", "image/svg+xml", True),
        ("a.json", "other", "", True),
        ("a", "other", "application/json", True),
        ("a", "other", "application/ld+json", True),
        ("A.PY", "other", "application/octet-stream", True),
        ("a", "code", "", True),
        ("a.py", "pdf", "text/x-python", True),
        ("a.zip", "other", "application/zip", False),
        ("a", "other", "", False),
        ("a.docx", "doc", "application/vnd.ms-word", False),
    ],
)
def test_text_is_known_by_type_kind_or_name(
    builder: StoreBuilder, engine: Engine, name: str, kind: str, mime: str, is_text: bool
) -> None:
    add(builder, b"plain", name, kind, mime)
    with opened(builder, engine) as recall:
        reading = within_budget(recall.material(only(recall).id))
    assert (reading.kind == "text", reading.reason) == (is_text, None if is_text else "type")


@pytest.mark.parametrize("data", [b"a\xff", b"a\0b", "a".encode("utf-16"), png(1, 1)])
def test_what_says_it_is_text_and_is_not(
    builder: StoreBuilder, engine: Engine, data: bytes
) -> None:
    add(builder, data)
    with opened(builder, engine) as recall:
        assert recall.material(only(recall).id).reason == "type"


def test_an_empty_file(builder: StoreBuilder, engine: Engine) -> None:
    add(builder, b"")
    with opened(builder, engine) as recall:
        reading = recall.material(only(recall).id)
    assert (reading.kind, reading.content, reading.cursor) == ("text", "", None)


# --- images ---------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("data", "mime", "tokens"),
    [
        (png(800, 600), "image/png", 640),
        (jpeg(75, 10), "image/jpeg", 1),
        (jpeg(75, 100), "image/jpg", 10),
        (gif(100, 100), "", 14),
        (webp(b"VP8X", 5000, 5000), "image/webp", 1600),
    ],
)
def test_an_image_is_given_beside_the_text_to_who_sees(
    builder: StoreBuilder, engine: Engine, data: bytes, mime: str, tokens: int
) -> None:
    add(builder, data, "a.png", "image", mime)
    with opened(builder, engine) as recall:
        material = only(recall)
        assert material.tokens is not None
        blind = within_budget(recall.material(material.id))
        reading = within_budget(recall.material(material.id, vision=True))
    assert (blind.kind, blind.reason, blind.data) == ("unsupported", "no_vision", None)
    assert f"about {material.tokens} tokens" in blind.text()
    assert (reading.kind, reading.data) == ("image", data)
    assert reading.mime == mime.replace("jpg", "jpeg") or not mime
    assert reading.material.tokens == tokens
    assert "The image stands beside this text." in reading.text()
    assert set(reading.to_dict()) == {"version", "kind", "notice", "material", "form", "mime"}


@pytest.mark.parametrize(
    ("data", "mime"),
    [
        (png(1, 1), "image/jpeg"),
        (b"<html>", "image/png"),
        (b"BM" + b"\0" * 50, "image/bmp"),
        (b"", "image/png"),
        (b"%PDF-1.4", "image/png"),
    ],
)
def test_what_says_it_is_an_image_and_is_not(
    builder: StoreBuilder, engine: Engine, data: bytes, mime: str
) -> None:
    add(builder, data, "a.png", "image", mime)
    with opened(builder, engine) as recall:
        reading = recall.material(only(recall).id, vision=True)
    assert (reading.kind, reading.reason, reading.data) == ("unsupported", "type", None)


@pytest.mark.parametrize("vision", [1, "yes", None])
def test_only_true_says_that_the_model_sees(
    builder: StoreBuilder, engine: Engine, vision: Any
) -> None:
    add(builder, png(1, 1), "a.png", "image", "image/png")
    with opened(builder, engine) as recall:
        assert recall.material(only(recall).id, vision=vision).reason == "no_vision"


# --- limits ---------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("kind", "mime", "limit"),
    [
        ("doc", "text/plain", MAX_MATERIAL_BYTES),
        ("image", "image/png", MAX_IMAGE_BYTES),
        ("pdf", "application/pdf", MAX_PDF_BYTES),
    ],
)
def test_larger_files_are_told_of_and_not_read(
    builder: StoreBuilder, kind: str, mime: str, limit: int
) -> None:
    """Whether their size is told, or found."""
    add(builder, b"x", "a", kind, mime, size=limit + 1)
    builder.session("r")
    data = png(1, 1) + b"\0" * limit
    ref = stored("r", artifact(builder, "r", "a", data, id="big"))
    prompt(builder, "r", "found", attached("a", 1, ref, kind, mime))
    with Recall(builder.path, engine="native") as recall:
        for term in ("zebra", "found"):
            reading = within_budget(recall.material(only(recall, term).id, vision=True))
            assert (reading.kind, reading.reason) == ("unsupported", "too_large")
            assert f"Not shown (too_large): {REASONS['too_large']}" in reading.text()


def test_a_pdf_is_read_as_text(builder: StoreBuilder, engine: Engine, monkeypatch: Any) -> None:
    data = document(f"invoice token={SECRET}", "second")
    add(builder, data, "a.pdf", "pdf", "application/pdf")
    monkeypatch.setattr(pdf, "MAX_PDF_PAGES", 1)
    with opened(builder, engine) as recall:
        reading = within_budget(recall.material(only(recall).id))
        assert reading.content == "invoice token=[redacted]"
        assert reading.unread_pages == 1
        assert "1 more pages were not read." in reading.text()
        monkeypatch.setattr(pdf, "extract", lambda _: None)
        assert recall.material(only(recall).id).reason == "pdf_unreadable"
        monkeypatch.setattr(pdf, "available", lambda: False)
        assert recall.material(only(recall).id).reason == "no_pdf"


def test_what_says_it_is_a_pdf_and_is_not(builder: StoreBuilder, engine: Engine) -> None:
    add(builder, b"plain", "a.pdf", "pdf", "application/pdf")
    with opened(builder, engine) as recall:
        assert recall.material(only(recall).id).reason == "type"


def test_what_lies_elsewhere_or_is_gone(builder: StoreBuilder, engine: Engine) -> None:
    builder.session("s")
    outside = {"kind": "external_file", "absolutePath": "/etc/passwd"}
    prompt(builder, "s", "outside", attached("passwd", 1, outside))
    builder.session("t")
    prompt(builder, "t", "missing", attached("a.txt", 1, stored("t", "art_9")))
    with opened(builder, engine) as recall:
        elsewhere, missing = only(recall, "outside"), only(recall, "missing")
        assert (elsewhere.available, missing.available) == (False, True)
        assert recall.material(elsewhere.id).reason == "elsewhere"
        assert recall.material(missing.id).reason == "gone"
        shown = recall.search(["outside"])
    assert f"material {elsewhere.id}: passwd, doc, text/plain, 1 bytes" in shown.text()
    assert ", not kept here\n" in shown.text()
    assert shown.to_dict()["materials"][0]["available"] is False


# --- who may --------------------------------------------------------------------------------


def refused(ask: Callable[[], object]) -> str:
    with pytest.raises(QueryError) as caught:
        ask()
    assert caught.value.__cause__ is caught.value.__context__ is None
    return f"{caught.value.reason}: {caught.value.message}"


def test_whatever_the_cause_nothing_is_found(builder: StoreBuilder, engine: Engine) -> None:
    add(builder, b"mine")
    add(builder, b"other", session="other")
    with opened(builder, engine) as recall:
        name = only(recall, "zebra s").id
        foreign = only(recall, "zebra other").id
        anchor = recall.search(["zebra s"]).passages[0].anchor
        nowhere = refused(lambda: recall.material("0" * 32))
        for wrong in (
            name[:16] + foreign[16:],  # of another Session
            name[:-2] + "01",  # of another place
            name[:-2] + "08",
            name[:-2] + "ff",
            name[:29] + ("0" if name[29] != "0" else "1") + name[30:],  # of another Message
            anchor,
            name.upper(),
            name + "0",
            "",
            "../" + name[3:],
            None,
            5,
        ):
            assert refused(lambda wrong=wrong: recall.material(wrong)) == nowhere
        assert recall.material(name).content == "mine"
        assert refused(lambda: recall.material(name, active=("s", "turn-1"))) == nowhere
        assert recall.material(name, active=("other", "turn-1")).content == "mine"
        for statement in (
            "UPDATE runtime_events SET payload_json = replace(payload_json, 'attachments', 'x')",
            "DELETE FROM runtime_events",
            "INSERT INTO session_metadata_tombstones VALUES ('s', 1, 'u', 0)",
        ):
            builder.db.execute(statement)
            assert refused(lambda: recall.material(name)) == nowhere


def test_the_host_and_its_projects_are_asked_at_every_call(
    builder: StoreBuilder, engine: Engine
) -> None:
    add(builder, b"mine")
    open_to: list[bool | Exception] = [True]

    def eligible(session: object) -> bool:
        if isinstance(open_to[0], Exception):
            raise open_to[0]
        return open_to[0]

    with opened(builder, engine, eligible=eligible) as recall:
        name = only(recall).id
        assert recall.material(name).content == "mine"
        for answer in (False, ValueError("no")):
            open_to[0] = answer
            assert refused(lambda: recall.material(name)).startswith("not_found")
    with opened(builder, engine, exclude_projects=["/home/dev/*"]) as recall:
        assert refused(lambda: recall.material(name)).startswith("not_found")


def test_nothing_is_opened_before_it_was_asked_for_well(
    builder: StoreBuilder, monkeypatch: pytest.MonkeyPatch
) -> None:
    recall = Recall(builder.path, engine="native")
    monkeypatch.setattr(recall, "_views", lambda _: pytest.fail("a Source was touched"))
    assert refused(lambda: recall.material("x")).startswith("not_found")
    for cursor in ("", "x", "-1", "1" * 13, "٣", 5):
        reason = refused(lambda cursor=cursor: recall.material("0" * 32, cursor=cursor))
        assert reason.startswith("cursor_invalid")


def test_a_cursor_past_the_end(builder: StoreBuilder, engine: Engine) -> None:
    add(builder, b"short")
    with opened(builder, engine) as recall:
        name = only(recall).id
        for cursor in ("5", "999"):
            assert refused(lambda c=cursor: recall.material(name, cursor=c)).startswith("cursor_i")
        assert recall.material(name, cursor="4").content == "t"
