"""A scan of many batches answers as the scanner does for each, whatever overlaps with what."""

import json
import threading

import pytest
from hypothesis import given
from hypothesis import strategies as st


def records(*texts: str) -> list[bytes]:
    return [json.dumps({"text": text}, ensure_ascii=False).encode() for text in texts]


@given(
    st.lists(
        st.tuples(st.integers(0, 5), st.lists(st.sampled_from(["needle", "模型", "straw"]))),
        max_size=40,
    )
)
def test_tags_are_those_of_batches_that_may_match(engine, batches) -> None:
    scanner = engine.scanner(["needle", "模型"])
    scan = scanner.start()
    for tag, texts in batches:
        scan.feed(tag, records(*texts))
    expected = {tag for tag, texts in batches if scanner.first(records(*texts)) is not None}
    assert scan.finish() == sorted(expected)
    assert scan.finish() == sorted(expected)
    assert all(scan.found(tag) == (tag in expected) for tag in range(6))


def test_a_batch_that_is_no_bytes_is_refused_whole(engine) -> None:
    scan = engine.scanner(["needle"]).start()
    with pytest.raises(TypeError):
        scan.feed(1, [*records("needle"), None])
    scan.feed(2, records("needle"))
    assert scan.finish() == [2]


def test_a_scan_that_is_given_up_ends(engine) -> None:
    scanner = engine.scanner(["needle"])
    for _ in range(50):
        scan = scanner.start()
        for tag in range(20):
            scan.feed(tag, records("straw" * 1000))
        del scan
    assert threading.active_count() < 20


def test_more_batches_than_may_wait(engine) -> None:
    scan = engine.scanner(["absent"]).start()
    big = records("x" * 100_000) * 20
    for tag in range(40):
        scan.feed(tag, big)
    assert scan.finish() == []
