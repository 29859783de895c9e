"""Secrets known by the structure they stand in, not by who issued them."""

from __future__ import annotations

from harkback.model import Rule
from harkback.redaction.shape import either_case

_TOKEN68 = "A-Za-z0-9._~+/=-"
#: A character of the password in `scheme://user:password@host`.
_PASSWORD = r"""[^\s/?#"'`<>]"""
#: The same where it starts: `${PASSWORD}` and `{password}` are placeholders.
_PASSWORD_START = r"""[^\s/?#"'`<>@$\{%*]"""

RULES = (
    Rule(
        id="jwt",
        kind="run",
        keywords=("eyj",),
        reason="JSON Web Token: header and payload are base64 of a JSON object",
        shape=r"eyJ[A-Za-z0-9_-]{10,400}\.eyJ[A-Za-z0-9_-]{8}",
        boundary=True,
        run="A-Za-z0-9_.-",
    ),
    Rule(
        id="private-key",
        kind="between",
        keywords=("-----begin",),
        reason="PEM or OpenSSH private key",
        shape=r"-----BEGIN [A-Z0-9 ]{0,40}PRIVATE KEY-----",
        end="PRIVATE KEY-----",
    ),
    Rule(
        id="pgp-private-key",
        kind="between",
        keywords=("-----begin pgp",),
        reason="PGP private key",
        shape=r"-----BEGIN PGP PRIVATE KEY BLOCK-----",
        end="PRIVATE KEY BLOCK-----",
    ),
    Rule(
        id="bearer-token",
        kind="run",
        keywords=("bearer",),
        reason="Bearer token outside a header",
        shape=either_case("bearer") + rf"[ \t]{{1,4}}([{_TOKEN68}]{{20}})",
        boundary=True,
        run=_TOKEN68,
    ),
    Rule(
        id="basic-credentials",
        kind="run",
        keywords=("authorization",),
        reason="Credentials of an authorization header, whatever quotes stand between",
        shape=either_case("authorization")
        + r"""[\\"']{0,8}[ \t]{0,4}[:=][ \t]{0,4}[\\"']{0,8}"""
        + f"(?:{either_case('basic')}|{either_case('bearer')}|{either_case('token')})"
        + r"[ \t]{1,4}([A-Za-z0-9._~+/=-]{6})",
        run=_TOKEN68,
    ),
    Rule(
        id="url-password",
        kind="pattern",
        keywords=("://",),
        reason="Password in the user part of a URL",
        shape=rf"""://[^\s/?#@:"'`<>]{{0,128}}:({_PASSWORD_START}{_PASSWORD}{{0,255}})@""",
    ),
    Rule(
        id="url-signature",
        kind="run",
        keywords=("sig=", "signature="),
        reason="Signature of a presigned URL",
        shape=rf"(?:{either_case('sig')}|{either_case('signature')})=([A-Za-z0-9%_~+/=.-]{{16}})",
        run="A-Za-z0-9%_~+/=.-",
    ),
)
