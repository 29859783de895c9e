"""Engine tests run on both engines through one fixture."""

from __future__ import annotations

import pytest

import harkback.engine


@pytest.fixture(params=["native", "reference"])
def engine(request: pytest.FixtureRequest) -> harkback.engine.Engine:
    return harkback.engine.load(request.param)
