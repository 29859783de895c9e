"""The leak check on segments as bytes: what a file of them would hold, what their errors say.

Ids are in them as they are: who writes segments leaves out Sessions whose ids are secrets.
"""

from __future__ import annotations

import pytest

from harkback import Recall
from harkback.engine import Engine
from harkback.errors import SegmentDamaged
from harkback.verification import Path
from support.capture import Files, listening, told
from support.leaks import Planted, assert_silent
from support.planting import WORD, Garden

IDS = {"turn id", "row id", "message id", "call id", "session id"}


def texts(garden: Garden) -> list[Planted]:
    return [planted for planted in garden if planted.channel not in IDS]


def test_a_dumped_segment_holds_no_secret(engine: Engine, garden: Garden, files: Files) -> None:
    with listening() as heard, Recall(garden.path, engine=engine.name) as recall:
        recall._path = Path.RESIDENT
        recall.search([WORD])
        held = recall._corpus._segments
        dumped = [held.dump(key) for key in recall._corpus.held._known]
    assert any(WORD.encode() in data for data in dumped)
    assert_silent({"segments": b"\n".join(dumped), "elsewhere": heard.text()}, texts(garden))
    assert_silent(files.changed(), garden)


def test_damage_is_told_without_a_word_of_the_text(
    engine: Engine, garden: Garden, files: Files, tmp_path
) -> None:
    file = tmp_path / "HOME" / "pack"
    with listening() as heard, Recall(garden.path, engine=engine.name) as recall:
        recall._path = Path.RESIDENT
        recall.search([WORD])
        held = recall._corpus._segments
        data = max((held.dump(key) for key in recall._corpus.held._known), key=len)
        damaged = bytearray(data)
        damaged[data.index(WORD.encode())] ^= 1
        file.write_bytes(damaged)
        held.attach("file", file, 0, len(data))
        with pytest.raises(SegmentDamaged) as search:
            held.search(["lorem", WORD], ["file"])
        with pytest.raises(SegmentDamaged) as dump:
            held.dump("file")
        with pytest.raises(ValueError, match="whole") as attach:
            held.attach("file", file, 1, len(data) - 1)
    errors = "".join(told(caught.value) for caught in (search, dump, attach))
    assert_silent({"errors": errors, "elsewhere": heard.text()}, garden)
    assert_silent(files.changed(), texts(garden))
