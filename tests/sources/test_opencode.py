"""What is visible of OpenCode's rows, in which order, and under which names."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from harkback.engine import Engine
from harkback.model import AttachmentPart, StoredMessage
from harkback.sources.sqlite import opencode
from harkback.sources.sqlite.source import SqliteSource
from support.opencode import OpenCodeBuilder
from support.stores import texts

Make = Callable[..., SqliteSource]
Read = Callable[[str], list[StoredMessage]]


@pytest.fixture
def built(tmp_path: Path) -> Iterator[OpenCodeBuilder]:
    builder = OpenCodeBuilder(tmp_path / "opencode")
    yield builder
    builder.close()


@pytest.fixture
def read(built: OpenCodeBuilder, source_of: Make, chosen: Engine) -> Read:
    """The Messages of a Session, each of which can be read again by its locator."""
    source = source_of(built.path)

    def of(session: str) -> list[StoredMessage]:
        with source.view(chosen) as view:
            transcript = view.read(session)
            messages = [m for m in transcript.messages if m.kind != "title"]
            for message in messages:
                assert view.read_around(session, [message.locator]) == [message]
            assert view.fingerprint(session) == transcript.fingerprint
        assert len({message.id for message in messages}) == len(messages)
        return messages

    return of


def test_order_is_by_time_then_id_whatever_ids_say(built: OpenCodeBuilder, read: Read) -> None:
    built.session("s")
    last = built.message("s", id="msg_0001", at=2000)
    first = built.message("s", id="msg_ffff", at=1000)
    built.part(last, text="third")
    built.part(first, id="prt_0000", text="second", at=20)
    built.part(first, id="prt_ffff", text="first", at=10)
    assert texts(read("s")) == ["firstsecond", "third"]
    built.db.execute("UPDATE part SET time_created = 5")  # as a migration leaves them
    assert texts(read("s")) == ["secondfirst", "third"]


def test_time_is_what_the_record_says(built: OpenCodeBuilder, read: Read) -> None:
    built.session("s")
    built.say("s", "one", time={"created": 77})
    built.say("s", "two", time="x")
    built.db.execute("UPDATE message SET time_created = 99 + rowid")
    assert [message.timestamp for message in read("s")] == [77, 101]


def test_what_is_never_visible(built: OpenCodeBuilder, read: Read) -> None:
    built.session("s")
    message = built.message("s", "assistant")
    built.part(message, text="seen")
    built.part(message, text="of the program", synthetic=True)
    built.part(message, text="taken out", ignored=True)
    for type in ("reasoning", "snapshot", "patch", "step-start", "step-finish", "retry", "unknown"):
        built.part(message, type, text="hidden", files=["hidden"], snapshot="hidden")
    built.tool(message, metadata={"output": "hidden"}, title="hidden")
    built.message("s", "system")
    shown = read("s")
    assert [m.kind for m in shown] == ["assistant", "tool_call", "tool_result"]
    assert "hidden" not in repr(shown)
    assert texts(shown) == ["seen", "bash", "done"]


def test_the_older_name_of_text(built: OpenCodeBuilder, read: Read) -> None:
    built.session("s")
    built.part(built.message("s"), content="of old")
    assert texts(read("s")) == ["of old"]


def test_states_of_a_tool(built: OpenCodeBuilder, read: Read) -> None:
    built.session("s")
    message = built.message("s", "assistant")
    built.tool(message, "a", status="pending", input={})
    built.tool(message, "b", status="running")
    built.tool(message, "c", status="error", error="went wrong")
    built.tool(message, "d", time={"compacted": 1}, output="still there")
    built.part(message, text="said last")
    found = read("s")
    assert [m.id for m in found][:-1] == ["a", "b", "c", "c#result", "d", "d#result"]
    assert texts(found)[3:] == ["went wrong", "bash", "still there", "said last"]
    assert {m.turn for m in found} == {None}


def test_a_call_id_that_is_doubled(built: OpenCodeBuilder, read: Read) -> None:
    built.session("s")
    for name in ("one", "two", "three"):
        built.tool(built.message("s", "assistant"), "call_0", output=name)
    message = built.message("s", "assistant")
    built.tool(message, message)  # the id of a message
    found = read("s")
    assert texts(found)[1::2] == ["one", "two", "three", "done"]
    assert found[0].id == "call_0"


def test_a_turn_is_the_prompt_that_is_answered(built: OpenCodeBuilder, read: Read) -> None:
    built.session("s")
    one = built.say("s", "one")
    two = built.say("s", "two")
    built.say("s", "answers one", "assistant", parentID=one)
    built.say("s", "of a version that did not keep it", "assistant")
    assert [m.turn for m in read("s")] == [one, two, one, two]


def test_a_compaction_summary(built: OpenCodeBuilder, read: Read) -> None:
    built.session("s")
    built.say("s", "the prompt", summary={"title": "hidden", "diffs": []})
    built.part(built.message("s"), "compaction", auto=True)
    built.say("s", "what was done", "assistant", summary=True)
    assert [(m.kind, t) for m, t in zip(read("s"), texts(read("s")), strict=True)] == [
        ("user", "the prompt"),
        ("summary", "what was done"),
    ]


def test_what_was_undone(built: OpenCodeBuilder, read: Read) -> None:
    built.session("s")
    built.say("s", "kept")
    undone = built.say("s", "undone")
    built.say("s", "the answer to it", "assistant")
    built.db.execute("UPDATE session SET revert = ?", (f'{{"messageID":"{undone}"}}',))
    assert [m.abandoned for m in read("s")] == [False, True, True]
    for odd in ("[]", "{", '{"messageID":"gone"}', '{"messageID":7}', None, 5):
        built.db.execute("UPDATE session SET revert = ?", (odd,))
        assert [m.abandoned for m in read("s")] == [False, False, False]


def test_what_was_undone_from_a_part_on(built: OpenCodeBuilder, read: Read) -> None:
    built.session("s")
    message = built.message("s", "assistant")
    built.part(message, text="kept")
    part = built.part(message, text="undone")
    built.tool(message)
    built.say("s", "later")
    mark = f'{{"messageID":"{message}","partID":"%s"}}'
    built.db.execute("UPDATE session SET revert = ?", (mark % part,))
    found = read("s")
    assert texts(found) == ["kept", "undone", "bash", "done", "later"]
    assert [m.abandoned for m in found] == [False, True, True, True, True]
    built.db.execute("UPDATE session SET revert = ?", (mark % "gone",))
    assert all(m.abandoned for m in read("s"))


def test_attachments(built: OpenCodeBuilder, read: Read) -> None:
    built.session("s")
    message = built.message("s")
    image = "data:image/png;base64,aGVsbG8="
    built.part(message, "file", mime="image/png", filename="a.png", url=image)
    built.part(message, "file", mime="text/plain", filename="b.css", url="file:///b.css")
    answer = built.message("s", "assistant")
    built.tool(answer, attachments=[{"type": "file", "mime": "application/pdf", "url": image}, 5])
    found = read("s")
    assert found[0].parts == (
        AttachmentPart("a.png", "image", "image/png", 5),
        AttachmentPart("b.css", "doc", "text/plain", None),
    )
    assert found[-1].parts[1:] == (AttachmentPart("", "pdf", "application/pdf", 5),)


def test_an_answer_in_flight(built: OpenCodeBuilder, read: Read) -> None:
    built.session("s")
    built.say("s", "left behind", "assistant", time={})
    built.say("s", "failed", "assistant", time={}, error={"name": "x"})
    built.say("s", "being written", "assistant", time={})
    assert [m.in_progress for m in read("s")] == [False, False, True]


def test_a_bad_row_costs_itself(
    built: OpenCodeBuilder, source_of: Make, chosen: Engine, monkeypatch: pytest.MonkeyPatch
) -> None:
    built.session("s")
    message = built.message("s")
    for raw in ('{"type":"text","te', "[]", "null", "", b"\xff\xfe", 5, 1.5):
        built.part(message, raw=raw)
    built.part(message, text="whole")
    built.part(built.message("s", raw="{"), text="its header is broken")
    built.part(message, text="x" * 2000)
    monkeypatch.setattr(opencode, "_PARTS", opencode._PARTS.replace(str(64 << 20), "1000"))
    with source_of(built.path).view(chosen) as view:
        transcript = view.read("s")
        assert texts(m for m in transcript.messages if m.kind == "user") == ["whole"]
        counts = [gap.count for gap in (*transcript.gaps, *transcript.damage)]
        assert sum(count for count in counts if count) == 9
        everything = chosen.fold("whole")
        assert view.scan([everything], ["s"]).offered == {"s"}


def test_columns_that_older_databases_lack(tmp_path: Path, source_of: Make, chosen: Engine) -> None:
    schema = """
    CREATE TABLE session (id text PRIMARY KEY, project_id text, directory text);
    CREATE TABLE message (id text PRIMARY KEY, session_id text, time_created integer, data text);
    CREATE TABLE part (id text PRIMARY KEY, message_id text, session_id text,
      time_created integer, data text);
    INSERT INTO session VALUES ('s', 'p', '/d');
    INSERT INTO message VALUES ('m', 's', 1, '{"role":"user"}');
    INSERT INTO part VALUES ('p', 'm', 's', 1, '{"type":"text","text":"of old"}');
    """
    built = OpenCodeBuilder(tmp_path, schema=schema)
    source = source_of(built.path)
    with source.view(chosen) as view:
        (session,) = view.sessions().sessions
        assert (session.project, session.title, session.archived) == ("/d", "", False)
        before = view.read("s")
        assert texts(before.messages) == ["of old"]
    built.db.execute("UPDATE part SET data = replace(data, 'old', 'odd')")
    with source.view(chosen) as view:
        assert view.fingerprint("s") != before.fingerprint
    built.db.execute("DROP TABLE part")
    with source.view(chosen) as view:
        assert [gap.code for gap in view.sessions().gaps] == ["source_incomplete"]
        declined = view.scan(["x"], ["s"]).declined
        assert declined is not None
        assert declined.code == "fast_path_declined"
        assert (view.read("s").messages, view.record_count("s")) == ((), 0)
    built.close()


CHANGES: list[Any] = [
    "UPDATE part SET data = replace(data, 'two', 'owt'), time_updated = time_updated + 1",
    "UPDATE part SET data = replace(data, 'two', 'three')",
    "UPDATE part SET id = 'other' WHERE data LIKE '%two%'",
    "UPDATE part SET message_id = (SELECT MIN(id) FROM message)",
    "UPDATE part SET time_created = 0 WHERE data LIKE '%two%'",
    "UPDATE message SET data = replace(data, 'user', 'else'), time_updated = time_updated + 1",
    "DELETE FROM part WHERE data LIKE '%two%'",
    "DELETE FROM message WHERE rowid = 2",
    'UPDATE session SET revert = \'{"messageID":"msg_0003"}\'',
]


@pytest.mark.parametrize("change", CHANGES)
def test_a_change_is_another_fingerprint(
    built: OpenCodeBuilder, source_of: Make, chosen: Engine, change: str
) -> None:
    built.session("s")
    built.say("s", "one")
    built.say("s", "two")
    built.session("other")
    built.say("other", "apart")
    source = source_of(built.path)
    with source.view(chosen) as view:
        before = {name: view.fingerprint(name) for name in ("s", "other")}
        again = view.read("s").fingerprint
    assert again == before["s"]
    built.db.execute(change + ("" if "WHERE" in change else " WHERE 1"))
    with source.view(chosen) as view:
        assert view.fingerprint("s") != before["s"]
        assert view.read("s").fingerprint == view.fingerprint("s")
