"""A Session in three depths; any shape of any field costs at most its own row."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from harkback.model import TextPart
from harkback.projection import project
from harkback.sources.transcripts.claude_code import ClaudeCode
from support.claude_rows import FOLDER, PATH, SESSION, Chain, call, image, outlines, text
from support.transcripts import MemoryFiles, decoded, found, lines, shown

SIDE = f"{FOLDER}/{SESSION}"
OTHER = "5f0c2c1e-0000-4000-8000-000000000002"


# --- outline ---------------------------------------------------------------------------------


def test_what_the_first_records_tell() -> None:
    chain = Chain()
    chain.bare("mode", mode="plan")
    first = chain.user("meta", isMeta=True)
    chain.user("go", cwd="/elsewhere")
    (outline,) = outlines(chain.files()).values()
    assert outline.project == "/home/ada/engine"
    assert outline.started_at == 1_770_091_201_500
    assert outline.origin == first
    assert (outline.parent, outline.copied) == (None, False)


def test_rows_without_a_message_make_no_session() -> None:
    chain = Chain()
    chain.user("<local-command-stdout>x</local-command-stdout>")
    chain.assistant({"type": "thinking", "thinking": "x"})
    assert outlines(chain.files()) == {}


def test_a_message_that_shows_late_makes_a_session() -> None:
    chain = Chain()
    chain.assistant({"type": "thinking", "thinking": "x"}, id="a")
    chain.assistant({"type": "thinking", "thinking": "x"}, id="b")
    chain.assistant(text("said"), id="a")
    assert list(outlines(chain.files())) == [SESSION]


def test_the_outline_reads_no_further_than_the_first_message() -> None:
    chain = Chain()
    chain.user("go")
    chain.rows.append(b"not json")
    files = MemoryFiles(chain.files())
    (one,) = ClaudeCode().find(files)
    ClaudeCode().outline(files, one)
    assert files.problems == {}


def forked(session: str, **common: Any) -> Chain:
    """A Session that begins with what another said."""
    chain = Chain(session, **common)
    chain.user("go", uuid="first")
    chain.assistant(text("Done."), uuid="second")
    chain.user("more", uuid=f"own-{session}")
    return chain


def test_a_fork_shares_its_origin_and_is_marked() -> None:
    original, background = forked(SESSION), forked(OTHER, sessionKind="bg")
    told = outlines({**original.files(), **background.files()})
    assert told[SESSION].origin == told[OTHER].origin == "first"
    assert (told[SESSION].copied, told[OTHER].copied) == (False, True)


def test_a_fork_by_the_sdk_names_its_parent() -> None:
    chain = Chain(OTHER)
    chain.user("go", uuid="n1", forkedFrom={"sessionId": SESSION, "messageUuid": "first"})
    told = outlines({**forked(SESSION).files(), **chain.files()})
    assert told[OTHER].origin == told[SESSION].origin
    assert (told[OTHER].parent, told[OTHER].parent_kind) == (SESSION, "branch")
    assert told[OTHER].copied


def test_a_file_that_opens_with_a_summary_is_a_resume() -> None:
    chain = forked(OTHER)
    chain.rows.insert(0, {"type": "summary", "summary": "s", "leafUuid": "second"})
    told = outlines({**forked(SESSION).files(), **chain.files()})
    assert told[OTHER].copied
    assert told[OTHER].origin == told[SESSION].origin


def test_a_file_that_goes_on_where_another_ends() -> None:
    third = "5f0c2c1e-0000-4000-8000-000000000003"
    first, second, last = forked(SESSION), Chain(SESSION), Chain(OTHER)
    second.user("on", parentUuid=f"own-{SESSION}")
    last.user("and on", parentUuid="user-0")
    told = outlines(
        {
            **first.files(),
            f"{FOLDER}/{OTHER}.jsonl": second.bytes(),
            f"{FOLDER}/{third}.jsonl": last.bytes(),
        }
    )
    assert {one.origin for one in told.values()} == {"first"}
    assert (told[OTHER].parent, told[third].parent) == (SESSION, OTHER)


def test_files_that_name_each_other_in_a_ring() -> None:
    one, two = Chain(OTHER), Chain(SESSION)
    one.user("a", parentUuid="x")
    two.user("b", parentUuid="x")
    contents = {PATH: one.bytes(), f"{FOLDER}/{OTHER}.jsonl": two.bytes()}
    assert len(outlines(contents)) == 2


def test_an_old_subagent_names_its_parent() -> None:
    chain = Chain(isSidechain=True, agentId="old")
    chain.user("look")
    (outline,) = outlines({f"{FOLDER}/agent-old.jsonl": chain.bytes()}).values()
    assert (outline.parent, outline.parent_kind, outline.origin) == (SESSION, "subagent", "")


def test_the_outline_of_sidechains_is_their_own() -> None:
    chain = Chain(version="1.0.43")
    chain.user("go")
    chain.user("look", isSidechain=True, cwd="/side")
    told = outlines(chain.files())
    assert told[f"{SESSION}/sidechains"].project == "/side"
    assert told[f"{SESSION}/sidechains"].started_at == told[SESSION].started_at + 1000


def test_old_files_without_sidechains_have_none() -> None:
    chain = Chain(version="1.0.43")
    chain.user("x" * 20_000)
    assert list(outlines(chain.files())) == [SESSION]


# --- decode ----------------------------------------------------------------------------------


def test_a_subagent_is_called_what_its_task_was_called() -> None:
    chain = Chain(isSidechain=True)
    chain.user("look around")
    agent = f"{SIDE}/subagents/agent-a1"
    contents = {f"{agent}.jsonl": chain.bytes(), f"{agent}.meta.json": b'{"description":"Look"}'}
    told = decoded(ClaudeCode(), contents)
    assert (told.title, shown(told.messages)) == ("Look", [("user", "look around")])
    contents[f"{agent}.meta.json"] = b"[]"
    assert decoded(ClaudeCode(), contents).title == ""


def spilled(path: str, names: list[str]) -> tuple[list[tuple[str, ...]], MemoryFiles]:
    cut = (
        f"<persisted-output>\nOutput too large (9KB). Full output saved to: {path}\n\nPreview:\nab"
    )
    chain = Chain()
    chain.result("t", cut)
    contents = chain.files() | {name: f"whole of {name}".encode() for name in names}
    files = MemoryFiles(contents)
    (one,) = ClaudeCode().find(files)
    return shown(ClaudeCode().decode(files, one).messages), files


@pytest.mark.parametrize("path", ["/home/eve/tool-results/t.txt", r"C:\eve\tool-results\t.txt"])
def test_a_cut_output_is_read_whole_by_the_name_of_its_file(path: str) -> None:
    name = f"{SIDE}/tool-results/t.txt"
    (result,), files = spilled(path, [name, f"{SIDE}/tool-results/unnamed.txt"])
    assert result[2:] == (f"whole of {name}",)
    assert files.opened == [PATH, name]


@pytest.mark.parametrize(
    ("path", "name"),
    [
        ("/x/../../secret.txt", "secret.txt"),
        ("/x/t.txt", f"{FOLDER}/{OTHER}/tool-results/t.txt"),
        ("/x/t.txt", f"{SIDE}/t.txt"),
        ("/x/", f"{SIDE}/tool-results/t.txt"),
    ],
)
def test_no_other_file_is_followed(path: str, name: str) -> None:
    (result,), files = spilled(path, [name])
    assert len(result) == 2
    assert files.opened == [PATH]
    assert files.problems == {"spilled_output_missing": 1}


def test_a_result_that_mentions_a_cut_output_is_not_followed() -> None:
    chain = Chain()
    chain.result("t", "the tag <persisted-output>\nOutput saved to: /x/t.txt")
    files = MemoryFiles(chain.files() | {f"{SIDE}/tool-results/t.txt": b"whole"})
    (one,) = ClaudeCode().find(files)
    ClaudeCode().decode(files, one)
    assert files.opened == [PATH]


# --- any shape -------------------------------------------------------------------------------


def everything() -> list[Any]:
    """One row of each kind."""
    chain = Chain(version="1.0.43")
    chain.bare("summary", summary="s", leafUuid="user-1")
    above = chain.user("go <b>")
    chain.assistant({"type": "thinking", "thinking": "x"}, text("a"), call("t", p="q"), id="m")
    chain.result("t", [text("r\n<system-reminder>x</system-reminder>"), image()], toolUseResult={})
    chain.result("t2", "<persisted-output>\nfull output saved to: /a/t.txt\n")
    chain.assistant({"type": "web_search_tool_result", "tool_use_id": "w", "content": {"a": "b"}})
    chain.queued([text("q"), image(kind="document", title="T")], origin={"kind": "x"})
    chain.bare("queue-operation", operation="enqueue", content="later")
    chain.bare("custom-title", customTitle="c")
    chain.user("again", parentUuid=above, forkedFrom={"sessionId": "s", "messageUuid": "m"})
    chain.user("again", parentUuid=above, isCompactSummary=True, origin={"kind": "x"})
    chain.row("system", parentUuid=None, logicalParentUuid=above, subtype="compact_boundary")
    chain.user("side", isSidechain=True, parentUuid=None)
    return chain.rows


def places(value: Any, path: tuple[Any, ...] = ()) -> list[tuple[Any, ...]]:
    inner = value.items() if isinstance(value, dict) else enumerate(value)
    found_ = []
    for key, item in inner:
        found_.append((*path, key))
        if isinstance(item, dict | list):
            found_ += places(item, (*path, key))
    return found_


ROWS = everything()
PLACES = places(ROWS)
ODD: list[Any] = [None, True, 0, -1, 1.5, 2**63, "", "x", "\u2028", [], ["x"], [[]], {}, {"a": []}]


@given(st.lists(st.tuples(st.sampled_from(PLACES), st.sampled_from(ODD)), max_size=4))
def test_any_field_may_be_of_any_shape(changes: list[tuple[tuple[Any, ...], Any]]) -> None:
    rows = json.loads(json.dumps(ROWS))
    for path, odd in changes:
        node = rows
        try:
            for key in path[:-1]:
                node = node[key]
            node[path[-1]] = odd
        except (KeyError, IndexError, TypeError):
            continue  # an earlier change took its place away
    reader, files = (
        ClaudeCode(),
        MemoryFiles({PATH: lines(*rows), f"{FOLDER}/agent-x.jsonl": lines(*rows)}),
    )
    for one in found(reader, files).values():
        reader.outline(files, one)
        told = reader.decode(files, one)
        for message in told.messages:
            assert isinstance(message.id, str)
            assert isinstance(message.timestamp, int)
            assert message.parts
            for leaf in project(message):
                assert isinstance(leaf.text, str)


@pytest.mark.parametrize("position", range(0, len(ROWS), 3))
@pytest.mark.parametrize(
    "poison", [b"{", b"[]", b"null", b'{"type":"user"}', b'{"type":"user","message":{"content":5}}']
)
def test_a_bad_row_costs_itself(position: int, poison: bytes) -> None:
    rows = list(ROWS)
    before = decoded(ClaudeCode(), {PATH: lines(*rows)}, SESSION).messages
    rows.insert(position, poison)
    after = decoded(ClaudeCode(), {PATH: lines(*rows)}, SESSION).messages
    # Ids of rows without one are their offsets, which have moved.
    assert [m._replace(id="", turn="") for m in after] == [
        m._replace(id="", turn="") for m in before
    ]


def strings(value: Any) -> list[str]:
    if isinstance(value, str):
        return [value]
    inner = value.values() if isinstance(value, dict) else value if isinstance(value, list) else ()
    return [text_ for item in inner for text_ in strings(item)]


@given(st.permutations(ROWS))
def test_every_leaf_is_a_piece_of_one_string(rows: list[Any]) -> None:
    """So the raw scan, which reads string by string, offers whatever is found."""
    held = strings(rows)
    told = decoded(ClaudeCode(), {PATH: lines(*rows)}, SESSION)
    for message in told.messages:
        for part in message.parts:
            leaves = (
                [part.text] if isinstance(part, TextPart) else strings(getattr(part, "value", ""))
            )
            for leaf in leaves:
                assert any(leaf in one for one in held), leaf
    assert not told.title or any(told.title in one for one in held)


def test_rows_are_let_go(monkeypatch: pytest.MonkeyPatch) -> None:
    """What stays of a Session is what it shows: no row outlives the next."""
    import weakref

    class Row(dict[str, Any]):
        __slots__ = ("__weakref__",)

    alive: list[Callable[[], Row | None]] = []
    chain = Chain()
    for number in range(50):
        chain.user(f"prompt {number}", toolUseResult="x" * 1000)
        chain.assistant(text(f"answer {number}"))
    rows = [Row(row) for row in chain.rows]
    from harkback.sources.transcripts.base import Record

    def records(self: MemoryFiles, path: str, **_: Any) -> Any:
        while rows:
            row = rows.pop(0)
            alive.append(weakref.ref(row))
            assert sum(one() is not None for one in alive) <= 2
            yield Record(0, row)

    files = MemoryFiles(chain.files())
    (one,) = ClaudeCode().find(files)
    monkeypatch.setattr(MemoryFiles, "records", records)
    assert len(ClaudeCode().decode(files, one).messages) == 100
