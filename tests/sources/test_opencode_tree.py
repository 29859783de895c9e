"""The tree of before, and what is whose where a database is beside it."""

from __future__ import annotations

import os
import threading
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from harkback import Recall
from harkback.engine import Engine
from harkback.errors import SourceError, UsageError
from harkback.model import Session, StoredMessage
from harkback.sources.opencode.source import OpenCodeSource, data_folder, named_database
from harkback.sources.registry import open_source
from support.opencode import OpenCodeBuilder, TreeBuilder
from support.stores import texts, tree


@pytest.fixture
def home(tmp_path: Path) -> Path:
    folder = tmp_path / "opencode"
    folder.mkdir()
    return folder


@pytest.fixture
def grown(home: Path) -> TreeBuilder:
    return TreeBuilder(home)


@pytest.fixture
def source(home: Path) -> Iterator[OpenCodeSource]:
    source = OpenCodeSource(home)
    yield source
    source.close()


HOME = Path("/home/lin")


def listed(source: OpenCodeSource, engine: Engine) -> dict[str, Session]:
    with source.view(engine) as view:
        assert [s.id for s in view.sessions().sessions] == [
            s.id
            for s in sorted(view.sessions().sessions, key=lambda s: (-s.last_activity_at, s.id))
        ]
        return {
            session.id: replace(view.describe(session.id), title=view.title(session.id))
            for session in view.sessions().sessions
        }


def read(source: OpenCodeSource, engine: Engine, session: str) -> list[StoredMessage]:
    with source.view(engine) as view:
        transcript = view.read(session)
        assert view.fingerprint(session) == transcript.fingerprint
        for message in transcript.messages:
            assert view.read_around(session, [message.locator]) == [message]
        return [m for m in transcript.messages if m.kind != "title"]


def test_the_tree_alone(grown: TreeBuilder, source: OpenCodeSource, engine: Engine) -> None:
    grown.session("ses_1", directory="")
    grown.write("project/p.json", {"worktree": "/tree"})
    first = grown.message("ses_1")
    grown.part(first, id="prt_b", text="two")
    grown.part(first, id="prt_a", text="one")
    grown.part(first, text="hidden", synthetic=True)
    answer = grown.message("ses_1", "assistant", id="msg_0000", parentID=first)
    state = {"status": "completed", "input": {"x": "y"}, "output": "done"}
    grown.part(answer, "tool", tool="bash", callID="call", state=state)
    found = read(source, engine, "ses_1")
    assert texts(found) == ["onetwo", "bash", "done"]
    assert [m.turn for m in found] == [first] * 3
    session = listed(source, engine)["ses_1"]
    assert (session.title, session.project, session.source) == ("A title", "/tree", source.name)
    with source.view(engine) as view:
        assert view.scan([engine.fold("DONE")], ["ses_1"]).offered == {"ses_1"}
        assert view.scan([engine.fold("nowhere")], ["ses_1"]).offered == set()
        assert view.record_count("ses_1") > 0


def test_marks_of_a_session(grown: TreeBuilder, source: OpenCodeSource, engine: Engine) -> None:
    grown.session("ses_1", title="New session - 2025-06-01T12:00:20.000Z")
    grown.say("ses_1", "the prompt")
    undone = grown.say("ses_1", "undone")
    grown.session("ses_2", parentID="ses_1", time={"created": 5, "archived": 6})
    grown.session(
        "ses_1", title="New session - 2025-06-01T12:00:20.000Z", revert={"messageID": undone}
    )
    assert [m.abandoned for m in read(source, engine, "ses_1")] == [False, True]
    found = listed(source, engine)
    assert found["ses_1"].title == "the prompt"
    child = found["ses_2"]
    assert (child.parent, child.parent_kind, child.lineage) == ("ses_1", "subagent", "ses_1")
    assert (child.archived, child.started_at) == (True, 5)


def test_files_that_are_damaged_cost_themselves(
    grown: TreeBuilder, source: OpenCodeSource, engine: Engine
) -> None:
    grown.session("ses_1")
    message = grown.say("ses_1", "whole")
    grown.write(f"part/{message}/prt_broken.json", '{"type":"text","te')
    grown.write(f"part/{message}/notes.txt", "no part")
    grown.write("message/ses_1/msg_broken.json", "[]")
    grown.write("session/p/ses_broken.json", "{")
    grown.write("session/p/other.json", "{}")
    grown.write("todo/ses_1.json", '[{"content":"hidden"}]')
    assert texts(read(source, engine, "ses_1")) == ["whole"]
    with source.view(engine) as view:
        assert sum(gap.count or 0 for gap in view.read("ses_1").damage) == 2
        assert {s.id for s in view.sessions().sessions} == {"ses_1", "ses_broken"}


def test_what_a_database_has_is_the_databases(
    home: Path, grown: TreeBuilder, source: OpenCodeSource, engine: Engine
) -> None:
    grown.session("ses_both")
    grown.say("ses_both", "apple of before")
    grown.session("ses_orphan", parentID="ses_both")
    grown.say("ses_orphan", "apple of an orphan")
    built = OpenCodeBuilder(home)
    built.session("ses_both")
    built.say("ses_both", "apple of the database")
    assert set(listed(source, engine)) == {"ses_both", "ses_orphan"}
    assert texts(read(source, engine, "ses_both")) == ["apple of the database"]
    assert listed(source, engine)["ses_orphan"].lineage == "ses_both"
    before = tree(home)
    with Recall(home, engine=engine.name) as recall:
        found = sorted(p.messages[0].text for p in recall.search(["apple"]).passages)
    assert found == ["apple of an orphan", "apple of the database"]
    assert tree(home) == before
    built.close()


def test_two_threads_see_the_same(home: Path, grown: TreeBuilder, source: OpenCodeSource) -> None:
    from harkback import engine as engines

    grown.session("ses_both")
    built = OpenCodeBuilder(home)
    built.session("ses_both")
    seen: list[set[str]] = []

    def look() -> None:
        seen.append(set(listed(source, engines.load())))

    threads = [threading.Thread(target=look) for _ in range(2)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert seen == [{"ses_both"}] * 2
    source.close()
    built.close()


def test_several_databases(home: Path, engine: Engine, tmp_path: Path) -> None:
    stable = OpenCodeBuilder(home)
    stable.session("both", time_updated=2)
    stable.say("both", "newer")
    stable.session("stable")
    beta = OpenCodeBuilder(home, "opencode-beta.db")
    beta.session("both", time_updated=1)  # its name sorts first
    beta.say("both", "older")
    apart = OpenCodeBuilder(tmp_path / "apart", "mine.db")
    apart.session("apart")
    source = OpenCodeSource(home, database=apart.path)
    assert set(listed(source, engine)) == {"both", "stable", "apart"}
    assert texts(read(source, engine, "both")) == ["newer"]
    with source.view(engine) as view:
        everything = [s.id for s in view.sessions().sessions]
        assert view.scan([engine.fold("newer")], everything).offered == {"both"}
        epoch = view.epoch
    beta.session("late")
    with source.view(engine) as view:
        assert view.epoch != epoch
        assert "late" in {s.id for s in view.sessions().sessions}
    for built in (stable, beta, apart):
        built.close()
    source.close()


def test_a_database_that_cannot_be_read(
    home: Path, grown: TreeBuilder, source: OpenCodeSource, engine: Engine
) -> None:
    (home / "opencode.db").write_bytes(b"no database" * 500)
    with pytest.raises(SourceError) as caught, source.view(engine):
        pass
    assert caught.value.reason == "source_damaged"
    grown.session("ses_1")
    grown.say("ses_1", "still read")
    assert texts(read(source, engine, "ses_1")) == ["still read"]
    with source.view(engine) as view:
        assert [gap.code for gap in view.sessions().gaps] == ["source_incomplete"]


def test_nothing_there(home: Path, source: OpenCodeSource, engine: Engine) -> None:
    with pytest.raises(SourceError) as caught, source.view(engine):
        pass
    assert caught.value.reason == "source_missing"
    with pytest.raises(SourceError) as caught:
        open_source(home)
    assert caught.value.reason == "source_not_a_store"
    source.close()
    with pytest.raises(UsageError), source.view(engine):
        pass


def test_a_missing_table_declines(home: Path, source: OpenCodeSource, engine: Engine) -> None:
    built = OpenCodeBuilder(home)
    built.session("s")
    built.db.execute("DROP TABLE part")
    built.close()
    with source.view(engine) as view:
        assert view.scan(["x"], ["s"]).declined is not None


@pytest.mark.skipif(os.name == "nt", reason="links need rights there")
def test_no_link_leads_out_of_the_folder(
    home: Path, grown: TreeBuilder, source: OpenCodeSource, engine: Engine, tmp_path: Path
) -> None:
    outside = TreeBuilder(tmp_path / "outside")
    outside.session("ses_out")
    grown.session("ses_1")
    grown.say("ses_1", "inside")
    (home / "storage" / "session" / "p" / "ses_link.json").symlink_to(
        outside.folder / "session" / "p" / "ses_out.json"
    )
    (home / "storage" / "session" / "loop").symlink_to(home / "storage" / "session")
    assert set(listed(source, engine)) == {"ses_1"}


def test_where_it_is() -> None:
    assert data_folder({"XDG_DATA_HOME": "/data"}, HOME) == Path("/data/opencode")
    assert data_folder({}, HOME) == HOME / ".local/share/opencode"
    assert named_database({}, HOME) is None
    assert named_database({"OPENCODE_DB": ":memory:"}, HOME) is None
    assert named_database({"OPENCODE_DB": "/x/y.db"}, HOME) == Path("/x/y.db")
    named = named_database({"OPENCODE_DB": "y.db", "XDG_DATA_HOME": "/data"}, HOME)
    assert named == Path("/data/opencode/y.db")
