"""Entries for the corpus: by hand, and drawn by hypothesis from text that is hard to fold."""

from __future__ import annotations

from hypothesis import strategies as st

from harkback.model import Entry, Rule

#: A secret that no real policy knows: "zq-" and eight letters or digits.
RULES = (
    Rule(
        id="test-key",
        kind="pattern",
        keywords=("zq-",),
        reason="a made-up credential",
        shape="zq-[a-z0-9]{8}",
    ),
)
SECRET = "zq-" + "k3y" + "00000"

#: Few distinct letters, so that terms occur, overlap and repeat; composing marks; width forms.
FRAGMENTS = (
    *"aabAB e\n01[]",
    "e\u0301",
    "\u0301",
    "\u0323",
    "你",
    "好",
    "か\u3099",
    "ß",
    "İ",
    "i\u0307",
    "Σς",
    "\uff21",
    "\u1100\u1161",
    "😀",
    "[redacted]",
    "zq-",
    SECRET,
    SECRET.upper(),
)


def entry(*leaves: str, id: str = "m", turn: str | None = None, kind: int = 0) -> Entry:
    """A Message of plain leaves; what a test does not care about is left out."""
    return Entry(id, turn, 0, kind, "", [(leaf, False) for leaf in leaves])


def texts(max_size: int = 24) -> st.SearchStrategy[str]:
    """Leaves and raw terms."""
    return st.lists(st.sampled_from(FRAGMENTS), max_size=max_size).map("".join)


def entries() -> st.SearchStrategy[list[Entry]]:
    """The Messages of one Session, ids and Turns repeated."""
    return st.lists(
        st.builds(
            Entry,
            id=st.sampled_from(("m1", "m2", "m3", "消息", "")),
            turn=st.sampled_from((None, "t1", "t2", "")),
            timestamp=st.integers(-(2**63), 2**63 - 1),
            kind=st.integers(0, 4),
            locator=st.sampled_from(("", "17", "位置")),
            leaves=st.lists(st.tuples(texts(), st.booleans()), max_size=4),
            cuts=st.none(),
        ),
        max_size=8,
    )


def terms() -> st.SearchStrategy[list[str]]:
    """Raw terms, not yet folded, often with an occurrence."""
    return st.lists(texts(4).filter(bool), max_size=4)
