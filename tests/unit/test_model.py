"""The vocabulary is values: nothing of it can be changed, and equal parts are equal wholes."""

from __future__ import annotations

import dataclasses

import pytest

from harkback import model

CLASSES = [
    value
    for value in vars(model).values()
    if isinstance(value, type) and dataclasses.is_dataclass(value)
]


@pytest.mark.parametrize("kind", CLASSES)
def test_every_class_is_frozen_and_slotted(kind: type) -> None:
    assert kind.__dataclass_params__.frozen  # type: ignore[attr-defined]
    assert "__slots__" in vars(kind)


def test_a_value_cannot_be_changed_and_can_be_a_key() -> None:
    gap = model.Gap("deadline", "m", 1)
    with pytest.raises(dataclasses.FrozenInstanceError):
        gap.count = 2  # type: ignore[misc]
    assert len({gap, model.Gap("deadline", "m", 1), model.Gap("deadline", "m", 2)}) == 2
