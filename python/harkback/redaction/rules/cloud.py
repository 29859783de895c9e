"""Keys of cloud platforms."""

from __future__ import annotations

from harkback.model import Rule
from harkback.redaction.shape import either_case

RULES = (
    Rule(
        id="google-api-key",
        kind="run",
        keywords=("aiza",),
        reason="Google API key",
        shape=r"AIza[A-Za-z0-9_-]{30}",
        boundary=True,
        run="A-Za-z0-9_-",
    ),
    Rule(
        id="aws-access-key-id",
        kind="pattern",
        keywords=("akia", "asia", "abia", "acca"),
        reason="AWS access key id",
        shape=r"A(?:KIA|SIA|BIA|CCA)[A-Z0-9]{16}\b",
        boundary=True,
    ),
    Rule(
        id="aws-secret-key",
        kind="run",
        keywords=("secret_access_key",),
        reason="AWS secret key behind its name and a space, as `aws configure set` takes it",
        shape=either_case("secret_access_key") + r"[ \t]{1,8}([A-Za-z0-9/+]{40})",
        run="A-Za-z0-9/+=",
    ),
)
