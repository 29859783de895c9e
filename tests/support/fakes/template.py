"""Templates of fake secrets: ``"ghp_{an:36}"`` is a start and 36 random letters and digits.

What a template makes exists at run time only, so that no key-shaped string stands in a file. The
last field of a template is its body: ``body`` says how much of it there is.
"""

from __future__ import annotations

import random
import re
import string

_ALNUM = string.ascii_letters + string.digits
ALPHABETS = {
    "an": _ALNUM,
    "ld": string.ascii_lowercase + string.digits,
    "ud": string.ascii_uppercase + string.digits,
    "u": string.ascii_uppercase,
    "d": string.digits,
    "hex": "0123456789abcdef",
    "url": _ALNUM + "_-",
    "word": _ALNUM + "_",
    "b64": _ALNUM + "+/",
    "b32": string.ascii_uppercase + "234567",
    "b58": "123456789ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnopqrstuvwxyz",
    "bech": "023456789acdefghjklmnpqrstuvwxyz",
}
#: Words of a seed phrase; a list of our own, since any words will do.
WORDS = [
    "anchor",
    "barrel",
    "candle",
    "dragon",
    "ember",
    "forest",
    "glance",
    "harbor",
    "island",
    "jacket",
    "kitten",
    "ladder",
    "meadow",
    "needle",
    "orchard",
    "pencil",
    "quartz",
    "ribbon",
    "saddle",
    "timber",
    "umbrella",
    "velvet",
    "walnut",
    "yellow",
    "zebra",
    "bridge",
]
_FIELD = re.compile(r"\{(\w+):(\d+)\}")


def fill(template: str, choose: random.Random, body: int | None = None) -> str:
    """One secret of ``template``; its last field has ``body`` characters, if that is given."""
    fields = list(_FIELD.finditer(template))
    pieces: list[str] = []
    at = 0
    for place, field in enumerate(fields):
        pieces.append(template[at : field.start()])
        count = int(field[2])
        if body is not None and place == len(fields) - 1:
            count = body
        pieces.append(_field(field[1], count, choose))
        at = field.end()
    pieces.append(template[at:])
    return "".join(pieces)


def _field(kind: str, count: int, choose: random.Random) -> str:
    if kind == "uuid":
        return "-".join("".join(choose.choices("0123456789abcdef", k=k)) for k in (8, 4, 4, 4, 12))
    if kind == "words":
        return " ".join(choose.choices(WORDS, k=count))
    if kind == "lines":
        return "\n".join("".join(choose.choices(_ALNUM + "+/", k=64)) for _ in range(count))
    if kind == "card":
        return card(choose)
    text = "".join(choose.choices(ALPHABETS[kind], k=count))
    # Random, but never so improbable as to hold no digit or no letter.
    if count >= 12 and kind in ("an", "ld", "ud", "url", "word", "hex"):
        text = text[:1] + "7a" + text[3:] if kind != "ud" else text[:1] + "7A" + text[3:]
    return text


def card(choose: random.Random) -> str:
    """A number of 16 digits with the checksum of payment cards."""
    digits = [4, *(choose.randrange(10) for _ in range(14))]
    total = sum(
        digit if place % 2 else (2 * digit - 9 if digit > 4 else 2 * digit)
        for place, digit in enumerate(digits)
    )
    number = "".join(map(str, digits)) + str(-total % 10)
    return " ".join(number[at : at + 4] for at in range(0, 16, 4))


def body_length(template: str) -> int:
    """How many characters the last field of ``template`` has."""
    return int(list(_FIELD.finditer(template))[-1][2])


def start(template: str) -> str:
    """The literal that ``template`` begins with."""
    found = _FIELD.search(template)
    return template[: found.start()] if found else template
