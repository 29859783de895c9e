"""What the head of an image tells, and the tokens that are made of it."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from harkback import images
from support.pictures import gif, jpeg, png, webp

SAMPLES = [
    ("image/png", png(640, 480), (640, 480)),
    ("image/gif", gif(7, 9), (7, 9)),
    ("image/jpeg", jpeg(1024, 768), (1024, 768)),
    ("image/jpeg", jpeg(5, 6, before=40_000), (5, 6)),
    ("image/webp", webp(b"VP8 ", 550, 368), (550, 368)),
    ("image/webp", webp(b"VP8L", 386, 395), (386, 395)),
    ("image/webp", webp(b"VP8X", 4000, 3000), (4000, 3000)),
]


@pytest.mark.parametrize(("mime", "data", "size"), SAMPLES)
def test_type_and_pixels(mime: str, data: bytes, size: tuple[int, int]) -> None:
    assert images.sniff(data) == mime
    assert images.pixels(data) == size


@pytest.mark.parametrize(("mime", "data", "size"), SAMPLES)
def test_a_head_that_is_cut_anywhere_tells_the_same_or_nothing(
    mime: str, data: bytes, size: tuple[int, int]
) -> None:
    for end in range(min(len(data), 60)):
        assert images.pixels(data[:end]) in (size, None)


@given(st.binary(max_size=80), st.sampled_from([data[:12] for _, data, _ in SAMPLES]))
def test_nothing_raises(tail: bytes, head: bytes) -> None:
    found = images.pixels(head + tail)
    assert found is None or min(found) > 0
    assert images.sniff(tail) in ("", "image/png", "image/jpeg", "image/gif", "image/webp")


@pytest.mark.parametrize(
    ("size", "tokens"),
    [
        ((200, 200), 54),
        ((1000, 1000), 1334),
        ((1092, 1092), 1590),
        ((1, 1), 1),
        ((10_000, 10_000), 1600),
        ((15_680, 784), 164),  # brought down to 1568 by 78
        ((2**32 - 1, 1), 1),
    ],
)
def test_tokens_by_pixels(size: tuple[int, int], tokens: int) -> None:
    assert images.tokens(size) == tokens


def test_tokens_by_bytes_never_exceed_the_most_that_an_image_costs() -> None:
    assert [images.tokens_of_bytes(n) for n in (0, 1, 187, 188, 10**9)] == [1, 1, 1, 2, 1600]
