"""One store for the tests of the MCP server."""

from __future__ import annotations

from pathlib import Path

import pytest

from harkback import Store

pytest.importorskip("mcp")


@pytest.fixture(scope="session")
def zoo(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("zoo") / "runtime.sqlite"
    with Store.create(path) as store:
        turn = store.session("Zoo", "/srv/zoo").turn()
        turn.user("Where does the zebra sleep? 斑马")
        turn.assistant("The zebra sleeps in the north stable.")
        store.session("Farm", "/srv/farm").turn().user("No zebra here, only okapi.")
    return path
