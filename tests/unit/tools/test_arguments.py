"""What models send: taken where it can mean one thing, refused with the next step where not."""

from __future__ import annotations

import json
from datetime import UTC, datetime
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from harkback.errors import QueryError
from harkback.tools.arguments import READERS, read

ANCHOR = "ab" * 16


def refused(tool: str, given: object) -> QueryError:
    with pytest.raises(QueryError) as caught:
        read(tool, given)
    return caught.value


@pytest.mark.parametrize(
    ("given", "taken"),
    [
        ({"terms": ["a", "b"]}, {"terms": ["a", "b"]}),
        ({"terms": ("a",)}, {"terms": ["a"]}),
        ({"terms": "retry limit"}, {"terms": ["retry limit"]}),
        ({"terms": '["a", "b"]'}, {"terms": ["a", "b"]}),
        ({"terms": "[ERROR] no route"}, {"terms": ["[ERROR] no route"]}),
        ({"terms": "[1, 2]"}, {"terms": ["[1, 2]"]}),
        ({"terms": "[" * 100_000}, {"terms": ["[" * 100_000]}),
        ({"terms": ["a", "", "  "]}, {"terms": ["a"]}),
        ({"terms": [" a "]}, {"terms": [" a "]}),  # trimmed where terms are checked
        ({"terms": [], "question": " what "}, {"terms": [], "question": "what"}),
        ({"terms": None, "question": "what"}, {"question": "what"}),
        ({"terms": ["a"], "limit": 8.0}, {"terms": ["a"], "limit": 8}),
        ({"terms": ["a"], "limit": None, "within": ""}, {"terms": ["a"]}),
        ({"terms": ["a"], "include_archived": False}, {"terms": ["a"], "include_archived": False}),
        ('{"terms": ["a"]}', {"terms": ["a"]}),
        ("", {}),
        ("null", {}),
        (None, {}),
    ],
)
def test_what_can_only_mean_one_thing_is_taken(given: object, taken: dict[str, Any]) -> None:
    assert read("Recall", given) == taken


@pytest.mark.parametrize(
    ("given", "taken"),
    [
        ({"anchor": f" {ANCHOR}\n"}, {"anchor": ANCHOR}),
        (
            {"anchor": ANCHOR, "before": 0, "after": 2.0},
            {"anchor": ANCHOR, "before": 0, "after": 2},
        ),
        (
            {"anchor": ANCHOR, "cursor": 6200},
            {"anchor": ANCHOR, "cursor": "6200", "view": "audit"},
        ),
        (
            {"anchor": ANCHOR, "cursor": "6200", "view": ""},
            {"anchor": ANCHOR, "cursor": "6200", "view": "audit"},
        ),
        (
            {"anchor": ANCHOR, "cursor": "6200", "view": "scroll"},
            {"anchor": ANCHOR, "cursor": "6200", "view": "scroll"},
        ),
        ({"anchor": ANCHOR, "cursor": ANCHOR}, {"anchor": ANCHOR, "cursor": ANCHOR}),
    ],
)
def test_a_cursor_goes_with_its_anchor_and_tells_its_view(
    given: object, taken: dict[str, Any]
) -> None:
    assert read("RecallMore", given) == taken


@pytest.mark.parametrize(
    ("tool", "given", "reason"),
    [
        ("Recall", {"terms": 7}, "term_not_text"),
        ("Recall", {"terms": ["a", 7]}, "term_not_text"),
        ("Recall", {"terms": {"a": 1}}, "term_not_text"),
        ("Recall", {"terms": ["a"], "limit": "8"}, "arguments_invalid"),
        ("Recall", {"terms": ["a"], "limit": True}, "arguments_invalid"),
        ("Recall", {"terms": ["a"], "limit": 8.5}, "arguments_invalid"),
        ("Recall", {"terms": ["a"], "limit": float("nan")}, "arguments_invalid"),
        ("Recall", {"terms": ["a"], "include_archived": 1}, "arguments_invalid"),
        ("Recall", {"terms": ["a"], "include_archived": "true"}, "arguments_invalid"),
        ("Recall", {"terms": ["a"], "within": ["s"]}, "arguments_invalid"),
        ("Recall", {"terms": ["a"], "kinds": ["user"]}, "arguments_invalid"),
        ("Recall", {1: 2}, "arguments_invalid"),
        ("Recall", ["a"], "arguments_invalid"),
        ("Recall", 7, "arguments_invalid"),
        ("Recall", '["a"]', "arguments_invalid"),
        ("Recall", "retry limit", "arguments_invalid"),
        ("Recall", '{"terms": ["a"]', "arguments_invalid"),
        ("Recall", '{"terms": ' + "[" * 100_000, "arguments_invalid"),
        ("Recall", '{"limit": ' + "9" * 10_000 + "}", "arguments_invalid"),
        ("RecallMore", {}, "arguments_invalid"),
        ("RecallMore", {"anchor": ""}, "arguments_invalid"),
        ("RecallMore", {"anchor": 7}, "arguments_invalid"),
        ("RecallMore", {"cursor": ANCHOR}, "arguments_invalid"),
        ("RecallMore", {"anchor": ANCHOR, "cursor": True}, "arguments_invalid"),
        ("RecallMore", {"anchor": ANCHOR, "cursor": -1}, "arguments_invalid"),
        ("RecallMore", {"anchor": ANCHOR, "cursor": 10**5000}, "arguments_invalid"),
        ("RecallMaterial", {}, "arguments_invalid"),
        ("RecallMaterial", {"id": None, "cursor": "1"}, "arguments_invalid"),
    ],
)
def test_the_rest_is_refused(tool: str, given: object, reason: str) -> None:
    assert refused(tool, given).reason == reason


@pytest.mark.parametrize(
    ("value", "since", "until"),
    [
        ("2026-11-30", "2026-11-30T00:00", "2026-11-30T23:59:59.999"),
        ("20261130", "2026-11-30T00:00", "2026-11-30T23:59:59.999"),
        ("9999-12-31", "9999-12-31T00:00", "9999-12-31T23:59:59.999"),
        ("2026-11-30T14:00", "2026-11-30T14:00", "2026-11-30T14:00"),
        ("2026-11-30T14:00Z", "2026-11-30T14:00Z", "2026-11-30T14:00Z"),
        (" 2026-11-30 14:00:07.5+08:00", "2026-11-30T14:00:07.5+08:00", None),
    ],
)
def test_a_time_in_iso_8601(value: str, since: str, until: str | None) -> None:
    assert read("Recall", {"since": value}) == {"since": datetime.fromisoformat(since)}
    assert read("Recall", {"until": value}) == {"until": datetime.fromisoformat(until or since)}


def test_a_time_in_milliseconds() -> None:
    moment = int(datetime(2026, 11, 30, tzinfo=UTC).timestamp() * 1000)
    for value in (moment, float(moment)):
        assert read("Recall", {"since": value, "until": value}) == {
            "since": moment,
            "until": moment,
        }


@pytest.mark.parametrize(
    "value",
    [
        *("yesterday", "7d", "2026", "2026-11", "2026-13-01", "1764460800000"),
        *(1764460800, 0, -1, True, 1.5, float("inf"), ["2026-11-30"]),
    ],
)
def test_a_time_that_may_mean_several(value: object) -> None:
    for name in ("since", "until"):
        error = refused("Recall", {"terms": ["a"], name: value})
        assert error.reason == "time_range"
        assert error.message.startswith(f"{name} is a time such as 2026-11-30")


def outcome(tool: str, given: object) -> str:
    try:
        return repr(read(tool, given))
    except QueryError as error:
        return f"refused, {error.reason}: {error.message}"


names = st.sampled_from(sorted({name for readers in READERS.values() for name in readers}))
values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=40),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=9), inner),
    max_leaves=8,
)


@given(st.sampled_from(list(READERS)), st.dictionaries(names | st.text(max_size=9), values))
def test_anything_is_taken_or_refused_in_a_few_words(tool: str, given: dict[str, Any]) -> None:
    told = outcome(tool, given)
    assert told == outcome(tool, json.dumps(given))
    assert len(told) < 200 or not told.startswith("refused")


@pytest.mark.parametrize("tool", READERS)
def test_what_is_refused_is_not_repeated(tool: str) -> None:
    odd = "xyzzy" * 2000
    for name in (*READERS[tool], odd):
        for value in ({odd: odd}, [[odd]], odd):
            told = outcome(tool, {name: value})
            assert "xyzzy" not in told or not told.startswith("refused")
