"""Fixtures shared by the whole suite."""

import pytest

import harkback.engine


@pytest.fixture(params=["native", "reference"])
def engine(request: pytest.FixtureRequest) -> harkback.engine.Engine:
    return harkback.engine.load(request.param)
