"""Private keys whose lines stand in leaves of their own."""

from __future__ import annotations

import time

import pytest

from harkback.engine import Engine
from harkback.model import JsonPart, JsonValue, Leaf, StoredMessage
from harkback.projection import project
from harkback.redaction import DEFAULT

KEY = " PRIVATE" + " KEY"
BEGIN, END = f"-----BEGIN RSA{KEY}-----", f"-----END RSA{KEY}-----"
PGP = f"-----BEGIN PGP{KEY} BLOCK-----", f"-----END PGP{KEY} BLOCK-----"
BODY = ["MIIEpAIBAAKCAQEA1c7", "q9Ftuv2q3Jd0rG5Kpb/+=="]


def hidden(engine: Engine, value: JsonValue) -> list[str]:
    stored = StoredMessage("m", "tool_result", None, 0, (JsonPart("content", value),), "")
    prepared = DEFAULT.bind(engine).prepare(project(stored))
    return [text for text, sensitive in prepared if sensitive]


@pytest.mark.parametrize(
    ("value", "gone"),
    [
        ([BEGIN, *BODY, END, "after it"], [*BODY, END]),
        (
            [f"{BEGIN}\n", *(f"{line}\n" for line in BODY), END],
            [f"{line}\n" for line in BODY] + [END],
        ),
        (["cat key", f"{BEGIN}\n{BODY[0]}", BODY[1], END], [BODY[1], END]),
        (
            [BEGIN, "Proc-Type: 4,ENCRYPTED", "DEK-Info: DES-EDE3-CBC,A1", "", *BODY, END],
            ["Proc-Type: 4,ENCRYPTED", "DEK-Info: DES-EDE3-CBC,A1", *BODY, END],
        ),
        (
            [PGP[0], "Version: GnuPG v2 of some kind", *BODY, PGP[1]],
            ["Version: GnuPG v2 of some kind", *BODY, PGP[1]],
        ),
        ([BEGIN, *BODY], BODY),  # never closed: to the end of the list
        ([BEGIN, *BODY, "that was the key, now on"], BODY),
        ([f"a line such as {BEGIN} opens one", "and then we talked of tea"], []),
        ([f"{BEGIN}\n{BODY[0]}\n{END}", *BODY], []),  # whole in one leaf: a rule finds it
        ([BEGIN, BODY[0], END, BEGIN, BODY[1], END], [BODY[0], END, BODY[1], END]),
        ({"a": BEGIN, "b": BODY[0]}, []),
        ({"a": [BEGIN, BODY[0]], "b": [BODY[1]]}, [BODY[0]]),
        ([{"line": BEGIN}, {"line": BODY[0]}, {"line": END}], [BODY[0], END]),
    ],
)
def test_lines_of_a_block_go(engine: Engine, value: JsonValue, gone: list[str]) -> None:
    assert hidden(engine, value) == gone


def test_a_policy_without_the_rule_leaves_them(engine: Engine) -> None:
    leaves = [Leaf(("lines",), text) for text in (BEGIN, *BODY, END)]
    policy = DEFAULT.remove("private-key")
    assert not any(sensitive for _, sensitive in policy.bind(engine).prepare(leaves))


def test_long_lists_and_long_leaves_cost_little(engine: Engine) -> None:
    redaction = DEFAULT.bind(engine)
    for leaves in (
        [Leaf(("a",), "plain words in a line of text")] * 50_000,
        [Leaf(("a",), BEGIN), *[Leaf(("a",), "A" * 80)] * 50_000],
        [Leaf(("a",), "-----BEGIN" * 500_000)] * 3,
        [Leaf(("a",), BEGIN), *[Leaf(("a",), "w " * 500_000)] * 3],
    ):
        began = time.perf_counter()
        redaction.prepare(leaves)
        assert time.perf_counter() - began < 5
