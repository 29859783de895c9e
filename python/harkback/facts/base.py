"""What a store of facts is: where a host or a person keeps distilled facts, read in place.

A fact is a stretch of a document: of a text of its own, or of a file that holds many. Invariant: a
FactSource gives documents whole, so redaction sees what stands around a fact before it is cut out.
Proof: tests/unit/facts/test_memory.py, tests/unit/facts/test_files.py.
"""

from __future__ import annotations

from collections.abc import Hashable
from contextlib import AbstractContextManager
from dataclasses import dataclass
from typing import Literal, NamedTuple, Protocol, TypeAlias

from harkback.engine import Engine
from harkback.model import Fact, Gap

Scope: TypeAlias = Literal["global", "workspace", "file"]


@dataclass(frozen=True, slots=True)
class Evidence:
    """A Message that a fact was taken from.

    Attributes:
        session, turn: ids of its Session and its Turn.
        event: id of the event that became the Message, or of the Message itself.
        run: id of the host's run; empty where there is none.
    """

    session: str
    turn: str
    event: str
    run: str = ""


class StoredFact(NamedTuple):
    """One fact as its store holds it: ``document[start:end]``, not redacted yet."""

    id: str
    document: str
    start: int
    end: int
    kind: str
    scope: Scope
    workspace: str | None  # whose fact it is, of scope "workspace"
    observed_at: int
    updated_at: int
    keys: tuple[str, ...] = ()
    evidence: tuple[Evidence, ...] = ()
    file: str = ""  # name of the file, of scope "file"


class Stored(NamedTuple):
    """The active facts of one state of a store; ``gaps`` name what is not among them."""

    facts: list[StoredFact]
    gaps: tuple[Gap, ...] = ()


class Found(NamedTuple):
    """What a search found among facts.

    Attributes:
        matched: of each term, whether a fact in scope matches it.
    """

    facts: tuple[Fact, ...]
    matched: tuple[bool, ...]
    gaps: tuple[Gap, ...]

    @classmethod
    def without_stores(cls, terms: int) -> Found:
        """Nothing, because nobody said where facts are.

        Args:
            terms: how many were asked for.
        """
        return cls((), (False,) * terms, (Gap("not_searched", "No store of facts was given."),))


class FactView(Protocol):
    """One consistent state of a store of facts."""

    epoch: Hashable  # equal epochs of one store: nothing whatever has changed in between

    def facts(self) -> Stored: ...


class FactSource(Protocol):
    """Where facts are kept.

    Attributes:
        name: unique among the fact sources of one Recall.
    """

    name: str

    @property
    def folder(self) -> str | None:
        """The project whose facts these are, and its alone; None: of no one project."""

    def view(self, engine: Engine) -> AbstractContextManager[FactView]:
        """Raises SourceError when it cannot be read."""

    def close(self) -> None: ...
