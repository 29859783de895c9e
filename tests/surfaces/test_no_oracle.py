"""What an answer may not tell: whether a raw byte string stands in a secret of the history.

A term that stands in a secret and one that stands nowhere get the same answer, though the scan
offers a Session for one and none for the other; whatever reading that Session finds.
"""

from __future__ import annotations

from typing import Any

import pytest

from harkback import Recall
from harkback.engine import Engine
from support.stores import StoreBuilder

SECRET = "gh" + "p_" + "Q7zK9mB2xV4nL8pR1tW6yC3dF5gH0jS2aE4u"
PART, NOWHERE = SECRET[8:18], "0123456789"


def told(recall: Recall, term: str) -> dict[str, Any]:
    answer = recall.search([term]).to_dict()
    assert not answer["passages"]
    for gap in answer["gaps"]:
        gap["message"] = gap["message"].replace(term, "")
    return answer


@pytest.mark.parametrize("memory", [0, 1 << 30])
@pytest.mark.parametrize("ledger", [True, False])
def test_a_part_of_a_secret_is_answered_like_a_word_that_is_nowhere(
    engine: Engine, builder: StoreBuilder, ledger: bool, memory: int
) -> None:
    for number, raw in enumerate(('{"a": "b"', '{"a": "\\x"}', "[]")):
        name = f"damaged-{number}"
        builder.session(name, ledger=ledger)
        if ledger:
            builder.text(name, f"it is {SECRET}")
            builder.event(name, None, kind="text", payload=raw)
        else:
            builder.message(name, 0, "user", {"text": f"it is {SECRET}"})
            builder.message(name, 1, "user", raw=raw)
    builder.session("archived", ledger=ledger)
    gone = {"kind": "archived_tool_result"}
    if ledger:
        builder.text("archived", f"it is {SECRET}")
        builder.result("archived", gone)
    else:
        builder.message("archived", 0, "user", {"text": f"it is {SECRET}"})
        builder.message("archived", 1, "tool_result", {"content": gone})
    with Recall(builder.path, engine=engine.name, memory_bytes=memory) as recall:
        before = told(recall, NOWHERE)
        assert told(recall, PART) == before
        assert told(recall, NOWHERE) == before  # nor does what the question before it left behind
