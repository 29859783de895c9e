"""What every View owes: narrowing offers a superset, and all its calls tell one story."""

from __future__ import annotations

import tempfile
from pathlib import Path
from typing import Any

from hypothesis import given, settings
from hypothesis import strategies as st

from harkback import engine as engines
from harkback.model import JsonPart, TextPart
from harkback.sources.sqlite.source import SqliteSource
from support.stores import StoreBuilder

TEXT = st.text(alphabet="aAbß/\\\"'\n\tİiée\u0301中字ｱﾞ😀\ud83d\x00 ", min_size=1, max_size=12)
SHAPES = st.sampled_from(["user", "assistant", "call", "result", "nested", "row", "long"])
SESSION = st.lists(st.tuples(SHAPES, TEXT), max_size=3)


def leaves(value: Any) -> list[str]:
    if isinstance(value, str):
        return [value]
    items = value.values() if isinstance(value, dict) else value if isinstance(value, list) else ()
    return [leaf for item in items for leaf in leaves(item)]


def add(builder: StoreBuilder, session: str, shape: str, text: str) -> None:
    if session.startswith("pre"):
        body = text + "x" * 66_000 if shape == "long" else text
        builder.message(session, builder.tick(), "user", {"text": body})
    elif shape == "call":
        call = {"kind": "function_call", "id": "c", "name": "tool", "args": {"k": [text]}}
        builder.event(session, call)
    elif shape == "result":
        builder.result(session, {"kind": "text", "text": text})
    elif shape == "nested":
        builder.result(session, {"kind": "json", "value": {"inner": text}})
    else:
        builder.text(session, text, role="user" if shape == "user" else "model")


@settings(max_examples=40, deadline=None)
@given(sessions=st.lists(SESSION, min_size=1, max_size=4), term=TEXT, escaped=st.booleans())
def test_candidates_are_a_superset(
    sessions: list[list[tuple[str, str]]], term: str, escaped: bool
) -> None:
    engine = engines.load()
    with tempfile.TemporaryDirectory() as folder:
        builder = StoreBuilder(Path(folder, "store"), ascii_only=escaped)
        for number, records in enumerate(sessions):
            for owner in ("led", "pre"):
                name = builder.session(f"{owner}{number}", ledger=owner == "led")
                for shape, text in records:
                    add(builder, name, shape, text)
        builder.close()
        source = SqliteSource(builder.path)
        with source.view(engine) as view:
            listed = [session.id for session in view.sessions().sessions]
            held: dict[str, list[str]] = {name: [] for name in listed}
            for name in listed:
                transcript = view.read(name)
                assert transcript.gaps == ()
                assert view.record_count(name) == len(transcript.messages)
                assert view.fingerprint(name) == transcript.fingerprint
                for message in transcript.messages:
                    assert view.read_around(name, [message.locator]) == [message]
                    for part in message.parts:
                        if isinstance(part, TextPart):
                            held[name].append(part.text)
                        elif isinstance(part, JsonPart):
                            held[name] += leaves(part.value)
            terms = {term, *(text[:3] for texts in held.values() for text in texts)}
            for each in terms:
                folded = engine.fold(each.encode("utf-8", "replace").decode())
                if not folded:
                    continue
                wanted = {
                    name
                    for name, texts in held.items()
                    if any(folded in engine.fold(text) for text in texts)
                }
                assert wanted <= view.scan([folded], listed).offered
                for name in wanted:
                    assert view.scan([folded], [name]).offered == {name}
        source.close()
