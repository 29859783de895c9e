"""Fake secrets for every rule: what has to go, what comes near and has to stay.

All of it is drawn from a seed at run time; templates and tables are the only thing that is written
down. A fake is ``structural`` (known wherever it stands) or ``context`` (known by what stands
beside it).
"""

from __future__ import annotations

import random
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Literal

from support.fakes.context import PLACED, STRICT, VENDOR_FORMS, VENDORS
from support.fakes.structural import ROWS
from support.fakes.template import body_length, fill, start

BAR = "¦"
#: Rules that do not look at how their secret starts.
ANYWHERE = ("jwt", "authress")
_TEMPLATES = {rule: template for rule, template, _ in ROWS}
Class = Literal["structural", "context", "strict"]

#: What a structural fake is put between.
AROUND = (
    ("", ""),
    ("use ", " now"),
    ("密钥", "。"),
    ("x=", "\n"),
    ('"', '"'),
    ("(", ")"),
    ("a\n", "\nb"),
    ("`", "`"),
    ("**", "**"),
    ("- ", "\n- next"),
    ("| a | ", " | b |"),
    ('{"value": "', '", "n": 1}'),
    (r"{\"value\": \"", r"\"}"),
    ("line one\\n", "\\nline three"),
    ("curl -d ", " https://example.com"),
    ("https://example.com/?q=", "&page=2"),
    ("<b>", "</b>"),
    ("f('", "')"),
    ("\x1b[32m", "\x1b[0m"),
    ("，", "，然后"),
    ("$ echo ", " | tee log"),
)


@dataclass(frozen=True, slots=True)
class Planted:
    """A text with one secret in it."""

    rule: str
    kind: Class
    text: str
    start: int
    secret: str


def rules() -> set[str]:
    """Ids of the rules that have fakes."""
    vendors = {f"{vendor}-value" for vendor, _, _ in VENDORS}
    placed = {rule for rule, _ in (*PLACED, *STRICT)}
    return {rule for rule, _, _ in ROWS} | vendors | placed


def structural(seed: int, each: int = len(AROUND)) -> Iterator[Planted]:
    """``each`` texts per template, whole secrets and cut ones in turn."""
    for rule, template, least in ROWS:
        choose = random.Random(f"{seed} {rule} {template}")
        first = choose.randrange(len(AROUND))
        for turn in range(each):
            body = None
            if least is not None and turn % 4 == 3:
                body = choose.randint(least, body_length(template))
            before, secret = _parted(fill(template, choose, body))
            left, right = AROUND[(first + turn) % len(AROUND)]
            text = left + before + secret + right
            yield Planted(rule, "structural", text, len(left + before), secret)


def context(seed: int, each: int = 20) -> Iterator[Planted]:
    """``each`` texts per vendor and per placed template."""
    for vendor, words, templates in VENDORS:
        choose = random.Random(f"{seed} {vendor}")
        for turn in range(each):
            word = choose.choice(words.split())
            value = fill(choose.choice(templates), choose)
            form = VENDOR_FORMS[turn % len(VENDOR_FORMS)]
            shape = form.format(name=word, NAME=word.upper(), value=BAR)
            at = shape.index(BAR)
            text = shape.replace(BAR, value)
            yield Planted(f"{vendor}-value", "context", text, at, value)
    yield from _placed(PLACED, "context", seed, each)


def strict(seed: int, each: int = 20) -> Iterator[Planted]:
    """Texts whose secret goes with the strict policy alone."""
    return _placed(STRICT, "strict", seed, each)


def near_misses(seed: int) -> Iterator[tuple[str, str]]:
    """Rule, and a text that comes near it and has to stay whole."""
    for rule, template, least in ROWS:
        choose = random.Random(f"{seed} near {rule} {template}")
        if least is not None:
            yield rule, "see " + fill(template, choose, least - 1).replace(BAR, "") + " there"
            broken = fill(template, choose, least)
            at = len(broken) - least // 2 - 1
            if BAR not in template and not template.startswith("{"):
                yield rule, f"see {broken[:at]}#{broken[at:]} there"
        prefix = start(template).replace(BAR, "")
        if 2 <= len(prefix) < 12 and prefix[0].isalpha() and not rule.startswith(ANYWHERE):
            yield rule, "see " + "z" + fill(template, choose).replace(BAR, "")[1:] + " there"
    for vendor, words, templates in VENDORS:
        choose = random.Random(f"{seed} near {vendor}")
        template = templates[-1]
        word = words.split()[0]
        if ":1}" not in template:
            value = fill(template, choose, body_length(template) - 1)
            yield f"{vendor}-value", f'{word}_ref = "{value}"'
        yield f"{vendor}-value", f'{word}_ref = load("{word}.toml", section="default-settings")'
        yield f"{vendor}-value", f"{word}: the settings that all of the workers share with us"


def one_of_each(seed: int = 7) -> dict[str, tuple[str, ...]]:
    """Per rule, one whole structural secret of each template that needs nothing beside it."""
    made: dict[str, tuple[str, ...]] = {}
    for rule, template, _ in ROWS:
        if BAR not in template:
            secret = fill(template, random.Random(f"{seed} {template}"))
            made[rule] = (*made.get(rule, ()), secret)
    return made


def placed_once(seed: int = 7) -> dict[str, tuple[tuple[str, str, str], ...]]:
    """Per rule, texts in three parts, of which the middle one is the secret."""
    made: dict[str, tuple[tuple[str, str, str], ...]] = {}
    partial = [row for row in structural(seed, each=1) if BAR in _TEMPLATES[row.rule]]
    for planted in (*partial, *context(seed, each=1)):
        end = planted.start + len(planted.secret)
        parts = (planted.text[: planted.start], planted.secret, planted.text[end:])
        made[planted.rule] = (*made.get(planted.rule, ()), parts)
    return made


def _placed(
    rows: tuple[tuple[str, str], ...], kind: Class, seed: int, each: int
) -> Iterator[Planted]:
    for rule, template in rows:
        choose = random.Random(f"{seed} {template}")
        for _ in range(each):
            before, secret, after = fill(template, choose).split(BAR)
            yield Planted(rule, kind, before + secret + after, len(before), secret)


def _parted(text: str) -> tuple[str, str]:
    before, bar, secret = text.partition(BAR)
    return (before, secret) if bar else ("", before)
