"""Redaction is the same on both engines, on text made of what rules look for."""

from __future__ import annotations

from hypothesis import given, settings
from hypothesis import strategies as st

import harkback.engine
from harkback.model import Rule
from harkback.redaction import DEFAULT, Policy
from support.secrets import IN_CONTEXT, SECRETS

NATIVE = DEFAULT.bind(harkback.engine.load("native"))
REFERENCE = DEFAULT.bind(harkback.engine.load("reference"))

#: What the default rules may not use: other scripts, validators, whole runs, a look back.
REASON = "made for a test"
OWN = Policy(
    (
        Rule(
            "names",
            "key",
            ("password", "密码", "密钥", "key"),
            REASON,
            names=("password", "密码", "密钥"),
            qualifiers=("api", "接口"),
        ),
        Rule("word", "word", (), REASON, "[a-z0-9]{4,12}", run="a-z0-9é", validator="mixed"),
        Rule("back", "run", ("sk",), REASON, "sk[-_](a?)", back="a-z密", boundary=True, run=r"\w-"),
        Rule("card", "pattern", tuple("0123456789"), REASON, "[0-9 -]{12,30}", validator="luhn"),
        Rule("random", "run", ("=",), REASON, "=", run="a-zA-Z0-9", validator="random"),
    )
)
LEADS = Policy(
    (
        Rule("lead", "pattern", ("k",), REASON, "k[a-k]{2,5}-[a-k]{2}"),
        Rule("lazy", "run", ("ab",), REASON, "ab[a-c]{0,3}?kk", run="a-z-"),
        Rule("group", "pattern", ("k",), REASON, r"k{1,2}-?([a-k]{1,6}-?[a-k]{0,3}\]?)"),
        Rule("nested", "pattern", ("c",), REASON, "c[a-c]{1,3}(?:-|k)k?", boundary=True),
    )
)
OWN_NATIVE = OWN.bind(harkback.engine.load("native"))
OWN_REFERENCE = OWN.bind(harkback.engine.load("reference"))

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
    "密码",
    "接口key",
    "是",
    "为",
    "：",
    "＝",
    "“",
    "」",
    "，",
    "　",
    "4111 1111 1111 1111",
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
    "name",
    "key",
    "value",
    ";password=",
    "<password>",
    "</",
    "->",
    "%3D",
    "%253d",
    "%26",
    "%22",
    "\x1b[1;32m",
    "\x1b[0m",
    "\u200b",
    "\u3000",
    "'''",
    '"""',
    ": |\n  ",
    ": >-\r\n ",
    "\n[db]\n",
    "\\n",
    "swordfish\n",
    " = ",
    ": ",
)
TEXTS = st.lists(st.sampled_from(ATOMS) | st.text(max_size=3), max_size=24).map("".join)


@given(TEXTS)
@settings(max_examples=1500, deadline=None)
def test_spans_are_the_same(text: str) -> None:
    text = text.encode(errors="replace").decode()
    assert NATIVE.spans(text) == REFERENCE.spans(text)
    assert OWN_NATIVE.spans(text) == OWN_REFERENCE.spans(text)


@given(st.text("abck-]é", max_size=40))
@settings(max_examples=1500, deadline=None)
def test_bounded_runs_are_the_same(text: str) -> None:
    native, reference = (LEADS.bind(harkback.engine.load(name)) for name in ("native", "reference"))
    assert native.spans(text) == reference.spans(text)


@given(st.lists(st.sampled_from(ATOMS) | st.text(max_size=3), max_size=5).map("".join))
@settings(max_examples=1000, deadline=None)
def test_names_are_judged_the_same(name: str) -> None:
    name = name.encode(errors="replace").decode()
    assert NATIVE.sensitive(name) == REFERENCE.sensitive(name)
    assert OWN_NATIVE.sensitive(name) == OWN_REFERENCE.sensitive(name)


def test_every_prefix_and_suffix_of_every_secret() -> None:
    for contexts in IN_CONTEXT.values():
        for parts in contexts:
            text = "".join(parts)
            for at in range(0, len(text), 7):
                assert NATIVE.spans(text[:at]) == REFERENCE.spans(text[:at])
                assert NATIVE.spans(text[at:]) == REFERENCE.spans(text[at:])
