"""Rows that were rewritten in place, which no stamp sees: read again a slice at a time."""

from __future__ import annotations

import time
from collections.abc import Callable

import pytest

from harkback import Recall
from harkback.config import SETTLED_NS
from harkback.engine import Engine
from harkback.sources.sqlite import memory
from harkback.sources.sqlite.source import SqliteSource
from support.stores import StoreBuilder

Make = Callable[..., SqliteSource]
SESSIONS = ("led", "other", "pre")


def settle() -> None:
    time.sleep(SETTLED_NS / 1e9 * 1.5)


REWRITE = "UPDATE runtime_events SET payload_json = replace(payload_json, 'alpha', 'omega')"


def test_rows_rewritten_in_place_are_found_slice_by_slice(
    history: StoreBuilder,
    source_of: Make,
    chosen: Engine,
    hashed: list[str],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(memory, "RECHECK_BYTES", 1)
    source = source_of(history.path)
    with source.view(chosen) as view:
        before = {session: view.read(session).fingerprint for session in SESSIONS}
        assert all(view.unchanged(session, before[session]) for session in SESSIONS)
    history.session("busy")
    with source.view(chosen) as view:
        assert all(view.unchanged(session, before[session]) for session in SESSIONS)
    history.db.execute(REWRITE + " WHERE session_id = 'led'")
    settle()
    epochs, told = [], []
    for _ in range(5):
        with source.view(chosen) as view:
            told.append({s for s in SESSIONS if not view.unchanged(s, before[s])})
            epochs.append(view.epoch)
            token = view.token
        assert (token is None) == (len(epochs) < 3)
    assert hashed == ["led", "other", "pre", "led"]  # one in each View, none twice in one state
    assert told == [set(), set(), {"led"}, {"led"}, {"led"}]
    assert epochs[0] == epochs[1] != epochs[2] == epochs[3] == epochs[4]


def test_what_was_read_longest_ago_is_read_first(
    history: StoreBuilder,
    source_of: Make,
    chosen: Engine,
    hashed: list[str],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(memory, "RECHECK_BYTES", 1)
    source = source_of(history.path)
    with source.view(chosen) as view:
        before = {session: view.read(session).fingerprint for session in SESSIONS}
    for _ in range(7):
        history.session(f"busy {history.tick()}")
        with source.view(chosen) as view:
            assert all(view.unchanged(session, before[session]) for session in SESSIONS)
    assert hashed == ["led", "other", "pre", "led", "other", "pre", "led"]
    history.db.execute("DELETE FROM session_metadata WHERE session_id = 'led'")
    with source.view(chosen):
        assert hashed[7:] == ["other"]  # what is not listed any more is not read


def test_a_store_of_one_slice_is_never_wrong(history: StoreBuilder, engine: Engine) -> None:
    with Recall(history.path, engine=engine.name) as recall:
        for number in range(4):
            assert recall.search(["alpha"]).passages
            history.session(f"busy {number}")
        history.db.execute(REWRITE)
        found = recall.search(["omega", "alpha"], explain=True).passages
        assert {p.session.id for p in found if "omega" in p.matched_terms} == {"led", "other"}
        assert {p.session.id for p in found if "alpha" in p.matched_terms} == {"pre"}


def test_a_rewritten_session_leaves_memory_in_the_end(
    history: StoreBuilder, engine: Engine, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(memory, "RECHECK_BYTES", 1)
    settle()
    with Recall(history.path, engine=engine.name) as recall:
        recall.search(["alpha"])
        recall.search(["alpha"])
        history.session("busy")
        recall.search(["alpha"])
        history.db.execute(REWRITE)
        settle()
        for _ in range(len(SESSIONS) + 1):
            found = recall.search(["omega"]).passages
        assert {p.session.id for p in found} == {"led", "other"}


@pytest.mark.usefixtures("never_rechecked")
def test_a_row_rewritten_unnoticed_is_never_shown_with_old_cuts(
    history: StoreBuilder, engine: Engine
) -> None:
    """Nothing was read again: the segment is stale, and what is shown is redacted all the same."""
    secret = "gh" + "p_" + "x7" * 18
    later = "no key at all here, alpha " + secret
    with Recall(history.path, engine=engine.name) as recall:
        history.text("led", f"{secret} alpha, and a key at the front")
        for number in range(3):
            recall.search(["alpha"])
            history.session(f"busy {number}")
        history.db.execute(
            "UPDATE runtime_events SET payload_json = json_set(payload_json, '$.content.text', ?)"
            " WHERE event_id = (SELECT MAX(event_id) FROM runtime_events)",
            (later,),
        )
        answer = recall.search(["alpha"])
        assert "no key at all here" in answer.text()
        assert "x7x7" not in answer.text() + answer.to_json()
        for passage in answer.passages:
            for view in ("turn", "audit", "scroll"):
                assert "x7x7" not in recall.more(passage.anchor, view=view).to_json()  # type: ignore[arg-type]
        with recall.grep(["alpha"]) as found:
            assert "x7x7" not in repr(list(found.matches()))


@pytest.mark.usefixtures("never_rechecked")
def test_a_row_hidden_unnoticed_is_read_again(history: StoreBuilder, engine: Engine) -> None:
    with Recall(history.path, engine=engine.name) as recall:
        for number in range(3):
            assert len(recall.search(["alpha"]).passages) == 3
            history.session(f"busy {number}")
        history.db.execute(
            "UPDATE runtime_events SET payload_json = json_set(payload_json, '$.superseded',"
            " json('true')) WHERE event_id = 'event-1'"
        )
        assert {p.session.id for p in recall.search(["alpha"]).passages} == {"other", "pre"}


def test_a_fingerprint_from_elsewhere_is_held_against_the_rows(
    history: StoreBuilder, source_of: Make, chosen: Engine, monkeypatch: pytest.MonkeyPatch
) -> None:
    """At once while the slice lasts; later on, and without a token until then, behind it."""
    with source_of(history.path).view(chosen) as view:
        before = {session: view.fingerprint(session) for session in SESSIONS}
    history.db.execute(REWRITE)
    settle()
    with source_of(history.path).view(chosen) as view:
        assert [view.unchanged(s, before[s]) for s in SESSIONS] == [False, False, True]
        assert view.token is not None
    monkeypatch.setattr(memory, "RECHECK_BYTES", 1)
    source = source_of(history.path)
    with source.view(chosen) as view:
        assert [view.unchanged(s, before[s]) for s in SESSIONS] == [False, True, True]
        assert view.token is None
        assert view.fingerprint("pre") == before["pre"]
    with source.view(chosen) as view:
        assert [view.unchanged(s, before[s]) for s in SESSIONS] == [False, False, True]
        assert view.token is not None
