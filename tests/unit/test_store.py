"""What the writer writes the reader reads back; what is not its own it leaves alone."""

from __future__ import annotations

import contextlib
import os
import stat
import tempfile
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from harkback import engine as engines
from harkback.errors import StoreError
from harkback.model import AttachmentPart, JsonPart, Session, StoredMessage, TextPart
from harkback.sources.sqlite.source import SqliteSource
from harkback.store import Store
from support import writers
from support.stores import StoreBuilder, texts, tree


def read(path: Path) -> list[tuple[Session, tuple[StoredMessage, ...]]]:
    source = SqliteSource(path)
    try:
        with source.view(engines.load()) as view:
            listed = view.sessions()
            assert listed.gaps == ()
            found = [(session, view.read(session.id).messages) for session in listed.sessions]
            return [(s, tuple(m for m in read if m.kind != "title")) for s, read in found]
    finally:
        source.close()


def test_a_conversation(tmp_path: Path) -> None:
    path = tmp_path / "store.sqlite"
    with Store.create(path) as store:
        writer = store.session("Title", project="/p", archived=True, started_at=5)
        turn = writer.turn()
        picture = AttachmentPart("a.png", "image", "image/png", 7)
        user = turn.user("envelope", "typed", [picture], at=10)
        call = turn.tool_call("Bash", {"command": "ls"}, intent="look", at=11)
        result = turn.tool_result(call, "files", at=12)
        diff = turn.tool_result(call, {"kind": "file_diff", "paths": ["p"], "diff": "+"}, at=13)
        answer = turn.assistant("answer", at=14)
        child = store.session("Child", parent=writer.id, started_at=6)
    (session, messages), (other, nothing) = read(path)
    assert (session.title, session.project, session.archived) == ("Title", "/p", True)
    assert (session.started_at, session.last_activity_at) == (5, 14)
    assert (other.id, other.parent, other.lineage) == (child.id, writer.id, writer.id)
    assert nothing == ()
    assert {message.turn for message in messages} == {turn.id}
    assert [(m.id, m.kind, m.timestamp, m.parts) for m in messages] == [
        (user, "user", 10, (TextPart("text", "typed"), picture)),
        (
            call,
            "tool_call",
            11,
            (
                TextPart("tool", "Bash"),
                TextPart("intent", "look"),
                JsonPart("args", {"command": "ls"}),
            ),
        ),
        (result, "tool_result", 12, (TextPart("content.text", "files"),)),
        (
            diff,
            "tool_result",
            13,
            (JsonPart("content.paths", ["p"]), TextPart("content.diff", "+")),
        ),
        (answer, "assistant", 14, (TextPart("text", "answer"),)),
    ]


def test_a_stream_in_flight_and_settled(tmp_path: Path) -> None:
    path = tmp_path / "store.sqlite"
    with Store.create(path) as store:
        turn = store.session("T").turn()
        turn.user("question", at=1)
        stream = turn.stream(at=2)
        for _ in range(3):
            stream.append("字" * 1000)
        stream.append("end")
        segments = store._connection.execute(
            "SELECT length(text_content) FROM runtime_partial_segments ORDER BY segment_seq"
        ).fetchall()
        assert segments == [(2000,), (1003,)]
        ((_, flying),) = read(path)
        assert stream.finish() == stream.id
        ((_, settled),) = read(path)
    for messages in (flying, settled):
        assert texts(messages) == ["question", "字" * 3000 + "end"]
        assert [m.id for m in messages][1] == stream.id
    assert [m.in_progress for m in flying] == [False, True]
    assert [m.in_progress for m in settled] == [False, False]


def test_a_session_goes_on_after_opening_again(tmp_path: Path) -> None:
    path = tmp_path / "store.sqlite"
    with Store.create(path) as store:
        store.session("T", id="mine").turn().user("one", at=1)
    with Store.open(path) as store:
        store.session("ignored", id="mine").turn().user("two", at=2)
    ((session, messages),) = read(path)
    assert (session.id, session.title) == ("mine", "T")
    assert texts(messages) == ["one", "two"]


def test_a_batch_is_all_or_nothing(tmp_path: Path) -> None:
    path = tmp_path / "store.sqlite"
    with Store.create(path) as store:
        turn = store.session("T").turn()
        with store.batch():
            turn.user("kept", at=1)
            turn.assistant("kept too", at=2)

        def interrupted() -> None:
            with store.batch():
                turn.user("undone", at=3)
                raise RuntimeError

        with pytest.raises(RuntimeError):
            interrupted()
        turn.user("after", at=4)
    assert texts(read(path)[0][1]) == ["kept", "kept too", "after"]


def test_it_has_the_form_and_durability_of_the_host(tmp_path: Path) -> None:
    path = tmp_path / "store.sqlite"
    with Store.create(path) as store:
        store.session("T").turn().user("x")
        assert store._connection.execute("PRAGMA journal_mode").fetchone() == ("wal",)
        assert store._connection.execute("PRAGMA synchronous").fetchone() == (2,)
        assert store._connection.execute("PRAGMA user_version").fetchone() == (12,)
        assert store._connection.execute(
            "SELECT ordinal, event_seq FROM runtime_session_event_ordinals"
            " JOIN runtime_events USING (event_id)"
        ).fetchall() == [(1, 1)]
        assert store._connection.execute("PRAGMA foreign_key_check").fetchall() == []
        modes = {stat.S_IMODE(file.stat().st_mode) for file in tmp_path.iterdir()}
    assert modes == {0o600} or os.name == "nt"


@pytest.mark.parametrize("state", ["closed", "live"])
def test_it_never_writes_over_or_into_what_is_not_its_own(tmp_path: Path, state: str) -> None:
    host = StoreBuilder(tmp_path / "host.sqlite")
    host.session("s")
    host.close()
    with contextlib.ExitStack() as stack:
        if state == "live":
            writer = stack.enter_context(writers.live(host.path))
            writer.execute("UPDATE session_metadata SET name = 'in the wal'")
        before = tree(tmp_path)
        for attempt, reason in ((Store.create, "store_exists"), (Store.open, "store_foreign")):
            with pytest.raises(StoreError) as caught:
                attempt(host.path)
            assert caught.value.reason == reason
        assert tree(tmp_path) == before


def test_what_cannot_be_written(tmp_path: Path) -> None:
    with pytest.raises(StoreError) as caught:
        Store.create(tmp_path / "no folder" / "store.sqlite")
    assert caught.value.reason == "store_invalid"
    with Store.create(tmp_path / "store.sqlite") as store:
        turn = store.session("T").turn()
        unsized = AttachmentPart("a", "image", "image/png", None)
        attempts: list[Any] = [
            lambda: turn.user("x", attachments=[unsized]),
            lambda: turn.tool_call("t", object()),  # type: ignore[arg-type]
        ]
        for attempt in attempts:
            with pytest.raises(StoreError) as caught:
                attempt()
            assert caught.value.reason == "store_invalid"
    assert read(tmp_path / "store.sqlite")[0][1] == ()


ANY_TEXT = st.text(alphabet=st.characters(codec=None), min_size=1, max_size=30)
JSON = st.recursive(
    st.none() | st.booleans() | st.integers(-(2**53), 2**53) | ANY_TEXT,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(ANY_TEXT, inner, max_size=3),
    max_leaves=6,
)
STEPS = st.lists(
    st.one_of(
        st.tuples(st.just("user"), ANY_TEXT),
        st.tuples(st.just("assistant"), ANY_TEXT),
        st.tuples(st.just("tool_call"), JSON),
        st.tuples(st.just("tool_result"), ANY_TEXT),
    ),
    max_size=6,
)


def readable(value: Any) -> Any:
    """A value as a reader sees it: pairs joined, lone surrogates and NUL replaced."""
    if isinstance(value, str):
        units = value.encode("utf-16-le", "surrogatepass")
        text, at = "", 0
        while at < len(units):
            unit = int.from_bytes(units[at : at + 2], "little")
            after = int.from_bytes(units[at + 2 : at + 4], "little")
            if 0xD800 <= unit < 0xDC00 and 0xDC00 <= after < 0xE000:
                text += units[at : at + 4].decode("utf-16-le")
                at += 4
                continue
            text += "\ufffd" if unit == 0 or 0xD800 <= unit < 0xE000 else chr(unit)
            at += 2
        return text
    if isinstance(value, list):
        return [readable(item) for item in value]
    if isinstance(value, dict):
        return {readable(key): readable(item) for key, item in value.items()}
    return value


@settings(max_examples=40, deadline=None)
@given(title=ANY_TEXT, steps=STEPS)
def test_what_is_written_is_read_back(title: str, steps: list[tuple[str, Any]]) -> None:
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, "store.sqlite")
        wanted: list[tuple[str, str, Any]] = []
        with Store.create(path) as store, store.batch():
            turn = store.session(title).turn()
            for number, (kind, value) in enumerate(steps):
                if kind == "tool_call":
                    call = turn.tool_call("tool", value, at=number)
                    args = () if value is None else (JsonPart("args", readable(value)),)
                    wanted.append((call, kind, (TextPart("tool", "tool"), *args)))
                elif kind == "tool_result":
                    name = turn.tool_result("call", value, at=number)
                    wanted.append((name, kind, (TextPart("content.text", readable(value)),)))
                else:
                    name = (
                        turn.user(value, at=number)
                        if kind == "user"
                        else turn.assistant(value, at=number)
                    )
                    wanted.append((name, kind, (TextPart("text", readable(value)),)))
        ((session, messages),) = read(path)
        assert [(m.id, m.kind, m.parts) for m in messages] == wanted
        assert session.title == readable(title)


def test_turns_of_one_millisecond_keep_their_order(tmp_path: Path) -> None:
    path = tmp_path / "store.sqlite"
    with Store.create(path) as store:
        session = store.session("quick")
        for number in range(20):
            session.turn().user(str(number), at=1_000)
    ((_, messages),) = read(path)
    assert texts(messages) == [str(number) for number in range(20)]
