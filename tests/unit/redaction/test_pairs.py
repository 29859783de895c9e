"""Values whose name stands in another leaf."""

from __future__ import annotations

import pytest

from harkback.engine import Engine
from harkback.model import JsonPart, JsonValue, StoredMessage
from harkback.projection import project
from harkback.redaction import DEFAULT

HIDDEN: tuple[tuple[JsonValue, list[str]], ...] = (
    (["login", "--password", "x", "y"], ["x"]),
    (["-Token", "x"], ["x"]),
    ({"name": "token", "value": "x"}, ["x"]),
    ({"value": "x", "name": "token"}, ["x"]),
    ({"key": "Authorization", "type": "text", "value": "x"}, ["x"]),
    ([{"name": "a", "value": "1"}, {"name": "DB_PASSWORD", "value": "x"}], ["x"]),
    ([{"name": "DB_PASSWORD", "value": "x"}, {"name": "a", "value": "1"}], ["x"]),
    ([{"value": "x", "name": "apiKey"}, {"value": "1", "name": "a"}], ["x"]),
    ([{"value": "1", "name": "a"}, {"value": "x", "name": "apiKey"}], ["x"]),
    ({"a": {"name": "token"}, "b": {"value": "1"}}, []),
    (["--password", "--verbose", "y"], []),
    (["--name", "x", "password", "y"], []),
    ({"fields": ["name", "password", "email"]}, []),
    ({"name": "password field of the form", "value": "1"}, []),
    ({"name": "token", "description": "1"}, []),
    (["--password"], []),
)


@pytest.mark.parametrize(("value", "hidden"), HIDDEN)
def test_a_value_in_the_next_leaf_goes(engine: Engine, value: JsonValue, hidden: list[str]) -> None:
    stored = StoredMessage("m", "tool_call", None, 0, (JsonPart("arguments", value),), "")
    prepared = DEFAULT.bind(engine).prepare(project(stored))
    assert [text for text, sensitive in prepared if sensitive] == hidden
