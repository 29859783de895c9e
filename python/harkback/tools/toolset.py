"""The tools that a host grants to one agent, bound to its Recall.

Invariant: whatever a model sends, a call gives a ToolAnswer and raises nothing; a tool that is not
granted is as one that does not exist; nothing is searched while it is not certain which Turn is
under way. What nobody foresaw is told to the host by the log, by its type and place alone: its
words may be stored text. Proof: tests/unit/tools/test_toolset.py, tests/leaks/test_tools.py.
"""

from __future__ import annotations

import logging
import traceback
from collections.abc import Callable, Iterable, Mapping
from pathlib import PurePath
from threading import Event
from typing import Any, Final, Protocol, TypeAlias

from harkback.awaiting import twin
from harkback.errors import HarkbackError, QueryError, UsageError
from harkback.tools import arguments
from harkback.tools.answer import ToolAnswer
from harkback.tools.specs import NAMES, TOOLS

Active: TypeAlias = tuple[str, str]
_LOG: Final = logging.getLogger("harkback.tools")
_INNERMOST_CALLS: Final = 3


class RecallLike(Protocol):
    """What a Toolset asks of a ``harkback.Recall``."""

    def search(self, *args: Any, **kwargs: Any) -> Any: ...

    def more(self, *args: Any, **kwargs: Any) -> Any: ...

    def material(self, *args: Any, **kwargs: Any) -> Any: ...


class Toolset:
    """The granted tools. Safe to call from several threads; it keeps no state between calls.

    Args:
        recall: what answers; it is the host's to close.
        grants: names of the tools that may be seen and called.
        active: (Session, Turn) under way, never part of an answer; or what gives it at each call.
        workspace: the project whose Facts are searched beside the global ones.
        vision: whether the model sees images; if not, an image is answered by its description.
        structured: whether adapters send the structured form beside the text, where they can.

    Raises:
        UsageError: ``grants`` names a tool that does not exist.
    """

    def __init__(
        self,
        recall: RecallLike,
        *,
        grants: Iterable[str] = NAMES,
        active: Active | Callable[[], Active | None] | None = None,
        workspace: str | None = None,
        vision: bool = False,
        structured: bool = False,
    ) -> None:
        granted = {grants} if isinstance(grants, str) else set(grants)
        if not granted <= set(NAMES):
            raise UsageError("grants_invalid", f"grants are some of: {', '.join(NAMES)}.")
        self.specs: Final = tuple(spec for spec in TOOLS if spec.name in granted)
        self.structured: Final = structured
        self._recall = recall
        self._active = active
        self._workspace = workspace
        self._vision = vision

    def call(
        self, name: str, arguments: Mapping[str, Any] | str | None, *, cancel: Event | None = None
    ) -> ToolAnswer:
        """Answers one call of a model.

        Args:
            name: of the tool.
            arguments: as the model sent them: a mapping, or the JSON text of one.
            cancel: once it is set, the call ends in ``cancelled``.
        """
        try:
            return self._answer(name, arguments, cancel)
        except HarkbackError as error:
            return ToolAnswer.failed(error.reason, error.message)
        except Exception as error:
            _report(error)
            return ToolAnswer.failed("internal", "It failed inside; try once more, or go on.")

    acall = twin(call)

    def _answer(self, name: str, given: object, cancel: Event | None) -> ToolAnswer:
        if name not in (spec.name for spec in self.specs):
            names = ", ".join(spec.name for spec in self.specs) or "none"
            raise QueryError("tool_unknown", f"The tools are: {names}.")
        asked = arguments.read(name, given)
        options: dict[str, Any] = {"active": self._turn(), "cancel": cancel}
        match name:
            case "Recall":
                if self._workspace is not None:
                    options["workspace"] = self._workspace
                found = self._recall.search(asked.pop("terms", ()), **asked, **options)
            case "RecallMore":
                found = self._recall.more(asked.pop("anchor"), **asked, **options)
            case _:
                options["vision"] = self._vision
                found = self._recall.material(asked.pop("id"), **asked, **options)
                if found.kind == "image" and found.data is not None:
                    image = (found.mime, found.data)
                    return ToolAnswer(found.text(), image=image, _form=found.to_dict)
        return ToolAnswer(found.text(), _form=found.to_dict)

    def _turn(self) -> Active | None:
        """The Turn under way.

        Raises:
            QueryError: the host gave none that can be told apart; nothing may be searched.
        """
        try:
            turn: Any = self._active() if callable(self._active) else self._active
        except Exception as error:
            _report(error)
            turn = ()
        if turn is None:
            return None
        if isinstance(turn, tuple | list) and [type(part) for part in turn] == [str, str]:
            return turn[0], turn[1]
        raise QueryError("active_invalid", "The host did not say which Turn is under way.")


def _report(error: Exception) -> None:
    """Tells the host what failed and where, without its words and without variables."""
    calls = traceback.extract_tb(error.__traceback__)[-_INNERMOST_CALLS:]
    place = ", ".join(f"{PurePath(call.filename).name}:{call.lineno}" for call in calls)
    _LOG.error("a tool call failed: %s at %s", type(error).__name__, place)
