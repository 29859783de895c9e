"""A secret goes wherever it stands: in whatever script, mark-up or escape is around it.

Each context is a way in which real history shows text: Markdown, terminals, JSON inside JSON,
addresses, diffs, tables. What stands beside the secret never decides whether it goes, and no
comment in the text switches the check off. What is known to stay is in docs/redaction.md.
"""

from __future__ import annotations

import json
import random
from collections.abc import Callable

import pytest

from harkback.engine import Engine
from harkback.redaction import DEFAULT, Redaction
from support.leaks import Planted, assert_silent
from support.planting import BARE, SHAPES, make

Dress = Callable[[str], str]


def _json(times: int) -> Dress:
    def dress(text: str) -> str:
        value = json.dumps({"note": text})
        for _ in range(times - 1):
            value = json.dumps(value)
        return value

    return dress


#: What may stand around any secret and its context.
AROUND: dict[str, Dress] = {
    "Chinese": lambda text: f"密钥{text}。",
    "Chinese brackets": lambda text: f"（{text}）、",
    "Chinese colon": lambda text: f"密钥：{text}；",
    "Japanese": lambda text: f"キーは{text}です",
    "Korean": lambda text: f"토큰{text}을",
    "emoji": lambda text: f"🔑{text}🔑",
    "Markdown bold": lambda text: f"**{text}**",
    "Markdown struck": lambda text: f"~~{text}~~",
    "Markdown code": lambda text: f"`{text}`",
    "Markdown fence": lambda text: f"```sh\n{text}\n```",
    "Markdown link": lambda text: f"[{text}](https://docs.example)",
    "Markdown target": lambda text: f"[docs](https://docs.example/{text})",
    "Markdown autolink": lambda text: f"<{text}>",
    "Markdown quote": lambda text: f"> {text}",
    "Markdown list": lambda text: f"- {text}",
    "table": lambda text: f"| a | {text} | b |",
    "tight table": lambda text: f"|{text}|",
    "HTML": lambda text: f"<b>{text}</b>",
    "zero width": lambda text: f"\u200b{text}\u200b",
    "byte order mark": lambda text: f"\ufeff{text}\ufeff",
    "soft hyphen": lambda text: f"\u00ad{text}\u00ad",
    "joiner behind a letter": lambda text: f"a\u200d{text}\u200db",
    "override": lambda text: f"\u202e{text}\u202c",
    "no-break space": lambda text: f"\u00a0{text}\u00a0",
    "accent behind": lambda text: f"{text}\u0301",
    "NUL": lambda text: f"\0{text}\0",
    "CRLF": lambda text: f"a\r\n{text}\r\nb",
    "tabs": lambda text: f"\t{text}\t",
    "hyperlink of a terminal": lambda text: f"\x1b]8;;https://e\x1b\\{text}\x1b]8;;\x1b\\",
    "JSON": _json(1),
    "JSON in JSON": _json(2),
    "entities": lambda text: f"&quot;{text}&quot;",
    "numbered entities": lambda text: f"&#34;{text}&#34;",
    "equals": lambda text: f"x={text}",
    "colons": lambda text: f"x:{text}:y",
    "slashes": lambda text: f"/{text}/",
    "dots": lambda text: f".{text}.",
    "dollar": lambda text: f"${text}",
    "diff": lambda text: f"+{text}\n-{text}",
    "Python repr": lambda text: f"ValueError: bad literal {text!r}",
    "mark on both sides": lambda text: f"[redacted]{text}[redacted]",
    "mark spaced": lambda text: f"[redacted] {text} [redacted]",
}
#: What is said to scanners of source code means nothing in a transcript.
PRAGMAS: dict[str, Dress] = {
    word: lambda text, word=word: f"# {word}\n{text}  # {word}\n<!-- {word} -->"
    for word in (
        "pragma: allowlist secret",
        "pragma: allowlist nextline secret",
        "gitleaks:allow",
        "secretlint-disable",
        "secretlint-disable-line",
        "trufflehog:ignore",
        "noqa: S105",
        "nosec",
        "nosemgrep",
        "ggignore",
    )
}
#: Of keys that are known by their own form.
BARE_ONLY: dict[str, Dress] = {
    "shell string": lambda text: f"'{text}'",
    "environment": lambda text: f"A={text}\nB=2",
    "YAML": lambda text: f"x: {text}\ny: 2",
    "CSV": lambda text: f"1,{text},2",
    "query": lambda text: f"https://e.example/?q={text}&r=1",
    "fragment": lambda text: f"https://e.example/#{text}",
    "user of an address": lambda text: f"https://{text}@forge.example/a/b.git",
    "password of an address": lambda text: f"https://x-access-token:{text}@forge.example/a.git",
    "path": lambda text: f"/home/dev/{text}/notes.txt",
    "Windows path": lambda text: f"C:\\{text}\\x",
    "header": lambda text: f"curl -H 'X: {text}' https://e.example",
    "bytes": lambda text: f"b'{text}'",
    "list of arguments": lambda text: f"['deploy', '{text}']",
    "percent-encoded value": lambda text: f"%3D%22 {text} %22",
}


@pytest.fixture
def redaction(engine: Engine) -> Redaction:
    return DEFAULT.bind(engine)


def drawn(shape: str, context: str) -> list[Planted]:
    dice = random.Random(f"{shape} {context}")
    return [make(shape, dice) for _ in range(3)]


def attack(redaction: Redaction, shape: str, context: str, dress: Dress) -> None:
    for planted in drawn(shape, context):
        text = dress(planted.text)
        shown = redaction.clean(text)
        assert_silent({f"{shape} in {context}": shown}, [planted])
        assert redaction.clean(shown) == shown
        assert len(shown) <= len(text) + len("[redacted]") * len(redaction.spans(text))


@pytest.mark.parametrize("context", [*AROUND, *PRAGMAS])
def test_whatever_stands_around_it(redaction: Redaction, context: str) -> None:
    dress = (AROUND | PRAGMAS)[context]
    for shape in SHAPES:
        attack(redaction, shape, context, dress)


@pytest.mark.parametrize("context", BARE_ONLY)
def test_a_key_that_is_known_by_its_form(redaction: Redaction, context: str) -> None:
    for shape in BARE:
        attack(redaction, shape, context, BARE_ONLY[context])


@pytest.mark.parametrize("joint", ["", ",", " ", "\n", "/", "。", "[redacted]", "\u200b"])
def test_secrets_that_meet(redaction: Redaction, joint: str) -> None:
    dice = random.Random(joint)
    for first in SHAPES:
        one = make(first, dice)
        for second in SHAPES:
            other = make(second, dice)
            text = one.text + joint + other.text
            if joint or not glued(one, other):
                assert_silent({f"{first}{joint}{second}": redaction.clean(text)}, [one, other])


def glued(one: Planted, other: Planted) -> bool:
    """Whether a key would begin right behind a letter: nobody can say where it does."""
    return (one.text[-1:] + other.text[:1]).isalnum()


def test_a_secret_inside_the_value_of_another(redaction: Redaction) -> None:
    dice = random.Random(6)
    for shape in BARE:
        planted = make(shape, dice)
        for text in (
            f"password = 'a {planted.text} b'",
            f"Authorization: Bearer {planted.text}",
            f"postgres://user:{planted.text}@db.example/x",
            f'{{"apiKey": "x-{planted.text}"}}',
            f"https://e.example/x?sig=0123456789abcdef{planted.text}",
        ):
            assert_silent(redaction.clean(text), [planted])


def test_lines_are_redacted_as_if_they_were_alone(redaction: Redaction) -> None:
    """All but private keys, the one form here that is meant to go over lines."""
    dice = random.Random(7)
    lines = [make(shape, dice).text.strip("\n") for shape in SHAPES if shape != "pem"]
    lines += ["nothing here", "", "[redacted]", "password", "token:", "密钥"]
    for first in lines:
        for second in lines:
            whole = redaction.clean(f"{first}\n{second}")
            assert whole == f"{redaction.clean(first)}\n{redaction.clean(second)}"
