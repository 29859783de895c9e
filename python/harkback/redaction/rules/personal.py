"""Secrets of persons: cards, one-time password seeds, seed phrases, sessions.

What only looks like one (a number, an address, a phone) goes with the strict policy alone.
"""

from __future__ import annotations

from harkback.model import Rule
from harkback.redaction.shape import either_case

_CARD_WORDS = ("card", "visa", "mastercard", "amex", "cvv", "pan:", "pan=")
_WORD = "[a-z]{3,8}"
_GAP = r"[ ,]{1,2}"
_THREE = (_GAP + _WORD) * 3
#: 12, 15, 18, 21 or 24 words.
_PHRASE = _WORD + (_GAP + _WORD) * 11 + f"(?:{_THREE}(?:{_THREE}(?:{_THREE}(?:{_THREE})?)?)?)?"
_PHRASE_NAMES = (
    "seed phrase",
    "seedphrase",
    "seed_phrase",
    "seed words",
    "mnemonic",
    "recovery phrase",
    "recovery words",
    "secret phrase",
    "secret recovery phrase",
    "wallet phrase",
    "backup phrase",
)
_OTP_NAMES = ("totp", "otp", "2fa", "mfa", "authenticator")
_SESSIONS = (
    "phpsessid=",
    "jsessionid=",
    "sessionid=",
    "connect.sid=",
    "asp.net_sessionid=",
    "laravel_session=",
    "_session=",
    "session_token=",
    "__secure-next-auth.session-token=",
)


def _either(words: tuple[str, ...]) -> str:
    return "(?:" + "|".join(map(either_case, words)) + ")"


RULES = (
    Rule(
        id="card-number",
        kind="pattern",
        keywords=_CARD_WORDS,
        reason="Number of a payment card, beside a word that says so",
        shape=_either(_CARD_WORDS)
        + r"""[^0-9\n]{0,32}"""
        + r"([3-6][0-9]{3}[ -]?[0-9]{4}[ -]?[0-9]{2}[ -]?[0-9]{2}[ -]?[0-9]{1,4}"
        + r"|3[47][0-9]{2}[ -][0-9]{6}[ -][0-9]{5})\b",
        validator="luhn",
    ),
    Rule(
        id="seed-phrase",
        kind="pattern",
        keywords=_PHRASE_NAMES,
        reason="Seed phrase of a wallet",
        shape=_either(_PHRASE_NAMES)
        + r"""(?:[ _](?:is|are|was))?[ \t]{0,4}[\\"'`)*]{0,4}[ \t]{0,4}[:=>\-\n]{0,3}"""
        + r"""[ \t\n]{0,4}[\\"'`(\[*]{0,4}"""
        + f"({_PHRASE})",
    ),
    Rule(
        id="otp-seed",
        kind="run",
        keywords=_OTP_NAMES,
        reason="Seed of one-time passwords",
        shape=_either(_OTP_NAMES)
        + r"""[\w -]{0,16}(?:[sS]eed|[sS]ecret|[kK]ey|SEED|SECRET|KEY)[\\"'`\])*]{0,4}[ \t]{0,4}"""
        + r"""[=:>]{1,2}[ \t]{0,4}[\\"'`(]{0,4}"""
        + r"([A-Z2-7]{4} ?[A-Z2-7]{4} ?[A-Z2-7]{4} ?[A-Z2-7]{4})",
        run="A-Z2-7= ",
    ),
    Rule(
        id="otp-url",
        kind="run",
        keywords=("otpauth://", "otpauth-migration://"),
        reason="Address that carries the seed of one-time passwords",
        shape=r"otpauth(?:-migration)?://([A-Za-z0-9/])",
        run=r"^\s\"'`<>",
    ),
    Rule(
        id="cookie-header",
        kind="run",
        keywords=("cookie:",),
        reason="Cookies of a request or a response",
        shape=either_case("cookie:") + r"""[ \t]{0,4}([A-Za-z0-9_.!%$+-]{1,64}=[^\s;"'`,]{4})""",
        run=r"^\r\n\"'`",
    ),
    Rule(
        id="session-cookie",
        kind="run",
        keywords=_SESSIONS,
        reason="Id of a session, as a cookie carries it",
        shape=_either(_SESSIONS) + r"""([A-Za-z0-9%._~+/:|-]{16})""",
        run=r"A-Za-z0-9%._~+/:|=-",
        validator="mixed",
    ),
)
