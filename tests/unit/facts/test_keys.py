"""Keys: one normal form on both engines, and the exact range of a prefix."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from harkback.engine import Engine
from harkback.facts.keys import KeyIndex, beyond, normal

CODE_POINTS = st.characters(exclude_categories=["Cs"])
EDGES = st.sampled_from("a\ud7ff\ue000\uffff\U0010ffff\U00010000")
TEXTS = st.text(st.one_of(EDGES.filter(lambda c: c != "\ud800"), CODE_POINTS), max_size=6)


def test_case_width_and_white_space_do_not_count(engine: Engine) -> None:
    for text in ("Package Manager", " package \u3000 manager ", "ｐａｃｋａｇｅ　manager"):
        assert normal(engine, text) == "package manager"
    assert normal(engine, "Cafe\u0301") == normal(engine, "CAFÉ") == "café"
    assert normal(engine, "STRASSE") == normal(engine, "Straße")
    assert normal(engine, "ΟΔΟΣ") == normal(engine, "οδος")


@pytest.mark.parametrize(
    "text",
    ["", "  ", "a\tb", "a\nb", "a\x00b", "a\x7fb", "a\x9fb", "a\u200bb", "\ufeffa", "a\ud800"],
)
def test_what_is_no_key(engine: Engine, text: str) -> None:
    assert normal(engine, text) is None


@given(TEXTS.filter(bool), TEXTS)
def test_a_prefix_is_a_range(prefix: str, text: str) -> None:
    end = beyond(prefix)
    inside = prefix <= text and (end is None or text < end)
    assert inside == text.startswith(prefix)
    assert end is None or not "\ud800" <= end[-1] <= "\udfff"


def test_the_ends_of_the_range() -> None:
    assert beyond("ab") == "ac"
    assert beyond("a\U0010ffff") == "b"
    assert beyond("\ud7ff") == "\ue000"
    assert beyond("\U0010ffff") is None


@given(st.lists(TEXTS.filter(bool), max_size=12), TEXTS.filter(bool))
def test_the_index_finds_what_starts_with_a_text(keys: list[str], prefix: str) -> None:
    index = KeyIndex((key, number) for number, key in enumerate(keys))
    assert index.starting(prefix) == {n for n, key in enumerate(keys) if key.startswith(prefix)}
