"""Redaction is the same on both engines, on text made of what rules look for."""

from __future__ import annotations

from hypothesis import given, settings
from hypothesis import strategies as st

import harkback.engine
from harkback.redaction import DEFAULT
from support.secrets import IN_CONTEXT, SECRETS

NATIVE = DEFAULT.bind(harkback.engine.load("native"))
REFERENCE = DEFAULT.bind(harkback.engine.load("reference"))

ATOMS = (
    *(secret for secrets in SECRETS.values() for secret in secrets),
    *("".join(parts) for contexts in IN_CONTEXT.values() for parts in contexts),
    *(keyword for rule in DEFAULT.rules for keyword in rule.keywords),
    "password",
    "token",
    "apiKey",
    "api_key",
    "Secret",
    "--password",
    "--token",
    'f"',
    "b'",
    "null",
    "str",
    "new",
    "${",
    "{{",
    "}}",
    "**",
    "密钥",
    "é",
    "😀",
    "Bearer",
    "Basic",
    "Digest",
    "hunter2",
    "self.token",
    "data.get(",
    "[redacted]",
    "[redacted",
    "<x>",
    "%s",
    "***",
    ":=",
    "=>",
    "==",
    "::",
    "?=",
    "?:",
    "e\u0301",
    "\u0301",
    "\u0345",
    "\u212a",
    "\u0130",
    "\u00a0",
    "\ufffd",
    '\\"',
    '\\\\"',
    '\\\\\\"',
    *" \t\n\r\v\f'\"`\\=:,;()[]{}<>&?$%*@/._-+|!#~^0123aZ",
    "\\\n",
    "\\\r\n",
    "  ",
    " = ",
    ": ",
)
TEXTS = st.lists(st.sampled_from(ATOMS) | st.text(max_size=3), max_size=24).map("".join)


@given(TEXTS)
@settings(max_examples=1500, deadline=None)
def test_spans_are_the_same(text: str) -> None:
    text = text.encode(errors="replace").decode()
    assert NATIVE.spans(text) == REFERENCE.spans(text)


@given(st.lists(st.sampled_from(ATOMS) | st.text(max_size=3), max_size=5).map("".join))
@settings(max_examples=1000, deadline=None)
def test_names_are_judged_the_same(name: str) -> None:
    name = name.encode(errors="replace").decode()
    assert NATIVE.sensitive(name) == REFERENCE.sensitive(name)


def test_every_prefix_and_suffix_of_every_secret() -> None:
    for contexts in IN_CONTEXT.values():
        for parts in contexts:
            text = "".join(parts)
            for at in range(len(text)):
                assert NATIVE.spans(text[:at]) == REFERENCE.spans(text[:at])
                assert NATIVE.spans(text[at:]) == REFERENCE.spans(text[at:])
