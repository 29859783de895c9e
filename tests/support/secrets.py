"""Key-shaped strings, assembled at run time so that scanners of this repository stay quiet."""

from __future__ import annotations

BODY = "a1B2c3D4e5F6g7H8i9J0kLmNoPqRsTuVwXyZ0123"
UPPER = "IOSFODNN7EXAMPLE"

#: Per rule id, secrets that have to go whole.
SECRETS: dict[str, tuple[str, ...]] = {
    "openai-key": (
        "s" + "k-" + BODY[:24],
        "s" + "k-proj-" + "abc_DEF-" + BODY * 3,
        "s" + "k-or-v1-" + "0123456789abcdef" * 4,
    ),
    "openai-key-plain": (
        "s" + "k-" + "abcdefghijKLMNOPQRSTuvwxyz" * 2,
        "s" + "k-test-abcdef1234567890",
    ),
    "anthropic-key": ("s" + "k-ant-api03-" + BODY * 2 + "AA", "s" + "k-ant-admin01-" + BODY),
    "huggingface-token": ("h" + "f_" + BODY[:34], "api" + "_org_" + BODY[:34]),
    "google-api-key": ("AI" + "za" + "Sy" + BODY[:33],),
    "aws-access-key-id": ("AK" + "IA" + UPPER, "AS" + "IA" + UPPER),
    "github-token": tuple("gh" + kind + "_" + BODY[:36] for kind in "pousr"),
    "github-fine-grained-token": ("github" + "_pat_" + BODY[:22] + "_" + BODY + BODY[:19],),
    "gitlab-token": ("gl" + "pat-" + BODY[:20], "gl" + "rt-" + BODY[:20]),
    "npm-token": ("np" + "m_" + BODY[:36],),
    "slack-token": (
        "xo" + "xb-123456789012-" + BODY[:24],
        "xa" + "pp-1-A0123456789-" + BODY[:24],
        "xo" + "xe.xoxp-1-" + BODY,
    ),
    "stripe-key": ("sk" + "_live_" + BODY[:24], "rk" + "_test_" + BODY[:24]),
    "stripe-webhook-secret": ("wh" + "sec_" + BODY[:32],),
    "jwt": ("ey" + "JhbGciOiJIUzI1NiJ9." + "ey" + "JzdWIiOiIxMjM0In0." + BODY,),
    "private-key": (
        "-----BEGIN RSA PRIVATE" + " KEY-----\n" + BODY + "\n-----END RSA PRIVATE" + " KEY-----",
        "-----BEGIN OPENSSH PRIVATE"
        + " KEY-----\\n"
        + BODY
        + "\\n-----END OPENSSH PRIVATE KEY-----",
        "-----BEGIN PRIVATE" + " KEY-----\n" + BODY + "\n-----END PRIVATE" + " KEY-----",
    ),
    "pgp-private-key": (
        "-----BEGIN PGP PRIVATE"
        + " KEY BLOCK-----\n\n"
        + BODY
        + "\n-----END PGP PRIVATE"
        + " KEY BLOCK-----",
    ),
}

#: Per rule id, texts with a secret in context: the part before, the secret, the part after.
IN_CONTEXT: dict[str, tuple[tuple[str, str, str], ...]] = {
    "slack-webhook": (
        ("https://hooks.slack.com/services/", "T0123456/B0123456/" + BODY[:24], " ok"),
    ),
    "aws-secret-key": (("aws configure set aws_secret_access_key ", BODY, "\n"),),
    "bearer-token": (("sent bearer ", BODY[:32], ", then"), ("curl with Bearer ", BODY, "\n")),
    "basic-credentials": (("Authorization: Basic ", "dXNlcjpwYXNzd29yZA==", "\n"),),
    "url-password": (
        ("postgres://user:", "p4ss", "@db:5432/x"),
        ("redis://:", "hunter2", "@localhost"),
        ("https://u:", "p@ss", "@host/path"),
    ),
    "url-signature": (("https://blob/x?se=1&sig=", "aB3%2FcD4eF5gH6iJ7kL", "&sv=2"),),
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
    "sensitive-name": (
        ("password = '", "correct horse", "'"),
        ('{"apiKey": "', "x", '"}'),
        ("export DB_PASSWORD=", "hunter2", "\n"),
    ),
}
