"""Passwords in the arguments of commands that are known to take them, and in files of one format.

Invariant: a value that is a variable or a placeholder stays, since it starts like one.
"""

from __future__ import annotations

from harkback.model import Rule

#: The first character of a password: no variable, placeholder or mark starts with one of these.
_START = r"""[^\s"'`$<>{}\[\]%*:;|&\\]"""
_WORD = r"""^\s"'`"""
#: What stands between a command and one of its options, on one line.
_OPTIONS = r"[^\r\n|;]{0,200}?[ \t]"
#: Up to 8 indented lines of YAML.
_LINE = r"[ \t][ -~]{1,240}\r?\n"
_INDENTED = "(?:" + f"{_LINE}(?:" * 7 + _LINE + ")?" * 7 + ")"
_LOGINS = ("docker login", "podman login", "nerdctl login", "az login", "oc login")


def _command(name: str, keywords: tuple[str, ...], reason: str, shape: str) -> Rule:
    return Rule(name, "run", keywords, reason, shape, boundary=True, run=_WORD)


RULES = (
    _command(
        "curl-user",
        ("curl",),
        "Password of `curl -u name:password`",
        rf"curl{_OPTIONS}(?:-u|--user|--proxy-user)[ \t=]{{0,4}}"
        rf"""["']?[^\s:"'$]{{1,128}}:({_START})""",
    ),
    _command(
        "mysql-password",
        ("mysql",),
        "Password of `mysql -pPASSWORD`",
        rf"""mysql(?:dump|admin|import)?{_OPTIONS}-p["']?({_START})""",
    ),
    _command(
        "sshpass-password",
        ("sshpass",),
        "Password of `sshpass -p`",
        rf"""sshpass[ \t]{{1,4}}-p[ \t]{{0,4}}["']?({_START})""",
    ),
    _command(
        "login-password",
        _LOGINS,
        "Password of a login to a registry or a cloud",
        rf"""(?:docker|podman|nerdctl|az|oc) login{_OPTIONS}-p[ \t]{{1,4}}["']?({_START})""",
    ),
    _command(
        "redis-password",
        ("redis-cli",),
        "Password of `redis-cli -a`",
        rf"""redis-cli{_OPTIONS}-a[ \t]{{1,4}}["']?({_START})""",
    ),
    _command(
        "openssl-password",
        ("-passin", "-passout", "-pass"),
        "Password of `openssl -passin pass:`",
        rf"""-pass(?:in|out)?[ \t]{{1,4}}["']?pass:({_START})""",
    ),
    _command(
        "netrc-password",
        ("machine",),
        "Password of a machine in a .netrc file",
        r"machine\s{1,4}[^\s]{1,128}\s{1,16}login\s{1,4}[^\s]{1,128}\s{1,16}password\s{1,4}"
        rf"({_START})",
    ),
    Rule(
        "pgpass-password",
        "run",
        (":5432:", ":5433:", ":6432:"),
        "Password of a line of a .pgpass file",
        rf""":[0-9]{{4}}:[^\s:]{{1,64}}:[^\s:]{{1,64}}:({_START})""",
        run=r"^\s",
    ),
    Rule(
        "kubernetes-secret",
        "between",
        ("kind: secret",),
        "Data of a Kubernetes Secret, to the end of its document",
        r"kind: Secret[^\v]{0,400}?\n(?:stringData|data):[ \t]{0,4}\r?\n([ \t])",
        end="\n---",
    ),
    Rule(
        "kubernetes-secret-data",
        "pattern",
        ("data:",),
        "Data of a Kubernetes Secret whose kind stands below it",
        rf"data:[ \t]{{0,4}}\r?\n({_INDENTED})kind: Secret\b",
    ),
    Rule(
        "oauth-code",
        "pattern",
        ("code=",),
        "Code of an OAuth callback, before the state or the scope",
        r"[?&]code=([A-Za-z0-9%/._~-]{10,512})&(?:state|scope|session_state|iss)=",
        before=1,
    ),
    Rule(
        "oauth-code-after-state",
        "pattern",
        ("state=",),
        "Code of an OAuth callback, behind the state",
        r"[?&]state=[^&\s]{1,256}&code=([A-Za-z0-9%/._~-]{10,512})",
        before=1,
    ),
)
