"""Laws of redaction: idempotent, disjoint, nothing but spans changes, lines do not meet."""

from __future__ import annotations

from hypothesis import assume, given, settings
from hypothesis import strategies as st

import harkback.engine
from harkback.redaction import DEFAULT, apply
from support.secrets import IN_CONTEXT, SECRETS

REDACTION = DEFAULT.bind(harkback.engine.load())

WORDS = (
    "password",
    "token",
    "api_key",
    "secret",
    "Authorization",
    "--token",
    "Bearer",
    "Basic",
    "null",
    "str",
    "密钥",
    "é",
    "=",
    ":",
    ",",
    ";",
    "'",
    '"',
    "\\",
    '\\"',
    "(",
    ")",
    "[",
    "]",
    "{",
    "}",
    "<",
    ">",
    "&",
    "?",
    "**",
    "$X",
    "hunter2",
    "a.b",
    "[redacted]",
    "\u0301",
    *(secret for secrets in SECRETS.values() for secret in secrets if "\n" not in secret),
    *("".join(parts) for contexts in IN_CONTEXT.values() for parts in contexts),
    " ",
    "x",
)
PIECES = st.lists(st.sampled_from(WORDS), max_size=14)
TEXTS = st.lists(st.sampled_from([*WORDS, "\n"]), max_size=14).map("".join)


@given(TEXTS)
@settings(max_examples=800, deadline=None)
def test_redacting_twice_is_redacting_once(text: str) -> None:
    once = REDACTION.clean(text)
    assert REDACTION.clean(once) == once
    assert not REDACTION.changes(once)


@given(TEXTS)
@settings(max_examples=500, deadline=None)
def test_spans_are_disjoint_in_order_and_named(text: str) -> None:
    end = -1
    for span in REDACTION.spans(text):
        assert end < span.start < span.end <= len(text)
        assert span.rules
        assert list(span.rules) == sorted(set(span.rules))
        end = span.end


@given(PIECES.map("".join), PIECES.map("".join))
@settings(max_examples=800, deadline=None)
def test_lines_do_not_meet(first: str, second: str) -> None:
    first, second = first.replace("\n", " "), second.replace("\n", " ")
    # What goes over lines: private keys, three quotes, a backslash at the end of a line.
    assume("PRIVATE KEY" not in first and not first.endswith("\\"))
    assume("'''" not in first and '"""' not in first)
    # A mark on a line border composes with the line end, which it then takes along.
    assume(not second.startswith("\u0301"))
    whole = REDACTION.clean(first + "\n" + second)
    assert whole == REDACTION.clean(first) + "\n" + REDACTION.clean(second)


@given(
    TEXTS,
    st.sampled_from([secret for secrets in SECRETS.values() for secret in secrets]),
    TEXTS,
)
@settings(max_examples=500, deadline=None)
def test_a_planted_secret_never_survives(before: str, secret: str, after: str) -> None:
    text = f"{before} {secret} {after}"
    spans = REDACTION.spans(text)
    shown = apply(text, spans)
    start = len(before) + 1
    assert any(span.start <= start and start + len(secret) <= span.end for span in spans)
    assert len(shown) <= len(text) + 10 * len(spans)
