"""What a Source is: history in a place of its own, read in place, never written.

A Source opens Views; a View is one consistent state of it, and every call of one search goes to
one View. Invariant: ``scan`` may narrow only what the Source holds; what it cannot vouch for it
offers. Proof: tests/sources/test_contract.py.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Sequence
from contextlib import AbstractContextManager
from typing import Final, NamedTuple, Protocol

from harkback.engine import Engine
from harkback.model import Gap, Session, StoredMessage, TextPart

TITLE: Final = "title"  # locator of the Message that is a Session's title


def title_message(session: Session) -> Iterable[StoredMessage]:
    """The title of a Session as a Message of kind ``title``; none if it has no title."""
    if session.title:
        parts = (TextPart("title", session.title),)
        name = f"{TITLE}:{session.id}"
        yield StoredMessage(name, "title", None, session.started_at, parts, TITLE)


def own_name(taken: dict[str, int], name: str) -> str:
    """``name``, or with the first free number behind it where it is taken: ``name#2``.

    Args:
        taken: names given out so far, with the number that was tried last; starts empty.
    """
    base, number = name, taken.get(name, 0)
    while name in taken:
        number += 1
        name = f"{base}#{number + 1}"
    taken[base] = number
    taken[name] = taken.get(name, 0)
    return name


def first_prompt(messages: Iterable[StoredMessage]) -> str:
    """What serves as a title where there is none; no more Messages are taken than it needs."""
    for message in messages:
        if message.kind == "user":
            for part in message.parts:
                if isinstance(part, TextPart) and part.text:
                    return part.text
    return ""


def names(engine: Engine, terms: Sequence[str], session: Session) -> bool:
    """Whether the title of a Session may hold any of the folded ``terms``."""
    folded = engine.fold(session.title)
    return any(term in folded for term in terms)


class Catalog(NamedTuple):
    """The Sessions a View lists: not deleted, not hidden, not staging; newest activity first.

    What is costly to know of a Session may be missing here: ``View.describe`` tells project, times
    and lineage, ``View.title`` the title.
    """

    sessions: tuple[Session, ...]
    gaps: tuple[Gap, ...] = ()


class Transcript(NamedTuple):
    """The StoredMessages of one Session in reading order, and what could not be read of it.

    The title of the Session, if it has one, is the last of them.

    ``gaps`` are those of which every scan offers the Session. ``damage`` only reading finds: told
    of a Session without a Hit, it would tell that raw bytes, secrets among them, hold a term.
    """

    messages: tuple[StoredMessage, ...]
    fingerprint: bytes  # equal fingerprints, equal messages
    gaps: tuple[Gap, ...] = ()
    damage: tuple[Gap, ...] = ()


class Grown(NamedTuple):
    """What turns a Session as it was into the Session as it is: taking out, then appending.

    ``transcript`` has the Messages to append; all else that it tells is of the whole Session.
    """

    transcript: Transcript
    retracted: tuple[str, ...]


class ScanResult(NamedTuple):
    """Ids of the Sessions that may hold a match; ``declined`` says why nothing was ruled out."""

    offered: frozenset[str]
    declined: Gap | None = None


class View(Protocol):
    """One consistent state of a Source."""

    name: str  # of its Source
    epoch: Hashable  # equal epochs of one Source: nothing whatever has changed in between

    @property
    def token(self) -> bytes | None:
        """The epoch in a form that may be written down, and what its Messages are read by.

        Equal tokens of one Source, in two processes too: nothing whatever has changed in between,
        and what is unchanged is read the same. None: there is no telling, as of files that were
        written to a moment ago.
        """

    def sessions(self) -> Catalog: ...

    def describe(self, session: str) -> Session:
        """What is known of a listed Session, but for a title that only reading it tells."""

    def title(self, session: str) -> str:
        """The title, or what serves as one where there is none; read if need be."""

    def size(self) -> int:
        """Bytes that the Source occupies."""

    def record_count(self, session: str) -> int:
        """Searchable records of a Session, counted by type, whatever can be read of them."""

    def fingerprint(self, session: str) -> bytes:
        """The fingerprint that ``read`` would give, without decoding."""

    def unchanged(self, session: str, fingerprint: bytes) -> bool | None:
        """Whether a Session still has a fingerprint that it had, told without reading it.

        No: it has changed. None: only ``fingerprint`` tells. A yes may miss what leaves no trace
        but itself, a row that was rewritten in place: a View looks for a part of that each time,
        gets another epoch once it has found any, and has no token until it has looked for all.
        """

    def scan(self, terms: Sequence[str], sessions: Sequence[str]) -> ScanResult:
        """Which of ``sessions`` may hold any of the folded ``terms``: a superset, always."""

    def read(self, session: str) -> Transcript: ...

    def grown(self, session: str, fingerprint: bytes) -> Grown | None:
        """What was added to a Session since it had this fingerprint; None: read it as a whole.

        What it gives is as good as ``unchanged``: a row that was rewritten in place may be missed.
        """

    def read_around(self, session: str, locators: Sequence[str]) -> list[StoredMessage]:
        """The Messages at these locators, in the order given; none for what is none any more."""

    def material(self, session: str, ref: str, limit: int) -> bytes | None:
        """The bytes that the ``ref`` of a part of this Session means; of more, ``limit`` and some.

        None if they are gone, are no longer what was listed, or lie where nothing may be read.
        """


class Naming:
    """A View, or a Reader, that may find Messages by name without reading their Session."""

    def named(self, session: str, names: Sequence[str]) -> dict[str, StoredMessage] | None:
        """By name, the Message of this id or that the record of this id became, where there is one.

        None: it cannot tell without reading the Session.
        """
        raise NotImplementedError


class Source(Protocol):
    """Where history lives."""

    name: str  # unique among the Sources of one Recall, stable between processes

    def view(self, engine: Engine) -> AbstractContextManager[View]:
        """Raises SourceError when the Source as a whole cannot be read."""

    def close(self) -> None: ...
