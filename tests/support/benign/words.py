"""Words, names and random strings that every kind of benign text draws from."""

from __future__ import annotations

import random
import string
from collections.abc import Callable

NOUNS = [
    "password",
    "token",
    "secret",
    "key",
    "credential",
    "passphrase",
    "session",
    "cookie",
    "header",
    "request",
    "response",
    "config",
    "cache",
    "index",
    "parser",
    "lexer",
    "tokenizer",
    "vault",
    "keyring",
    "keychain",
    "account",
    "user",
    "client",
    "server",
    "worker",
    "queue",
    "message",
    "record",
    "store",
    "snapshot",
    "branch",
    "commit",
    "digest",
    "signature",
    "certificate",
    "nonce",
    "salt",
    "hash",
    "cipher",
    "license",
    "webhook",
    "endpoint",
    "bucket",
    "region",
    "cluster",
    "node",
    "pod",
    "volume",
]
VENDORS = [
    "github",
    "gitlab",
    "bitbucket",
    "heroku",
    "netlify",
    "cloudflare",
    "datadog",
    "sentry",
    "slack",
    "discord",
    "telegram",
    "stripe",
    "twilio",
    "mailgun",
    "sendgrid",
    "algolia",
    "contentful",
    "dropbox",
    "facebook",
    "twitter",
    "linkedin",
    "okta",
    "auth0",
    "azure",
    "aws",
    "snyk",
    "sonar",
    "codecov",
    "travis",
    "circleci",
    "artifactory",
    "confluent",
    "elastic",
    "linear",
    "plaid",
    "asana",
    "hubspot",
    "zendesk",
    "intercom",
    "fastly",
    "mapbox",
    "grafana",
    "vercel",
    "supabase",
    "openai",
    "mistral",
]
VERBS = [
    "read",
    "write",
    "rotate",
    "revoke",
    "parse",
    "validate",
    "hash",
    "encode",
    "store",
    "fetch",
    "refresh",
    "expire",
    "log",
]
PEOPLE = [
    "ana",
    "boris",
    "chen",
    "dora",
    "emil",
    "fatima",
    "goran",
    "hana",
    "ivo",
    "jun",
    "kofi",
    "lena",
]
HEX = "0123456789abcdef"
BASE64 = string.ascii_letters + string.digits + "+/"


def hexadecimal(choose: random.Random, length: int) -> str:
    return "".join(choose.choices(HEX, k=length))


def base64(choose: random.Random, length: int, padding: str = "") -> str:
    return "".join(choose.choices(BASE64, k=length)) + padding


def uuid(choose: random.Random) -> str:
    return "-".join(hexadecimal(choose, length) for length in (8, 4, 4, 4, 12))


def snake(choose: random.Random, parts: int = 2) -> str:
    return "_".join(choose.choices(NOUNS, k=parts))


def camel(choose: random.Random, parts: int = 2) -> str:
    first, *rest = choose.choices(NOUNS, k=parts)
    return first + "".join(word.capitalize() for word in rest)


def fill(choose: random.Random, template: str) -> str:
    """``template`` with its fields drawn: noun, vendor, verb, name, camel, number, hex, id, who."""
    return template.format_map(_Fields(choose))


def _time(choose: random.Random) -> str:
    day = f"2026-{choose.randint(1, 12):02}-{choose.randint(1, 28):02}"
    return f"{day}T{choose.randrange(24):02}:{choose.randrange(60):02}:{choose.randrange(60):02}Z"


def _class_name(choose: random.Random) -> str:
    made = camel(choose)
    return made[0].upper() + made[1:]


_DRAWN: dict[str, Callable[[random.Random], str]] = {
    "noun": lambda choose: choose.choice(NOUNS),
    "Noun": lambda choose: choose.choice(NOUNS).capitalize(),
    "NOUN": lambda choose: choose.choice(NOUNS).upper(),
    "vendor": lambda choose: choose.choice(VENDORS),
    "Vendor": lambda choose: choose.choice(VENDORS).capitalize(),
    "VENDOR": lambda choose: choose.choice(VENDORS).upper(),
    "verb": lambda choose: choose.choice(VERBS),
    "name": snake,
    "camel": camel,
    "Camel": _class_name,
    "n": lambda choose: str(choose.randrange(10 ** choose.randint(1, 5))),
    "commit": lambda choose: hexadecimal(choose, 40),
    "short": lambda choose: hexadecimal(choose, choose.randint(7, 12)),
    "sha": lambda choose: hexadecimal(choose, 64),
    "uuid": uuid,
    "who": lambda choose: choose.choice(PEOPLE),
    "time": _time,
}


class _Fields(dict[str, str]):
    def __init__(self, choose: random.Random) -> None:
        super().__init__()
        self._choose = choose

    def __missing__(self, key: str) -> str:
        return _DRAWN[key.rstrip("0123456789")](self._choose)
