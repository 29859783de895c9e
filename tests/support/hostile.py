"""Records with something of any JSON type where the format has something else."""

from __future__ import annotations

import copy
from typing import Any

from hypothesis import strategies as st

json_values = st.recursive(
    st.none()
    | st.booleans()
    | st.integers(-(2**63), 2**63)
    | st.floats()
    | st.text(max_size=12)
    | st.sampled_from(["", "data:", "{", '{"a": "b"}', "2026-06-12T00:30:16Z"]),
    lambda inner: (
        st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=8), inner, max_size=3)
    ),
    max_leaves=6,
)


def places(value: Any, at: tuple[Any, ...] = ()) -> list[tuple[Any, ...]]:
    """The way to every value inside ``value``."""
    found = []
    listed = enumerate(value) if isinstance(value, list) else ()
    for key, child in value.items() if isinstance(value, dict) else listed:
        found += [(*at, key), *places(child, (*at, key))]
    return found


def replaced(record: Any, place: tuple[Any, ...], value: Any) -> Any:
    changed = copy.deepcopy(record)
    node = changed
    for key in place[:-1]:
        node = node[key]
    node[place[-1]] = value
    return changed


@st.composite
def with_one_changed(draw: st.DrawFn, records: list[Any]) -> tuple[int, list[Any]]:
    """``records`` with one value of one of them replaced by any other, and which of them it is."""
    index = draw(st.integers(0, len(records) - 1))
    place = draw(st.sampled_from(places(records[index])))
    changed = replaced(records[index], place, draw(json_values))
    return index, [*records[:index], changed, *records[index + 1 :]]
