"""Values of a record: what each helper makes of what it hopes for, and of anything else."""

from __future__ import annotations

from collections import Counter

import pytest
from hypothesis import given

from harkback.model import JsonPart, TextPart
from harkback.sources.transcripts import values
from support.hostile import json_values


@pytest.mark.parametrize(
    ("value", "wanted"),
    [
        ("2026-06-12T00:30:16.500Z", 1781224216500),
        ("2026-06-12T09:30:16.500+09:00", 1781224216500),
        ("2026-06-12T00:30:16", 1781224216000),
        (1781224216, 1781224216000),
        (1781224216500, 1781224216500),
        (1781224216.5, 1781224216500),
        ("yesterday", 0),
        (True, 0),
        (None, 0),
        (5e246, 0),
        (10**400, 0),
        (-(10**400), 0),
        (float("nan"), 0),
    ],
)
def test_times(value: object, wanted: int) -> None:
    assert values.milliseconds(value) == wanted


def test_arguments_are_unpacked_or_stay_text() -> None:
    assert values.arguments("a", '{"b": ["c"]}') == [JsonPart("a", {"b": ["c"]})]
    assert values.arguments("a", '{"b": "\\ud83d"}') == [JsonPart("a", {"b": "\ufffd"})]
    assert values.arguments("a", '{"b": ') == [TextPart("a", '{"b": ')]
    assert values.arguments("a", "b") == [TextPart("a", "b")]
    assert values.arguments("a", {"b": "c"}) == [JsonPart("a", {"b": "c"})]
    assert values.arguments("a", None) == []


def test_only_words_make_an_unknown_record_a_sign_of_drift() -> None:
    problems: Counter[str] = Counter()
    values.count_unknown(problems, {"id": "0-1", "path": "/a/b", "at": "2026-06-12T00:30:16Z"})
    assert problems == {"unknown_type": 1}
    values.count_unknown(problems, {"deep": [{"said": "two words"}]})
    values.count_unknown(problems, ["検索"])
    assert problems == {"unknown_type": 1, "unknown_type_with_text": 2}


@given(json_values)
def test_nothing_raises(value: object) -> None:
    assert values.text(value) in (value, "")
    assert values.mapping(value) in (value, {})
    assert all(isinstance(item, dict) for item in values.mappings(value))
    assert isinstance(values.milliseconds(value), int)
    assert isinstance(values.visible("x", value), list)
    assert isinstance(values.arguments("x", value), list)
    assert isinstance(values.carries_text(value), bool)
