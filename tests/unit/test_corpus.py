"""The predicate, the columns of Hits and what a segment keeps; on both engines."""

from __future__ import annotations

import hashlib

import pytest

from harkback.engine import Corpus, Engine
from harkback.model import ABANDONED, Entry, Row, Scope
from support.entries import RULES, SECRET, entry


def prefix(data: bytes) -> int:
    return int.from_bytes(hashlib.sha256(data).digest()[:8], "big")


@pytest.fixture
def corpus(engine: Engine) -> Corpus:
    return engine.corpus(engine.redactor(RULES))


def frequencies(corpus: Corpus, *terms: str) -> list[list[int]]:
    """Per term, its frequency in each Hit of the one key "k"."""
    return corpus.search(terms, ["k"]).frequency


def test_columns_of_a_hit(corpus: Corpus) -> None:
    corpus.put("other", [entry("nothing")])
    corpus.put(
        "k",
        [
            entry("no"),
            Entry("id-2", "t9", -5, 3, "loc", [("Café Ab", False), ("", False), ("AB ab", False)]),
        ],
    )
    hits = corpus.search(["ab", "zz"], ["other", "k"])
    assert hits.key == [1]
    assert hits.row == [1]
    assert hits.turn == [0]
    assert hits.timestamp == [-5]
    assert hits.kind == [3]
    assert hits.length == [12]
    assert hits.ident == [prefix(b"id-2")]
    assert hits.digest == [prefix("café ab".encode() + b"\xff" + b"ab ab")]
    assert hits.frequency == [[3], [0]]


def test_hits_are_in_key_then_row_order_and_columns_are_lists(corpus: Corpus) -> None:
    corpus.put("a", [entry("x"), entry("-"), entry("x y")])
    corpus.put("b", [entry("y"), entry("x")])
    hits = corpus.search(["x", "y"], ["b", "a", "b"])
    assert list(zip(hits.key, hits.row, strict=True)) == [
        (0, 0), (0, 1), (1, 0), (1, 2), (2, 0), (2, 1),
    ]  # fmt: skip
    assert hits.frequency == [[0, 1, 1, 1, 0, 1], [1, 0, 0, 1, 1, 0]]
    assert hits.holding == [0, 1, 2]
    assert all(isinstance(column, list) for column in hits[:-2])
    assert type(hits.kind[0]) is int


def test_frequency_is_non_overlapping_from_the_left(corpus: Corpus) -> None:
    corpus.put("k", [entry("aaaa"), entry("aaaaa", "a", "aa"), entry("ababab")])
    assert frequencies(corpus, "aa") == [[2, 3]]
    assert frequencies(corpus, "a", "aba") == [[4, 8, 3], [0, 0, 1]]


@pytest.mark.parametrize("term", ["ab", "b", "你好"])
def test_a_term_lies_in_one_leaf_of_one_message(corpus: Corpus, term: str) -> None:
    head, tail = term[:1], term[1:]
    corpus.put("k", [entry(head, tail), entry(head), entry(tail), entry(f"-{term}-")])
    rows = corpus.search([term], ["k"]).row
    assert rows == [0, 1, 3] if not tail else rows == [3]


def test_no_term_in_or_across_a_secret_and_no_marker(corpus: Corpus) -> None:
    corpus.put("k", [entry(f"left {SECRET} right")])
    for term in (SECRET, SECRET[3:], "left  right", "left [redacted]", "[redacted]", "redacted"):
        assert corpus.search([term], ["k"]).row == []
    assert frequencies(corpus, "left ", " right", " ") == [[1], [1], [2]]
    assert corpus.rows("k", 0, 1)[0].spans == [[(5, 5 + len(SECRET))]]
    assert corpus.search(["left"], ["k"]).length == [len("left  right")]


def test_text_that_happens_to_read_like_the_marker_is_text(corpus: Corpus) -> None:
    corpus.put("k", [entry("it said [redacted] twice: [redacted]")])
    assert frequencies(corpus, "[redacted]") == [[2]]


def test_each_surviving_span_is_folded_on_its_own(corpus: Corpus) -> None:
    corpus.put("k", [entry(f"E{SECRET}A", "e", "\u0301"), entry("e\u0301")])
    hits = corpus.search(["é", "e"], ["k"])
    assert hits.row == [0, 1]
    assert hits.frequency == [[0, 1], [2, 0]]
    assert hits.length == [4, 2]
    assert hits.digest == [prefix(b"e\xffa\xffe\xff\xcc\x81"), prefix("é".encode())]


def test_a_sensitive_leaf_is_redacted_whole(corpus: Corpus) -> None:
    corpus.put("k", [Entry("m", None, 0, 2, "", [("open", False), ("sesame", True), ("", True)])])
    assert frequencies(corpus, "open") == [[1]]
    assert corpus.search(["sesame", "s"], ["k"]).row == []
    assert corpus.search(["open"], ["k"]).length == [4]
    assert corpus.rows("k", 0, 1)[0].spans == [[], [(0, 6)], []]


def test_row_offsets_are_code_points(corpus: Corpus) -> None:
    text = f"密钥 {SECRET} 😀 {SECRET}"
    message = Entry("消息", "回合", 7, 1, "位置", [("", False), (text, False)])
    corpus.put("k", [entry(SECRET), message, entry()])
    first = 3
    second = first + len(SECRET) + 3
    assert corpus.rows("k", 1, 9) == [
        Row(
            "消息", "回合", 7, 1, "位置",
            [[], [(first, first + len(SECRET)), (second, second + len(SECRET))]],
        ),
        Row("m", None, 0, 0, "", []),
    ]  # fmt: skip
    assert corpus.rows("k", 2, 1) == corpus.rows("k", 7, 9) == []


def test_turns_count_in_the_order_of_their_first_message(corpus: Corpus) -> None:
    turns = ["t2", None, "t1", "t2", "", "t1"]
    corpus.put("k", [entry("x", turn=turn) for turn in turns])
    assert corpus.search(["x"], ["k"]).turn == [0, -1, 1, 0, 2, 1]
    assert [row.turn for row in corpus.rows("k", 0, 6)] == turns


def test_a_scope_says_which_of_them_are_hits(corpus: Corpus) -> None:
    def message(at: int, kind: int, turn: str) -> Entry:
        return Entry(str(at), turn, at, kind, "", [("x", False)])

    messages = [
        message(1, 0, "t1"), message(2, 1, "t1"), message(3, ABANDONED, "t2"),
        message(4, 0, "t2"), message(9, ABANDONED, "t3"), message(9, 0, "t1"),
    ]  # fmt: skip
    corpus.put("a", messages)
    corpus.put("b", messages[:1])
    asked = Scope((0,), 2, 8, abandoned=False)
    hits = corpus.search(["x"], ["a", "b"], asked)
    assert (hits.key, hits.row, hits.holding) == ([0], [3], [0, 1])
    assert (hits.outside_time, hits.abandoned) == (4, 1)
    hits = corpus.search(["x"], ["a", "b"], asked._replace(abandoned=True, until=None))
    assert list(zip(hits.key, hits.row, strict=True)) == [(0, 2), (0, 3), (0, 4), (0, 5)]
    active = Scope((0, 1), None, None, abandoned=True, active=((0,), "t1"))
    hits = corpus.search(["x"], ["a", "b"], active)
    assert list(zip(hits.key, hits.row, strict=True)) == [(0, 2), (0, 3), (0, 4), (1, 0)]
    assert (hits.outside_time, hits.abandoned) == (0, 0)


def test_put_replaces_and_drop_forgets(corpus: Corpus) -> None:
    corpus.put("k", [entry("old")])
    corpus.put("k", (entry("new"), entry("new")))
    assert len(corpus.rows("k", 0, 9)) == 2
    assert corpus.search(["old"], ["k"]).row == []
    corpus.drop("k")
    corpus.drop("k")
    with pytest.raises(KeyError):
        corpus.size("k")


def test_an_unknown_key_is_a_key_error(corpus: Corpus) -> None:
    corpus.put("k", [])
    for call in (
        lambda: corpus.extend("?", [], []),
        lambda: corpus.size("?"),
        lambda: corpus.search(["a"], ["k", "?"]),
        lambda: corpus.rows("?", 0, 1),
    ):
        with pytest.raises(KeyError, match="no segment is held for this key"):
            call()


def test_extend_equals_putting_all_at_once(corpus: Corpus) -> None:
    def message(id: str, text: str, turn: str) -> Entry:
        return Entry(id, turn, 0, 0, "", [(text, False)])

    first = [message("a", "x one", "t1"), message("b", f"x {SECRET}", "t2")]
    more = [message("a", "x again", "t3"), message("c", f"{SECRET} x x", "t2")]
    corpus.put("k", [*first, message("a", "x gone", "t3")])
    corpus.extend("k", more, ["a", "never was"])
    corpus.put("whole", [first[1], *more])
    assert corpus.search(["x", "one"], ["k"]) == corpus.search(["x", "one"], ["whole"])
    assert corpus.rows("k", 0, 9) == corpus.rows("whole", 0, 9)
    assert corpus.search(["x"], ["k"]).turn == [0, 1, 0]
    assert corpus.size("k") == corpus.size("whole")


def test_empty_terms_keys_and_segments(corpus: Corpus) -> None:
    corpus.put("k", [])
    assert corpus.rows("k", 0, 9) == []
    assert corpus.rows("k", 0, 5) == []
    assert corpus.search(["a"], ["k"]).row == []
    corpus.put("k", [entry("a"), entry(), entry("")])
    assert corpus.search([], ["k"]).row == []
    assert corpus.search(["a"], []).row == []
    assert corpus.search(["a"], ["k"]).row == [0]
    with pytest.raises(ValueError, match="empty"):
        corpus.search(["a", ""], ["k"])


def test_size_grows_with_the_text_not_with_secrets(corpus: Corpus) -> None:
    corpus.put("small", [entry("a" * 1000)])
    corpus.put("large", [entry("a" * 9000)])
    corpus.put("secret", [Entry("m", None, 0, 0, "", [("a" * 9000, True)])])
    assert 8000 <= corpus.size("large") - corpus.size("small") < 8300
    assert corpus.size("secret") < 1000 < corpus.size("small") < 2000
