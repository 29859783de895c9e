"""What is told of a file, and that its bytes are found again by what was told."""

from __future__ import annotations

import base64
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from harkback.model import AttachmentPart
from harkback.sources import attachments
from support.hostile import json_values
from support.pictures import gif, jpeg, png


@given(st.binary(max_size=200))
def test_the_size_of_base64_is_known_without_decoding(data: bytes) -> None:
    encoded = base64.b64encode(data).decode()
    assert attachments.base64_size(encoded) == len(data)
    folded = base64.encodebytes(data).decode().rstrip("\n")
    assert attachments.base64_size(folded) == len(data)
    url = f"data:image/png;base64,{encoded}"
    assert attachments.linked(url) == AttachmentPart("", "image", "image/png", len(data))


@pytest.mark.parametrize(
    ("url", "size"),
    [
        ("data:,a%20b", 3),
        ("data:text/plain,", 0),
        ("data:;base64,====", 0),
        ("data:no-comma", None),
        ("data:" + "x" * 300 + ",late comma", None),
        ("file:///a", None),
        ("https://a/,b", None),
        ("", None),
        (None, None),
    ],
)
def test_the_size_of_what_is_linked(url: object, size: int | None) -> None:
    part = attachments.linked(url)
    assert part.bytes == size
    assert bool(part.ref) == (size is not None)


@pytest.mark.parametrize(
    ("mime", "kind"),
    [
        ("image/png", "image"),
        ("application/pdf", "pdf"),
        ("text/css", "doc"),
        ("application/zip", "other"),
        ("", "code"),
    ],
)
def test_the_type_tells_the_kind(mime: str, kind: Any) -> None:
    assert attachments.attachment("n", mime, 1, "code") == AttachmentPart("n", kind, mime, 1)


@given(st.binary(min_size=1, max_size=300), json_values)
def test_bytes_are_found_by_their_ref_wherever_they_stand(data: bytes, other: Any) -> None:
    encoded = base64.b64encode(data).decode()
    url = f"data:a/b;base64,{encoded}"
    for part, held in (
        (attachments.inline("", "a/b", encoded), encoded),
        (attachments.linked(url), url),
    ):
        assert attachments.find({"x": [other, {"y": held}]}, part.ref) == data
        assert attachments.find({"x": [other, {"y": held + "A"}]}, part.ref) is None
    plain = attachments.linked("data:text/plain,a%20b")
    assert attachments.find(["data:text/plain,a%20b"], plain.ref) == b"a b"


def test_of_two_strings_of_one_length_the_listed_one_is_found() -> None:
    one, other = (base64.b64encode(b"x" * 90_000 + last).decode() for last in (b"1", b"2"))
    assert attachments.find([one, other], attachments.inline("", "a/b", other).ref)[-1:] == b"2"


@pytest.mark.parametrize("data", [None, 5, ["QUJD"], {"data": "QUJD"}])
def test_what_is_no_data_has_no_ref(data: object) -> None:
    part = attachments.inline("n", "image/png", data)
    assert part == AttachmentPart("n", "image", "image/png", None)
    assert part.ref == ""


@pytest.mark.parametrize("text", ["A", "AAA*A\ud83d", "=====", "é"])
def test_what_is_no_base64_is_listed_and_gives_no_bytes(text: str) -> None:
    part = attachments.inline("n", "image/png", text)
    assert part.pixels is None
    assert attachments.find([text], part.ref) in (None, b"")


@pytest.mark.parametrize(
    ("image", "size"),
    [(png(640, 480), (640, 480)), (gif(3, 2), (3, 2)), (jpeg(33, 44, before=30_000), (33, 44))],
)
def test_the_head_of_an_image_tells_its_pixels(image: bytes, size: tuple[int, int]) -> None:
    encoded = base64.b64encode(image).decode()
    assert attachments.inline("", "image/png", encoded).pixels == size
    assert attachments.linked(f"data:image/png;base64,{encoded}").pixels == size
    assert attachments.inline("", "text/plain", encoded).pixels is None


def test_a_spilled_output_has_the_size_of_its_text() -> None:
    part = attachments.spilled("a.txt", "é模")
    assert part == AttachmentPart("a.txt", "output", "text/plain", 5)
    assert part.ref == "file:a.txt"
    assert attachments.spilled("a.txt", None).ref == ""


@given(json_values)
def test_nothing_raises(value: Any) -> None:
    assert isinstance(attachments.linked(value), AttachmentPart)
    assert isinstance(attachments.inline("", "", value), AttachmentPart)
    assert attachments.find(value, "inline:1:x") is None
