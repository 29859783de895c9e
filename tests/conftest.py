"""Fixtures that the whole suite shares."""

from __future__ import annotations

import os
from pathlib import Path

import pytest
from hypothesis import HealthCheck, settings

import harkback.engine

# Nobody's own config file has a say in the tests; what starts a process hands it on.
os.environ["HARKBACK_CONFIG"] = os.devnull
# Nor has a cache; what is no folder is none.
os.environ["HARKBACK_CACHE"] = os.devnull

settings.register_profile(
    "default", deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture]
)
settings.register_profile("thorough", settings.get_profile("default"), max_examples=2000)
settings.load_profile(os.environ.get("HYPOTHESIS_PROFILE", "default"))


@pytest.fixture(params=["native", "reference"])
def engine(request):
    return harkback.engine.load(request.param)


@pytest.fixture
def samples() -> Path:
    """Transcripts with expected results that are not part of the package."""
    folder = os.environ.get("HARKBACK_SAMPLES")
    if not folder:
        pytest.skip("HARKBACK_SAMPLES is not set")
    return Path(folder)


def pytest_xdist_auto_num_workers(config: pytest.Config) -> int:
    """All cores for all tests; for some of them workers would cost more than they bring."""
    return 0 if config.option.file_or_dir else os.cpu_count() or 1


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    for item in items:
        if "engine" in getattr(item, "fixturenames", ()):
            item.add_marker("both_engines")
