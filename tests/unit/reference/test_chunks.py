"""Chunked bodies on both engines: joined whole, or not at all."""

from __future__ import annotations

import hashlib

import pytest
from hypothesis import given
from hypothesis import strategies as st

import harkback.engine


def digest(data):
    return hashlib.sha256(data).hexdigest()


def chunk(index, data):
    return index, data, digest(data)


FIRST, SECOND = chunk(0, b"one \xe6\xa8"), chunk(1, b"\xa1 two")
BODY = FIRST[1] + SECOND[1]


@pytest.mark.parametrize(
    ("chunks", "length", "sha256", "answer"),
    [
        ([FIRST, SECOND], len(BODY), digest(BODY), (BODY, None)),
        ([SECOND, FIRST], len(BODY), digest(BODY), (BODY, None)),
        ([], 0, digest(b""), (b"", None)),
        ([], 1, digest(b""), (None, "chunk_length")),
        ([chunk(0, b"")], 0, digest(b""), (b"", None)),
        ([SECOND], 5, digest(SECOND[1]), (None, "chunk_gap")),
        ([FIRST, FIRST], 12, digest(FIRST[1] * 2), (None, "chunk_gap")),
        ([FIRST, chunk(2, b"x")], 7, digest(b"?"), (None, "chunk_gap")),
        ([chunk(-1, b"x"), FIRST], 7, digest(b"?"), (None, "chunk_gap")),
        ([FIRST, SECOND], len(BODY) + 1, digest(b"?"), (None, "chunk_length")),
        ([FIRST, SECOND], -1, digest(BODY), (None, "chunk_length")),
        ([FIRST, SECOND], len(BODY), digest(FIRST[1]), (None, "chunk_digest")),
        ([FIRST, (1, SECOND[1], digest(b"?"))], len(BODY), digest(BODY), (None, "chunk_digest")),
        ([FIRST], 6, digest(FIRST[1])[:-1], (None, "chunk_digest")),
        ([FIRST], 6, "", (None, "chunk_digest")),
        ([FIRST], 6, "模" * 64, (None, "chunk_digest")),
    ],
)
def test_joins_or_names_the_damage(engine, chunks, length, sha256, answer):
    assert engine.reassemble(chunks, length, sha256) == answer


def test_digests_compare_in_either_case(engine):
    index, data, sha256 = FIRST
    assert engine.reassemble([(index, data, sha256.upper())], 6, sha256.upper()) == (data, None)


@given(
    st.lists(st.binary(max_size=4), max_size=4),
    st.permutations(range(4)),
    st.sampled_from(["whole", "drop", "double", "length", "byte"]),
)
def test_engines_agree_and_damage_never_passes(parts, order, harm):
    chunks = [chunk(index, data) for index, data in enumerate(parts)]
    body = b"".join(parts)
    length = len(body)
    if harm in ("drop", "double", "byte") and not chunks:
        harm = "length"
    if harm == "drop":
        del chunks[0]
    elif harm == "double":
        chunks.append(chunks[-1])
    elif harm == "length":
        length += 1
    elif harm == "byte":
        index, data, sha256 = chunks[0]
        chunks[0] = index, data[:-1] + b"\0", sha256
        length += not data
    chunks = [chunks[at] for at in order if at < len(chunks)] + chunks[4:]
    native, reference = (
        harkback.engine.load(name).reassemble(chunks, length, digest(body))
        for name in ("native", "reference")
    )
    assert native == reference
    if native[1] is None:
        assert native[0] == body
    if harm == "whole":
        assert native == (body, None)
