"""Every error reason and Gap code is documented, raised somewhere, and stable."""

from __future__ import annotations

import re
from pathlib import Path
from typing import get_args

import pytest

import harkback
from harkback import errors
from harkback.model import GapCode

ROOT = Path(__file__).parents[2]
DOCUMENT = (ROOT / "docs" / "gaps.md").read_text(encoding="utf-8")
CODE = "\n".join(
    file.read_text(encoding="utf-8")
    for file in Path(harkback.__file__).parent.rglob("*.py")
    if file.name not in ("errors.py", "model.py")
)
KINDS = {
    "QueryError": errors.QueryReason,
    "SourceError": errors.SourceReason,
    "StoreError": errors.StoreReason,
    "UsageError": errors.UsageReason,
    "CacheError": errors.CacheReason,
    "SettingsError": errors.SettingsReason,
}


def documented(section: str) -> list[str]:
    """The slugs of the table under a heading."""
    body = DOCUMENT.split(section, 1)[1].split("\n#", 1)[0]
    return re.findall(r"^\| `(\w+)` \|", body, re.MULTILINE)


def test_every_gap_code_is_documented_in_order() -> None:
    assert documented("## Gap codes") == list(get_args(GapCode))


@pytest.mark.parametrize("name", KINDS)
def test_every_reason_is_documented_in_order(name: str) -> None:
    assert documented(f"### {name}") == list(get_args(KINDS[name]))


@pytest.mark.parametrize(
    "slug", [*get_args(GapCode), *(s for k in KINDS.values() for s in get_args(k))]
)
def test_every_slug_is_used(slug: str) -> None:
    assert f'"{slug}"' in CODE


def test_an_error_carries_its_reason_and_one_message() -> None:
    for name, reasons in KINDS.items():
        kind = getattr(harkback, name)
        assert issubclass(kind, harkback.HarkbackError)
        error = kind(get_args(reasons)[0], "What happened.")
        assert (error.reason, error.message, str(error)) == (
            get_args(reasons)[0],
            "What happened.",
            "What happened.",
        )
