"""Awaitable twins have the types of their methods; mypy checks this file, mistakes included."""

from __future__ import annotations

import asyncio
from pathlib import Path
from typing import assert_type

from harkback import Envelope, Recall, Store
from harkback.pointer import Pointer
from harkback.reading import Reading


async def used(recall: Recall) -> int:
    answer = await recall.asearch(["plum"], limit=3, active=("s", "t"), deadline=5.0)
    assert_type(answer, Envelope)
    reading = await recall.amore(answer.passages[0].anchor, view="audit")
    assert_type(reading, Reading)
    pointer = await recall.acompaction_pointer(answer.passages[0].session.id)
    assert_type(pointer, Pointer)
    return len(answer.passages) + len(reading.passage.messages) + pointer.messages


async def misused(recall: Recall) -> None:
    await recall.asearch(["plum"], limit="3")  # type: ignore[arg-type]
    await recall.asearch(["plum"], unheard_of=1)  # type: ignore[call-arg]
    await recall.amore()  # type: ignore[call-arg]
    await recall.amore("0" * 32, view="sideways")  # type: ignore[arg-type]


def test_what_is_typed_runs(tmp_path: Path) -> None:
    with Store.create(tmp_path / "runtime.sqlite") as store:
        store.session("s").turn().user("a plum")
    with Recall(tmp_path) as recall:
        assert asyncio.run(used(recall)) == 3
