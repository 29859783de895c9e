"""Which Sessions continue one another."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from harkback.sources.transcripts.lineage import Kin, place


def kin(
    name: str, parent: str | None = None, origin: str = "", copied: bool = False, at: int = 0
) -> Kin:
    return Kin(name, parent, origin, copied, at)


def test_who_stands_alone() -> None:
    assert place([kin("a"), kin("b", parent="gone")]) == {"a": ("a", 0), "b": ("b", 0)}


def test_parents_and_children() -> None:
    found = place([kin("c", parent="b"), kin("b", parent="a", at=5), kin("a", at=9)])
    assert found == {"a": ("a", 0), "c": ("a", 1), "b": ("a", 2)}


def test_one_origin_is_one_lineage_and_its_own_comes_first() -> None:
    found = place([kin("x", origin="m", at=3), kin("y", origin="m", at=1, copied=True)])
    assert found == {"x": ("x", 0), "y": ("x", 1)}
    found = place([kin("x", origin="z", at=1), kin("z", origin="z", at=9)])
    assert found == {"z": ("z", 0), "x": ("z", 1)}


def test_a_fork_of_a_fork_that_names_the_fork() -> None:
    found = place([kin("c", origin="b"), kin("b", parent="a", origin="a"), kin("a", origin="a")])
    assert {lineage for lineage, _ in found.values()} == {"a"}


@given(
    st.lists(
        st.tuples(
            st.sampled_from("abcdef"),
            st.none() | st.sampled_from("abcdefg"),
            st.sampled_from(["", *"abcm"]),
            st.booleans(),
            st.integers(0, 3),
        ),
        unique_by=lambda each: each[0],
    )
)
def test_whatever_the_links_say(rows: list[tuple[str, str | None, str, bool, int]]) -> None:
    """Rings, strangers: each Session has one lineage, whose first has generation 0."""
    all_kin = [Kin(*row) for row in rows]
    found = place(all_kin)
    assert set(found) == {each.id for each in all_kin}
    for lineage in {lineage for lineage, _ in found.values()}:
        members = [place for which, place in found.values() if which == lineage]
        assert sorted(members) == list(range(len(members)))
        assert found[lineage] == (lineage, 0)
    for each in all_kin:
        for other in all_kin:
            if each.parent == other.id or (each.origin and each.origin == other.origin):
                assert found[each.id][0] == found[other.id][0]
