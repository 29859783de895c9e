"""Two scanners of other people find nothing new in redacted text. See ``second_opinions``.

They are large, so they are asked only where they are installed: ``.ci/run`` does it in a step of
its own, with ``tests/requirements-scanners.txt``.
"""

from __future__ import annotations

import random

import pytest

pytest.importorskip("detect_secrets", reason="tests/requirements-scanners.txt is not installed")
pytest.importorskip("credsweeper", reason="tests/requirements-scanners.txt is not installed")

from leaks import second_opinions as opinions
from support.disguises import PRAGMAS
from support.planting import make

pytestmark = pytest.mark.filterwarnings("default")  # what others warn of is theirs


@pytest.mark.parametrize("scanner", [opinions.detect_secrets, opinions.credsweeper])
def test_a_scanner_sees_what_is_not_redacted(scanner) -> None:
    lines = opinions.lines_of(opinions.corpus(1))
    found = {finding.line for finding in scanner(lines)}
    assert len(found) > len(lines) / 3


def test_no_comment_switches_a_scanner_off() -> None:
    key = make("github", random.Random(2)).text
    for dress in PRAGMAS.values():
        lines = dress(f"token = {key!r}").splitlines()
        assert any(opinions.detect_secrets(lines))
        assert any(opinions.credsweeper(lines))


@pytest.mark.parametrize("seed", [1, 2])
def test_nothing_new_is_found_in_redacted_text(seed: int) -> None:
    assert set(opinions.findings(seed)) - set(opinions.baseline()) == set()


def test_the_baseline_holds_nothing_that_is_gone() -> None:
    assert opinions.baseline() == opinions.findings(1)
