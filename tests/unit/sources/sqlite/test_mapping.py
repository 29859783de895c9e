"""A mapping says what it may, or is refused by the name of the key."""

from __future__ import annotations

import copy
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from harkback.errors import UsageError
from harkback.sources.sqlite.generic import ready
from harkback.sources.sqlite.mapping import load

GOOD: dict[str, Any] = {
    "agent": "mine",
    "sessions": {"table": "s", "id": "id", "parents": [{"from": "a:b", "kind": "branch"}]},
    "messages": {
        "table": "m",
        "session": "s",
        "id": "id",
        "shown": [{"kind": "user", "text": "t"}],
    },
}


def refused(value: Any) -> str:
    with pytest.raises(UsageError) as caught:
        load(value)
    assert caught.value.reason == "mapping_invalid"
    return caught.value.message


def test_what_is_left_out_has_a_meaning() -> None:
    table = load(GOOD)
    assert table.messages.order == ("id",)
    assert table.messages.unit == "ms"
    assert load({**GOOD, "sessions": None} | {"sessions": GOOD["sessions"]}).agent == "mine"


CHANGES: list[tuple[str, Callable[[Any], Any]]] = [
    ("agent", lambda m: m.pop("agent")),
    ("messages", lambda m: m.pop("messages")),
    ("messages", lambda m: m.update(messages=[])),
    ("messages.table", lambda m: m["messages"].pop("table")),
    ("messages.table", lambda m: m["messages"].update(table="")),
    ("messages.table", lambda m: m["messages"].update(table="a\0b")),
    ("messages.id", lambda m: m["messages"].update(id=5)),
    ("messages.order", lambda m: m["messages"].update(order=[5])),
    ("messages.unit", lambda m: m["messages"].update(unit="days")),
    ("messages.shown", lambda m: m["messages"].update(shown=[])),
    ("messages.shown", lambda m: m["messages"].update(shown={})),
    ("messages.shown[0].kind", lambda m: m["messages"]["shown"][0].update(kind="title")),
    ("messages.shown[0].text", lambda m: m["messages"]["shown"][0].update(text="a:[")),
    ("messages.shown[0].text", lambda m: m["messages"]["shown"][0].update(text=":a")),
    ("messages.shown[0].tool", lambda m: m["messages"]["shown"][0].update(tool=["a", "b"])),
    ("messages.shown[0].when", lambda m: m["messages"]["shown"][0].update(when={"a": {}})),
    ("messages.shown[0].when", lambda m: m["messages"]["shown"][0].update(when={"a": []})),
    ("messages.shown[0].when", lambda m: m["messages"]["shown"][0].update(when=5)),
    ("unless_starts", lambda m: m["messages"]["shown"][0].update(unless_starts={"a": 1})),
    ("messages.shown[0].regex", lambda m: m["messages"]["shown"][0].update(regex="x")),
    ("messages.where", lambda m: m["messages"].update(where="1=1; DROP TABLE m")),
    ("sessions.x", lambda m: m["sessions"].update(x=1)),
    ("sessions.parents.from", lambda m: m["sessions"].update(parents=[{"kind": "branch"}])),
    ("sessions.parents[0].kind", lambda m: m["sessions"]["parents"][0].update(kind="x")),
    ("version", lambda m: m.update(version=1)),
]


@pytest.mark.parametrize(("key", "change"), CHANGES)
def test_what_is_refused(key: str, change: Callable[[Any], Any]) -> None:
    mapping = copy.deepcopy(GOOD)
    change(mapping)
    assert f"{key}`" in refused(mapping)


def test_files(tmp_path: Path) -> None:
    file = tmp_path / "mapping.toml"
    assert "cannot be read" in refused(file)
    file.write_bytes(b"\xff")
    assert "cannot be read" in refused(file)
    file.write_text("agent =")
    assert "no TOML" in refused(file)
    file.write_text(
        'agent = "x"\n[messages]\ntable = "m"\nsession = "s"\nid = "i"\n'
        '[[messages.shown]]\nkind = "user"\ntext = "t"\n'
    )
    assert load(str(file)).agent == "x"


def test_the_ready_ones_load() -> None:
    assert [schema.agent for schema in ready()] == ["openai-agents", "hermes"]
