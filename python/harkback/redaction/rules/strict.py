"""What the strict policy takes out beside the rest: values that may be a secret, and persons' data.

A bare 40-digit hexadecimal string is a commit id more often than not, so none of this is default.
"""

from __future__ import annotations

from harkback.model import Rule

_LETTER_DIGIT = "A-Za-z0-9_+/=-"

STRICT_RULES = (
    Rule(
        id="bare-hex",
        kind="word",
        keywords=(),
        reason="Hexadecimal string as long as a key: also commit ids and digests",
        shape="[A-Fa-f0-9]{32,1000}",
        run="A-Za-z0-9",
    ),
    Rule(
        id="random-word",
        kind="word",
        keywords=(),
        reason="Long word that looks random",
        shape=rf"[{_LETTER_DIGIT}]{{24,1000}}",
        run=_LETTER_DIGIT,
        validator="random",
    ),
    Rule(
        id="email-address",
        kind="run",
        keywords=("@",),
        reason="E-mail address",
        shape=r"[A-Za-z0-9_%+-]@[A-Za-z0-9-]{1,63}\.[A-Za-z]{2}",
        before=1,
        back="A-Za-z0-9._%+-",
        run="A-Za-z0-9.-",
    ),
    Rule(
        id="email-address-subdomain",
        kind="run",
        keywords=("@",),
        reason="E-mail address at a subdomain",
        shape=r"[A-Za-z0-9_%+-]@[A-Za-z0-9-]{1,63}\.[A-Za-z0-9-]{1,63}\.[A-Za-z]{2}",
        before=1,
        back="A-Za-z0-9._%+-",
        run="A-Za-z0-9.-",
    ),
    Rule(
        id="phone-number",
        kind="pattern",
        keywords=("+",),
        reason="Phone number with its country code",
        shape=r"\+[1-9][0-9]{0,2}[ .-]?\(?[0-9]{1,4}\)?[ .-]?[0-9]{2,4}[ .-]?[0-9]{2,4}"
        r"(?:[ .-]?[0-9]{2,4})?(?:[ .-]?[0-9]{2,4})?\b",
    ),
    Rule(
        id="phone-number-national",
        kind="word",
        keywords=(),
        reason="Phone number of China or North America",
        shape=r"1[3-9][0-9]{9}|\(?[2-9][0-9]{2}\)?[.-]?[0-9]{3}[.-][0-9]{4}",
        run="0-9().-",
    ),
    Rule(
        id="phone-number-spaced",
        kind="pattern",
        keywords=("(",),
        reason="Phone number of North America with spaces",
        shape=r"\([2-9][0-9]{2}\) [0-9]{3}[ -][0-9]{4}\b",
    ),
    Rule(
        id="bare-card-number",
        kind="pattern",
        keywords=("3", "4", "5", "6"),
        reason="Number of a payment card",
        shape=r"(?:3[47][0-9]{2}[ -]?[0-9]{6}[ -]?[0-9]{5}"
        r"|[3-6][0-9]{3}[ -]?[0-9]{4}[ -]?[0-9]{4}[ -]?[0-9]{1,7})\b",
        boundary=True,
        validator="luhn",
    ),
)
