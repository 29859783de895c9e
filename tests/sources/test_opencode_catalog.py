"""The Sessions of an OpenCode database: names, places, descent, forks."""

from __future__ import annotations

import sqlite3
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from harkback import Recall
from harkback.engine import Engine
from harkback.model import Session
from harkback.sources.sqlite.source import SqliteSource
from support.opencode import OpenCodeBuilder

Make = Callable[..., SqliteSource]


@pytest.fixture
def built(tmp_path: Path) -> Iterator[OpenCodeBuilder]:
    builder = OpenCodeBuilder(tmp_path / "opencode")
    yield builder
    builder.close()


def listed(source: SqliteSource, engine: Engine) -> dict[str, Session]:
    with source.view(engine) as view:
        return {session.id: session for session in view.sessions().sessions}


@pytest.mark.parametrize(
    ("title", "own"),
    [
        ("New session - 2026-06-01T12:00:20.000Z", ""),
        ("Child session - 2026-06-01T12:00:20.000Z", ""),
        ("New session - of mine", "New session - of mine"),
        ("Notes: New session - 2026-06-01T12:00:20.000Z", None),
        (None, ""),
    ],
)
def test_a_placeholder_is_no_title(
    built: OpenCodeBuilder, source_of: Make, chosen: Engine, title: str | None, own: str | None
) -> None:
    built.session("s", title=title)
    assert listed(source_of(built.path), chosen)["s"].title == (title if own is None else own)


def test_place_times_and_archive(built: OpenCodeBuilder, source_of: Make, chosen: Engine) -> None:
    built.db.execute("INSERT INTO project VALUES ('p', '/tree', NULL)")
    built.session("a", directory="/dir", time_archived=5)
    built.session("b", directory="", time_created=7, time_updated=None)
    built.session("c", directory="", project_id="gone", time_updated="x")
    found = listed(source_of(built.path), chosen)
    assert [found[name].project for name in "abc"] == ["/dir", "/tree", None]
    assert [found[name].archived for name in "abc"] == [True, False, False]
    assert (found["b"].started_at, found["b"].last_activity_at) == (7, 7)
    built.db.execute("DROP TABLE project")
    assert listed(source_of(built.path), chosen)["b"].project is None


def test_descent(built: OpenCodeBuilder, source_of: Make, chosen: Engine) -> None:
    built.session("root")
    built.session("child", parent_id="root")
    built.session("grandchild", parent_id="child")
    built.session("own", parent_id="own")
    found = listed(source_of(built.path), chosen)
    child = found["grandchild"]
    assert (child.parent, child.parent_kind) == ("child", "subagent")
    assert (child.lineage, child.generation, child.copied) == ("root", 2, False)
    assert found["own"].parent is None


def fork(built: OpenCodeBuilder) -> None:
    built.session("s", title="Talk")
    built.say("s", "apple one", at=1000)
    built.say("s", "apple two", at=2000)
    built.say("s", "apple three", at=3000)
    built.session("f", title="Talk (fork #1)")
    built.say("f", "apple one", at=1000)
    built.say("f", "apple two", at=2000)
    built.say("f", "apple of its own", at=4000)


def test_a_fork_is_told_by_title_and_first_time(
    built: OpenCodeBuilder, source_of: Make, chosen: Engine
) -> None:
    fork(built)
    built.session("unlike", title="Other (fork #1)")
    built.say("unlike", "x", at=77)
    found = listed(source_of(built.path), chosen)
    assert (found["f"].parent, found["f"].parent_kind, found["f"].copied) == ("s", "branch", True)
    assert found["f"].lineage == "s"
    assert (found["unlike"].parent, found["unlike"].copied) == (None, False)
    assert found["s"].parent is None


def test_what_a_fork_replays_is_one_hit(built: OpenCodeBuilder, engine: Engine) -> None:
    fork(built)
    with Recall(built.path, engine=engine.name) as recall:
        shown = [(p.session.id, p.also_in) for p in recall.search(["apple"], limit=25).passages]
    assert sorted(shown) == [("f", ()), ("s", ()), ("s", ("f",)), ("s", ("f",))]


def test_a_fork_is_another_when_what_it_replays_is(
    built: OpenCodeBuilder, source_of: Make, chosen: Engine
) -> None:
    fork(built)
    source = source_of(built.path)
    with source.view(chosen) as view:
        before = view.read("f").fingerprint
        assert view.fingerprint("f") == before
    built.db.execute("UPDATE message SET id = 'msg_other' WHERE id = 'msg_0001'")
    with source.view(chosen) as view:
        assert view.fingerprint("f") != before


def test_ids_that_are_no_text(built: OpenCodeBuilder, source_of: Make, chosen: Engine) -> None:
    for byte in ("ff", "fe"):
        built.db.execute(f"INSERT INTO session (id, title) VALUES (CAST(X'{byte}' AS TEXT), 't')")
    built.db.execute("INSERT INTO session (id) VALUES (NULL)")
    assert sorted(listed(source_of(built.path), chosen)) == ["\ufffd", "\ufffd#2"]


def test_it_is_told_by_its_tables(tmp_path: Path, source_of: Make, chosen: Engine) -> None:
    db = sqlite3.connect(tmp_path / "x.db")
    db.execute("CREATE TABLE session (id, name)")
    db.close()
    from harkback.errors import SourceError

    with pytest.raises(SourceError) as caught, source_of(tmp_path / "x.db").view(chosen):
        pass
    assert caught.value.reason == "source_not_a_store"
