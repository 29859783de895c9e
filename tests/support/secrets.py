"""Key-shaped strings of every rule, one draw of each: what tests of other parts plant.

The tables are those of ``support.fakes``; only what commands and files take is written here.
"""

from __future__ import annotations

from support.fakes import one_of_each, placed_once

BODY = "a1B2c3D4e5F6g7H8i9J0kLmNoPqRsTuVwXyZ0123"

#: Texts with a password in the arguments of a command or in a file of one format.
_COMMANDS: dict[str, tuple[tuple[str, str, str], ...]] = {
    "curl-user": (
        ("curl -sS -u bob:", "swordfish", " https://x"),
        ("curl https://x --user 'bob:", "sword;fish", "'"),
    ),
    "mysql-password": (
        ("mysql -u root -p", "Swordfish", " db"),
        ("mysqldump -p'", "a-b", "' db"),
    ),
    "sshpass-password": (("sshpass -p ", "swordfish", " ssh x"), ("sshpass -p'", "a1", "' ssh")),
    "login-password": (("docker login -u bob -p ", "swordfish", " r.io"),),
    "redis-password": (("redis-cli -h x -a ", "swordfish", " ping"),),
    "openssl-password": (("openssl rsa -passin pass:", "swordfish", " -in k"),),
    "netrc-password": (
        ("machine h.example login bob password ", "swordfish", "\n"),
        ("machine h.example\n  login bob\n  password ", "a:b", ""),
    ),
    "pgpass-password": (("db.example:5432:app:bob:", "sword:fish", "\n"),),
    "kubernetes-secret": (
        ("kind: Secret\nmetadata:\n  name: x\ndata:\n", "  a: Ym9i\n  b: c3dv\n---", "\nx: y"),
        ("kind: Secret\nstringData:\n", "  config: hunter2", ""),
    ),
    "kubernetes-secret-data": (
        ("apiVersion: v1\ndata:\n", "  a: Ym9i\n  b.c: c3dv\n", "kind: Secret\nmetadata:\n  x: y"),
    ),
    "oauth-code": (("https://x/cb?code=", "4/0AbCdEfGhIj", "&state=zz"),),
    "oauth-code-after-state": (("https://x/cb?state=zz&code=", "4/0AbCdEfGhIj", "#"),),
}

#: Per rule id, secrets that have to go whole.
SECRETS: dict[str, tuple[str, ...]] = one_of_each()

#: Per rule id, texts with a secret in context: the part before, the secret, the part after.
IN_CONTEXT: dict[str, tuple[tuple[str, str, str], ...]] = {**placed_once(), **_COMMANDS}
