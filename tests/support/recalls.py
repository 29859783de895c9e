"""What stands in for a Recall behind a Toolset, and a history with something to find.

``Fake`` keeps what it is asked; ``Pictured`` is a real Recall beside an image. ``ANCHOR`` finds the
handle in the text that a model reads, as a model would.
"""

from __future__ import annotations

import re
from pathlib import Path
from types import SimpleNamespace
from typing import Any

from harkback import Recall, Store

ANCHOR = re.compile(r"; anchor ([0-9a-f]{32})")
MATERIAL = "c0ffee" * 5 + "00"
PNG = b"\x89PNG\r\n\x1a\n made up"
SAID = "The mirror closed the connection; the retry limit was 0."


class Fake:
    """Keeps what it is asked and gives, or raises, what it is told to."""

    def __init__(self, given: Any = None) -> None:
        self.asked: list[tuple[str, tuple[Any, ...], dict[str, Any]]] = []
        self.given = given or SimpleNamespace(text=lambda: "text", to_dict=lambda: {"kind": "x"})

    def _answer(self, method: str, *args: Any, **kwargs: Any) -> Any:
        self.asked.append((method, args, kwargs))
        if isinstance(self.given, BaseException):
            raise self.given
        return self.given

    def search(self, *args: Any, **kwargs: Any) -> Any:
        return self._answer("search", *args, **kwargs)

    def more(self, *args: Any, **kwargs: Any) -> Any:
        return self._answer("more", *args, **kwargs)

    def material(self, *args: Any, **kwargs: Any) -> Any:
        return self._answer("material", *args, **kwargs)


def material(kind: str, data: bytes | None = None) -> SimpleNamespace:
    """What reading a Material gives."""
    return SimpleNamespace(
        kind=kind,
        data=data,
        mime="image/png",
        text=lambda: "RecallMaterial, an image.\n",
        to_dict=lambda: {"kind": "recall_material"},
    )


class Pictured:
    """A Recall whose one Material is an image."""

    def __init__(self, recall: Recall) -> None:
        self.search, self.more = recall.search, recall.more

    def material(self, id: str, *, vision: bool = False, **_: Any) -> SimpleNamespace:
        assert id == MATERIAL
        return material("image", PNG) if vision else material("unsupported")


def write_history(path: Path) -> None:
    """A store with one Session in which ``SAID`` was said."""
    with Store.create(path) as store:
        turn = store.session("Flaky arm64 build", project="/srv/atlas").turn()
        turn.user("The arm64 job failed again. What happened?")
        call = turn.tool_call("Bash", {"command": "ci logs --job arm64"})
        turn.tool_result(call, "fetch rustls: read ECONNRESET")
        turn.assistant(SAID)


def anchor_in(text: str) -> str:
    """The first anchor of an answer in text form."""
    found = ANCHOR.search(text)
    assert found is not None
    return found[1]
