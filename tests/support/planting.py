"""Stores with a secret in every place that text can come from, each place its own secret.

``shapes`` makes made-up secrets, put together at run time; ``plant`` writes one store in the forms
of both transcripts (event ledger, and rows with chunked bodies). Every Message says ``WORD``, so
that one search brings all of them up. Proof: tests/leaks/test_leak_check.py sees each of them
where nothing is redacted.
"""

from __future__ import annotations

import random
import string
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from harkback.sources.sqlite.schema import CHUNK_BYTES
from support.leaks import Planted
from support.stores import BASE_MS, StoreBuilder, dumps

WORD = "quincetree"
ALNUM = string.ascii_letters + string.digits
#: Long enough that a Message is shown as a window, with the key path of the leaf beside it.
FILLER = "lorem ipsum dolor sit amet " * 40

Dice = random.Random
Shape = Callable[[Dice], tuple[str, str, str]]


def draw(dice: Dice, length: int, alphabet: str = ALNUM) -> str:
    """Characters of which the last ones hold a letter of each case and a digit."""
    body = "".join(dice.choice(alphabet) for _ in range(length))
    if alphabet is ALNUM:
        body = body[:-3] + dice.choice("bdfhkm") + dice.choice("NPRTVX") + dice.choice("2345678")
    return body


def _pem(dice: Dice) -> tuple[str, str, str]:
    lines = "\n".join(draw(dice, 64) for _ in range(3))
    kind = " PRIVATE" + " KEY-----"
    return f"-----BEGIN RSA{kind}\n", lines, f"\n-----END RSA{kind}"


#: What stands before the secret, the secret, what stands behind it. ``bare`` ones need no context.
BARE: Mapping[str, Shape] = {
    "github": lambda dice: ("", "gh" + "p_" + draw(dice, 36), ""),
    "anthropic": lambda dice: ("", "s" + "k-ant-" + draw(dice, 93) + "AA", ""),
    "openai": lambda dice: ("", "s" + "k-proj-" + draw(dice, 48), ""),
    "google": lambda dice: ("", "AI" + "za" + draw(dice, 35), ""),
    "aws": lambda dice: ("", "AK" + "IA" + draw(dice, 16, "ABCDEFGHJKLMNPQRSTUVWXYZ234567"), ""),
    "gitlab": lambda dice: ("", "gl" + "pat-" + draw(dice, 20), ""),
    "slack": lambda dice: (
        "",
        "xo" + "xb-" + draw(dice, 12, string.digits) + "-" + draw(dice, 24),
        "",
    ),
    "stripe": lambda dice: ("", "sk" + "_live_" + draw(dice, 24), ""),
    "jwt": lambda dice: (
        "",
        "ey" + "J" + draw(dice, 33) + ".ey" + "J" + draw(dice, 40) + "." + draw(dice, 43),
        "",
    ),
}
IN_CONTEXT: Mapping[str, Shape] = {
    "password": lambda dice: ("password = '", draw(dice, 9) + " " + draw(dice, 9), "'"),
    "environment": lambda dice: ("export DB_PASSWORD=", draw(dice, 18), "\n"),
    "json": lambda dice: ('{"apiKey": "', draw(dice, 22), '"}'),
    "escaped": lambda dice: ('{\\"client_secret\\": \\"', draw(dice, 22), '\\"}'),
    "flag": lambda dice: ("deploy --token ", draw(dice, 24), " now"),
    "header": lambda dice: ("Authorization: Basic ", draw(dice, 24) + "==", "\n"),
    "bearer": lambda dice: ("with bearer ", draw(dice, 40), ", then"),
    "database": lambda dice: ("postgres://shop:", draw(dice, 16), "@db.example:5432/shop"),
    "signature": lambda dice: ("https://blob.example/x?sig=", draw(dice, 32), "&sv=2"),
    "webhook": lambda dice: (
        "https://hooks.slack.com/services/",
        "T" + draw(dice, 8, string.digits) + "/B0123456/" + draw(dice, 24),
        " ok",
    ),
    "pem": _pem,
}
SHAPES: Mapping[str, Shape] = {**BARE, **IN_CONTEXT}


def make(shape: str, dice: Dice, channel: str | None = None) -> Planted:
    """A secret of one shape, never the same twice."""
    before, secret, after = SHAPES[shape](dice)
    return Planted(channel or shape, secret, before, after)


@dataclass
class Garden:
    """A store, and what was planted in it by channel."""

    path: Path
    planted: dict[str, Planted]

    def __iter__(self) -> Iterator[Planted]:
        return iter(self.planted.values())


class _Gardener:
    def __init__(self, builder: StoreBuilder, seed: int) -> None:
        self.builder = builder
        self.dice = random.Random(seed)
        self.planted: dict[str, Planted] = {}
        self._shapes = sorted(BARE)

    def secret(self, channel: str, shape: str | None = None) -> str:
        """The secret of a channel in its context, made when it is first asked for."""
        if channel not in self.planted:
            name = shape or self._shapes[len(self.planted) % len(self._shapes)]
            self.planted[channel] = make(name, self.dice, channel)
        return self.planted[channel].text

    def said(self, channel: str, shape: str | None = None) -> str:
        return f"{WORD} before {self.secret(channel, shape)} behind"


def plant(path: Path, seed: int = 1) -> Garden:
    """Writes the store; equal seeds write equal stores."""
    builder = StoreBuilder(path)
    gardener = _Gardener(builder, seed)
    builder.db.execute("BEGIN")
    _ledger(gardener)
    _pre_ledger(gardener)
    _names(gardener)
    builder.db.execute("COMMIT")
    builder.close()
    return Garden(path, gardener.planted)


def _call(
    builder: StoreBuilder,
    session: str,
    name: str,
    arguments: Any,
    intent: str | None = None,
    id: str = "c",
) -> None:
    content = {"kind": "function_call", "id": id, "name": name, "args": arguments}
    actions = {"stateDelta": {"intent": intent}} if intent else {}
    builder.event(session, content, actions=actions, refs={"toolCallId": id})


def _ledger(gardener: _Gardener) -> None:
    builder = gardener.builder
    for shape in SHAPES:
        session = builder.session(f"shape-{shape}")
        builder.text(session, gardener.said(f"text {shape}", shape), role="user")
    builder.text(builder.session("answered"), gardener.said("assistant"))
    for channel, arguments in (
        ("argument", {"command": f"{WORD} curl -d {gardener.secret('argument')}"}),
        ("argument name", {gardener.secret("argument name"): f"{WORD} {FILLER}"}),
        ("under a name", {"a": WORD, "b": {"password": gardener.secret("under a name")}}),
    ):
        _call(builder, builder.session(f"call-{channel[-8:]}"), "Bash", arguments)
    session, name = builder.session("tool"), gardener.secret("tool name")
    _call(builder, session, name, {"a": WORD}, gardener.said("intent"), gardener.secret("call id"))
    for kind, result in (
        ("text", {"kind": "text", "text": gardener.said("result")}),
        ("json", {"kind": "json", "value": {"a": [{"b": gardener.said("result value")}]}}),
        (
            "terminal",
            {
                "kind": "terminal",
                "stdout": gardener.said("terminal output"),
                "stderr": gardener.said("terminal errors"),
            },
        ),
    ):
        builder.result(builder.session(f"result-{kind}"), result)
    session = builder.session("attached")
    builder.event(
        session,
        {
            "kind": "text",
            "text": f"see {gardener.secret('hidden text')}",
            "displayText": f"{WORD} look",
            "attachments": [
                {
                    "name": f"{WORD} {gardener.secret('attachment')}.txt",
                    "kind": "doc",
                    "mimeType": "text/plain",
                    "bytes": 1,
                }
            ],
        },
        role="user",
        refs={"storedMessageId": gardener.secret("message id")},
    )
    session = builder.session("in-flight")
    text = gardener.said("stream")
    builder.stream(session, "tide", [text[at : at + 11] for at in range(0, len(text), 11)])
    session = builder.session("damaged")
    builder.text(session, gardener.said("beside damage"))
    torn = '{"role":"model","content":{"kind":"text","text":"' + gardener.said("damaged record")
    builder.event(session, None, kind="text", payload=torn)


def _pre_ledger(gardener: _Gardener) -> None:
    builder = gardener.builder
    session = builder.session("chunked", ledger=False)
    for sequence, into in enumerate((1, 13, 30)):  # characters of the secret before the border
        secret = gardener.secret(f"chunk border {into}", "github")
        record = {"type": "user", "id": f"long-{sequence}", "ts": BASE_MS, "turnId": f"t{sequence}"}
        head = dumps({**record, "text": ""}).removesuffix('"}')
        filler = "-" * (CHUNK_BYTES - into - len(head) - 1)
        raw = f'{head}{filler} {secret} {WORD} {FILLER}"}}'
        assert raw.index(secret) == CHUNK_BYTES - into
        builder.message(session, sequence, "user", raw=raw)
    row = {"text": gardener.said("row"), "turnId": gardener.secret("turn id")}
    builder.message(session, 9, "assistant", row, id=gardener.secret("row id"))


def _names(gardener: _Gardener) -> None:
    builder = gardener.builder
    session = builder.session(
        gardener.secret("session id"),
        name=f"Of {gardener.secret('title')}",
        header={"cwd": f"/home/dev/{gardener.secret('project')}"},
    )
    builder.text(session, f"{WORD} is here", role="user")
    child = builder.session(
        "child",
        header={"subagentParent": {"kind": "subagent", "parentSessionId": session}},
        name=f"{WORD} 密钥{gardener.secret('title beside CJK')}。",
    )
    builder.text(child, f"{WORD} is here too", role="user")
