"""A Recall that is opened when it is first asked."""

from __future__ import annotations

import threading
from concurrent.futures import ThreadPoolExecutor

import pytest

from harkback import QueryError, Recall, SourceError, Store, UsageError
from harkback.mcp.later import Later


def test_it_is_opened_once_and_closed_once(tmp_path):
    path = tmp_path / "runtime.sqlite"
    opened = []

    def open_it():
        opened.append(Recall(path))
        return opened[-1]  # a Recall is its own context

    with Store.create(path) as store:
        store.session("Zoo").turn().user("zebra")
    later = Later(open_it)
    later.close()
    assert opened == []
    with ThreadPoolExecutor(4) as pool:
        ready = threading.Barrier(4)

        def ask(_):
            ready.wait(10)
            return later.search(["zebra"]).passages[0].anchor

        (anchor,) = set(pool.map(ask, range(4)))
    assert len(opened) == 1
    assert later.more(anchor).passage.anchor == anchor
    with pytest.raises(QueryError, match="at this anchor"):
        later.more("0" * 32)
    later.close()
    with pytest.raises(UsageError):
        later.search(["zebra"])


def test_what_fails_is_tried_again():
    tries = []

    def open_it():
        tries.append(1)
        raise SourceError("source_missing", "There is nothing yet.")

    later = Later(open_it)
    for _ in range(2):
        with pytest.raises(SourceError, match="nothing yet"):
            later.search(["zebra"])
    assert len(tries) == 2
    later.close()
