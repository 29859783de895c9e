"""Files that a host keeps beside its store: which of them may be read, and by whom."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from harkback.engine import Engine
from harkback.model import AttachmentPart
from harkback.sources.sqlite.source import SqliteSource
from support.artifacts import SCHEMA, artifact, attached, prompt, stored
from support.stores import StoreBuilder

Open = Callable[..., SqliteSource]
DATA = b"the bytes of a file"
LIMIT = 1000


def parts(source: SqliteSource, engine: Engine, session: str = "s") -> list[AttachmentPart]:
    with source.view(engine) as view:
        messages = view.read(session).messages
    return [p for m in messages for p in m.parts if isinstance(p, AttachmentPart)]


def fetched(
    source: SqliteSource, engine: Engine, session: str = "s", limit: int = LIMIT
) -> list[bytes | None]:
    """The bytes of every file that a Session lists and that may be read."""
    listed = parts(source, engine, session)
    with source.view(engine) as view:
        return [view.material(session, part.ref, limit) for part in listed if part.ref]


def test_an_artifact_is_read_by_its_id(
    builder: StoreBuilder, source_of: Open, chosen: Engine, opens: list[str]
) -> None:
    builder.session("s")
    name = artifact(builder, "s", "a.txt", DATA)
    prompt(builder, "s", "see", attached("a.txt", len(DATA), stored("s", name)))
    source = source_of(builder.path)
    assert fetched(source, chosen) == [DATA]
    assert fetched(source, chosen, limit=3) == [DATA[:4]]
    assert not [path for path in opens if path.endswith((".sqlite", "-wal", "-shm"))]


def test_a_path_of_an_older_store_is_below_the_session(
    builder: StoreBuilder, source_of: Open, chosen: Engine
) -> None:
    builder.session("s", ledger=False)
    place = builder.path.parent / "sessions/s/attachments/a b.png"
    place.parent.mkdir(parents=True)
    place.write_bytes(DATA)
    ref = stored("s", "attachments/a b.png")
    image = {"kind": "image", "mimeType": "image/png", "ref": ref}
    builder.message(
        "s", 0, "user", {"text": "x", "attachments": [attached("a b.png", len(DATA), ref, "image")]}
    )
    builder.message("s", 1, "tool_result", {"content": image})
    source = source_of(builder.path)
    assert fetched(source, chosen) == [DATA, DATA]
    place.write_bytes(DATA + b"more")
    assert fetched(source, chosen) == [None, DATA + b"more"]  # of the second no size was recorded


def test_a_moved_body_is_an_output(builder: StoreBuilder, source_of: Open, chosen: Engine) -> None:
    builder.session("s")
    name = artifact(builder, "s", "body.json", DATA)
    moved = {"kind": "maka.archived_tool_result", "artifactId": name, "originalBytes": 36_000}
    builder.result("s", moved)
    builder.result("s", {"kind": "archived_tool_result", "originalBytes": -1})
    source = source_of(builder.path)
    assert parts(source, chosen) == [AttachmentPart("", "output", "", 36_000)]
    assert fetched(source, chosen) == [DATA]
    with source.view(chosen) as view:
        (gap,) = view.read("s").damage
    assert (gap.code, gap.count) == ("body_archived", 2)


@pytest.mark.parametrize(
    "ref",
    [
        None,
        {},
        "art_1",
        stored("other", "art_1"),
        stored("s", ""),
        {"kind": "workspace_file", "relativePath": "art_1"},
        {"kind": "external_file", "absolutePath": "/etc/passwd"},
        {"kind": "session_file", "sessionId": "s", "relativePath": 5},
        {"kind": "session_context", "sessionId": "s", "refId": "art_1"},
    ],
)
def test_what_lies_elsewhere_is_listed_and_never_followed(
    builder: StoreBuilder, source_of: Open, chosen: Engine, ref: object
) -> None:
    builder.session("s")
    builder.session("other")
    artifact(builder, "other", "a.txt", DATA)
    prompt(builder, "s", "see", attached("a.txt", 1, ref))
    assert [part.ref for part in parts(source_of(builder.path), chosen)] == [""]


@pytest.mark.parametrize(
    "path",
    [
        "../../outside.txt",
        "..",
        "../s2/a.txt",
        "/etc/passwd",
        "a\\..\\..\\outside.txt",
        "C:a",
        "NUL",
    ],
)
def test_no_path_leads_out_of_the_folder(
    builder: StoreBuilder, source_of: Open, chosen: Engine, path: str
) -> None:
    builder.session("s")
    (builder.path.parent / "outside.txt").write_bytes(DATA)
    for folder in ("sessions/s", "sessions/s2", "artifacts/s"):
        (builder.path.parent / folder).mkdir(parents=True)
        (builder.path.parent / folder / "a.txt").write_bytes(DATA)
    prompt(builder, "s", "see", attached("a.txt", len(DATA), stored("s", path)))
    name = artifact(builder, "s", "a.txt", None, id="art_2", path=path, size=len(DATA))
    prompt(builder, "s", "see", attached("a.txt", len(DATA), stored("s", name)))
    assert fetched(source_of(builder.path), chosen) == [None, None]


def test_the_name_of_a_session_is_no_way_out(
    builder: StoreBuilder, source_of: Open, chosen: Engine
) -> None:
    (builder.path.parent / "sessions").mkdir()
    (builder.path.parent / "a.txt").write_bytes(DATA)
    for name in ("..", "../x", "."):
        builder.session(name)
        prompt(builder, name, "see", attached("a.txt", len(DATA), stored(name, "a.txt")))
    source = source_of(builder.path)
    for name in ("..", "../x", "."):
        assert fetched(source, chosen, name) == [None]


def test_an_artifact_of_another_session_is_not_read(
    builder: StoreBuilder, source_of: Open, chosen: Engine
) -> None:
    builder.session("s")
    builder.session("other")
    name = artifact(builder, "other", "a.txt", DATA)
    prompt(builder, "s", "see", attached("a.txt", len(DATA), stored("s", name)))
    assert fetched(source_of(builder.path), chosen) == [None]


@pytest.mark.parametrize(
    "change", [{"status": "deleted"}, {"size": 5}, {"size": len(DATA) + 1}, {"data": None}]
)
def test_a_file_that_is_deleted_gone_or_another_is_not_read(
    builder: StoreBuilder, source_of: Open, chosen: Engine, change: dict[str, object]
) -> None:
    builder.session("s")
    given: dict[str, object] = {"data": DATA, **change}
    name = artifact(builder, "s", "a.txt", **given)  # type: ignore[arg-type]
    prompt(builder, "s", "see", attached("a.txt", len(DATA), stored("s", name)))
    assert fetched(source_of(builder.path), chosen) == [None]


def test_a_link_in_the_folder_is_not_followed(
    builder: StoreBuilder, source_of: Open, chosen: Engine, tmp_path: Path
) -> None:
    builder.session("s")
    outside = tmp_path / "outside.txt"
    outside.write_bytes(DATA)
    name = artifact(builder, "s", "a.txt", None, size=len(DATA))
    (tmp_path / "artifacts/s").mkdir(parents=True)
    (tmp_path / f"artifacts/s/{name}-a.txt").symlink_to(outside)
    prompt(builder, "s", "see", attached("a.txt", len(DATA), stored("s", name)))
    assert fetched(source_of(builder.path), chosen) == [None]


@pytest.mark.parametrize(
    "schema",
    [
        SCHEMA.replace("  status TEXT NOT NULL,\n", ""),
        "CREATE TABLE artifact_records (artifact_id TEXT, relative_path TEXT);",
    ],
    ids=["a newer one without a status", "one without what is needed"],
)
def test_other_versions_of_the_table(
    builder: StoreBuilder, source_of: Open, chosen: Engine, schema: str
) -> None:
    builder.session("s")
    if "storage_key" in schema:
        artifact(builder, "s", "a.txt", DATA, schema=schema)
    else:
        builder.db.executescript(schema)
    prompt(builder, "s", "see", attached("a.txt", len(DATA), stored("s", "art_1")))
    wanted = DATA if "storage_key" in schema else None
    assert fetched(source_of(builder.path), chosen) == [wanted]


@pytest.mark.parametrize("record", ["", "[]", "{", '{"sizeBytes": "5"}', '{"sizeBytes": true}'])
def test_a_row_that_tells_no_size(
    builder: StoreBuilder, source_of: Open, chosen: Engine, record: str
) -> None:
    builder.session("s")
    name = artifact(builder, "s", "a.txt", DATA)
    builder.db.execute("UPDATE artifact_records SET record_json = ?", (record,))
    prompt(builder, "s", "see", attached("a.txt", len(DATA), stored("s", name)))
    wanted = [DATA] if "sizeBytes" in record else [None]
    assert fetched(source_of(builder.path), chosen) == wanted
