"""The bench harness counts calls, pairs them fairly and prints straight columns."""

from __future__ import annotations

import time

from harness import compare, median_ms, table


def test_median_leaves_the_warmup_out() -> None:
    calls: list[int] = []

    def fn() -> None:
        calls.append(1)
        time.sleep(0.03 if len(calls) <= 2 else 0.001)

    assert median_ms(fn, runs=3, warmup=2) < 20
    assert len(calls) == 5


def test_pairs_alternate_who_goes_first() -> None:
    calls: list[str] = []
    compare(lambda: calls.append("a"), lambda: calls.append("b"), runs=4)
    assert "".join(calls) == "ab" + "ab" + "ba" + "ab" + "ba"


def test_comparison_names_the_slower_one() -> None:
    found = compare(lambda: time.sleep(0.02), lambda: time.sleep(0.002), runs=3)
    assert found.a_ms >= 20 > found.b_ms
    assert found.ratio == found.a_ms / found.b_ms
    assert 1 < found.lowest <= found.highest


def test_table_aligns_wide_text_and_numbers() -> None:
    text = table(["term", "ms"], [["模型", 12.25], ["context window", 1234.5]])
    assert text.splitlines() == [
        "term                  ms",
        "--------------  --------",
        "模型               12.25",
        "context window  1,234.50",
    ]


def test_table_without_rows_is_its_headers() -> None:
    assert table(["term", "ms"], []).splitlines() == ["term  ms", "----  --"]
