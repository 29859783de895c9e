"""A Source that lies in memory: Sessions and Messages as a test states them, and what is asked.

Every call that reaches it is written down in ``touched``; ``before`` is called at each, and may
wait or raise. The scan rules nothing out.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import replace

from harkback.engine import Engine
from harkback.model import Gap, Kind, Session, StoredMessage, TextPart
from harkback.sources.base import TITLE, Catalog, ScanResult, Transcript, title_message
from support.stores import BASE_MS


def said(
    id: str,
    text: str,
    kind: Kind = "user",
    turn: str | None = "t",
    at: int = BASE_MS,
    field: str = "text",
) -> StoredMessage:
    """A Message of one piece of text."""
    return StoredMessage(id, kind, turn, at, (TextPart(field, text),), id)


class Speaking:
    """See ``harkback.sources.base.Source``; it is its own View.

    Args:
        talks: Messages by Session id; the Session that comes first is the newest.
        sessions: what is known of some of them, by id.
    """

    def __init__(
        self,
        talks: Mapping[str, Sequence[StoredMessage]],
        *,
        name: str = "speaking",
        sessions: Mapping[str, Session] = {},
        gaps: Sequence[Gap] = (),
        before: Callable[[str], None] = lambda call: None,
    ) -> None:
        self.name = name
        self.epoch: Hashable = 0
        self.touched: list[str] = []
        self.talks = {id: tuple(messages) for id, messages in talks.items()}
        self._before = before
        self._gaps = tuple(gaps)
        last = BASE_MS + len(talks)
        self._sessions = {
            id: replace(
                sessions.get(id) or Session(name, id, f"About {id}", None, BASE_MS, last - at),
                source=name,
                lineage=id,
            )
            for at, id in enumerate(talks)
        }

    def _touch(self, call: str) -> None:
        self.touched.append(call)
        self._before(call)

    @contextmanager
    def view(self, engine: Engine) -> Iterator[Speaking]:
        self._touch("view")
        yield self

    def close(self) -> None:
        self.touched.append("close")

    def sessions(self) -> Catalog:
        self._touch("sessions")
        return Catalog(tuple(self._sessions.values()), self._gaps)

    def describe(self, session: str) -> Session:
        return self._sessions[session]

    def title(self, session: str) -> str:
        return self._sessions[session].title

    def size(self) -> int:
        return 0

    def record_count(self, session: str) -> int:
        return len(self.talks[session])

    def fingerprint(self, session: str) -> bytes:
        return session.encode()

    def scan(self, terms: Sequence[str], sessions: Sequence[str]) -> ScanResult:
        self._touch("scan")
        return ScanResult(frozenset(sessions))

    def read(self, session: str) -> Transcript:
        self._touch("read")
        titles = title_message(self._sessions[session])
        return Transcript((*self.talks[session], *titles), self.fingerprint(session))

    def read_around(self, session: str, locators: Sequence[str]) -> list[StoredMessage]:
        self._touch("read_around")
        found = {message.locator: message for message in self.talks[session]}
        for message in title_message(self._sessions[session]):
            found[TITLE] = message
        return [found[locator] for locator in locators]
