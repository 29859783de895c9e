"""Windows: cut after redaction, around the match, never inside a mark."""

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from harkback.config import MAX_SPANS_PER_WINDOW, REDACTED_MARK, WINDOW_CODE_POINTS
from harkback.model import Leaf
from harkback.windows import start_in_whole, whole, window

NOTE = re.compile(r"^\[… \d+ characters before\]\n|\n\[… \d+ characters after\]$")


def shown(engine, *texts: str, terms: tuple[str, ...] = ("needle",), cuts=None):
    leaves = [Leaf(("content", f"part{i}"), text) for i, text in enumerate(texts)]
    return window(engine, terms, leaves, cuts or [[] for _ in texts])


def test_short_messages_are_shown_whole(engine) -> None:
    view = shown(engine, "Bash", "find a Needle", "x")
    assert view.text == "Bash\nfind a Needle\nx"
    assert view.spans == ((12, 18),)
    assert view.path is None
    assert not view.truncated


def test_a_long_leaf_is_cut_around_its_first_match(engine) -> None:
    view = shown(engine, "intro", "a" * 5_000 + "needle" + "b" * 5_000)
    assert view.path == ("content", "part1")
    assert view.truncated
    ((start, end),) = view.spans
    assert view.text[start:end] == "needle"
    assert len(NOTE.sub("", view.text)) == WINDOW_CODE_POINTS
    assert view.text.startswith("[… 4800 characters before]\n")
    assert view.text.endswith("\n[… 4406 characters after]")


def test_without_a_match_the_window_starts_at_the_top(engine) -> None:
    view = shown(engine, "c" * 2_000)
    assert view.text == "c" * 800 + "\n[… 1200 characters after]"


def test_secrets_are_replaced_before_the_cut(engine) -> None:
    text = "a" * 190 + "S" * 50 + " needle " + "b" * 2_000
    view = shown(engine, text, cuts=[[(190, 240)]])
    assert "S" not in view.text
    assert REDACTED_MARK in view.text
    ((start, end),) = view.spans
    assert view.text[start:end] == "needle"


def test_a_match_inside_a_secret_or_its_mark_is_none(engine) -> None:
    view = shown(engine, "xx needle yy", terms=("needle", "redacted"), cuts=[[(3, 9)]])
    assert view.text == f"xx {REDACTED_MARK} yy"
    assert view.spans == ()


@given(st.lists(st.integers(0, 300), min_size=2, max_size=9), st.integers(1, 400))
def test_every_match_in_a_window_is_marked_however_long_a_secret_before_it(
    engine, gaps: list[int], secret: int
) -> None:
    text = "n" + "".join("." * gap + "n" for gap in gaps)
    cut = (1, 1 + secret)
    view = shown(engine, text + "." * 900, terms=("n",), cuts=[[cut]])
    body, marked = view.text.split("\n[…")[0], [view.text[a:b] for a, b in view.spans]
    assert len(marked) == min(body.count("n"), MAX_SPANS_PER_WINDOW)
    assert set(marked) == {"n"}


@pytest.mark.parametrize("width", [120, 200, 800])
def test_a_border_far_on_leaves_no_match_unmarked(engine, width: int) -> None:
    chain = "\u200db" * 25 + "\u200dn" + "\u200db" * 5
    for distance in range(width - 9, width + 70):
        text = "." * 300 + chain + "." * (distance - 10) + "n" + "." * 900
        view = window(engine, ("n",), [Leaf(("content",), text)], [[]], width)
        assert len(view.spans) == view.text.split("\n[…")[0].split("]\n")[-1].count("n")


def test_at_most_eight_spans(engine) -> None:
    assert len(shown(engine, "needle " * 50).spans) == MAX_SPANS_PER_WINDOW


@given(
    before=st.text("ab \u0301👩\u200d模", max_size=1200),
    after=st.text("ab \u0301👩\u200d模", max_size=1200),
    secrets=st.lists(st.integers(0, 2500), max_size=6, unique=True),
)
def test_a_window_is_bounded_and_shows_a_match_that_survives(
    engine, before, after, secrets
) -> None:
    text = before + " needle " + after
    at = len(before) + 1
    cuts: list[tuple[int, int]] = []
    for start in sorted(secrets):
        end = min(start + 7, len(text))
        free = not cuts or start > cuts[-1][1]
        if start < end and free and (end <= at or start >= at + 6):
            cuts.append((start, end))
    view = shown(engine, text, cuts=[cuts])
    body = NOTE.sub("", view.text)
    assert len(body) <= WINDOW_CODE_POINTS
    assert any(view.text[a:b] == "needle" for a, b in view.spans)
    assert "[" not in body.replace(REDACTED_MARK, "")
    assert "]" not in body.replace(REDACTED_MARK, "")


@given(
    st.lists(st.tuples(st.integers(0, 900), st.integers(0, 900)), min_size=1, max_size=4),
    st.integers(0, 3),
)
def test_where_a_window_begins_in_the_whole(engine, lengths, which) -> None:
    """Before and behind a secret in each leaf; one of them holds the term at its end."""
    texts = [f"{'a' * low}SECRET{'b' * high}" for low, high in lengths]
    texts[which % len(texts)] += "needle"
    cuts = [[(low, low + len("SECRET"))] for low, _ in lengths]
    leaves = [Leaf((f"part{i}",), text) for i, text in enumerate(texts)]
    view = window(engine, ["needle"], leaves, cuts)
    if not view.truncated:
        return
    names = [".".join(leaf.path) for leaf in leaves]
    found = whole(leaves, cuts, names).text
    start = start_in_whole(view, leaves, cuts, names[: view.leaf + 1])
    head = f"{names[view.leaf]}: " if len(leaves) > 1 and not view.start else ""
    assert found[start:].startswith(head + NOTE.sub("", view.text))
    assert view.text[slice(*view.spans[0])] == "needle"
