"""What each kind of rule does, with rules made for the purpose."""

from __future__ import annotations

import pytest

from harkback.engine import Engine
from harkback.model import RedactedSpan, Rule

REASON = "made for a test"


def spans(engine: Engine, text: str, *rules: Rule) -> list[tuple[int, int]]:
    return [(span.start, span.end) for span in engine.redactor(rules).spans(text)]


def pattern(shape: str, *keywords: str, **more: object) -> Rule:
    return Rule("p", "pattern", keywords, REASON, shape, **more)  # type: ignore[arg-type]


def test_a_pattern_takes_its_match_or_its_group(engine: Engine) -> None:
    assert spans(engine, "é ab12 ab3", pattern("ab[0-9]{1,2}", "ab")) == [(2, 6), (7, 10)]
    assert spans(engine, "é ab12", pattern("ab([0-9]{2})", "ab")) == [(4, 6)]
    assert spans(engine, "é abx", pattern("ab([0-9]{2})?", "ab")) == []


def test_keywords_match_ascii_case_insensitively_and_no_further(engine: Engine) -> None:
    rule = pattern("[kK\u212a][0-9]", "k")
    assert spans(engine, "K1 k2 \u212a3", rule) == [(0, 2), (3, 5)]


def test_no_keyword_hides_another(engine: Engine) -> None:
    long, short = pattern("abcd", "abcd"), Rule("q", "pattern", ("bc",), REASON, "bc")
    assert engine.redactor([long, short]).spans("abcd abce") == [
        RedactedSpan(0, 4, ("p", "q")),
        RedactedSpan(6, 8, ("q",)),
    ]


def test_before_counts_code_points(engine: Engine) -> None:
    rule = pattern("[密é]{2}ab", "ab", before=2)
    assert spans(engine, "x密éab", rule) == [(1, 5)]
    assert spans(engine, "éab", rule) == []


def test_a_boundary_is_ascii(engine: Engine) -> None:
    rule = pattern("ab", "ab", boundary=True)
    assert spans(engine, "ab 密ab éab -ab", rule) == [(0, 2), (4, 6), (8, 10), (12, 14)]
    assert spans(engine, "xab x_ab 9ab", rule) == []


def test_escapes_are_ascii_and_negated_classes_unicode(engine: Engine) -> None:
    text = "k\u0660 k5 k\u00a0 ké k_"
    assert spans(engine, text, pattern(r"k\d", "k")) == [(3, 5)]
    assert spans(engine, text, pattern(r"k[\w]", "k")) == [(3, 5), (12, 14)]
    assert spans(engine, "k\u00a0k\u000b", pattern(r"k\s", "k")) == [(2, 4)]
    assert spans(engine, "k密k5", pattern(r"k[^\d]", "k")) == [(0, 2)]
    assert spans(engine, "kaé", pattern(r"ka\b", "k")) == [(0, 2)]


def test_a_run_goes_on_however_long(engine: Engine) -> None:
    rule = Rule("r", "run", ("k-",), REASON, "k-[a-z]{3}", run="a-z_")
    assert spans(engine, "k-abc" + "d_" * 5000 + "-x", rule) == [(0, 10_005)]
    assert spans(engine, "k-ab k-abcdé", rule) == [(5, 11)]


def test_a_bounded_run_before_a_rest_it_cannot_start(engine: Engine) -> None:
    rule = pattern("k[a-k]{2,4}-[a-k]{2}", "k")
    assert spans(engine, "kab-ab kabcde-ab ka-ab", rule) == [(0, 6)]
    assert spans(engine, "kkkkkkk-kk kab-a kabé-ab", rule) == [(2, 10)]
    assert spans(engine, "kab-kab-kab", rule) == [(0, 10)]


def test_a_block_goes_to_its_end_or_to_the_end_of_the_leaf(engine: Engine) -> None:
    rule = Rule("b", "between", ("<<",), REASON, "<<[A-Z]", end=">>")
    assert spans(engine, "a<<X b>> c<<Y d", rule) == [(1, 8), (10, 15)]
    assert spans(engine, "<<A <<B >> >>", rule) == [(0, 10)]
    assert spans(engine, "<<a >>", rule) == []


def test_back_takes_what_stands_left_of_the_keyword(engine: Engine) -> None:
    rule = pattern(r"\.v1\.[a-z]{2}", ".v1.", back="a-z0-9é")
    assert spans(engine, "-abé1.v1.xyz .v1.ab", rule) == [(1, 11), (13, 19)]
    assert spans(engine, "a" * 100 + ".v1.xy", rule) == [(36, 106)]
    group = pattern(r"Q~([0-9]{2})", "q~", before=0, back="a-z")
    assert spans(engine, "1abQ~12", group) == [(1, 7)]


def test_a_boundary_is_left_of_what_back_takes(engine: Engine) -> None:
    rule = pattern("::[0-9]", "::", back="a-z", boundary=True)
    assert spans(engine, "ab::1 9ab::1 -ab::1 密ab::1", rule) == [(0, 5), (14, 19), (21, 26)]
    assert spans(engine, "a" * 100 + "::1", rule) == []


def test_before_and_back_take_the_longer_of_both(engine: Engine) -> None:
    rule = pattern("[a-z0-9]{3}Q~[0-9]", "q~", before=3, back="a-z")
    assert spans(engine, "xab1Q~1 xyabcQ~1", rule) == [(1, 7), (8, 16)]


def test_a_word_is_a_whole_run_of_its_class(engine: Engine) -> None:
    rule = Rule("w", "word", (), REASON, "[0-9a-f]{4}(?:[0-9a-f]{4})?", run="0-9a-f")
    assert spans(engine, "abcd abcde 密0123 01234567x 0123456", rule) == [
        (0, 4),
        (12, 16),
        (17, 25),
    ]
    assert spans(engine, "", rule) == []
    assert spans(engine, "a" * 4000 + " abcd", rule) == [(4001, 4005)]


def test_a_word_may_end_at_a_border_of_its_own(engine: Engine) -> None:
    rule = Rule("w", "word", (), REASON, r"[0-9]{2}\b", run="0-9")
    assert spans(engine, "12 34a", rule) == [(0, 2), (3, 5)]


def test_a_validator_sees_the_whole_secret(engine: Engine) -> None:
    rule = Rule("r", "run", ("k-",), REASON, "k-([a-z]{3})", run="a-z0-9", validator="mixed")
    assert spans(engine, "k-abcdef k-abcdef7", rule) == [(11, 18)]
    word = Rule("w", "word", (), REASON, "[a-z0-9]{4,8}", run="a-z0-9", validator="mixed")
    assert spans(engine, "abcd ab12 1234", word) == [(5, 9)]


def test_an_unknown_validator_is_named(engine: Engine) -> None:
    with pytest.raises(ValueError, match="rule p: unknown validator"):
        engine.redactor([pattern("a", "a", validator="entropy")])


def test_touching_spans_are_one_with_the_ids_of_both(engine: Engine) -> None:
    rules = [
        Rule(name, "pattern", (word,), REASON, word) for name, word in (("z", "ab"), ("y", "cd"))
    ]
    assert engine.redactor(rules).spans("abcdab cd") == [
        RedactedSpan(0, 6, ("y", "z")),
        RedactedSpan(7, 9, ("y",)),
    ]


def test_spans_grow_to_composition_borders(engine: Engine) -> None:
    assert spans(engine, "xab\u0301\u0302y", pattern("ab", "ab")) == [(1, 5)]
    assert spans(engine, "e\u0301b", pattern("\u0301b", "b", before=1)) == [(0, 3)]


def test_a_sensitive_leaf_goes_whole(engine: Engine) -> None:
    key = Rule("k", "key", ("token",), REASON, names=("token",))
    redactor = engine.redactor([pattern("ab", "ab"), key])
    assert redactor.spans("anything 密", sensitive=True) == [RedactedSpan(0, 10, ("k",))]
    assert redactor.spans("", sensitive=True) == []


def test_what_the_marks_lay_open_is_taken_too(engine: Engine) -> None:
    rules = [
        pattern("[A-Z]{3}", "k", before=2),
        Rule("q", "pattern", ("w",), REASON, "w[0-9]", boundary=True),
    ]
    assert spans(engine, "ABKw1", *rules) == [(0, 5)]


def test_a_chain_longer_than_the_passes_goes_whole(engine: Engine) -> None:
    rule = Rule("q", "pattern", ("w",), REASON, "w[0-9]", boundary=True)
    assert spans(engine, "a w1w2w3 b", rule) == [(2, 8)]
    assert spans(engine, "é w1" + "w2" * 40 + "x b w3", rule) == [(2, 85), (88, 90)]


def test_the_mark_itself_is_no_secret(engine: Engine) -> None:
    rule = pattern(r"=(\[[a-z]{8}\])", "=")
    assert spans(engine, "=[redacted] =[redacter]", rule) == [(13, 23)]


def test_no_rules_and_no_text(engine: Engine) -> None:
    assert engine.redactor([]).spans("password=hunter2") == []
    assert spans(engine, "", pattern("ab", "ab")) == []


def test_a_class_that_does_not_compile_is_named(engine: Engine) -> None:
    for rule in (
        Rule("p", "run", ("a",), REASON, "a", run="z-a"),
        Rule("p", "word", (), REASON, "a", run="z-a"),
        pattern("a", "a", back="z-a"),
    ):
        with pytest.raises(ValueError, match="rule p:"):
            engine.redactor([rule])


@pytest.mark.parametrize("shape", ["(", "a{2,1}", "[z-a]"])
def test_a_shape_that_does_not_compile_is_named(engine: Engine, shape: str) -> None:
    with pytest.raises(ValueError, match="rule p:"):
        engine.redactor([pattern(shape, "a")])
