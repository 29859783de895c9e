"""Names that make the value under or after them a secret."""

from __future__ import annotations

from harkback.model import Rule

_NAMES = (
    "auth",
    "authorization",
    "credential",
    "credentials",
    "passphrase",
    "passwd",
    "password",
    "pwd",
    "secret",
    "token",
    # The same, written together.
    "accesskey",
    "accesstoken",
    "apikey",
    "apitoken",
    "authtoken",
    "clientsecret",
    "dbpassword",
    "privatekey",
    "refreshtoken",
    "secretkey",
    "userpassword",
)
_QUALIFIERS = (
    "access",
    "account",
    "api",
    "auth",
    "encryption",
    "master",
    "private",
    "secret",
    "shared",
    "signing",
    "ssh",
    "storage",
    "subscription",
)

RULES = (
    Rule(
        id="sensitive-name",
        kind="key",
        keywords=(*_NAMES, "key"),
        reason="The name says that its value is a secret",
        names=_NAMES,
        qualifiers=_QUALIFIERS,
    ),
)
