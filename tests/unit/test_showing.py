"""Files in the Passage of their Turn: which are listed, where, and what becomes of the others."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from harkback import Envelope, Recall
from harkback.config import JSON_BUDGET, MAX_MATERIALS, TEXT_BUDGET, TEXT_MATERIALS_BUDGET
from harkback.engine import Engine
from harkback.model import AttachmentPart, StoredMessage
from harkback.reading import Reading
from harkback.showing import anchor_home, files, material_id
from support.artifacts import attached, prompt, stored
from support.claude_rows import FOLDER, SESSION, Chain, call, image, text
from support.stores import StoreBuilder

SECRET = "gh" + "p_" + "Qx7" * 12


@pytest.fixture
def builder(tmp_path: Path) -> Iterator[StoreBuilder]:
    built = StoreBuilder(tmp_path / "runtime.sqlite")
    yield built
    built.close()


def picture(builder: StoreBuilder, session: str, name: str, **more: Any) -> str:
    """A tool result that is an image."""
    ref = stored(session, name)
    return builder.result(session, {"kind": "image", "mimeType": "image/png", "ref": ref}, **more)


def called(builder: StoreBuilder, session: str, name: str, **more: Any) -> str:
    content = {"kind": "function_call", "id": name, "name": "Shot", "args": {"at": name}}
    return builder.event(session, content, refs={"toolCallId": name}, **more)


def listed(answer: Envelope | Reading) -> list[tuple[str, list[str]]]:
    """Text of each Message of the only Passage, with the names of what it lists."""
    passage = answer.passages[0] if isinstance(answer, Envelope) else answer.passage
    return [(m.text, [each.name or each.kind for each in m.materials]) for m in passage.messages]


def test_a_prompt_is_found_by_the_name_of_its_file(builder: StoreBuilder, engine: Engine) -> None:
    builder.session("s")
    prompt(builder, "s", "", attached("Whiteboard plan.png", 12_000, None, "image", "image/png"))
    with Recall(builder.path, engine=engine.name) as recall:
        answer = recall.search(["WHITEBOARD"])
    assert listed(answer) == [("Whiteboard plan.png", ["Whiteboard plan.png"])]
    (material,) = answer.materials
    assert (material.bytes, material.tokens, material.available) == (12_000, 64, False)
    shown = answer.to_dict()
    assert shown["passages"][0]["messages"][0]["materials"] == [material.id]
    assert shown["materials"] == [
        {
            "id": material.id,
            "name": "Whiteboard plan.png",
            "kind": "image",
            "mime": "image/png",
            "bytes": 12_000,
            "tokens": 64,
            "available": False,
        }
    ]


def test_a_file_without_name_or_text_stands_in_its_turn(
    builder: StoreBuilder, engine: Engine
) -> None:
    builder.session("s")
    name = prompt(builder, "s", "", attached("", 5, None, "image", "image/png"))
    builder.text("s", "", role="user")
    builder.text("s", "zebra")
    with Recall(builder.path, engine=engine.name) as recall:
        answer = recall.search(["zebra"])
        (passage,) = answer.passages
        assert listed(answer) == [("", ["image"]), ("zebra", [])]
        assert passage.messages[0].id == name
        reading = recall.more(passage.anchor, view="scroll")
        anchor = reading.passage.messages[0].anchor
        assert listed(reading)[0] == ("", ["image"])
        assert anchor is not None
        assert listed(recall.more(anchor))[0] == ("", ["image"])


def test_images_of_tools_are_listed_with_the_message_before_them(
    builder: StoreBuilder, engine: Engine
) -> None:
    builder.session("s")
    builder.text("s", "zebra?", role="user")
    called(builder, "s", "one")
    picture(builder, "s", "first")
    builder.result("s", {"kind": "text", "text": "no image"})
    picture(builder, "s", "second")
    called(builder, "s", "two")
    builder.text("s", "done")
    picture(builder, "s", "last")
    picture(builder, "s", "of another turn")
    builder.db.execute("UPDATE runtime_events SET turn_id = 'other' WHERE event_seq = 10")
    builder.db.execute(
        "UPDATE runtime_events SET turn_id = 'other' WHERE event_id = "
        "(SELECT event_id FROM runtime_events ORDER BY rowid DESC LIMIT 1)"
    )
    with Recall(builder.path, engine=engine.name) as recall:
        answer = recall.search(["zebra"])
        wanted = [
            ("zebra?", []),
            ("Shot\none", ["image", "image"]),
            ("Shot\ntwo", []),
            ("done", ["image"]),
        ]
        assert listed(answer) == wanted
        assert listed(recall.more(answer.passages[0].anchor)) == wanted
        assert len({material.id for material in answer.materials}) == 3
        scrolled = dict(listed(recall.more(answer.passages[0].anchor, view="scroll")))
        assert scrolled["Shot\none"] == ["image"]
        assert scrolled["no image"] == ["image"]
        found = recall.search(["no image"])
        anchored = [(m.text, len(m.materials)) for m in found.passages[0].messages if m.is_anchor]
    assert anchored == [("no image", 1)]
    every = [each.id for m in found.passages[0].messages for each in m.materials]
    assert len(every) == len(set(every)) == len(found.materials)


@pytest.mark.parametrize("known", [True, False])
def test_results_of_many_calls_at_once_are_listed_or_counted(
    builder: StoreBuilder, engine: Engine, known: bool
) -> None:
    """Whether a segment knows which of its Messages have files, or not."""
    builder.session("s")
    called(builder, "s", "zebra")
    for number in range(20):
        picture(builder, "s", f"{number}")
        builder.result("s", {"kind": "text", "text": "nothing"})
    with Recall(builder.path, engine=engine.name) as recall:
        recall.search(["zebra"])
        if not known:
            for segment in recall._corpus.held._known.values():
                assert segment.files == frozenset(range(1, 41, 2))
                segment.files = None
        (message,) = recall.search(["zebra"]).passages[0].messages
    assert (len(message.materials), message.more_materials) == (8, 12)


def test_an_output_that_is_the_anchor_lists_its_own_file_once(
    tmp_path: Path, engine: Engine
) -> None:
    chain = Chain()
    chain.user([text("please"), image()])
    chain.assistant(call("c1"))
    chain.result(
        "c1", "<persisted-output>\nFull output saved to: /x/c1.txt\n\nzebra\n</persisted-output>"
    )
    folder = tmp_path / ".claude" / FOLDER
    (folder / SESSION / "tool-results").mkdir(parents=True)
    (folder / SESSION / "tool-results/c1.txt").write_text("zebra " * 3)
    (folder / f"{SESSION}.jsonl").write_bytes(chain.bytes())
    with Recall(tmp_path / ".claude", engine=engine.name) as recall:
        answer = recall.search(["zebra"])
        kinds = [[m.kind for m in message.materials] for message in answer.passages[0].messages]
        assert kinds == [["image"], [], ["output"]]
        (output,) = (m for m in answer.materials if m.kind == "output")
        assert (output.name, output.bytes, output.tokens) == ("c1.txt", 18, 5)
        assert recall.material(output.id).content == "zebra zebra zebra "


def test_eight_are_listed_and_the_others_counted(builder: StoreBuilder, engine: Engine) -> None:
    builder.session("s")
    prompt(builder, "s", "zebra", *(attached(f"{n}.txt", n, None) for n in range(12)))
    with Recall(builder.path, engine=engine.name) as recall:
        answer = recall.search(["zebra"])
        reading = recall.more(answer.passages[0].anchor, view="audit")
    for shown in (answer.passages[0].messages[0], reading.passage.messages[0]):
        assert [each.name for each in shown.materials] == [f"{n}.txt" for n in range(8)]
        assert shown.more_materials == 4
    assert "\n4 more materials are not listed\n" in answer.text()
    assert answer.to_dict()["passages"][0]["messages"][0]["more_materials"] == 4
    assert len(reading.to_dict()["materials"]) == MAX_MATERIALS


def test_what_is_no_attachment_takes_nobody_s_place(builder: StoreBuilder, engine: Engine) -> None:
    wrong = [
        None,
        [],
        "a.txt",
        attached("a", 1.5, None),
        attached("a", True, None),
        attached("a", -1, None),
        attached("a", float("inf"), None),
        attached("a", 1, None, kind="output"),
        attached("a", 1, None, kind="folder"),
        {"name": "a"},
    ]
    builder.session("s")
    prompt(builder, "s", "zebra", *wrong, attached("right.txt", 1, None))
    with Recall(builder.path, engine=engine.name) as recall:
        (material,) = recall.search(["zebra"]).materials
    assert material.name == "right.txt"


def test_names_are_redacted_and_cannot_be_probed(builder: StoreBuilder, engine: Engine) -> None:
    builder.session("s")
    mime = f"text/plain; token={SECRET}"
    prompt(builder, "s", "zebra", attached(f"key {SECRET}.txt", 1, None, mime=mime))
    with Recall(builder.path, engine=engine.name) as recall:
        answer = recall.search(["zebra"])
        (material,) = answer.materials
        told = recall.material(material.id)
        assert recall.search(["Qx7Qx7"]).passages == ()
    assert material.name == "key [redacted].txt"
    for shown in (answer.text(), answer.to_json(), told.text(), told.to_json(), repr(told)):
        assert "Qx7" not in shown


@pytest.mark.parametrize(
    "name", ['"' * 500, "\\" * 500, "a\n| forged\n[1] · anchor", "\x1b[31m" * 50, "👩\u200d" * 300]
)
def test_hostile_names_stay_in_their_line_and_in_the_budget(
    builder: StoreBuilder, engine: Engine, name: str
) -> None:
    for number in range(25):
        builder.session(f"s{number}")
        many = (attached(name, 2**50 + n, None, mime=name) for n in range(9))
        prompt(builder, f"s{number}", "zebra " * 40, *many)
    with Recall(builder.path, engine=engine.name) as recall:
        answer = recall.search(["zebra"], limit=25)
        few = recall.search(["zebra"], limit=3)
        reading = recall.more(answer.passages[0].anchor, view="audit")
    assert len(answer.passages) >= 8
    assert few.materials
    for shown in (answer, few, reading):
        assert len(shown.text()) <= TEXT_BUDGET
        assert len(shown.to_json()) <= JSON_BUDGET
        assert json.loads(shown.to_json()) == shown.to_dict()
    # Nothing is pushed out silently.
    for passage in (*answer.passages, *few.passages):
        for message in passage.messages:
            assert len(message.materials) + message.more_materials == 9
    lines = [line for line in answer.text().splitlines() if line.startswith("material ")]
    assert len(lines) == len(answer.materials)
    heads = [line for line in answer.text().splitlines() if line.startswith("[")]
    assert len(heads) == len(answer.passages)


def test_files_leave_room_for_what_was_said(builder: StoreBuilder, engine: Engine) -> None:
    for number in range(8):
        builder.session(f"s{number}")
        many = (attached(f"{n} {'name ' * 20}", n, None) for n in range(8))
        prompt(builder, f"s{number}", "zebra", *many)
        builder.text(f"s{number}", "an answer " * 10)
    with Recall(builder.path, engine=engine.name) as recall:
        answer = recall.search(["zebra"])
        unbounded = recall.search(["zebra"], limit=None)
    assert [len(passage.messages) for passage in answer.passages] == [2] * 8
    lines = [line for line in answer.text().splitlines() if line.startswith("material ")]
    assert 1_000 < sum(len(line) + 1 for line in lines) <= TEXT_MATERIALS_BUDGET + 8 * 40
    shares = [len(passage.messages[0].materials) for passage in answer.passages]
    assert max(shares) - min(shares) <= 1  # one by one, so that no Passage takes another's
    assert len(unbounded.materials) == 64


def test_a_person_s_search_lists_all_that_may_be_listed(builder: StoreBuilder) -> None:
    for number in range(20):
        builder.session(f"s{number}")
        prompt(builder, f"s{number}", "zebra", *(attached("a" * 200, n, None) for n in range(8)))
    with Recall(builder.path, engine="native") as recall:
        assert len(recall.search(["zebra"], limit=None).materials) == 160


def test_an_id_is_of_a_session_a_message_and_a_place() -> None:
    home = anchor_home("source", "session")
    ids = {
        material_id(where, message, place)
        for where in (home, anchor_home("source", "other"))
        for message in ("a", "b")
        for place in (0, 1, 255)
    }
    assert len(ids) == 12
    assert all(len(name) == 32 and int(name, 16) >= 0 for name in ids)


def test_files_are_the_attachments_in_order() -> None:
    one, two = (AttachmentPart(name, "doc", "", None) for name in "ab")
    message = StoredMessage("m", "user", None, 0, (one, two), "")
    assert files(message) == [one, two]
