"""What is told of a file, and that its bytes are let go of."""

from __future__ import annotations

import base64
from typing import Any

import pytest

from harkback.model import AttachmentPart
from harkback.sources.attachments import attachment, data_bytes, data_url


@pytest.mark.parametrize("size", range(9))
def test_the_size_of_base64(size: int) -> None:
    text = base64.b64encode(b"x" * size).decode()
    assert data_bytes(f"data:image/png;base64,{text}") == size


@pytest.mark.parametrize(
    ("url", "size"),
    [
        ("data:,a%20b", 3),
        ("data:text/plain,", 0),
        ("data:;base64,====", 0),
        ("data:no-comma", None),
        ("file:///a", None),
        ("https://a/,b", None),
        ("", None),
    ],
)
def test_other_urls(url: str, size: int | None) -> None:
    assert data_bytes(url) == size


@pytest.mark.parametrize(
    ("mime", "kind"),
    [
        ("image/png", "image"),
        ("application/pdf", "pdf"),
        ("text/css", "doc"),
        ("application/zip", "other"),
        ("", "other"),
        (5, "other"),
    ],
)
def test_kinds(mime: Any, kind: str) -> None:
    shown = mime if isinstance(mime, str) else ""
    assert attachment({"mime": mime, "filename": "n"}) == AttachmentPart("n", kind, shown, None)


def test_an_image_of_which_only_the_url_is_told() -> None:
    assert data_url("data:image/gif;base64,aGk=") == AttachmentPart("", "image", "image/gif", 2)
    assert data_url("https://a/b") == AttachmentPart("", "image", "image/*", None)
