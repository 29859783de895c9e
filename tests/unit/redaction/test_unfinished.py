"""The beginning of a key at the end of a Message in progress."""

from __future__ import annotations

import pytest

from harkback.engine import Engine
from harkback.redaction import DEFAULT
from support.secrets import BODY

KEY = "gh" + "p_" + BODY[:36]


def test_every_beginning_of_a_key_goes(engine: Engine) -> None:
    redaction = DEFAULT.bind(engine)
    for length in range(5, len(KEY) + 1):
        text = "密钥 " + KEY[:length]
        cuts, failed = redaction.cuts([(text, False)], in_progress=True)
        assert (cuts, failed) == ([[(3, len(text))]], 0)


def test_a_text_that_is_whole_is_redacted_as_ever(engine: Engine) -> None:
    assert DEFAULT.bind(engine).cuts([("use " + KEY[:8], False)]) == (None, 0)


@pytest.mark.parametrize(
    "text",
    [
        "use gh" + "p_",
        KEY[:8] + " and more",
        "the bearer of",
        "a risk-free task-list",
        "",
    ],
)
def test_what_is_no_beginning_of_a_key_stays(engine: Engine, text: str) -> None:
    assert DEFAULT.bind(engine).cuts([(text, False)], in_progress=True) == ([[]], 0)


def test_what_rules_find_goes_beside_it(engine: Engine) -> None:
    text = f"token=a1b2 then {KEY[:8]}"
    cuts, _ = DEFAULT.bind(engine).cuts([(text, False), ("x", True)], in_progress=True)
    assert cuts == [[(6, 10), (16, 24)], [(0, 1)]]
