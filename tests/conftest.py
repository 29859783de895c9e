"""Fixtures of the whole suite."""

from __future__ import annotations

import pytest

import harkback.engine


@pytest.fixture(params=["native", "reference"])
def engine(request):
    return harkback.engine.load(request.param)
