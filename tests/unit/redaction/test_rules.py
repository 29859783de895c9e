"""Every default rule: what it takes out, what comes near and stays."""

from __future__ import annotations

import pytest

from harkback.engine import Engine
from harkback.redaction import DEFAULT
from support.secrets import BODY, IN_CONTEXT, SECRETS

AROUND = (
    ("", ""),
    ("use ", " now"),
    ("密钥", "。"),
    ("x=", "\n"),
    ('"', '"'),
    ("(", ")"),
    ("a\n", "\nb"),
)

NEAR_MISSES = (
    "s" + "k-learn-contrib-and-more-words",
    "a task-0123456789abcdefghij and a disk-0123456789abcdefghij",
    "s" + "k-abc123",
    "AI" + "za" + BODY[:20],
    "AK" + "IA" + "IOSFODNN7EXAMPL",
    "gh" + "p_" + BODY[:12],
    "gl" + "pat-short",
    "np" + "m_config_registry",
    "xo" + "xb-short",
    "sk" + "_live_short",
    "h" + "f_hub_download(repo_id, filename)",
    "ey" + "Jhb.eyJz",
    "-----BEGIN PUBLIC KEY-----\nabc\n-----END PUBLIC KEY-----",
    "-----BEGIN CERTIFICATE-----\nabc\n-----END CERTIFICATE-----",
    "bearer of bad news, a bearer token authentication scheme",
    "ssh://git@github.com/a/b.git https://host:8080/x?u=a@b.example",
    "postgres://user:${DB_PASSWORD}@host postgres://user:<password>@host",
    "3f786850e387550fdab836ed7e6dc881de23001b",
    "sha256:" + "0123456789abcdef" * 4,
    "https://hooks.slack.com/docs",
    "design=0123456789abcdefgh",
    'curl -u "$USER:$PASS" https://x; curl -u bob:${PASS} https://x; curl https://x:8080/u',
    "mysql -u root -p db; mysql --port=3306 -P 3306; sshpass -e ssh x; sshpass -p $PASS ssh x",
    "docker login -u bob --password-stdin; docker run -p 8080:80 x; redis-cli -a $PASS",
    "openssl rsa -passin env:PASS -in k; openssl -passin pass:$PASS",
    "the machine with a login form and a password field",
    "kind: ConfigMap\ndata:\n  a: b\n---\nkind: Secret\nmetadata:\n  name: x\n",
    "https://x/?code=abc&lang=en https://x/list?state=open&page=2 exit code=1234567890 &state=",
)


@pytest.mark.parametrize("rule", SECRETS)
def test_a_secret_goes_whole_wherever_it_stands(engine: Engine, rule: str) -> None:
    redaction = DEFAULT.bind(engine)
    for secret in SECRETS[rule]:
        for before, after in AROUND:
            text = before + secret + after
            spans = redaction.spans(text)
            assert len(spans) == 1
            assert (spans[0].start, spans[0].end) == (len(before), len(before) + len(secret))
            assert rule in spans[0].rules
            assert spans[0].rules == tuple(sorted(spans[0].rules))


@pytest.mark.parametrize("rule", IN_CONTEXT)
def test_a_secret_in_context_goes_and_its_context_stays(engine: Engine, rule: str) -> None:
    redaction = DEFAULT.bind(engine)
    for before, secret, after in IN_CONTEXT[rule]:
        for lead in ("", "先 ", "note: "):
            text = lead + before + secret + after
            spans = [span for span in redaction.spans(text) if rule in span.rules]
            start = len(lead + before)
            assert [(span.start, span.end) for span in spans] == [(start, start + len(secret))]


@pytest.mark.parametrize("text", NEAR_MISSES)
def test_what_only_looks_like_a_secret_stays(engine: Engine, text: str) -> None:
    assert DEFAULT.bind(engine).spans(text) == []


def test_secrets_side_by_side_leave_nothing(engine: Engine) -> None:
    redaction = DEFAULT.bind(engine)
    every = [secret for secrets in SECRETS.values() for secret in secrets]
    for place, first in enumerate(every):
        for second in every[place % 40 :: 40]:
            shown = redaction.clean(f"{first} {second}")
            assert shown == "[redacted] [redacted]"


def test_a_secret_glued_to_another_goes_too(engine: Engine) -> None:
    text = SECRETS["aws-access-key-id"][0] + "/" + SECRETS["github-token"][0]
    assert DEFAULT.bind(engine).clean(text) == "[redacted]/[redacted]"


def test_an_unfinished_private_key_goes_to_the_end_of_the_leaf(engine: Engine) -> None:
    text = "see\n-----BEGIN EC PRIVATE" + " KEY-----\nabc\ndef"
    assert DEFAULT.bind(engine).clean(text) == "see\n[redacted]"


BEFORE = (
    *("\\n", "\\t", "\\\\n", "\\u0020", "\\x0a", "%20", "%3D", "&", "é", "密钥"),
    *("\x1b[31m", "\x1b[0;1;31m", "\\x1b[0m", "\\033[31m", "_", "__", "***", "x=__"),
)


@pytest.mark.parametrize("before", BEFORE)
def test_a_token_starts_behind_an_escape(engine: Engine, before: str) -> None:
    redaction = DEFAULT.bind(engine)
    for rule in ("openai-key", "huggingface-token", "github-token", "twilio-key"):
        for secret in SECRETS[rule]:
            assert redaction.clean(before + secret) == before + "[redacted]"


@pytest.mark.parametrize("before", ["a", "x_", "ab_cd__", "m", "31m", "n", "D", "u0020"])
def test_a_word_is_no_edge(engine: Engine, before: str) -> None:
    secret = SECRETS["huggingface-token"][0]
    assert DEFAULT.bind(engine).spans(before + secret) == []


def test_addresses_with_escaped_slashes(engine: Engine) -> None:
    redaction = DEFAULT.bind(engine)
    assert redaction.clean(r"postgres:\/\/shop:a1b2@db") == r"postgres:\/\/shop:[redacted]@db"
    before, secret, _ = IN_CONTEXT["slack-webhook"][0]
    shown = redaction.clean((before + secret).replace("/", r"\/") + " x")
    assert shown.endswith(r"hooks.slack.com\/services\/[redacted] x")


def test_a_pragma_in_the_text_switches_nothing_off(engine: Engine) -> None:
    redaction = DEFAULT.bind(engine)
    for pragma in ("pragma: allowlist secret", "gitleaks:allow", "secretlint-disable"):
        text = f"# {pragma}\npassword = 'x9'  # {pragma}"
        assert "x9" not in redaction.clean(text)


def test_the_secret_alone_decides_where_its_span_starts(engine: Engine) -> None:
    redaction = DEFAULT.bind(engine)
    secret = SECRETS["github-token"][0]
    for length in range(1, len(secret) + 1):
        spans = redaction.spans("a " + secret[:length])
        assert [(span.start, span.end) for span in spans] in ([], [(2, 2 + length)])
        for after in (" b", "\n", "。", "-x"):
            again = redaction.spans("a " + secret[:length] + after)
            assert [(span.start, span.end) for span in again] == [
                (span.start, span.end) for span in spans
            ]
