"""The constants that are promises to a caller, one by one: changing one is a decision."""

from __future__ import annotations

from harkback import config


def test_the_question() -> None:
    assert (config.MAX_TERMS, config.MAX_TERM_CODE_POINTS) == (8, 500)
    assert (config.DEFAULT_LIMIT, config.MAX_LIMIT) == (8, 25)


def test_the_ranking() -> None:
    assert (config.BM25_K1, config.BM25_B) == (1.2, 0.75)
    assert config.MAX_SCORED_CODE_POINTS == 4096
    assert config.KIND_WEIGHTS == {
        "user": 1.0,
        "assistant": 1.0,
        "tool_call": 1.0,
        "tool_result": 0.5,
        "summary": 1.0,
        "title": 1.0,
    }
    assert config.DEFAULT_KINDS == ("user", "assistant", "tool_call", "tool_result")


def test_the_passages() -> None:
    assert config.NEIGHBOURS_EACH_SIDE == 4
    assert (config.WINDOW_CODE_POINTS, config.WINDOW_LEAD_CODE_POINTS) == (800, 200)
    assert (config.MAX_SPANS_PER_WINDOW, config.MAX_LABEL_CODE_POINTS) == (8, 120)
    assert config.REDACTED_MARK == "[redacted]"


def test_the_budget_and_that_its_parts_fit() -> None:
    assert (config.TEXT_BUDGET, config.JSON_BUDGET) == (12_000, 24_000)
    assert config.TEXT_PASSAGES_BUDGET <= 8_000
    assert config.TEXT_FACTS_BUDGET <= 1_500
    frame = 600
    parts = config.TEXT_PASSAGES_BUDGET + config.TEXT_FACTS_BUDGET + config.TEXT_GAPS_BUDGET
    assert parts + frame <= config.TEXT_BUDGET
    parts = config.JSON_PASSAGES_BUDGET + config.JSON_FACTS_BUDGET
    parts += config.JSON_GAPS_BUDGET + config.JSON_LEFT_OUT_BUDGET
    assert parts + frame <= config.JSON_BUDGET


def test_facts() -> None:
    assert (config.MAX_FACTS, config.MAX_FACT_ANCHORS) == (10, 3)


def test_the_materials() -> None:
    assert config.MAX_MATERIALS == 8
    limits = (config.MAX_MATERIAL_BYTES, config.MAX_PDF_BYTES, config.MAX_IMAGE_BYTES)
    assert limits == (50 << 20, 12 << 20, 5 << 20)
    assert config.TEXT_MATERIALS_BUDGET <= config.TEXT_PASSAGES_BUDGET // 4
    assert config.JSON_MATERIALS_BUDGET <= config.JSON_PASSAGES_BUDGET // 4
    assert (config.PIXELS_PER_TOKEN, config.IMAGE_LONG_EDGE, config.IMAGE_TOKENS) == (
        750,
        1568,
        1600,
    )


def test_the_cost() -> None:
    assert config.DEFAULT_MEMORY_BYTES == 1 << 30
