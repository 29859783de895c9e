"""Secrets known by the structure they stand in, not by who issued them."""

from __future__ import annotations

from harkback.model import Rule
from harkback.redaction.shape import either_case

_TOKEN68 = "A-Za-z0-9._~+/=-"
#: A character of the password in `scheme://user:password@host`.
_PASSWORD = r"""[^\s/?#"'`<>]"""
#: The same where it starts: `${PASSWORD}` and `{password}` are placeholders.
_PASSWORD_START = r"""[^\s/?#"'`<>@$\{%*]"""
#: How base64 starts of ghp_ gho_ ghu_ ghs_ github_pat_ glpat- AKIA AIza sk-ant sk-proj xoxb-
#: and sk_live_.
_BASE64_STARTS = (
    *("Z2hwX", "Z2hvX", "Z2h1X", "Z2hzX", "Z2l0aHViX3BhdF", "Z2xwYXQt"),
    *("QUtJQ", "QUl6Y", "c2stYW50", "c2stcHJva", "eG94Yi", "c2tfbGl2ZV"),
)

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
        id="jwt-by-payload",
        kind="run",
        keywords=(".ey",),
        reason="JSON Web Token with an unusual header, or the rest of a long one",
        shape=r"[A-Za-z0-9_-]{12}\.ey[A-Za-z0-9][A-Za-z0-9_/-]{14}",
        before=12,
        back="A-Za-z0-9_-",
        run="A-Za-z0-9_./-",
        validator="random",
    ),
    Rule(
        id="jwt-base64",
        kind="run",
        keywords=("zxlk",),
        reason="JSON Web Token, base64 once more",
        shape=r"ZXlK[A-Za-z0-9+/_-]{40}",
        run="A-Za-z0-9+/=_-",
    ),
    Rule(
        id="key-base64",
        kind="run",
        keywords=_BASE64_STARTS,
        reason="Key of a known form, base64 once more",
        shape=f"(?:{'|'.join(_BASE64_STARTS)})[A-Za-z0-9+/_-]{{20}}",
        boundary=True,
        run="A-Za-z0-9+/=_-",
    ),
    Rule(
        id="jwe",
        kind="run",
        keywords=("eyjhbgcioi", "eyjlbmmioi"),
        reason="Encrypted JSON Web Token: five parts, of which the first is JSON",
        shape=r"eyJ(?:hbGciOi|lbmMiOi)[A-Za-z0-9_-]{8,400}\.[A-Za-z0-9_-]{0,700}"
        r"\.[A-Za-z0-9_-]{8,32}\.[A-Za-z0-9_-]{8}",
        boundary=True,
        run="A-Za-z0-9_.-",
    ),
    Rule(
        id="private-key",
        kind="between",
        keywords=("-----begin",),
        reason="PEM or OpenSSH private key",
        shape=r"-----BEGIN[A-Z0-9 _-]{0,100}PRIVATE KEY-----",
        end="PRIVATE KEY-----",
    ),
    Rule(
        id="private-key-base64",
        kind="run",
        keywords=("ls0tls1crudjti",),
        reason="PEM private key, base64 once more",
        shape=r"LS0tLS1CRUdJTi(?:BSU0EgUFJJVkFURS|BQUklWQVRF|BFQyBQUklWQVRF|BPUEVOU1NI|BFTkNSWVBURU"
        r"|BEU0EgUFJJVkFURS)",
        run="A-Za-z0-9+/=",
    ),
    Rule(
        id="ssh2-private-key",
        kind="between",
        keywords=("---- begin ssh2",),
        reason="SSH2 private key",
        shape=r"---- BEGIN SSH2[A-Z ]{0,20} PRIVATE KEY ----",
        end="PRIVATE KEY ----",
    ),
    Rule(
        id="putty-private-key",
        kind="between",
        keywords=("private-lines:",),
        reason="Private half of a PuTTY key file",
        shape=r"Private-Lines: [0-9]{1,4}",
        end="Private-MAC:",
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
        keywords=("://", ":\\/"),
        reason="Password in the user part of a URL",
        shape=rf""":\\{{0,4}}/\\{{0,4}}/[^\s/?#@:"'`<>]{{0,128}}:({_PASSWORD_START}{_PASSWORD}{{0,255}})@""",
    ),
    Rule(
        id="url-signature",
        kind="run",
        keywords=("sig=", "signature="),
        reason="Signature of a presigned URL",
        shape=rf"(?:{either_case('sig')}|{either_case('signature')})=([A-Za-z0-9%_~+/=.-]{{16}})",
        run="A-Za-z0-9%_~+/=.-",
    ),
    Rule(
        id="framework-secret",
        kind="run",
        keywords=("secret_key_base", "client-key-data", "cookie_secret_base"),
        reason="Secret of a framework or a kubeconfig, whose name does not end in one",
        shape=f"(?:{either_case('secret_key_base')}|{either_case('client-key-data')}"
        f"|{either_case('cookie_secret_base')})"
        + r"""[\\"']{0,4}[ \t]{0,4}[:=]{1,2}>?[ \t]{0,4}[\\"']{0,4}([A-Za-z0-9+/=_-]{16})""",
        run="A-Za-z0-9+/=_-",
    ),
    Rule(
        id="wordpress-salt",
        kind="run",
        keywords=("_key',", "_salt',", '_key",', '_salt",'),
        reason="Key or salt of a WordPress configuration",
        shape=r"""_(?:KEY|SALT)["'],[ \t]{0,8}["']([^"'\n]{32})""",
        run=r"^\"'\n",
    ),
)
